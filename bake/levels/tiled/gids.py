"""Global tile ids: the tile's number in the low 28 bits, how it is turned in the high four.

Tiled documentation, "Global Tile IDs".
"""

from __future__ import annotations

from typing import Literal

from bake.movement import EAST, NORTH, SOUTH, WEST

MAX_GID = 2**32 - 1
TILE_BITS = 0x0FFF_FFFF

FLIP_ACROSS = 0x8000_0000  # left and right change places
FLIP_DOWN = 0x4000_0000  # top and bottom do
TRANSPOSE = 0x2000_0000  # x and y do; on hexagonal maps a turn of 60 degrees
TURN_120 = 0x1000_0000  # on hexagonal maps alone, where it means 120 degrees

Orientation = Literal["orthogonal", "isometric", "staggered", "hexagonal"]

_HEADINGS = {NORTH: (0, -1), EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0)}
_BITS = {step: bit for bit, step in _HEADINGS.items()}


def turned(bits: int, gid: int, orientation: Orientation) -> int | None:
    """Headings of a tile as they lie once it is flipped and rotated.

    On isometric maps the picture is what is flipped: its left and right are the map's
    south-west and north-east, so a flip across swaps x and y.

    Args:
        bits: headings of the tile as it was drawn.
        gid: with its flags.
        orientation: of the map.

    Returns:
        The headings; None where the turn leads off the four headings.
    """
    flags = gid & ~TILE_BITS
    if bits == 0 or flags == 0:
        return bits
    hexagonal = orientation == "hexagonal"
    isometric = orientation in ("isometric", "staggered")
    sixths = 0
    if hexagonal:
        sixths = (1 if flags & TRANSPOSE else 0) + (2 if flags & TURN_120 else 0)
        if sixths % 3:
            return None
    elif flags & TRANSPOSE and isometric:
        return None
    found = 0
    for bit, step in _HEADINGS.items():
        if not bits & bit:
            continue
        dx, dy = step
        if hexagonal:
            if sixths == 3:
                dx, dy = -dx, -dy
        elif flags & TRANSPOSE:
            dx, dy = dy, dx
        if flags & FLIP_ACROSS:
            dx, dy = (dy, dx) if isometric else (-dx, dy)
        if flags & FLIP_DOWN:
            dx, dy = (-dy, -dx) if isometric else (dx, -dy)
        found |= _BITS[dx, dy]
    return found
