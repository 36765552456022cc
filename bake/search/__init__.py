"""Search: algorithms over arrays in rooms of their own, and over problems that a caller describes.

``bake.search.search`` looks for a way through any :class:`StateSpace`, step by step if need be.
``bake.search.Patterns`` is a pattern database, whose ``h`` guides it.
``bake.runtime.open_patterns`` opens a baked one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bake.search.patterns.database import Patterns as Patterns
    from bake.search.patterns.deepening import tile_search as tile_search
    from bake.search.spaces.methods import search as search
    from bake.search.spaces.problem import Search as Search
    from bake.search.spaces.problem import StateSpace as StateSpace
    from bake.search.spaces.problem import Status as Status
    from bake.search.spaces.problem import Step as Step
    from bake.search.spaces.puzzles import PlanSpace as PlanSpace
    from bake.search.spaces.puzzles import SlidingTiles as SlidingTiles

#: Where each name comes from. Kernels lie below this package, and must not load what they need not.
_HOMES = {
    "search": "bake.search.spaces.methods",
    "Search": "bake.search.spaces.problem",
    "StateSpace": "bake.search.spaces.problem",
    "Status": "bake.search.spaces.problem",
    "Step": "bake.search.spaces.problem",
    "Patterns": "bake.search.patterns.database",
    "tile_search": "bake.search.patterns.deepening",
    "PlanSpace": "bake.search.spaces.puzzles",
    "SlidingTiles": "bake.search.spaces.puzzles",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
