"""Rules of `bake lint`, and what they find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bake.recipe import DEFAULT_SEVERITY, SEVERITIES, Severity

__all__ = ["RULES", "SEVERITIES", "Finding", "Severity", "severity_of"]

Rule = Literal[
    "level", "islands", "spawns", "exits", "traps", "narrow", "links", "legend", "recipe"
]

#: Every rule, in the order its findings are told; what breaks "level" is always an error.
RULES: tuple[Rule, ...] = (
    "level",
    "spawns",
    "exits",
    "islands",
    "traps",
    "links",
    "narrow",
    "legend",
    "recipe",
)


@dataclass(frozen=True)
class Finding:
    """One thing that is likely wrong.

    Attributes:
        rule: which rule found it.
        severity: "error", "warning" or "notice".
        file: the level file, or the recipe.
        level: name of the level; "" where it is about the recipe.
        place: layer, object or key in the file; None where there is none to tell.
        profile: the agent profile it is about; None = all.
        cell: first cell concerned, in reading order: (x, y) or (x, y, floor); a node's name on
            graph levels; None where no cell is.
        cells: how many cells or nodes are concerned.
        message: what is wrong, in one line.
    """

    rule: Rule
    severity: Severity
    file: str
    level: str
    place: str | None
    profile: str | None
    cell: tuple[int, ...] | str | int | None
    cells: int
    message: str


def severity_of(rule: Rule, chosen: Mapping[str, Severity]) -> Severity:
    """How bad a rule's findings are, by the recipe or by default."""
    return "error" if rule == "level" else chosen.get(rule, DEFAULT_SEVERITY[rule])
