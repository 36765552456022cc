"""The rules and findings of `bake lint`, and their output as text, JSON and GitHub annotations."""

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

#: The most similar findings of one level that are printed one by one.
MOST_ALIKE = 3

_NUMBER = re.compile(r"[0-9][0-9,]*( places?| cells?)?")
_NAME = re.compile(r"'[^']*'")


@dataclass(frozen=True)
class Finding:
    """A likely mistake in a level or recipe."""

    rule: Rule  #: the rule that is violated
    severity: Severity  #: "error", "warning" or "notice"
    file: str  #: the level file, or the recipe
    #: name of the level; "" for findings about the recipe, except for entries of a single level
    level: str
    place: str | None  #: layer, object or key in the file, or None
    profile: str | None  #: the agent profile concerned; None = all
    #: first cell concerned in reading order: (x, y) or (x, y, floor), or the name of a node; None
    #: if no cell is concerned
    cell: tuple[int, ...] | str | int | None
    cells: int  #: number of cells or nodes concerned
    message: str  #: the mistake, in one line


def find_severity(rule: Rule, chosen: Mapping[str, Severity]) -> Severity:
    """Return the severity of a rule by the recipe, or by default."""
    return "error" if rule == "level" else chosen.get(rule, DEFAULT_SEVERITY[rule])


def as_text(finding: Finding, similar: Sequence[Finding] = ()) -> str:
    """Format a finding as one line of text.

    The line has the file, the level if it is not named after the file, place, severity, rule and
    profile, the message, and the first cell.

    Args:
        finding: the finding.
        similar: similar findings that the line summarizes; see :func:`summed_up`.
    """
    where = finding.file
    if finding.level not in ("", PurePath(finding.file).stem):
        where += f": level {finding.level}"
    if finding.place is not None:
        where += f": {finding.place}"
    who = "" if finding.profile is None else f" profile {finding.profile}:"
    return f"{where}: {finding.severity} [{finding.rule}]{who} {_format_message(finding, similar)}"


def _format_message(finding: Finding, similar: Sequence[Finding]) -> str:
    text = finding.message + _format_cell(finding)
    if not similar:
        return text
    levels = len({item.level for item in similar} - {finding.level})
    if levels:
        return f"{text}; and in {counted(levels, 'more level')}"
    cells = sum(item.cells for item in similar)
    of_them = f" ({counted(cells, 'more place')})" if cells else ""
    return f"{text}; and {len(similar):,} more like it{of_them}"


def summed_up(findings: Sequence[Finding]) -> list[tuple[Finding, list[Finding]]]:
    """Group similar findings.

    Findings of a rule are similar if they concern many cells of the same level and profile, several
    levels of one file as a whole, or the classes of any levels.

    Returns:
        The findings to print, each with the similar ones that its line summarizes.
    """
    kinds: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        words = (finding.message, "")
        if finding.cell is not None:
            words = _NUMBER.sub("#", _NAME.sub("'...'", finding.message)), finding.level
        of_file = (finding.file, finding.place, finding.profile, *words)
        # A single project file can define the classes of all levels.
        kind = (finding.rule, finding.severity, *(() if finding.rule == "classes" else of_file))
        kinds.setdefault(kind, []).append(finding)
    summarized: dict[int, list[Finding]] = {}
    for alike in kinds.values():
        most = 1 if alike[0].cell is None else MOST_ALIKE
        single = alike if len(alike) <= most + 1 and most > 1 else alike[:most]
        summarized |= {id(finding): [] for finding in single}
        summarized[id(single[-1])] = alike[len(single) :]
    return [(finding, summarized[id(finding)]) for finding in findings if id(finding) in summarized]


def as_data(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return all findings and their counts by severity, as `bake lint --json` prints them."""
    return {
        "errors": sum(finding.severity == "error" for finding in findings),
        "warnings": sum(finding.severity == "warning" for finding in findings),
        "notices": sum(finding.severity == "notice" for finding in findings),
        "findings": findings,
    }


def as_annotation(finding: Finding, similar: Sequence[Finding] = ()) -> str:
    """Format a finding, with similar ones, as a workflow command of GitHub Actions.

    GitHub shows it beside the file in a pull request.
    """
    level = f" in {finding.level}" if finding.level else ""
    title = _escape_property(f"bake lint: {finding.rule}{level}")
    place = "" if finding.place is None else f"{finding.place}: "
    who = "" if finding.profile is None else f"profile {finding.profile}: "
    text = _escape(f"{place}{who}{_format_message(finding, similar)}")
    return f"::{finding.severity} file={_escape_property(finding.file)},title={title}::{text}"


def _format_cell(finding: Finding) -> str:
    if finding.cell is None:
        return ""
    numbers = isinstance(finding.cell, tuple)
    cell = (
        f"({', '.join(map(str, finding.cell))})"
        if isinstance(finding.cell, tuple)
        else finding.cell
    )
    return f", {'at' if finding.cells == 1 or not numbers else 'first at'} {cell}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
