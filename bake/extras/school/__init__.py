"""The school: search algorithms of textbooks and lectures that games do not need.

``search`` looks for a way through any :class:`StateSpace`, step by step if need be, and
``Patterns`` is a pattern database, whose ``h`` guides it; ``open_patterns`` opens a baked one.
No room of the core imports this package; see docs/school.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bake.extras.school.corridors import cluster_cost as cluster_cost
    from bake.extras.school.corridors import plan_clusters as plan_clusters
    from bake.extras.school.patterns.database import Patterns as Patterns
    from bake.extras.school.patterns.database import open_patterns as open_patterns
    from bake.extras.school.patterns.deepening import tile_search as tile_search
    from bake.extras.school.puzzle import Tiles as Tiles
    from bake.extras.school.real_time_agent import RealTimeAgent as RealTimeAgent
    from bake.extras.school.skirting import bounce as bounce
    from bake.extras.school.skirting import crash_and_turn as crash_and_turn
    from bake.extras.school.skirting import trace_obstacles as trace_obstacles
    from bake.extras.school.spaces.macros import WithMacros as WithMacros
    from bake.extras.school.spaces.methods import search as search
    from bake.extras.school.spaces.open_lists import OPEN_LISTS as OPEN_LISTS
    from bake.extras.school.spaces.puzzles import PlanSpace as PlanSpace
    from bake.extras.school.spaces.puzzles import SlidingTiles as SlidingTiles
    from bake.extras.school.step_by_step import TracedResult as TracedResult
    from bake.extras.school.step_by_step import TraceStep as TraceStep
    from bake.extras.school.step_by_step import traced_search as traced_search
    from bake.extras.school.tables.lookup_table import LookupTable as LookupTable
    from bake.extras.school.tables.negative_arcs import PathTable as PathTable
    from bake.extras.school.trace_file import search_trace as search_trace
    from bake.extras.school.trace_file import trace_search as trace_search
    from bake.extras.school.walk_trace import trace_walk as trace_walk
    from bake.search.problem import Search as Search
    from bake.search.problem import StateSpace as StateSpace
    from bake.search.problem import Status as Status
    from bake.search.problem import Step as Step

#: Where each name comes from; none is loaded before it is asked for.
_HOMES = {
    "search": "bake.extras.school.spaces.methods",
    "OPEN_LISTS": "bake.extras.school.spaces.open_lists",
    "WithMacros": "bake.extras.school.spaces.macros",
    "Search": "bake.search.problem",
    "StateSpace": "bake.search.problem",
    "Status": "bake.search.problem",
    "Step": "bake.search.problem",
    "LookupTable": "bake.extras.school.tables.lookup_table",
    "PathTable": "bake.extras.school.tables.negative_arcs",
    "Patterns": "bake.extras.school.patterns.database",
    "open_patterns": "bake.extras.school.patterns.database",
    "Tiles": "bake.extras.school.puzzle",
    "tile_search": "bake.extras.school.patterns.deepening",
    "PlanSpace": "bake.extras.school.spaces.puzzles",
    "SlidingTiles": "bake.extras.school.spaces.puzzles",
    "cluster_cost": "bake.extras.school.corridors",
    "plan_clusters": "bake.extras.school.corridors",
    "TraceStep": "bake.extras.school.step_by_step",
    "TracedResult": "bake.extras.school.step_by_step",
    "traced_search": "bake.extras.school.step_by_step",
    "search_trace": "bake.extras.school.trace_file",
    "trace_search": "bake.extras.school.trace_file",
    "trace_walk": "bake.extras.school.walk_trace",
    "RealTimeAgent": "bake.extras.school.real_time_agent",
    "bounce": "bake.extras.school.skirting",
    "crash_and_turn": "bake.extras.school.skirting",
    "trace_obstacles": "bake.extras.school.skirting",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Return the public names, most of which are loaded on first use."""
    return [*_HOMES]
