"""This module puts a map on a page, with a title above and a legend below, and writes the file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from bake.arrays import UInt8Array
from bake.asset.partial import written_whole
from bake.errors import OutputError
from bake.view.colours import FAINT_INK, INK, PAPER, Colour, ramp
from bake.view.lettering import fitted, font, plain, width_of

#: Narrower maps get the page of a map of this width in pixels, so that the title fits.
_NARROWEST = 640

#: Maps up to this many pixels wide and high have letters of the normal size; larger maps have
#: larger letters.
_PLAIN_SIDE = 1700

#: Each picture of an animation has at most so many colours of its own.
_GIF_COLOURS = 255

#: A legend has fewer lines than this on a large page, as such a page is wide.
_LEGEND_LINES = 8


@dataclass(frozen=True)
class Swatch:
    """A colour, plain or striped, and what it means."""

    colour: Colour
    text: str
    stripe: Colour | None = None


@dataclass(frozen=True)
class ColourBar:
    """The ramp of distances.

    Attributes:
        greatest: units at the far end of the ramp.
        step: units between its marks.
        lined: whether the picture has lines at the marks.
    """

    greatest: float
    step: float
    lined: bool


@dataclass(frozen=True)
class Legend:
    """The legend below a picture, which says what its colours mean.

    Attributes:
        swatches: the swatches, in the order in which they are shown.
        pixels_per_unit: the scale, for the scale bar.
        unit: what the scale bar counts.
        bar: the ramp of distances; it is left out where all distances are 0.
    """

    swatches: tuple[Swatch, ...]
    pixels_per_unit: float
    unit: str
    bar: ColourBar | None = None


@dataclass(frozen=True)
class Map:
    """A drawn level.

    Attributes:
        pixels: (height, width, 3) uint8.
        legend: what its colours mean.
        framed: whether the level fills its rectangle, which then gets a thin frame.
    """

    pixels: UInt8Array
    legend: Legend
    framed: bool


@dataclass(frozen=True)
class _Sizes:
    """The sizes in pixels of everything on the page except the map."""

    margin: int
    title: int
    text: int
    swatch: int
    line: int
    gap: int

    @property
    def header(self) -> int:
        return round(self.margin * 0.8) + self.title + self.text + round(self.margin * 1.2)


def _sizes(width: float, height: float) -> _Sizes:
    factor = min(4.0, max(1.0, max(width, height) / _PLAIN_SIDE))
    return _Sizes(*(round(size * factor) for size in (26, 26, 15, 16, 26, 22)))


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


def map_corner(width: int, height: int) -> tuple[int, int]:
    """Return (left, top) in pixels of a map of this size on its page."""
    sizes = _sizes(width, height)
    return sizes.margin, sizes.header


def page_pixels(width: float, height: float) -> float:
    """Return a bound of the pixels of a page with a map of this size, known before drawing."""
    sizes = _sizes(width, height)
    across = max(width, _NARROWEST) + 2 * sizes.margin
    return across * (height + sizes.header + 2 * sizes.margin + _LEGEND_LINES * sizes.line)


def lay_out(drawn: Map, title: str, facts: str, note: str) -> Image.Image:
    """Put a map on a page.

    Args:
        drawn: the map and its legend.
        title: the level's name.
        facts: the text beside the title, in a fainter colour.
        note: the line below the title, which says what the picture shows.
    """
    map_height, map_width = drawn.pixels.shape[:2]
    sizes = _sizes(map_width, map_height)
    width = max(map_width, _NARROWEST) + 2 * sizes.margin
    room = width - 2 * sizes.margin
    lines = _broken(drawn.legend.swatches, sizes, room)
    bar = drawn.legend.bar if drawn.legend.bar and drawn.legend.bar.greatest > 0 else None
    bar_height = round(sizes.line * 2.2) if bar else 0
    text, pixels = _scale_bar(drawn.legend, sizes, room)
    scale_room = pixels + sizes.gap / 2 + width_of(text, sizes.text)
    if lines and _line_width(lines[-1], sizes) + sizes.gap * 2 + scale_room > room:
        lines.append([])
    below = bar_height + max(1, len(lines)) * sizes.line
    height = sizes.header + map_height + sizes.margin * 2 + below
    page = Image.new("RGB", (width, height), PAPER)
    pen = ImageDraw.Draw(page)
    _write_header(pen, sizes, room, (plain(title), plain(facts), plain(note)))
    left, top = sizes.margin, sizes.header
    page.paste(Image.fromarray(drawn.pixels), (left, top))
    if drawn.framed:
        frame = (left - 1, top - 1, left + map_width, top + map_height)
        pen.rectangle(frame, outline=INK)
    y = top + map_height + sizes.margin
    if bar:
        _draw_bar(page, pen, sizes, bar, y, min(room, 30 * sizes.line))
        y += bar_height
    for line in lines:
        _draw_swatches(pen, sizes, line, y)
        y += sizes.line
    last = y - sizes.line if lines else y
    _draw_scale_bar(pen, sizes, text, (width - sizes.margin - pixels, width - sizes.margin), last)
    return page


def _write_header(
    pen: ImageDraw.ImageDraw, sizes: _Sizes, room: int, texts: tuple[str, str, str]
) -> None:
    title, facts, note = texts
    x, base = sizes.margin, round(sizes.margin * 0.8) + sizes.title
    title = fitted(title, sizes.title, room)
    pen.text((x, base), title, fill=INK, font=font(sizes.title), anchor="ls")
    after = x + width_of(title, sizes.title) + sizes.gap * 0.7
    left = sizes.margin + room - after
    if left > sizes.text * 4:
        text = fitted(facts, sizes.text, left)
        pen.text((after, base), text, fill=FAINT_INK, font=font(sizes.text), anchor="ls")
    below = base + round(sizes.text * 1.6)
    text = fitted(note, sizes.text, room)
    pen.text((x, below), text, fill=INK, font=font(sizes.text), anchor="ls")


def _swatch_width(swatch: Swatch, sizes: _Sizes) -> float:
    return sizes.swatch * 1.5 + width_of(plain(swatch.text), sizes.text) + sizes.gap


def _line_width(line: list[Swatch], sizes: _Sizes) -> float:
    return sum(_swatch_width(swatch, sizes) for swatch in line)


def _broken(swatches: tuple[Swatch, ...], sizes: _Sizes, room: int) -> list[list[Swatch]]:
    """Break swatches into lines of at most ``room`` pixels."""
    lines: list[list[Swatch]] = []
    used = math.inf
    for swatch in swatches:
        width = _swatch_width(swatch, sizes)
        if used + width - sizes.gap > room:
            lines.append([])
            used = 0.0
        lines[-1].append(swatch)
        used += width
    return lines


def _draw_swatches(pen: ImageDraw.ImageDraw, sizes: _Sizes, line: list[Swatch], top: int) -> None:
    x = float(sizes.margin)
    side = sizes.swatch
    for swatch in line:
        box = (round(x), top, round(x) + side, top + side)
        if swatch.stripe:
            _striped_box(pen, box, swatch.colour, swatch.stripe)
        else:
            pen.rectangle(box, fill=swatch.colour)
        pen.rectangle(box, outline=INK)
        pen.text(
            (round(x + side * 1.5), top + side / 2),
            fitted(plain(swatch.text), sizes.text, sizes.line * 40),
            fill=INK,
            font=font(sizes.text),
            anchor="lm",
        )
        x += _swatch_width(swatch, sizes)


def _striped_box(
    pen: ImageDraw.ImageDraw, box: tuple[int, int, int, int], colour: Colour, stripe: Colour
) -> None:
    left, top, right, bottom = box
    pen.rectangle(box, fill=colour)
    for y in range(top, bottom + 1):
        for x in range(left, right + 1):
            if (x + y) % 8 < 4:
                pen.point((x, y), fill=stripe)


def _draw_bar(
    page: Image.Image,
    pen: ImageDraw.ImageDraw,
    sizes: _Sizes,
    bar: ColourBar,
    top: int,
    width: int,
) -> None:
    left, height = sizes.margin, sizes.swatch
    step = np.rint(np.linspace(0, len(ramp()) - 1, width)).astype(np.intp)
    strip = np.broadcast_to(ramp()[step], (height, width, 3))
    page.paste(Image.fromarray(np.ascontiguousarray(strip)), (left, top))
    pen.rectangle((left, top, left + width, top + height), outline=INK)
    letters = font(sizes.text)
    last, base = number(bar.greatest), top + height + 4
    pen.text((left + width, base), last, fill=INK, font=letters, anchor="ra")
    limit = left + width - width_of(last, sizes.text) - sizes.gap / 2
    widest = width_of(number(bar.step * int(bar.greatest / bar.step)), sizes.text) + sizes.gap / 2
    between = width * bar.step / bar.greatest
    every = next((few for few in (1, 2, 5, 10) if few * between >= widest), 20)
    for mark in range(1 + int(bar.greatest / bar.step + 1e-9)):
        x = left + round(mark * between)
        if bar.lined and left < x < left + width:
            pen.line((x, top, x, top + height), fill=INK)
        text = number(mark * bar.step)
        if mark == 0:
            pen.text((left, base), text, fill=FAINT_INK, font=letters, anchor="la")
        elif mark % every == 0 and x + width_of(text, sizes.text) / 2 < limit:
            pen.text((x, base), text, fill=FAINT_INK, font=letters, anchor="ma")


def _scale_bar(legend: Legend, sizes: _Sizes, room: int) -> tuple[str, float]:
    """Return the text of the scale bar and its length in pixels.

    The bar is as long as fits, and counts 1, 2 or 5 times a power of ten.
    """
    longest = min(room * 0.4, sizes.line * 6.5) / legend.pixels_per_unit
    power = 10.0 ** math.floor(math.log10(longest))
    units = next(step * power for step in (5, 2, 1) if step * power <= longest)
    if legend.unit == "cell":
        units = max(1.0, units)
    return f"{units:g} {legend.unit}" + ("s" if units != 1 else ""), units * legend.pixels_per_unit


def _draw_scale_bar(
    pen: ImageDraw.ImageDraw, sizes: _Sizes, text: str, ends: tuple[float, float], top: int
) -> None:
    middle = top + sizes.swatch // 2
    tick = sizes.swatch // 3
    pen.line((ends[0], middle, ends[1], middle), fill=INK, width=2)
    for x in ends:
        pen.line((x, middle - tick, x, middle + tick), fill=INK, width=2)
    at = (ends[0] - sizes.gap / 2, middle)
    pen.text(at, text, fill=FAINT_INK, font=font(sizes.text), anchor="rm")


def check_output(path: Path, suffixes: tuple[str, ...] = (".png",)) -> None:
    """Refuse early a file that could not be written later.

    Args:
        path: the file.
        suffixes: what its name may end in.

    Raises:
        OutputError: its name has another suffix, its folder does not exist, or it is a folder.
    """
    if path.suffix.lower() not in suffixes:
        raise OutputError(
            f"pictures are not written as {path.suffix!r}"
            if path.suffix
            else "the name has no suffix",
            file=path,
            expected=f"a name that ends in {' or '.join(suffixes)}",
        )
    if not path.parent.is_dir():
        raise OutputError("the folder does not exist", file=path, remedy="make the folder first")
    if path.is_dir():
        raise OutputError("a folder has this name", file=path, expected="the name of a picture")


def write_png(picture: Image.Image, path: Path) -> None:
    """Write a picture whole or not at all: see :func:`written_whole`."""
    with written_whole(path) as partial:
        picture.save(partial, format="PNG")


def write_gif(pictures: Iterator[Image.Image], path: Path, *, pause: int, last: int) -> None:
    """Write pictures of one size as an animation that begins anew, whole or not at all.

    Args:
        pictures: at least one; each is made when the one before is no longer needed.
        path: the file.
        pause, last: milliseconds that each picture is shown, and that the last one is.
    """
    frames = [picture.quantize(_GIF_COLOURS, dither=Image.Dither.NONE) for picture in pictures]
    shown = [pause] * (len(frames) - 1) + [last]
    with written_whole(path) as partial:
        frames[0].save(
            partial,
            format="GIF",
            save_all=True,
            append_images=frames[1:],
            duration=shown if len(frames) > 1 else last,
            loop=0,
        )
