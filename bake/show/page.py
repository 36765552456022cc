"""Compose pages of a map, a title and a legend, and write them as picture files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from bake.show.canvas import fitted, font, plain, width_of
from bake.show.colours import CONTOUR, FAINT_INK, INK, PAPER, Colour, as_colour, shades
from bake.show.paint import hatching
from bake.store.partial import written_whole
from levelbake.errors import OutputError

#: The minimum width of a page's content in pixels, so that the title fits.
_NARROWEST = 640

#: Maps up to this many pixels wide and high have text of normal size; larger maps have larger
#: text.
_PLAIN_SIDE = 1700

#: Sizes in pixels on a normal page: margin, title, text, line of the legend, header above the map.
_MARGIN, _TITLE, _TEXT, _LINE, _HEADER = 26, 26, 15, 26, 93

#: The number of shades of distances in the legend.
_RAMP_SWATCHES = 5

#: An upper bound of the lines of a legend on a large page.
_LEGEND_LINES = 8


@dataclass(frozen=True)
class Swatch:
    """An entry of the legend: a color, plain or striped, and its meaning."""

    colour: Colour
    text: str
    stripe: Colour | None = None


@dataclass(frozen=True)
class Map:
    """A drawn level."""

    picture: Image.Image  #: the level at its final size
    swatches: list[Swatch]  #: the legend, in display order
    scale: str  #: the scale as text, such as "8 pixels a cell"
    framed: bool  #: whether to draw a thin frame, because the level fills its rectangle


def _factor(width: float, height: float) -> float:
    """Return the magnification of text and margins for a map of this size, 1 to 4."""
    return min(4.0, max(1.0, max(width, height) / _PLAIN_SIDE))


def shortened(
    swatches: list[Swatch], limit: int, what: str, count: int | None = None
) -> list[Swatch]:
    """Return at most ``limit`` swatches, where the last one counts the omitted ones.

    Args:
        swatches: all swatches, or at least the first ``limit``.
        limit: the maximum length of the result.
        what: the noun for the omitted entries, in the plural.
        count: the number of all swatches; None = ``len(swatches)``.
    """
    count = len(swatches) if count is None else count
    if count <= limit:
        return swatches
    last = swatches[limit - 1]
    more = count - limit + 1
    return [*swatches[: limit - 1], Swatch(last.colour, f"and {more:,} more {what}")]


def number(value: float) -> str:
    """Format a cost or distance with at most two decimals and commas between thousands."""
    text = f"{value:,.2f}"
    return text.rstrip("0").rstrip(".")


def ramp_swatches(greatest: float, step: float | None = None) -> list[Swatch]:
    """Return the legend of distances and of the contour step; empty if ``greatest`` is 0."""
    if greatest <= 0:
        return []
    shares = np.linspace(0, 1, _RAMP_SWATCHES)
    colours = [as_colour(shade) for shade in shades(shares)]
    texts = [number(greatest * share) for share in shares.tolist()]
    swatches = [Swatch(*pair) for pair in zip(colours, texts, strict=True)]
    return swatches + ([] if step is None else [Swatch(CONTOUR, f"a line every {number(step)}")])


def map_corner(width: int, height: int) -> tuple[int, int]:
    """Return the (left, top) position in pixels of a map of this size on its page."""
    factor = _factor(width, height)
    return round(_MARGIN * factor), round(_HEADER * factor)


def page_pixels(width: float, height: float) -> float:
    """Return an upper bound of the number of pixels of a page with a map of this size."""
    factor = _factor(width, height)
    across = max(width, _NARROWEST) + 2 * _MARGIN * factor
    return across * (height + (_HEADER + 2 * _MARGIN + _LEGEND_LINES * _LINE) * factor)


def lay_out(drawn: Map, title: str, facts: str, note: str) -> Image.Image:
    """Return a page with a title above a map and the legend below it.

    Args:
        drawn: the map and its legend.
        title: the level's name.
        facts: the text beside the title, in a fainter color.
        note: the line below the title, which describes the picture.
    """
    width, height = drawn.picture.size
    factor = _factor(width, height)
    margin, top = map_corner(width, height)
    text, large, line = (round(size * factor) for size in (_TEXT, _TITLE, _LINE))
    room = max(width, _NARROWEST)
    below = top + height + margin
    legend: list[tuple[int, int, Swatch]] = []
    x = 0.0
    for swatch in drawn.swatches:
        wide = 3 * text + width_of(plain(swatch.text), text)
        if x > 0 and x + wide > room:
            x, below = 0.0, below + line
        legend.append((margin + round(x), below, swatch))
        x += wide
    page = Image.new("RGB", (room + 2 * margin, below + line + margin), PAPER)
    pen = ImageDraw.Draw(page)

    def write(at: tuple[float, float], words: str, size: int, fill: Colour, room: float) -> float:
        words = fitted(plain(words), size, room)
        pen.text(at, words, fill=fill, font=font(size), anchor="ls")
        return width_of(words, size)

    base = round(margin * 0.8) + large
    after = write((margin, base), title, large, INK, room) + text
    if room - after > 4 * text:
        facts = f"{facts} · {drawn.scale}"
        write((margin + after, base), facts, text, FAINT_INK, room - after)
    write((margin, base + 1.6 * text), note, text, INK, room)
    page.paste(drawn.picture, (margin, top))
    if drawn.framed:
        pen.rectangle((margin - 1, top - 1, margin + width, top + height), outline=INK)
    for left, up, swatch in legend:
        page.paste(swatch.colour, (left, up, left + text, up + text))
        if swatch.stripe is not None:
            page.paste(swatch.stripe, (left, up), hatching((text, text)))
        pen.rectangle((left, up, left + text, up + text), outline=INK)
        write((left + 1.5 * text, up + 0.85 * text), swatch.text, text, INK, room - 1.5 * text)
    return page


def check_output(path: Path) -> None:
    """Raise early if a picture file could not be written later.

    Raises:
        OutputError: the name does not end in .png, its folder does not exist, or the path is a
            folder.
    """
    if path.suffix.lower() != ".png":
        raise OutputError(
            f"pictures cannot be written as {path.suffix!r}"
            if path.suffix
            else "the name has no suffix",
            file=path,
            expected="a name that ends in .png",
        )
    if not path.parent.is_dir():
        raise OutputError("the folder does not exist", file=path, remedy="create the folder first")
    if path.is_dir():
        raise OutputError("a folder has this name", file=path, expected="the name of a picture")


def write_png(picture: Image.Image, path: Path) -> None:
    """Write a picture atomically, see :func:`written_whole`."""
    with written_whole(path) as partial:
        picture.save(partial, format="PNG")
