"""Search algorithms over arrays, and resumable searches through state spaces.

Puzzles, pattern databases and searches through user-defined problems are in ``bake.extras.school``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bake.search.problem import Search as Search
    from bake.search.problem import StateSpace as StateSpace
    from bake.search.problem import Status as Status
    from bake.search.problem import Step as Step

#: Loaded on first use: kernels import this package and must not load `problem` with it.
_PROBLEM = ("Search", "StateSpace", "Status", "Step")


def __getattr__(name: str) -> Any:
    if name in _PROBLEM:
        from bake.search import problem

        return getattr(problem, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, most of which load on first use."""
    return list(_PROBLEM)
