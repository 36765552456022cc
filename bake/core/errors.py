"""Errors that only the bake raises; :mod:`levelbake.errors` defines those that games get, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from levelbake.errors import BakeError

#: The name of a recipe's table, and a line to add to it.
RecipeLine = tuple[str, str]


class LevelError(BakeError):
    """A level file is not valid in its format.

    Attributes:
        lines: lines that fix the error when they are added to a recipe, each after the name of its
            table, such as ``("terrain", "mud = 3")``.
    """

    def __init__(self, found: str, *, lines: Sequence[RecipeLine] = (), **where: Any) -> None:
        super().__init__(found, **where)
        self.lines = tuple(lines)


class BakeErrors(BakeError):
    """Several mistakes found in one pass, each with its own line."""

    def __init__(self, problems: Sequence[BakeError]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)

    def __str__(self) -> str:
        return self.found

    def __reduce__(self) -> tuple[Callable[[], BakeError], tuple[()]]:
        return partial(BakeErrors, self.problems), ()


def recipe_lines(error: BakeError) -> list[RecipeLine]:
    """Return the recipe lines that fix an error, in the order in which they were requested."""
    if isinstance(error, BakeErrors):
        return list(
            dict.fromkeys(line for problem in error.problems for line in recipe_lines(problem))
        )
    return list(error.lines) if isinstance(error, LevelError) else []


def one_error(problems: Sequence[BakeError], more: int = 0) -> BakeError:
    """Combine several mistakes into one error; a single one is returned unchanged.

    Args:
        problems: the mistakes, at least one.
        more: the number of further mistakes, which a last line reports.
    """
    if more > 0:
        first = problems[0]
        problems = [*problems, type(first)(f"and {more:,} more mistakes", file=first.file)]
    return problems[0] if len(problems) == 1 else BakeErrors(problems)


class RecipeError(BakeError):
    """A key, type or value in ``bake.toml`` is wrong."""


class BudgetError(BakeError):
    """A table would not fit into the memory budget."""


def over_budget(found: str, budget: int, remedy: str) -> BudgetError:
    """Build the error for a table that needs more than a budget of bytes."""
    expected = f"at most {in_units(budget)} (memory_budget)"
    return BudgetError(found, expected=expected, remedy=remedy)


class TraceError(BakeError):
    """The trace of a search or a walk is damaged, or belongs to another level."""


class CostError(BakeError):
    """A cost is not exact in ticks, or distances would exceed the integer scale."""


def in_units(count: int) -> str:
    """Format a number of bytes for people.

    >>> in_units(4_404_019)
    '4.2 MiB'
    """
    if count < 1024:
        return f"{count} bytes"
    value = count / 1024
    for unit in ("KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def counted(count: int, what: str) -> str:
    """Format a count with its noun in the singular or plural.

    >>> counted(1, "node"), counted(1200, "node")
    ('1 node', '1,200 nodes')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"
