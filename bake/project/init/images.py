"""Guess terrain from the colours of an image, which is the last resort: colours have no names."""

from __future__ import annotations

import colorsys
from pathlib import Path

import numpy as np
from PIL import Image

from bake.core.arrays import Int32Array, UInt8Array, UInt32Array
from bake.levels.image import image_colours, read_painting
from bake.levels.painting import MOST_COLORS, reduced_path
from bake.levels.reading.terrains import BUILT_IN_COLOURS, colour_text, rgb
from bake.project.init.entries import COLOURS, Entry, Guesses
from bake.project.init.words import FLOOR, WALL, Meaning, usual
from bake.store.partial import written_whole

#: Colours of a painting that are nearer to each other than this, over red, green and blue, are one.
_APART = 48
#: So many are left of a painting that is reduced to a level.
_MAIN_COLOURS = 16


def write_reduced(path: Path) -> Path:
    """Write a picture with the main colours of a painting beside it, unless there is one already.

    Returns:
        Its path.

    Raises:
        LevelError: the painting cannot be read.
        OutputError: the picture cannot be written.
    """
    target = reduced_path(path)
    if not target.exists():
        picture = Image.fromarray(main_colours(read_painting(path), _MAIN_COLOURS))
        with written_whole(target) as unfinished:
            picture.save(unfinished, format="PNG")
    return target


def main_colours(pixels: UInt8Array, most: int) -> UInt8Array:
    """Reduce a painting to the colours of its flat areas; other pixels take the nearest of these.

    A pixel is flat where its neighbours in the east and in the south have its colour, which those
    along edges that were smoothed do not. Pixels that are mostly clear become clear.

    Args:
        pixels: (height, width, 4) uint8, red, green, blue and alpha.
        most: how many colours there may be.

    Returns:
        Pixels of the same shape.
    """
    clear = pixels[..., 3] < 128
    colour = pixels[..., :3].astype(np.uint32) @ np.array([2**16, 2**8, 1], dtype=np.uint32)
    flat = np.zeros_like(clear)
    same = (colour[:-1, :-1] == colour[:-1, 1:]) & (colour[:-1, :-1] == colour[1:, :-1])
    flat[:-1, :-1] = same & ~clear[:-1, :-1]
    met, count = np.unique(colour[flat if flat.any() else ~clear], return_counts=True)
    parts = _parts(met)
    chosen: list[int] = []
    left = count.astype(np.int64)
    while len(chosen) < most and left.max(initial=0) > 0:
        chosen.append(int(left.argmax()))
        away = np.abs(parts - parts[chosen[-1]]).sum(axis=1)
        left[away < _APART] = 0
    every, at = np.unique(colour, return_inverse=True)
    nearest, least = every.copy(), np.full(len(every), 4 * 255, dtype=np.int32)
    for one in chosen:
        away = np.abs(_parts(every) - parts[one]).sum(axis=1)
        nearest = np.where(away < least, met[one], nearest)
        least = np.minimum(away, least)
    made = np.empty((*colour.shape, 4), dtype=np.uint8)
    made[..., :3] = _parts(nearest[at.reshape(colour.shape)])
    made[..., 3] = np.where(clear, 0, 255)
    return made


def _parts(colour: UInt32Array) -> Int32Array:
    """Return (..., 3) int32, the red, green and blue of (...) colours as 0xrrggbb."""
    return np.stack([colour >> 16, colour >> 8 & 0xFF, colour & 0xFF], axis=-1).astype(np.int32)


def image_entries(path: Path) -> list[Entry]:
    """Guess what each colour of an image means.

    Raises:
        LevelError: the image cannot be read.
    """
    counts = image_colours(path, MOST_COLORS) or {}
    whole = max(1, sum(counts.values()))
    guesses = Guesses(COLOURS)
    for packed, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        if (text := colour_text(packed)) not in BUILT_IN_COLOURS:
            colour, means = looks_like(rgb(packed))
            why = f"{colour}, {count / whole:.1%} of {path.name}"
            guesses.means(text, means, why, usual(means), sure=False)
    return guesses.entries()


def looks_like(colour: tuple[int, int, int]) -> tuple[str, Meaning]:
    """Return what a colour is called, and the terrain that maps draw in such a colour."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in colour))
    degrees = 360 * hue
    if value < 0.2:
        return "nearly black", WALL
    if saturation < 0.16:
        return ("dark grey", WALL) if value < 0.5 else ("light grey", FLOOR)
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
    return "of no colour that maps agree on", FLOOR
