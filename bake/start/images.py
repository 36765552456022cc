"""Guess terrain from the colours of an image, which is the last resort: colours have no names."""

from __future__ import annotations

import colorsys
from pathlib import Path

from bake.asset.partial import written_whole
from bake.levels.image import BUILT_IN, image_colours, main_colours
from bake.levels.reading.terrains import colour_text, rgb
from bake.start.entries import COLOURS, TERRAIN, Entry
from bake.start.words import FLOOR, WALL, Meaning, usual

#: An image with more colours is a painting, not a level.
MOST_COLOURS = 64
#: So many are left of a painting that is reduced to a level.
_MAIN_COLOURS = 16


def reduced_path(path: Path) -> Path:
    """Return where the reduced picture of a painting goes."""
    return path.with_name(f"{path.stem}-reduced.png")


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
        picture = main_colours(path, _MAIN_COLOURS)
        with written_whole(target) as unfinished:
            picture.save(unfinished, format="PNG")
    return target


def image_entries(path: Path) -> list[Entry]:
    """Guess what each colour of an image means.

    Raises:
        LevelError: the image cannot be read.
    """
    counts = image_colours(path, MOST_COLOURS) or {}
    whole = max(1, sum(counts.values()))
    found = []
    for packed, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        text = colour_text(packed)
        if text in BUILT_IN:
            continue
        colour, means = looks_like(rgb(packed))
        why = f"{colour}, {count / whole:.1%} of {path.name}"
        found.append(Entry(COLOURS, text, means.word, why, sure=False))
        found.append(Entry(TERRAIN, means.word, means.price, usual(means)))
    return list({(entry.table, entry.key): entry for entry in found}.values())


def looks_like(colour: tuple[int, int, int]) -> tuple[str, Meaning]:
    """Return what a colour is called, and the terrain that maps draw in such a colour."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in colour))
    degrees = 360 * hue
    if value < 0.2:
        return "nearly black", WALL
    if saturation < 0.16:
        return _grey(value)
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


def _grey(value: float) -> tuple[str, Meaning]:
    if value < 0.5:
        return "dark grey", WALL
    return "light grey", FLOOR
