"""Name the four ways in which hexagons lie in rows or columns, and find the neighbours of each.

In the layouts "odd-r" and "even-r" hexagons lie in rows, and in "odd-q" and "even-q" in columns. Of
these lines every second one, odd or even, is shoved on by half a hexagon.
"""

from __future__ import annotations

from typing import Literal

HexLayout = Literal["odd-r", "even-r", "odd-q", "even-q"]

HEX_LAYOUTS: tuple[HexLayout, ...] = ("odd-r", "even-r", "odd-q", "even-q")


def in_rows(layout: str) -> bool:
    """Tell whether the lines of a layout are rows, which run from west to east."""
    return layout.endswith("r")


def shoved_parity(layout: str) -> int:
    """Return 1 where the odd lines of a layout are shoved on, and 0 where the even ones are."""
    return 1 if layout.startswith("odd") else 0


def hex_steps(layout: HexLayout, parity: int) -> tuple[tuple[int, int], ...]:
    """Return (dx, dy) of the six neighbours of a hexagon whose line has a parity."""
    on = 1 if parity == shoved_parity(layout) else 0
    if in_rows(layout):
        return ((1, 0), (on, 1), (on - 1, 1), (-1, 0), (on - 1, -1), (on, -1))
    return ((0, 1), (-1, on), (-1, on - 1), (0, -1), (1, on - 1), (1, on))
