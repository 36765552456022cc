"""Search: algorithms over arrays in rooms of their own, and what a search under way is.

Searches through problems of your own, puzzles and pattern databases are in ``bake.school``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bake.search.problem import Search as Search
    from bake.search.problem import StateSpace as StateSpace
    from bake.search.problem import Status as Status
    from bake.search.problem import Step as Step

#: What is loaded when it is asked for. Kernels lie below this package, and must not load it.
_PROBLEM = ("Search", "StateSpace", "Status", "Step")


def __getattr__(name: str) -> Any:
    if name in _PROBLEM:
        from bake.search import problem

        return getattr(problem, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, which are loaded when they are first used."""
    return list(_PROBLEM)
