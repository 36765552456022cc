"""Choose the color in which each terrain is drawn, for the asset."""

from __future__ import annotations

import colorsys
import hashlib
import math
from collections.abc import Mapping, Sequence

import numpy as np

from bake.core.arrays import UInt8Array
from bake.core.level import Colour

#: Colors of terrains whose names contain one of these words.
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

#: Colors closer than this in sRGB look alike.
_LOOKS_ALIKE = 16.0
#: The most shades of one color that are tried.
_MOST_SHADES = 12


def terrain_colours(
    terrains: Sequence[str],
    given: Mapping[str, Colour],
    areas: Mapping[str, tuple[str, tuple[str, ...]]] | None = None,
) -> UInt8Array:
    """Return a color for drawing each terrain.

    A terrain without a given color gets a natural color if its name contains a known word, and
    otherwise one that depends on its name. A color that looks like an earlier one is made darker,
    or lighter if it is dark; given colors come first.

    Args:
        terrains: the names of the terrains.
        given: colors set by the level.
        areas: areas of a divided plane, see GraphLevel; terrains of one area share its color.

    Returns:
        (terrain, 3) uint8 sRGB.
    """
    area_of = {name: (areas or {}).get(name, (name,))[0] for name in terrains}
    chosen: dict[str, Colour] = {}
    for name in sorted(terrains, key=lambda name: name not in given):
        if area_of[name] in chosen:
            continue
        colour = given[name] if name in given else _default_colour(name)
        toward = 0 if sum(colour) > 3 * 128 else 255
        for _ in range(_MOST_SHADES):
            if all(math.dist(colour, other) >= _LOOKS_ALIKE for other in chosen.values()):
                break
            red, green, blue = (round(part + (toward - part) / 4) for part in colour)
            colour = (red, green, blue)
        chosen[area_of[name]] = colour
    return np.array([chosen[area_of[name]] for name in terrains], dtype=np.uint8)


def _default_colour(name: str) -> Colour:
    lower = name.lower()
    for word, colour in _KNOWN:
        if word in lower:
            return colour
    hue = hashlib.sha256(name.encode()).digest()[0] / 256
    red, green, blue = colorsys.hls_to_rgb(hue, 0.68, 0.35)
    return (round(red * 255), round(green * 255), round(blue * 255))
