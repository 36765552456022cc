"""This module defines the rules and findings of `bake lint`.

It writes findings as text, as JSON and as GitHub annotations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bake.recipe import DEFAULT_SEVERITY, Severity

Rule = Literal[
    "level", "islands", "spawns", "exits", "traps", "narrow", "links", "legend", "recipe"
]

#: All rules, in the order in which findings are listed. A finding of "level" is always an error.
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
        level: name of the level; "" where the finding is about the recipe.
        place: layer, object or key in the file; None where the finding names none.
        profile: the agent profile the finding is about; None = all.
        cell: first cell concerned, in reading order: (x, y) or (x, y, floor); a node's name on
            graph levels; None where no cell is concerned.
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
    """Return how bad a rule's findings are, by the recipe or by default."""
    return "error" if rule == "level" else chosen.get(rule, DEFAULT_SEVERITY[rule])


def as_text(found: Finding) -> str:
    """Write a finding in one line.

    It has the file, place, severity, rule and profile, what is wrong, and the first cell.
    """
    where = found.file if found.place is None else f"{found.file}: {found.place}"
    who = "" if found.profile is None else f" profile {found.profile}:"
    return f"{where}: {found.severity} [{found.rule}]{who} {found.message}{_first(found)}"


def as_data(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return all findings and their counts by severity, ready for JSON."""
    return {
        "errors": sum(found.severity == "error" for found in findings),
        "warnings": sum(found.severity == "warning" for found in findings),
        "notices": sum(found.severity == "notice" for found in findings),
        "findings": [
            {**asdict(found), "cell": list(found.cell)}
            if isinstance(found.cell, tuple)
            else asdict(found)
            for found in findings
        ],
    }


def as_annotation(found: Finding) -> str:
    """Write a finding as a workflow command of GitHub Actions.

    GitHub shows it beside the file in a pull request.
    """
    level = f" in {found.level}" if found.level else ""
    title = _property(f"bake lint: {found.rule}{level}")
    place = "" if found.place is None else f"{found.place}: "
    who = "" if found.profile is None else f"profile {found.profile}: "
    text = _escaped(f"{place}{who}{found.message}{_first(found)}")
    return f"::{found.severity} file={_property(found.file)},title={title}::{text}"


def _first(found: Finding) -> str:
    if found.cell is None:
        return ""
    numbers = isinstance(found.cell, tuple)
    cell = f"({', '.join(map(str, found.cell))})" if isinstance(found.cell, tuple) else found.cell
    return f", {'at' if found.cells == 1 or not numbers else 'first at'} {cell}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
