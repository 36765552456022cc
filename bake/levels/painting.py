"""Detect paintings: images with far more colors than a level has, such as smoothed ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bake.core.arrays import Int64Array, UInt8Array, UInt32Array

#: An image with more colors is a painting, not a level.
MOST_COLORS = 64
#: Counting of colors stops at about this number; an image with more is a photograph.
MOST_COUNTED = 2**16
#: The number of frequent colors that are compared with the colors of the legend.
COMPARED_COLORS = 2**12
#: "Mostly" is this share of the pixels.
_MOSTLY = 0.75


def reduced_path(path: Path) -> Path:
    """Return the path of the reduced picture of a painting."""
    return path.with_name(f"{path.stem}-reduced.png")


def reduce_remedy(path: Path) -> str:
    """Return the remedy for a painting or lossy image, in words: bake its reduced picture."""
    small = reduced_path(path)
    if small != path and small.is_file():
        return f"{small.name} beside it has its main colors: bake that"
    return f"`bake init --reduce` writes {small.name} with its main colors"


def describe_colors(colors: UInt32Array, counts: Int64Array, known: UInt32Array) -> str:
    """Describe the number of unnamed colors and their distance from named colors.

    Args:
        colors: (k) colors as 0xrrggbbaa, k >= 1; more than MOST_COUNTED if counting stopped.
        counts: (k) pixels of each.
        known: colors that are named, at least one.
    """
    listed = f"{len(colors):,} colors that no legend entry names ({counts.sum():,} pixels)"
    if len(colors) > MOST_COUNTED:
        listed = f"more than {MOST_COUNTED:,} colors that no legend entry names"
    frequent = np.argsort(-counts, kind="stable")[:COMPARED_COLORS]
    channels = _split_channels(colors[frequent])
    nearest = np.full(len(frequent), 256, dtype=np.int16)
    for color in _split_channels(known):
        distance = np.abs(channels - color).max(axis=1)
        nearest = np.minimum(nearest, distance)
    order = np.argsort(nearest, kind="stable")
    pixels = np.cumsum(counts[frequent][order])
    within = int(nearest[order][np.searchsorted(pixels, _MOSTLY * pixels[-1])])
    return f"{listed}, mostly within {within} of one that is named"


def _split_channels(colors: UInt32Array) -> np.ndarray[tuple[int, int], np.dtype[np.int16]]:
    """Return the channels of k colors 0xrrggbbaa as (k, 4) int16: red, green, blue, alpha."""
    shifts = np.array([24, 16, 8, 0], dtype=np.uint32)
    parts: UInt8Array = (colors[:, None] >> shifts & np.uint32(0xFF)).astype(np.uint8)
    return parts.astype(np.int16)
