"""Read drawings in SVG: each filled shape is an area of a terrain, painted over those before it.

The terrain of a shape is its attribute ``data-terrain``, or that of a group around it, or what the
recipe's legend says of its fill. White is floor and black is wall, unless the legend says
otherwise. Shapes that are not filled, but have a stroke, are walls as thin as a line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np

from bake.arrays import Float64Array
from bake.errors import LevelError
from bake.level import GeometryLevel, Remark, Shape
from bake.levels.plane.curves import IDENTITY, Matrix, ellipse, mapped, times
from bake.levels.plane.svg_paths import PathError, length, numbers, path_rings, transform
from bake.levels.reading.files import read_text
from bake.levels.reading.limits import check_terrain_count
from bake.levels.reading.mistakes import is_plain_text, refuse, shown
from bake.levels.reading.terrains import FLOOR, VOID, WALL, built_in, pack_colour, rgb

MAX_SVG_BYTES = 2**26
MAX_ELEMENTS = 2**20
MAX_DEPTH = 256

_SHAPES = ("path", "rect", "circle", "ellipse", "polygon", "polyline", "line")
#: What holds shapes that are not drawn where they stand.
_HIDDEN = ("defs", "symbol", "clipPath", "mask", "pattern", "marker", "linearGradient", "metadata")
#: What is drawn, but has no outline that could be walked around.
_SILENT = ("text", "image", "foreignObject")
_NAMED = {"white": "#ffffff", "black": "#000000"}
_RGB = re.compile(r"rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")


@dataclass(frozen=True)
class _Style:
    """What an element hands down to those inside it."""

    matrix: Matrix = IDENTITY
    terrain: str | None = None
    fill: str = "#000000"
    stroke: str = "none"
    rule: str = "nonzero"
    hidden: bool = False


def read_svg(path: Path, legend: Mapping[str, str]) -> GeometryLevel:
    """Read a drawing.

    Args:
        path: the file.
        legend: terrain by colour, "#rrggbb".

    Raises:
        LevelError: it is no SVG, a shape has no terrain, or an attribute is wrong.
    """
    text = read_text(path, MAX_SVG_BYTES, "split the level into several")
    reader = _Reader(path, legend)
    reader.parse(text)
    if not reader.shapes:
        refuse(path, None, "the drawing has no shapes", "paths, rectangles, circles or polygons")
    terrains = tuple(dict.fromkeys(shape.terrain for shape in reader.shapes))
    check_terrain_count(path, len(terrains), None)
    return GeometryLevel(
        name=path.stem,
        source=path,
        shapes=tuple(reader.shapes),
        terrains=terrains,
        terrain_rules=built_in(terrains),
        colours={
            name: rgb(packed)
            for name, text in reader.drawn_in.items()
            if (packed := pack_colour(text)) is not None
        },
        remarks=tuple(reader.remarks),
    )


class _Reader:
    def __init__(self, path: Path, legend: Mapping[str, str]) -> None:
        self.path = path
        self.legend = {"#ffffff": FLOOR, "#000000": WALL, **legend}
        self.shapes: list[Shape] = []
        self.remarks: list[Remark] = []
        self.drawn_in: dict[str, str] = {}
        self.styles = [_Style()]
        self.count = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end

    def parse(self, text: str) -> None:
        try:
            self.parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            raise LevelError(
                f"the file is not XML: {expat.ErrorString(error.code)}",
                file=self.path,
                place=f"line {error.lineno}, column {error.offset + 1}",
                expected="SVG",
            ) from None

    def doctype(self, _name: str, _system: object, _public: object, has_inside: bool) -> None:
        if has_inside:
            self.refuse(
                "the file declares entities of its own (DOCTYPE [...])",
                "none",
                "save it as plain SVG",
            )

    def place(self, name: str = "") -> str:
        return f"line {self.parser.CurrentLineNumber}" + (f", <{name}>" if name else "")

    def refuse(
        self, found: str, expected: str, remedy: str | None = None, name: str = ""
    ) -> NoReturn:
        refuse(self.path, self.place(name), found, expected, remedy)

    def start(self, full: str, given: dict[str, str]) -> None:
        self.count += 1
        name = full.rpartition(" ")[2]
        if self.count > MAX_ELEMENTS or len(self.styles) > MAX_DEPTH:
            self.refuse("the drawing is too large or nested too deeply", "a level")
        if self.count == 1 and name != "svg":
            self.refuse(f"the file is XML, but begins with <{name[:20]}>", "<svg>")
        said = dict(given)
        for part in given.get("style", "").split(";"):
            key, _, value = part.partition(":")
            said[key.strip()] = value.strip()
        style = self.inherited(name, said)
        self.styles.append(style)
        if style.hidden:
            return
        if name == "style":
            self.refuse(
                "the drawing has a style sheet, which is not read",
                "fill and stroke as attributes of the shapes",
                "save it as plain SVG with presentation attributes",
                name,
            )
        if name == "use":
            self.refuse(
                "the drawing uses a clone", "shapes", "unlink or expand clones in the editor", name
            )
        if name in _SILENT:
            self.remarks.append(Remark(self.place(name), "it has no outline, and does not count"))
        if name in _SHAPES:
            self.draw(name, said, style)

    def end(self, _: str) -> None:
        self.styles.pop()

    def inherited(self, name: str, said: dict[str, str]) -> _Style:
        above = self.styles[-1]
        hidden = above.hidden or name in _HIDDEN or said.get("display") == "none"
        matrix = above.matrix
        if "transform" in said:
            matrix = times(matrix, self.transform(said["transform"], name))
        terrain = said.get("data-terrain", above.terrain)
        if terrain is not None and not is_plain_text(terrain):
            self.refuse(f"data-terrain is {shown(terrain)}", "the name of a terrain", name=name)
        return replace(
            above,
            matrix=matrix,
            terrain=terrain,
            fill=said.get("fill", above.fill),
            stroke=said.get("stroke", above.stroke),
            rule=said.get("fill-rule", above.rule),
            hidden=hidden,
        )

    def transform(self, text: str, name: str) -> Matrix:
        try:
            return transform(text)
        except PathError as error:
            self.refuse(str(error), "an attribute as SVG defines it", name=name)

    def draw(self, name: str, said: dict[str, str], style: _Style) -> None:
        try:
            rings = _rings(name, said, style.matrix)
        except PathError as error:
            self.refuse(str(error), "an attribute as SVG defines it", name=name)
        closed = style.fill != "none" and name != "line"
        colour = style.fill if closed else style.stroke
        if not rings or (colour == "none" and style.terrain is None):
            return
        if style.terrain is not None and pack_colour(_hexadecimal(colour)) is not None:
            self.drawn_in.setdefault(style.terrain, _hexadecimal(colour))
        self.shapes.append(
            Shape(
                style.terrain or self.terrain_of(colour, name),
                tuple(rings),
                "evenodd" if style.rule == "evenodd" else "nonzero",
                closed,
                place=self.place(name),
            )
        )

    def terrain_of(self, colour: str, name: str) -> str:
        text = _hexadecimal(colour)
        terrain = self.legend.get(text)
        if terrain is None:
            known = pack_colour(text) is not None
            refuse(
                self.path,
                self.place(name),
                f"nothing says what terrain {shown(colour)} is",
                "an attribute data-terrain, or a colour that the legend knows",
                f'add "{text}" = "{VOID}", say, to [legend]' if known else None,
                (("legend", f'"{text}" = "..."'),) if known else (),
            )
        self.drawn_in.setdefault(terrain, text)
        return terrain


def _hexadecimal(colour: str) -> str:
    """Return a colour as "#rrggbb", or as it is written where it is none that is known."""
    text = _NAMED.get(colour.lower(), colour.lower())
    if found := _RGB.fullmatch(text):
        return "#" + "".join(f"{min(255, int(part)):02x}" for part in found.groups())
    if len(text) == 4 and text.startswith("#"):
        return "#" + "".join(letter * 2 for letter in text[1:])
    return text


def _rings(name: str, said: dict[str, str], matrix: Matrix) -> list[Float64Array]:
    """Return the rings of an element that draws a shape."""

    def at(key: str) -> float:
        return length(said.get(key, "0"))

    if name == "path":
        return path_rings(said.get("d", ""), matrix)
    if name in ("polygon", "polyline"):
        given = numbers(said.get("points", ""))
        if len(given) % 2:
            raise PathError("its points have an odd number of coordinates")
        pairs = list(zip(given[::2], given[1::2], strict=True))
        return [_mapped(matrix, pairs)] if pairs else []
    if name == "line":
        return [_mapped(matrix, [(at("x1"), at("y1")), (at("x2"), at("y2"))])]
    if name == "rect":
        return _rectangle(said, at("x"), at("y"), at("width"), at("height"), matrix)
    radius = at("r")
    radii = (radius, radius) if name == "circle" else (at("rx"), at("ry"))
    if min(radii) <= 0:
        return []
    return [ellipse((at("cx"), at("cy")), radii, matrix)]


def _rectangle(
    said: dict[str, str], x: float, y: float, width: float, height: float, matrix: Matrix
) -> list[Float64Array]:
    if width <= 0 or height <= 0:
        return []
    rx, ry = (length(said[key]) if key in said else None for key in ("rx", "ry"))
    rx, ry = rx if rx is not None else ry or 0.0, ry if ry is not None else rx or 0.0
    rx, ry = min(rx, width / 2), min(ry, height / 2)
    if rx <= 0 or ry <= 0:
        box = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        return [_mapped(matrix, box)]
    right, bottom, turn = x + width, y + height, f"A{rx!r} {ry!r} 0 0 1 "
    data = (
        f"M{x + rx!r} {y!r} L{right - rx!r} {y!r} {turn}{right!r} {y + ry!r} "
        f"L{right!r} {bottom - ry!r} {turn}{right - rx!r} {bottom!r} "
        f"L{x + rx!r} {bottom!r} {turn}{x!r} {bottom - ry!r} "
        f"L{x!r} {y + ry!r} {turn}{x + rx!r} {y!r} Z"
    )
    return path_rings(data, matrix)


def _mapped(matrix: Matrix, points: list[tuple[float, float]]) -> Float64Array:
    return np.array([mapped(matrix, point) for point in points], dtype=np.float64)
