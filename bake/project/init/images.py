"""Guess terrain from the colors of an image. This is a last resort, since colors have no names."""

from __future__ import annotations

import colorsys
from pathlib import Path

import numpy as np
from PIL import Image

from bake.core.arrays import Int32Array, UInt8Array, UInt32Array
from bake.levels.image import count_colors, read_painting
from bake.levels.painting import MOST_COLORS, reduced_path
from bake.levels.reading.terrains import BUILT_IN_COLORS, format_color, rgb
from bake.project.init.entries import COLOURS, Entry, Guesses
from bake.project.init.words import FLOOR, WALL, Meaning, usual_cost
from bake.store.partial import written_whole

#: Colors of a painting are merged if their distance over all channels (L1) is smaller.
_APART = 48
#: The number of colors in a reduced picture.
_MAIN_COLOURS = 16


def write_reduced(path: Path) -> Path:
    """Write a reduced picture beside a painting, unless it exists, and return its path.

    Raises:
        LevelError: the painting cannot be read.
        OutputError: the picture cannot be written.
    """
    target = reduced_path(path)
    if not target.exists():
        picture = Image.fromarray(reduce_colors(read_painting(path), _MAIN_COLOURS))
        with written_whole(target) as unfinished:
            picture.save(unfinished, format="PNG")
    return target


def reduce_colors(pixels: UInt8Array, most: int) -> UInt8Array:
    """Reduce a painting to the main colors of its flat areas; other pixels get the nearest one.

    A pixel is flat if its east and south neighbors have the same color, which is false along
    smoothed edges. Pixels that are mostly clear become clear.

    Args:
        pixels: (height, width, 4) uint8, red, green, blue and alpha.
        most: the most colors of the result.

    Returns:
        Pixels of the same shape.
    """
    clear = pixels[..., 3] < 128
    color = pixels[..., :3].astype(np.uint32) @ np.array([2**16, 2**8, 1], dtype=np.uint32)
    flat = np.zeros_like(clear)
    same = (color[:-1, :-1] == color[:-1, 1:]) & (color[:-1, :-1] == color[1:, :-1])
    flat[:-1, :-1] = same & ~clear[:-1, :-1]
    flat_colors, count = np.unique(color[flat if flat.any() else ~clear], return_counts=True)
    parts = _split_channels(flat_colors)
    chosen: list[int] = []
    left = count.astype(np.int64)
    while len(chosen) < most and left.max(initial=0) > 0:
        chosen.append(int(left.argmax()))
        distance = np.abs(parts - parts[chosen[-1]]).sum(axis=1)
        left[distance < _APART] = 0
    all_colors, slot = np.unique(color, return_inverse=True)
    nearest, nearest_distance = all_colors.copy(), np.full(len(all_colors), 4 * 255, dtype=np.int32)
    for i in chosen:
        distance = np.abs(_split_channels(all_colors) - parts[i]).sum(axis=1)
        nearest = np.where(distance < nearest_distance, flat_colors[i], nearest)
        nearest_distance = np.minimum(distance, nearest_distance)
    result = np.empty((*color.shape, 4), dtype=np.uint8)
    result[..., :3] = _split_channels(nearest[slot.reshape(color.shape)])
    result[..., 3] = np.where(clear, 0, 255)
    return result


def _split_channels(color: UInt32Array) -> Int32Array:
    """Return the channels of colors 0xrrggbb, shape (...), as (..., 3) int32: red, green, blue."""
    return np.stack([color >> 16, color >> 8 & 0xFF, color & 0xFF], axis=-1).astype(np.int32)


def guess_image(path: Path) -> list[Entry]:
    """Guess the terrain of each color of an image.

    Raises:
        LevelError: the image cannot be read.
    """
    counts = count_colors(path, MOST_COLORS) or {}
    whole = max(1, sum(counts.values()))
    guesses = Guesses(COLOURS)
    for packed, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if (text := format_color(packed)) not in BUILT_IN_COLORS:
            color, means = guess_color(rgb(packed))
            why = f"{color}, {count / whole:.1%} of {path.name}"
            guesses.add_meaning(text, means, why, usual_cost(means), sure=False)
    return guesses.entries()


def guess_color(color: tuple[int, int, int]) -> tuple[str, Meaning]:
    """Return the name of a color, and the terrain that maps usually draw in it."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in color))
    degrees = 360 * hue
    if value < 0.2:
        return "nearly black", WALL
    if saturation < 0.16:
        return ("dark gray", WALL) if value < 0.5 else ("light gray", FLOOR)
    if 170 <= degrees < 255:
        return "blue", Meaning("water", None)
    if 68 <= degrees < 170:
        if value < 0.45:
            return "dark green", Meaning("trees", None)
        return "green", Meaning("grass", 1.0)
    if 18 <= degrees < 68:
        if value < 0.35:
            return "dark brown", WALL
        if value < 0.68:
            return "brown", Meaning("dirt", 1.5)
        return "yellow or tan", Meaning("sand", 1.5)
    if (degrees < 18 or degrees >= 345) and saturation > 0.6 and value > 0.6:
        return "red", Meaning("lava", None)
    return "of no color that maps agree on", FLOOR
