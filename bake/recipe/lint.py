"""The table of `bake.toml` about how bad what `bake lint` finds is."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bake.recipe.shapes import Table, chosen
from bake.severity import DEFAULT_SEVERITY, Severity

SeverityKey = Annotated[Severity | None, chosen(Severity)]


def _rule(name: str, what: str) -> Any:
    return Field(default=None, description=f'{what} Default: "{DEFAULT_SEVERITY[name]}".')


class LintTable(Table):
    """How bad what `bake lint` finds is: "error", "warning", "notice" or "off"."""

    spawns: SeverityKey = _rule("spawns", "Spawns where their profile cannot stand.")
    exits: SeverityKey = _rule("exits", "Spawns from which no exit can be reached.")
    islands: SeverityKey = _rule("islands", "Places that cannot be reached.")
    traps: SeverityKey = _rule("traps", "Places that can be entered, but not left.")
    links: SeverityKey = _rule("links", "Links that lead nowhere, or are for nobody.")
    narrow: SeverityKey = _rule("narrow", "Cells too narrow for a large profile.")
    legend: SeverityKey = _rule("legend", "Terrains and colours that nothing is drawn in.")
    recipe: SeverityKey = _rule("recipe", "Keys of the recipe that became terrains by accident.")

    def given(self) -> dict[str, Severity]:
        """Severities by rule, where the recipe says one."""
        return {name: value for name, value in dict(self).items() if value is not None}
