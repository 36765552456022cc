"""A map on a page: title above, legend below."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from bake.arrays import UInt8Array
from bake.view.colourmap import ramp
from bake.view.legend import ColourBar, Legend, Swatch, number
from bake.view.lettering import fitted, font, plain, width_of
from bake.view.palette import FAINT_INK, INK, PAPER, Colour

#: Narrower maps stand on a page of this width, so that the title fits.
_NARROWEST = 640

#: Maps up to this many pixels wide or high get letters of the plain size, larger ones larger.
_PLAIN_SIDE = 1700

#: More lines than any legend has on a page too wide to have many.
_LEGEND_LINES = 8


@dataclass(frozen=True)
class Map:
    """A drawn level.

    Attributes:
        pixels: (height, width, 3) uint8.
        legend: what its colours mean.
        framed: whether it fills its rectangle, which then gets a thin frame.
    """

    pixels: UInt8Array
    legend: Legend
    framed: bool


@dataclass(frozen=True)
class _Sizes:
    """Pixels of everything on the page but the map."""

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


def map_place(width: int, height: int) -> tuple[int, int]:
    """(left, top) in pixels of a map of this size on its page."""
    sizes = _sizes(width, height)
    return sizes.margin, sizes.header


def page_pixels(width: float, height: float) -> float:
    """Pixels a page with a map of this size may have: a bound that is known before drawing."""
    sizes = _sizes(width, height)
    across = max(width, _NARROWEST) + 2 * sizes.margin
    return across * (height + sizes.header + 2 * sizes.margin + _LEGEND_LINES * sizes.line)


def lay_out(drawn: Map, title: str, facts: str, note: str) -> Image.Image:
    """Put a map on a page.

    Args:
        drawn: the map and its legend.
        title: the level's name.
        facts: what stands beside it, in a fainter colour.
        note: the line below: what the picture shows.
    """
    map_height, map_width = drawn.pixels.shape[:2]
    sizes = _sizes(map_width, map_height)
    width = max(map_width, _NARROWEST) + 2 * sizes.margin
    room = width - 2 * sizes.margin
    lines = _broken(drawn.legend.swatches, sizes, room)
    bar_height = round(sizes.line * 2.2) if drawn.legend.bar else 0
    scale_room = _scale_bar_width(drawn.legend, sizes, room)
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
    if drawn.legend.bar:
        _draw_bar(page, pen, sizes, drawn.legend.bar, y, min(room, 30 * sizes.line))
        y += bar_height
    for line in lines:
        _draw_swatches(pen, sizes, line, y)
        y += sizes.line
    last = y - sizes.line if lines else y
    _draw_scale_bar(pen, sizes, drawn.legend, width - sizes.margin, last)
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
    """Swatches in lines that fit."""
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
    place = np.rint(np.linspace(0, len(ramp()) - 1, width)).astype(np.intp)
    strip = np.broadcast_to(ramp()[place], (height, width, 3))
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


def _scale_length(legend: Legend, sizes: _Sizes, room: int) -> tuple[float, float]:
    """Units and pixels of the scale bar: the largest 1, 2 or 5 times ten that is not too long."""
    longest = min(room * 0.4, sizes.line * 6.5) / legend.pixels_per_unit
    power = 10.0 ** math.floor(math.log10(longest))
    units = next(step * power for step in (5, 2, 1) if step * power <= longest)
    if legend.unit == "cell":
        units = max(1.0, units)
    return units, units * legend.pixels_per_unit


def _scale_text(legend: Legend, units: float) -> str:
    return f"{units:g} {legend.unit}" + ("s" if units != 1 else "")


def _scale_bar_width(legend: Legend, sizes: _Sizes, room: int) -> float:
    units, pixels = _scale_length(legend, sizes, room)
    return pixels + sizes.gap / 2 + width_of(_scale_text(legend, units), sizes.text)


def _draw_scale_bar(
    pen: ImageDraw.ImageDraw, sizes: _Sizes, legend: Legend, right: int, top: int
) -> None:
    units, pixels = _scale_length(legend, sizes, right - sizes.margin)
    text = _scale_text(legend, units)
    start = right - pixels
    middle = top + sizes.swatch // 2
    tick = sizes.swatch // 3
    pen.line((start, middle, right, middle), fill=INK, width=2)
    for x in (start, right):
        pen.line((x, middle - tick, x, middle + tick), fill=INK, width=2)
    at = (start - sizes.gap / 2, middle)
    pen.text(at, text, fill=FAINT_INK, font=font(sizes.text), anchor="rm")
