"""A colour to draw each terrain in, for levels that bring none."""

from __future__ import annotations

import colorsys
import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from bake.arrays import UInt8Array
from bake.level import Colour

#: Colours of terrains whose name is part of, or contains, one of these words.
_KNOWN: tuple[tuple[str, Colour], ...] = (
    ("out_of_bounds", (38, 36, 44)),
    ("void", (28, 27, 33)),
    ("wall", (58, 54, 66)),
    ("rock", (92, 86, 84)),
    ("mountain", (106, 98, 94)),
    ("tree", (52, 92, 60)),
    ("forest", (74, 122, 74)),
    ("grass", (139, 175, 98)),
    ("swamp", (118, 130, 84)),
    ("mud", (138, 109, 74)),
    ("hill", (168, 156, 104)),
    ("sand", (226, 207, 154)),
    ("beach", (226, 207, 154)),
    ("shallow", (122, 184, 200)),
    ("deep", (45, 92, 138)),
    ("water", (77, 134, 173)),
    ("bridge", (154, 106, 63)),
    ("road", (206, 178, 128)),
    ("floor", (214, 206, 190)),
    ("ground", (206, 198, 178)),
)


def terrain_colours(terrains: Sequence[str], given: Mapping[str, Colour]) -> UInt8Array:
    """(terrain, 3) uint8 sRGB: the given colour, a fitting one, or one that hangs on the name."""
    return np.array([given.get(name) or _fitting(name) for name in terrains], dtype=np.uint8)


def _fitting(name: str) -> Colour:
    lower = name.lower()
    for word, colour in _KNOWN:
        if word in lower:
            return colour
    hue = hashlib.sha256(name.encode()).digest()[0] / 256
    red, green, blue = colorsys.hls_to_rgb(hue, 0.68, 0.35)
    return (round(red * 255), round(green * 255), round(blue * 255))
