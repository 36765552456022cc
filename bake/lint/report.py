"""Findings as text, as JSON, and as annotations of GitHub workflows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bake.lint.findings import Finding


def as_text(found: Finding) -> str:
    """One line: file, place, severity, rule, profile, what is wrong, and where first."""
    where = found.file if found.place is None else f"{found.file}: {found.place}"
    who = "" if found.profile is None else f" profile {found.profile}:"
    return f"{where}: {found.severity} [{found.rule}]{who} {found.message}{_first(found)}"


def as_data(findings: Sequence[Finding]) -> dict[str, Any]:
    """Everything found, ready for JSON."""
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
    """One workflow command of GitHub Actions; it appears beside the file in a pull request."""
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
