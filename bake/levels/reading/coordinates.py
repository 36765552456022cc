"""Read cell sizes and origins from tile levels and recipes."""

from __future__ import annotations

from typing import Any

from levelbake.places import MAX_CELL, MAX_PLACE, Point

#: The accepted values of a cell size and of an origin, in words for error messages.
CELL_SIZE_EXPECTED = f"a size above 0 and at most {MAX_CELL:,.0f}, or two: [width, height]"
ORIGIN_EXPECTED = f"[x, y], two numbers from {-MAX_PLACE:,.0f} to {MAX_PLACE:,.0f}"

_SIZE = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_CELL}
_PLACE = {"type": "number", "minimum": -MAX_PLACE, "maximum": MAX_PLACE}
#: JSON Schemas of a cell size and of an origin.
CELL_SIZE_SCHEMA: dict[str, Any] = {
    "anyOf": [_SIZE, {"type": "array", "items": _SIZE, "minItems": 2, "maxItems": 2}]
}
ORIGIN_SCHEMA: dict[str, Any] = {"type": "array", "items": _PLACE, "minItems": 2, "maxItems": 2}


def read_cell_size(value: object) -> float | Point | None:
    """Return a cell size, or None if the value is not a valid one."""
    if isinstance(value, list):
        pair = _read_pair(value)
        return pair if pair is not None and 0 < min(pair) <= max(pair) <= MAX_CELL else None
    size = _read_number(value)
    return size if size is not None and 0 < size <= MAX_CELL else None


def read_origin(value: object) -> Point | None:
    """Return an origin as a point, or None if the value is not a valid one."""
    pair = _read_pair(value) if isinstance(value, list) else None
    return pair if pair is not None and max(map(abs, pair)) <= MAX_PLACE else None


def _read_pair(value: list[object]) -> Point | None:
    numbers = [number for item in value if (number := _read_number(item)) is not None]
    return (numbers[0], numbers[1]) if len(numbers) == len(value) == 2 else None


def _read_number(value: object) -> float | None:
    """Return a number as a float, or None if it is not finite or not below 2^62."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2**62:
        return None
    return float(value)
