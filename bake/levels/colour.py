"""Colours as text: "#rgb", "#rrggbb", "#rrggbbaa"."""

from __future__ import annotations

import re

_COLOUR = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)


def pack_colour(text: str) -> int | None:
    """The colour as 0xrrggbbaa, opaque where it names no alpha; None where it is no colour."""
    if _COLOUR.fullmatch(text) is None:
        return None
    digits = text[1:]
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return int(digits.ljust(8, "f"), 16)


def colour_text(packed: int) -> str:
    """0xrrggbbaa as "#rrggbb" where it is opaque, else as "#rrggbbaa"."""
    return f"#{packed >> 8:06x}" if packed & 0xFF == 0xFF else f"#{packed:08x}"


def rgb(packed: int) -> tuple[int, int, int]:
    """Red, green and blue of 0xrrggbbaa, each 0 to 255."""
    return packed >> 24, packed >> 16 & 0xFF, packed >> 8 & 0xFF
