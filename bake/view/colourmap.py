"""Colours that are evenly spaced to the eye, made in the Oklab colour space.

Source: B. Ottosson, "A perceptual color space for image processing" (2020), for the conversion.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from bake.arrays import Float64Array, UInt8Array

#: Turning the hue by this much over and over never comes near an earlier hue for long.
_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))

_RAMP_STEPS = 256


def oklch(lightness: Float64Array, chroma: Float64Array, hue: Float64Array) -> UInt8Array:
    """Oklab in polar form to sRGB.

    Args:
        lightness: (k) 0 black to 1 white.
        chroma: (k) 0 grey to about 0.3.
        hue: (k) radians.

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
    """(256, 3) uint8, from near (pale yellow) to far (deep violet); lightness falls evenly."""
    at = np.linspace(0, 1, _RAMP_STEPS)
    lightness = 0.955 - 0.58 * at
    chroma = 0.105 + 0.05 * np.sin(np.pi * at)
    hue = np.radians(104 + 196 * at**0.9)
    colours = oklch(lightness, chroma, hue)
    colours.setflags(write=False)
    return colours


def shades(fraction: Float64Array) -> UInt8Array:
    """(k, 3) uint8 colours of the ramp at (k) fractions from 0, near, to 1, far."""
    step = np.rint(np.clip(fraction, 0, 1) * (_RAMP_STEPS - 1)).astype(np.intp)
    return ramp()[step]


def vivid(count: int) -> UInt8Array:
    """(count, 3) uint8 strong colours; those near each other in the list differ most."""
    place = np.arange(count, dtype=np.float64)
    hue = math.radians(28) + place * _GOLDEN_ANGLE
    lightness = np.where(place % 2 == 0, 0.64, 0.74)
    return oklch(lightness, np.full(count, 0.19), hue)


def mixed(colours: UInt8Array, other: tuple[int, int, int], share: float) -> UInt8Array:
    """Colours with this share of another one stirred in."""
    blend = colours * (1 - share) + np.array(other, dtype=np.float64) * share
    return np.rint(blend).astype(np.uint8)
