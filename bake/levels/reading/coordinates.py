"""Read where cells lie from what a person wrote, in a tile level or in a recipe."""

from __future__ import annotations

from typing import Any

from levelbake.places import MAX_CELL, MAX_PLACE, Point

#: What a person may write for the size of cells, and for where the first one begins.
CELL_SIZE_EXPECTED = f"a size above 0 and at most {MAX_CELL:,.0f}, or two: [width, height]"
ORIGIN_EXPECTED = f"[x, y], two numbers from {-MAX_PLACE:,.0f} to {MAX_PLACE:,.0f}"

_SIZE = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_CELL}
_PLACE = {"type": "number", "minimum": -MAX_PLACE, "maximum": MAX_PLACE}
#: JSON Schemas of the same two.
CELL_SIZE_SCHEMA: dict[str, Any] = {
    "anyOf": [_SIZE, {"type": "array", "items": _SIZE, "minItems": 2, "maxItems": 2}]
}
ORIGIN_SCHEMA: dict[str, Any] = {"type": "array", "items": _PLACE, "minItems": 2, "maxItems": 2}


def read_cell_size(value: object) -> float | Point | None:
    """Return the size of cells from what a person wrote; None where it is no size."""
    if isinstance(value, list):
        pair = _pair(value)
        return pair if pair is not None and 0 < min(pair) <= max(pair) <= MAX_CELL else None
    size = _number(value)
    return size if size is not None and 0 < size <= MAX_CELL else None


def read_origin(value: object) -> Point | None:
    """Return a point from what a person wrote; None where it is no point."""
    pair = _pair(value) if isinstance(value, list) else None
    return pair if pair is not None and max(map(abs, pair)) <= MAX_PLACE else None


def _pair(value: list[object]) -> Point | None:
    numbers = [number for each in value if (number := _number(each)) is not None]
    return (numbers[0], numbers[1]) if len(numbers) == len(value) == 2 else None


def _number(value: object) -> float | None:
    """Return a finite number that is not absurdly large, such as one of a thousand digits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2**62:
        return None
    return float(value)
