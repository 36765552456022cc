"""This module defines the rules and findings of `bake lint`.

It writes findings as text, as JSON and as GitHub annotations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal, get_args

from bake.core.errors import counted
from bake.project.recipe import DEFAULT_SEVERITY, Severity

#: All rules, in the order in which findings are listed. A finding of "level" is always an error.
Rule = Literal[
    "level",
    "spawns",
    "exits",
    "islands",
    "traps",
    "links",
    "narrow",
    "ignored",
    "classes",
    "gravity",
    "straight",
    "terrain",
    "legend",
    "recipe",
]
RULES: tuple[Rule, ...] = get_args(Rule)

#: At most this many findings that say the same of a level are printed one by one.
MOST_ALIKE = 3

_NUMBER = re.compile(r"[0-9][0-9,]*( places?| cells?)?")
_NAME = re.compile(r"'[^']*'")


@dataclass(frozen=True)
class Finding:
    """One thing that is likely wrong."""

    rule: Rule  #: which rule found it
    severity: Severity  #: "error", "warning" or "notice"
    file: str  #: the level file, or the recipe
    #: name of the level; "" where the finding is about the recipe, unless it is about an entry that
    #: the recipe has for this level alone
    level: str
    place: str | None  #: layer, object or key in the file; None where the finding names none
    profile: str | None  #: the agent profile the finding is about; None = all
    #: first cell concerned, in reading order: (x, y) or (x, y, floor); a node's name on graph
    #: levels; None where no cell is concerned
    cell: tuple[int, ...] | str | int | None
    cells: int  #: how many cells or nodes are concerned
    message: str  #: what is wrong, in one line


def severity_of(rule: Rule, chosen: Mapping[str, Severity]) -> Severity:
    """Return how bad a rule's findings are, by the recipe or by default."""
    return "error" if rule == "level" else chosen.get(rule, DEFAULT_SEVERITY[rule])


def as_text(found: Finding, others: Sequence[Finding] = ()) -> str:
    """Write a finding in one line.

    It has the file, the level where the file's name does not tell it, place, severity, rule and
    profile, what is wrong, and the first cell.

    Args:
        found: the finding.
        others: findings like it, which the line sums up; see :func:`summed_up`.
    """
    where = found.file
    if found.level not in ("", PurePath(found.file).stem):
        where += f": level {found.level}"
    if found.place is not None:
        where += f": {found.place}"
    who = "" if found.profile is None else f" profile {found.profile}:"
    return f"{where}: {found.severity} [{found.rule}]{who} {_said(found, others)}"


def _said(found: Finding, others: Sequence[Finding]) -> str:
    said = found.message + _first(found)
    if not others:
        return said
    levels = len({other.level for other in others} - {found.level})
    if levels:
        return f"{said}; and in {counted(levels, 'more level')}"
    cells = sum(other.cells for other in others)
    of_them = f" ({counted(cells, 'more place')})" if cells else ""
    return f"{said}; and {len(others):,} more like it{of_them}"


def summed_up(findings: Sequence[Finding]) -> list[tuple[Finding, list[Finding]]]:
    """Put together what is said again and again.

    Findings of one rule are alike where they are about many places of a level and profile, about
    several levels of one file as a whole, or about the classes of any levels.

    Returns:
        The findings that are told, each with those that its line sums up.
    """
    kinds: dict[tuple[object, ...], list[Finding]] = {}
    for found in findings:
        words = (found.message, "")
        if found.cell is not None:
            words = _NUMBER.sub("#", _NAME.sub("'...'", found.message)), found.level
        of_file = (found.file, found.place, found.profile, *words)
        # One project file would define the classes of all levels.
        kind = (found.rule, found.severity, *(() if found.rule == "classes" else of_file))
        kinds.setdefault(kind, []).append(found)
    told: dict[int, list[Finding]] = {}
    for alike in kinds.values():
        most = 1 if alike[0].cell is None else MOST_ALIKE
        single = alike if len(alike) <= most + 1 and most > 1 else alike[:most]
        told |= {id(found): [] for found in single}
        told[id(single[-1])] = alike[len(single) :]
    return [(found, told[id(found)]) for found in findings if id(found) in told]


def as_data(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return all findings and their counts by severity, as `bake lint --json` prints them."""
    return {
        "errors": sum(found.severity == "error" for found in findings),
        "warnings": sum(found.severity == "warning" for found in findings),
        "notices": sum(found.severity == "notice" for found in findings),
        "findings": findings,
    }


def as_annotation(found: Finding, others: Sequence[Finding] = ()) -> str:
    """Write a finding, and others like it, as a workflow command of GitHub Actions.

    GitHub shows it beside the file in a pull request.
    """
    level = f" in {found.level}" if found.level else ""
    title = _property(f"bake lint: {found.rule}{level}")
    place = "" if found.place is None else f"{found.place}: "
    who = "" if found.profile is None else f"profile {found.profile}: "
    text = _escaped(f"{place}{who}{_said(found, others)}")
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
