"""Read SVG drawings: each filled shape is an area with a terrain, painted over earlier shapes.

The terrain of a shape is its attribute ``data-terrain`` or that of an enclosing group, or else the
terrain of its fill in the legend of the recipe. By default, white is floor and black is wall.
Shapes with a stroke but no fill are thin walls. Invisible shapes are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

import numpy as np

from bake.core.arrays import Float64Array
from bake.core.errors import LevelError, counted
from bake.core.level import GeometryLevel, Remark, Shape
from bake.levels.plane.curves import IDENTITY, Matrix, compose_maps, ellipse, map_point
from bake.levels.plane.svg_paths import (
    PathError,
    parse_length,
    parse_numbers,
    parse_transform,
    path_rings,
)
from bake.levels.reading.files import read_whole
from bake.levels.reading.limits import check_terrain_count
from bake.levels.reading.mistakes import is_plain_text, refuse, shown
from bake.levels.reading.terrains import BUILT_IN_COLORS, VOID, built_in_rules, parse_color, rgb

MAX_SVG_BYTES = 2**26
MAX_ELEMENTS = 2**20
MAX_DEPTH = 256

_SHAPES = ("path", "rect", "circle", "ellipse", "polygon", "polyline", "line")
#: Elements whose shapes are not drawn in place.
_HIDDEN = ("defs", "symbol", "clipPath", "mask", "pattern", "marker", "linearGradient", "metadata")
#: Elements that are drawn but have no outline.
_SILENT = ("text", "image", "foreignObject")
_NAMED = {"white": "#ffffff", "black": "#000000"}
#: Properties that clip shapes, which are not read.
_CUTS = ("clip-path", "mask")
_RGB = re.compile(r"rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")


@dataclass(frozen=True)
class _Style:
    """The properties that an element passes on to its children."""

    matrix: Matrix = IDENTITY
    terrain: str | None = None
    fill: str = "#000000"
    stroke: str = "none"
    rule: str = "nonzero"
    fill_opacity: str = "1"
    stroke_opacity: str = "1"
    stroke_width: str = "1"
    visibility: str = "visible"
    inside: bool = False  #: whether an enclosing element is in _HIDDEN
    unseen: str = ""  #: the property that hides the element and its children; "" = none


def read_svg(path: Path, legend: Mapping[str, str]) -> GeometryLevel:
    """Read an SVG drawing as a level of shapes.

    Args:
        path: the file.
        legend: terrain by color, "#rrggbb".

    Raises:
        LevelError: the file is not SVG, a shape has no terrain, or an attribute is invalid.
    """
    # An XML declaration may name another encoding than UTF-8.
    data = read_whole(path, MAX_SVG_BYTES, "split the level into several")
    reader = _Reader(path, legend)
    reader.parse(data)
    if not reader.shapes:
        problem = "the drawing has no shapes"
        if reader.unseen:
            problem += f" that can be seen ({', '.join(reader.unseen)})"
        refuse(path, None, problem, "paths, rectangles, circles or polygons")
    terrains = tuple(dict.fromkeys(shape.terrain for shape in reader.shapes))
    check_terrain_count(path, len(terrains), None)
    return GeometryLevel(
        name=path.stem,
        source=path,
        shapes=tuple(reader.shapes),
        terrains=terrains,
        terrain_rules=built_in_rules(terrains),
        colours={
            name: rgb(packed)
            for name, text in reader.drawn_in.items()
            if (packed := parse_color(text)) is not None
        },
        remarks=tuple(reader.all_remarks()),
        unmatched=tuple(text for text in legend if _to_hex(text) not in reader.seen_colors),
    )


class _Reader:
    def __init__(self, path: Path, legend: Mapping[str, str]) -> None:
        self.path = path
        named = {_to_hex(color): terrain for color, terrain in legend.items()}
        self.legend = {**BUILT_IN_COLORS, **named}
        self.shapes: list[Shape] = []
        self.remarks: list[Remark] = []
        #: unseen, cut: places of hidden shapes and of clipped elements, by the property
        self.unseen: dict[str, list[str]] = {}
        self.cut: dict[str, list[str]] = {}
        self.sheet: list[str] | None = None  #: text of the open <style> element
        self.drawn_in: dict[str, str] = {}
        self.seen_colors: set[str] = set()  #: colors that were looked up in the legend
        self.styles = [_Style()]
        self.count = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters

    def parse(self, data: bytes) -> None:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            raise LevelError(
                f"the file is not XML: {expat.ErrorString(error.code)}",
                file=self.path,
                place=f"line {error.lineno}, column {error.offset + 1}",
                expected="SVG",
            ) from None
        except (LookupError, ValueError) as error:
            raise LevelError(
                f"the XML is in an encoding that cannot be read: {error}",
                file=self.path,
                expected="UTF-8",
                remedy="save it again as UTF-8",
            ) from None

    def all_remarks(self) -> Iterator[Remark]:
        """Yield the remarks, with one remark for all shapes that a property hides or clips."""
        yield from self.remarks
        for reason, places in self.unseen.items():
            yield Remark(
                places[0], f"it cannot be seen ({reason}), and is ignored{_like_more(places)}"
            )
        for key, places in self.cut.items():
            yield Remark(
                places[0], f"its {key} is not read, so it is used unclipped{_like_more(places)}"
            )

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
        self, problem: str, expected: str, remedy: str | None = None, name: str = ""
    ) -> NoReturn:
        refuse(self.path, self.place(name), problem, expected, remedy)

    def start(self, full: str, given: dict[str, str]) -> None:
        self.count += 1
        name = full.rpartition(" ")[2]
        if self.count > MAX_ELEMENTS or len(self.styles) > MAX_DEPTH:
            self.refuse("the drawing is too large or nested too deeply", "a level")
        if self.count == 1 and name != "svg":
            self.refuse(f"the file is XML, but begins with <{name[:20]}>", "<svg>")
        if name == "svg" and self.count > 1 and given.keys() & {"x", "y", "viewBox"}:
            problem = "the drawing has an <svg> inside it that is moved or scaled"
            self.refuse(problem, "one <svg>", "ungroup it in the editor", name)
        attributes = dict(given)
        for part in given.get("style", "").split(";"):
            key, _, value = part.partition(":")
            attributes[key.strip().lower()] = value.strip().removesuffix("!important").rstrip()
        style = self.derive_style(name, attributes)
        self.styles.append(style)
        if name == "style":  # A style sheet applies to the whole drawing.
            self.sheet = []
        if style.inside:
            return
        if name in _SHAPES:
            self.draw(name, attributes, style)
            return
        for key in _CUTS:
            if attributes.get(key, "none") != "none" and not style.unseen:
                self.cut.setdefault(key, []).append(self.place(name))
        if style.unseen:
            return
        if name == "use":
            self.refuse(
                "the drawing uses a clone", "shapes", "unlink or expand clones in the editor", name
            )
        if name in _SILENT:
            self.remarks.append(Remark(self.place(name), "it has no outline, and is ignored"))

    def end(self, full: str) -> None:
        self.styles.pop()
        if self.sheet is None or full.rpartition(" ")[2] != "style":
            return
        if _has_rules("".join(self.sheet)):
            self.refuse(
                "the drawing has a style sheet, which is not read",
                "fill and stroke as attributes of the shapes",
                "save it as plain SVG with presentation attributes",
                "style",
            )
        self.sheet = None

    def characters(self, text: str) -> None:
        if self.sheet is not None:
            self.sheet.append(text)

    def derive_style(self, name: str, attributes: dict[str, str]) -> _Style:
        above = self.styles[-1]
        unseen = above.unseen
        if attributes.get("display", "").lower() == "none":
            unseen = unseen or "display:none"
        if _is_zero(attributes.get("opacity", "1")):
            unseen = unseen or "opacity:0"
        matrix = above.matrix
        if "transform" in attributes:
            matrix = compose_maps(matrix, self.parse_transform(attributes["transform"], name))
        terrain = attributes.get("data-terrain", above.terrain)
        if terrain is not None and not is_plain_text(terrain):
            self.refuse(f"data-terrain is {shown(terrain)}", "the name of a terrain", name=name)

        def value_of(key: str, inherited: str) -> str:
            value = attributes.get(key, inherited)
            return inherited if value.lower() == "inherit" else value

        return replace(
            above,
            matrix=matrix,
            terrain=terrain,
            fill=value_of("fill", above.fill),
            stroke=value_of("stroke", above.stroke),
            rule=value_of("fill-rule", above.rule),
            fill_opacity=value_of("fill-opacity", above.fill_opacity),
            stroke_opacity=value_of("stroke-opacity", above.stroke_opacity),
            stroke_width=value_of("stroke-width", above.stroke_width),
            visibility=value_of("visibility", above.visibility).lower(),
            inside=above.inside or name in _HIDDEN,
            unseen=unseen,
        )

    def parse_transform(self, text: str, name: str) -> Matrix:
        try:
            return parse_transform(text)
        except PathError as error:
            self.refuse(str(error), "an attribute as SVG defines it", name=name)

    def draw(self, name: str, attributes: dict[str, str], style: _Style) -> None:
        unseen = style.unseen
        if style.visibility in ("hidden", "collapse"):
            unseen = unseen or f"visibility:{style.visibility}"
        closed = not (_is_clear(style.fill) or _is_zero(style.fill_opacity) or name == "line")
        has_line = not (
            _is_clear(style.stroke)
            or _is_zero(style.stroke_opacity)
            or _is_zero(style.stroke_width)
        )
        if not unseen and not closed and not has_line:
            # Editors frame drawings with rectangles without fill and stroke.
            if style.terrain is None and {style.fill, style.stroke} <= {"none"}:
                return
            unseen = "no visible fill or stroke"
        if unseen:
            self.unseen.setdefault(unseen, []).append(self.place(name))
            return
        for key in _CUTS:
            if attributes.get(key, "none") != "none":
                self.cut.setdefault(key, []).append(self.place(name))
        try:
            rings = _read_rings(name, attributes, style.matrix)
        except PathError as error:
            self.refuse(str(error), "an attribute as SVG defines it", name=name)
        color = style.fill if closed else style.stroke
        if not rings:
            return
        if style.terrain is not None and parse_color(_to_hex(color)) is not None:
            self.drawn_in.setdefault(style.terrain, _to_hex(color))
        self.shapes.append(
            Shape(
                style.terrain or self.terrain_of(color, name),
                tuple(rings),
                "evenodd" if style.rule == "evenodd" else "nonzero",
                closed,
                place=self.place(name),
            )
        )

    def terrain_of(self, color: str, name: str) -> str:
        text = _to_hex(color)
        terrain = self.legend.get(text)
        if terrain is None:
            known = parse_color(text) is not None
            refuse(
                self.path,
                self.place(name),
                f"the terrain of {shown(color)} is unknown",
                "an attribute data-terrain, or a color of the legend",
                f'add "{text}" = "{VOID}", say, to [legend]' if known else None,
                (("legend", f'"{text}" = "..."'),) if known else (),
            )
        self.seen_colors.add(text)
        self.drawn_in.setdefault(terrain, text)
        return terrain


def _like_more(places: list[str]) -> str:
    """Return ", like N more elements" for the places after the first, or ""."""
    return f", like {counted(len(places) - 1, 'more element')}" if len(places) > 1 else ""


def _has_rules(sheet: str) -> bool:
    """Return whether the CSS of a <style> element has rules other than @font-face."""
    first, *rest = sheet.split("/*")
    text = " ".join([first, *(part.partition("*/")[2] for part in rest)])
    rules = (rule.strip() for rule in text.split("}"))
    return any(rule and not rule.lower().startswith("@font-face") for rule in rules)


def _is_zero(text: str) -> bool:
    """Return whether a number, a length in pixels or a percentage is 0 or negative."""
    try:
        return float(text.strip().removesuffix("%").removesuffix("px")) <= 0
    except ValueError:
        return False


def _is_clear(color: str) -> bool:
    """Return whether a fill or stroke is transparent or "none"."""
    text = color.lower()
    if text in ("none", "transparent"):
        return True
    if text.startswith("#"):
        return (len(text) == 5 and text[4] == "0") or (len(text) == 9 and text[7:] == "00")
    name, _, inside = text.removesuffix(")").partition("(")
    parts = re.split(r"[\s,/]+", inside.strip())
    return name in ("rgb", "rgba", "hsl", "hsla") and len(parts) == 4 and _is_zero(parts[3])


def _to_hex(color: str) -> str:
    """Return a color as "#rrggbb", or unchanged in lower case if it is unknown."""
    text = _NAMED.get(color.lower(), color.lower())
    if match := _RGB.fullmatch(text):
        return "#" + "".join(f"{min(255, int(part)):02x}" for part in match.groups())
    if len(text) == 4 and text.startswith("#"):
        return "#" + "".join(letter * 2 for letter in text[1:])
    return text


def _read_rings(name: str, attributes: dict[str, str], matrix: Matrix) -> list[Float64Array]:
    """Return the rings of a shape element after an affine map."""

    def read_length(key: str) -> float:
        return parse_length(attributes.get(key, "0"))

    if name == "path":
        return path_rings(attributes.get("d", ""), matrix)
    if name in ("polygon", "polyline"):
        given = parse_numbers(attributes.get("points", ""))
        if len(given) % 2:
            raise PathError("its points have an odd number of coordinates")
        pairs = list(zip(given[::2], given[1::2], strict=True))
        return [_map_points(matrix, pairs)] if pairs else []
    if name == "line":
        return [
            _map_points(
                matrix,
                [(read_length("x1"), read_length("y1")), (read_length("x2"), read_length("y2"))],
            )
        ]
    if name == "rect":
        return _draw_rectangle(
            attributes,
            read_length("x"),
            read_length("y"),
            read_length("width"),
            read_length("height"),
            matrix,
        )
    radius = read_length("r")
    radii = (radius, radius) if name == "circle" else (read_length("rx"), read_length("ry"))
    if min(radii) <= 0:
        return []
    return [ellipse((read_length("cx"), read_length("cy")), radii, matrix)]


def _draw_rectangle(
    attributes: dict[str, str], x: float, y: float, width: float, height: float, matrix: Matrix
) -> list[Float64Array]:
    if width <= 0 or height <= 0:
        return []
    rx, ry = (parse_length(attributes[key]) if key in attributes else None for key in ("rx", "ry"))
    rx, ry = rx if rx is not None else ry or 0.0, ry if ry is not None else rx or 0.0
    rx, ry = min(rx, width / 2), min(ry, height / 2)
    if rx <= 0 or ry <= 0:
        box = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        return [_map_points(matrix, box)]
    right, bottom, turn = x + width, y + height, f"A{rx!r} {ry!r} 0 0 1 "
    data = (
        f"M{x + rx!r} {y!r} L{right - rx!r} {y!r} {turn}{right!r} {y + ry!r} "
        f"L{right!r} {bottom - ry!r} {turn}{right - rx!r} {bottom!r} "
        f"L{x + rx!r} {bottom!r} {turn}{x!r} {bottom - ry!r} "
        f"L{x!r} {y + ry!r} {turn}{x + rx!r} {y!r} Z"
    )
    return path_rings(data, matrix)


def _map_points(matrix: Matrix, points: list[tuple[float, float]]) -> Float64Array:
    return np.array([map_point(matrix, point) for point in points], dtype=np.float64)
