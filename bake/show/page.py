"""This module puts a map on a page, with a title above and a legend below, and writes the file."""

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

#: Narrower maps get the page of a map of this width in pixels, so that the title fits.
_NARROWEST = 640

#: Maps up to this many pixels wide and high have letters of the normal size; larger maps have
#: larger letters.
_PLAIN_SIDE = 1700

#: Sizes in pixels of a normal page: margins, letters, lines of the legend, and all above the map.
_MARGIN, _TITLE, _TEXT, _LINE, _HEADER = 26, 26, 15, 26, 93

#: Shades of distances that the legend names.
_RAMP_SWATCHES = 5

#: A legend has fewer lines than this on a large page, as such a page is wide.
_LEGEND_LINES = 8


@dataclass(frozen=True)
class Swatch:
    """A colour, plain or striped, and what it means."""

    colour: Colour
    text: str
    stripe: Colour | None = None


@dataclass(frozen=True)
class Map:
    """A drawn level."""

    picture: Image.Image  #: the level, as large as it is shown
    swatches: list[Swatch]  #: the legend, in the order in which it is shown
    scale: str  #: says how large the level is shown
    framed: bool  #: whether the level fills its rectangle, which then gets a thin frame


def _factor(width: float, height: float) -> float:
    """Return by how much everything around a map is larger than around a small one."""
    return min(4.0, max(1.0, max(width, height) / _PLAIN_SIDE))


def shortened(
    swatches: list[Swatch], limit: int, what: str, count: int | None = None
) -> list[Swatch]:
    """Return the first swatches, and one that says how many more there are.

    Args:
        swatches: all of them, or at least ``limit``.
        limit: how many to return at most.
        what: what is counted, in the plural.
        count: how many swatches there are in all; None = as many as were given.
    """
    count = len(swatches) if count is None else count
    if count <= limit:
        return swatches
    last = swatches[limit - 1]
    more = count - limit + 1
    return [*swatches[: limit - 1], Swatch(last.colour, f"and {more:,} more {what}")]


def number(value: float) -> str:
    """Write a cost or distance with at most two decimals and with commas between thousands."""
    text = f"{value:,.2f}"
    return text.rstrip("0").rstrip(".")


def ramp_swatches(greatest: float, step: float | None = None) -> list[Swatch]:
    """Return what the shades of distances mean, and the step between contours; none for 0."""
    if greatest <= 0:
        return []
    shares = np.linspace(0, 1, _RAMP_SWATCHES)
    colours = [as_colour(shade) for shade in shades(shares)]
    texts = [number(greatest * share) for share in shares.tolist()]
    swatches = [Swatch(*pair) for pair in zip(colours, texts, strict=True)]
    return swatches + ([] if step is None else [Swatch(CONTOUR, f"a line every {number(step)}")])


def map_corner(width: int, height: int) -> tuple[int, int]:
    """Return (left, top) in pixels of a map of this size on its page."""
    factor = _factor(width, height)
    return round(_MARGIN * factor), round(_HEADER * factor)


def page_pixels(width: float, height: float) -> float:
    """Return a bound of the pixels of a page with a map of this size, known before drawing."""
    factor = _factor(width, height)
    across = max(width, _NARROWEST) + 2 * _MARGIN * factor
    return across * (height + (_HEADER + 2 * _MARGIN + _LEGEND_LINES * _LINE) * factor)


def lay_out(drawn: Map, title: str, facts: str, note: str) -> Image.Image:
    """Put a map on a page, its title above it and its legend below.

    Args:
        drawn: the map and its legend.
        title: the level's name.
        facts: the text beside the title, in a fainter colour.
        note: the line below the title, which says what the picture shows.
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
    """Refuse early a file that could not be written later.

    Raises:
        OutputError: its name has another suffix than .png, its folder does not exist, or it is a
            folder.
    """
    if path.suffix.lower() != ".png":
        raise OutputError(
            f"pictures are not written as {path.suffix!r}"
            if path.suffix
            else "the name has no suffix",
            file=path,
            expected="a name that ends in .png",
        )
    if not path.parent.is_dir():
        raise OutputError("the folder does not exist", file=path, remedy="make the folder first")
    if path.is_dir():
        raise OutputError("a folder has this name", file=path, expected="the name of a picture")


def write_png(picture: Image.Image, path: Path) -> None:
    """Write a picture whole or not at all: see :func:`written_whole`."""
    with written_whole(path) as partial:
        picture.save(partial, format="PNG")
