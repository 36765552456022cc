"""Compose a benchmark's results as a section of Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.machine import commit, machine


class Section:
    """Text, tables and aims in the order of the calls; aims come last."""

    def __init__(self, name: str, title: str) -> None:
        self.name = name
        self.title = title
        self._parts: list[str] = []
        self._aims: list[Sequence[str]] = []

    def text(self, paragraph: str) -> None:
        """Add a paragraph."""
        self._parts.append(paragraph)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Add a table; all columns but the first are for numbers."""
        self._parts.append(_table(columns, rows))

    def at_most(self, what: str, measured: float, bound: float, unit: str, digits: int = 2) -> None:
        """Add an aim that a figure is at most a bound."""
        self._aim(what, measured, "≤", bound, unit, digits, met=measured <= bound)

    def at_least(
        self, what: str, measured: float, bound: float, unit: str, digits: int = 2
    ) -> None:
        """Add an aim that a figure is at least a bound."""
        self._aim(what, measured, "≥", bound, unit, digits, met=measured >= bound)

    def _aim(
        self,
        what: str,
        measured: float,
        sign: str,
        bound: float,
        unit: str,
        digits: int,
        *,
        met: bool,
    ) -> None:
        value = f"{measured:,.{digits}f} {unit}"
        self._aims.append((what, f"{sign} {bound:,g} {unit}", value, "yes" if met else "**no**"))

    def markdown(self, seconds: float, *, quick: bool) -> str:
        """Return the section, with the date and the machine of the measurement."""
        form = "short form" if quick else "full form"
        foot = f"*{machine()}. Commit {commit()}. {form.capitalize()}, {seconds:,.0f} s.*"
        parts = [f"## {self.title}", *self._parts]
        if self._aims:
            parts.append(_table(("aim", "bound", "measured", "met"), self._aims))
        return "\n\n".join([*parts, foot]) + "\n"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in columns[1:])]
    lines = [columns, rule, *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
