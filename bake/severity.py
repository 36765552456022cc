"""How bad what `bake lint` finds is, by rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Severity = Literal["error", "warning", "notice", "off"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice", "off")

#: Rules a recipe may weigh, and what they are where it does not.
DEFAULT_SEVERITY: Mapping[str, Severity] = {
    "spawns": "error",
    "exits": "error",
    "islands": "warning",
    "traps": "warning",
    "links": "error",
    "narrow": "notice",
    "legend": "notice",
    "recipe": "warning",
}
