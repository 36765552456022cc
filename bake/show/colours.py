"""The colors of pictures: constants, and colors computed for distances, components and clusters.

Perceptually even colors are computed in the Oklab color space.
Source: B. Ottosson, "A perceptual color space for image processing" (2020), for the conversion.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from bake.core.arrays import Float64Array, Int32Array, UInt8Array
from bake.core.graph import Graph

Colour = tuple[int, int, int]

PAPER: Colour = (248, 246, 241)
INK: Colour = (38, 36, 46)
FAINT_INK: Colour = (122, 117, 128)

#: The color of cells on which the profile cannot stand, in every view except terrain.
BLOCKED: Colour = (52, 49, 60)
#: The stripes over cells that only other profiles can stand on.
OTHERS_STRIPE: Colour = (48, 45, 55)

#: The color of the component with the most places.
LARGEST: Colour = (228, 223, 212)
LARGEST_ON_PAPER: Colour = (190, 182, 168)

UNREACHABLE: Colour = (238, 164, 160)
UNREACHABLE_STRIPE: Colour = (196, 66, 84)

OPENED: Colour = (60, 170, 100)
CLOSED: Colour = (214, 48, 66)
DEARER: Colour = (240, 170, 60)
CHEAPER: Colour = (92, 160, 226)
CUT_OFF: Colour = (236, 186, 222)
CUT_OFF_STRIPE: Colour = (160, 52, 138)
JOINED: Colour = (190, 230, 222)
JOINED_STRIPE: Colour = (30, 130, 116)

CONTOUR: Colour = (34, 26, 52)
CONTOUR_ON_DARK: Colour = (226, 214, 250)
ARROW: Colour = (58, 52, 74)

PATH: Colour = (226, 32, 78)
CASING: Colour = (255, 255, 255)
START: Colour = (24, 136, 96)
GOAL: Colour = PATH

TRANSITION: Colour = (255, 214, 64)
ACROSS: Colour = (38, 36, 46)
INSIDE: Colour = (128, 108, 150)
#: The colors of routes over the layers of a hierarchy, lowest first.
WAYS: tuple[Colour, ...] = ((34, 116, 196), (232, 126, 22), (122, 62, 168), (20, 140, 120))

#: Places that an agent has not seen, and places that its search visited in a step.
UNSEEN: Colour = (120, 124, 142)
SEARCHED: Colour = (248, 196, 104)

#: The walls of areas and polygons, and the portals between polygons.
WALL: Colour = (70, 66, 78)
PORTAL: Colour = (255, 255, 255)

ROAD: Colour = (249, 224, 160)
ROAD_CASING: Colour = (142, 126, 104)
ROAD_CLOSED: Colour = (212, 206, 198)

#: The colors of places with findings of `bake lint`, by rule.
ISLAND: Colour = (232, 126, 22)
TRAP: Colour = (168, 36, 148)
NO_EXIT: Colour = (196, 20, 40)

#: Turning the hue by this angle comes near an earlier hue only after many turns.
_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))

_RAMP_STEPS = 256

#: Further components use these hues again, as more hues would look too much alike.
_COMPONENT_HUES = 24

#: A cluster with more neighbors than there are colors may share one with some of them.
_CLUSTER_COLOURS = 7


def as_colour(pixel: UInt8Array) -> Colour:
    """Return one color of an array, (3) uint8, as three numbers."""
    red, green, blue = pixel.tolist()
    return red, green, blue


def oklch(lightness: Float64Array, chroma: Float64Array, hue: Float64Array) -> UInt8Array:
    """Convert colors from Oklab in polar form to sRGB.

    Args:
        lightness: (k) from 0, black, to 1, white.
        chroma: (k) from 0, grey, to about 0.3.
        hue: (k) in radians.

    Returns:
        (k, 3) uint8, clipped to what a screen can show.
    """
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = np.stack(
        [
            4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
            -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
            -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
        ],
        axis=-1,
    ).clip(0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    colours: UInt8Array = np.rint(encoded * 255).astype(np.uint8)
    return colours


@cache
def ramp() -> UInt8Array:
    """Return (256, 3) uint8 colors from near (pale yellow) to far (deep violet).

    Their lightness decreases evenly.
    """
    fraction = np.linspace(0, 1, _RAMP_STEPS)
    lightness = 0.955 - 0.58 * fraction
    chroma = 0.105 + 0.05 * np.sin(np.pi * fraction)
    hue = np.radians(104 + 196 * fraction**0.9)
    colours = oklch(lightness, chroma, hue)
    colours.setflags(write=False)
    return colours


def shades(fraction: Float64Array) -> UInt8Array:
    """Return (k, 3) uint8 colors of the ramp at (k) fractions from 0, near, to 1, far."""
    step = np.rint(np.clip(fraction, 0, 1) * (_RAMP_STEPS - 1)).astype(np.intp)
    return ramp()[step]


def mixed(colours: UInt8Array, other: Colour, share: float) -> UInt8Array:
    """Blend colors with a fraction, 0 to 1, of another color."""
    blend = colours * (1 - share) + np.array(other, dtype=np.float64) * share
    return np.rint(blend).astype(np.uint8)


def vivid(count: int) -> UInt8Array:
    """Return (count, 3) uint8 saturated colors; consecutive ones differ most."""
    number = np.arange(count, dtype=np.float64)
    hue = math.radians(28) + number * _GOLDEN_ANGLE
    lightness = np.where(number % 2 == 0, 0.64, 0.74)
    return oklch(lightness, np.full(count, 0.19), hue)


def component_colours(count: int, largest: Colour = LARGEST) -> UInt8Array:
    """Return (count, 3) uint8 colors of components by rank.

    The largest component has a muted color, so that islands stand out.

    Args:
        count: the number of components.
        largest: the color of the first component; all others are vivid.
    """
    bright = vivid(min(_COMPONENT_HUES, max(0, count - 1)))
    smaller = bright[np.arange(max(0, count - 1)) % max(1, len(bright))]
    return np.vstack([np.array([largest], dtype=np.uint8), smaller])[:count]


def cluster_colours(graph: Graph, cluster: Int32Array, count: int) -> UInt8Array:
    """Return (count, 3) uint8 pale colors of clusters, such that neighbors differ.

    Each cluster gets the first color that no neighbor with a lower number has (D. Welsh,
    M. Powell, "An upper bound for the chromatic number of a graph", 1967, in the order of the
    clusters' numbers).

    Args:
        graph: a graph with rows as nodes.
        cluster: (r) int32, cluster of each row.
        count: the number of clusters.
    """
    number = np.arange(_CLUSTER_COLOURS, dtype=np.float64)
    lightness = np.where(number % 2 == 0, 0.9, 0.82)
    hue = 2 * np.pi * number * 3 / _CLUSTER_COLOURS
    pale = oklch(lightness, np.full(_CLUSTER_COLOURS, 0.075), hue)
    a, b = cluster[graph.tail()].astype(np.int64), cluster[graph.head].astype(np.int64)
    high, low = np.maximum(a, b)[a != b], np.minimum(a, b)[a != b]
    high, low = np.divmod(np.unique(high * max(1, count) + low), max(1, count))
    first = np.searchsorted(high, np.arange(count + 1))
    chosen = np.zeros(count, dtype=np.intp)
    for label in range(count):
        taken = set(chosen[low[first[label] : first[label + 1]]].tolist())
        # The search starts at another color each time, so that all colors are used.
        order = [(label + step) % len(pale) for step in range(len(pale))]
        chosen[label] = next((colour for colour in order if colour not in taken), order[0])
    return pale[chosen]
