"""Read the files of a map, and convert XML (TMX) to the structure of JSON (TMJ).

XML must be as the editor writes it: without entities, and of limited size. Entities allow a small
file to grow to gigabytes or to read other files, and Tiled writes none, so a document type with
declarations is rejected before they are parsed. A document type that a file only names, as editors
before 1.0 wrote it, is not fetched. One reader serves both formats (Tiled documentation, "TMX Map
Format" and "JSON Map Format"). Numbers from XML remain text, which
:class:`~bake.levels.tiled.fields.Fields` converts.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path
from string import hexdigits
from typing import NoReturn
from xml.parsers import expat

from bake.core.errors import LevelError
from bake.levels.reading.files import (
    check_file,
    check_merged,
    find_project_root,
    read_document,
    read_start,
    resolve_reference,
)
from bake.levels.reading.limits import spend_text
from bake.levels.reading.mistakes import refuse, shown
from bake.levels.tiled.custom_types import find_custom_types
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import MAX_GID

Values = dict[str, object]

# limit: a one-line error; tests/levels/tiled/test_refusals.py
MAX_XML_BYTES = 2**26
#: The most elements besides single tiles; each takes a few hundred bytes.
# limit: a one-line error; tests/levels/tiled/test_refusals.py
MAX_ELEMENTS = 2**20
MAX_DEPTH = 64
#: Only the major version is compared. Version 1.10 follows 1.9.
_NEWEST_MAJOR = 1
#: The number of edges and corners of a tile.
_WANG_CORNERS = 8
_LAYERS = {
    "layer": "tilelayer",
    "objectgroup": "objectgroup",
    "imagelayer": "imagelayer",
    "group": "group",
}
#: The children of these elements belong to the parent element.
_HOLDERS = ("properties", "terraintypes", "wangsets")
#: The key in TMJ of the list of all elements with a tag.
_LISTS = {
    **dict.fromkeys(_LAYERS, "layers"),
    **{tag: f"{tag}s" for tag in ("tileset", "tile", "object", "terrain", "wangset")},
    **{"property": "properties", "item": "items", "wangcolor": "colors", "wangtile": "wangtiles"},
    # Before Tiled 1.5, corners and edges had separate colors.
    **{"wangedgecolor": "edgecolors", "wangcornercolor": "cornercolors"},
}


@dataclass(slots=True)
class Element:
    """An XML element."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""
    #: gids of the <tile> elements inside <data> or <chunk>, which are not children
    gids: array[int] | None = None

    def all(self, tag: str) -> list[Element]:
        return [child for child in self.children if child.tag == tag]


def _parse_xml(path: Path, data: bytes) -> Element:
    """Parse an XML document and return its root.

    Raises:
        LevelError: the text is not XML, declares entities, has too many elements, or is nested too
            deeply.
    """
    builder = _Builder(path)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise LevelError(
            f"the file is not XML: {expat.ErrorString(error.code)}",
            file=path,
            place=f"line {error.lineno}, column {error.offset + 1}",
            expected="XML as Tiled saves it",
        ) from None
    except (LookupError, ValueError) as error:
        raise LevelError(
            f"the XML is in an encoding that cannot be read: {error}",
            file=path,
            expected="UTF-8",
            remedy="save it again",
        ) from None
    assert builder.root is not None, "expat refuses a document without a root"
    return builder.root


#: The open element of every single tile; it collects neither children nor text.
_TILE = Element("tile", {}, gids=array("I"))


class _Builder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.root: Element | None = None
        self.open: list[Element] = []
        self.texts: list[list[str]] = []
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters

    def refuse(self, problem: str, expected: str) -> NoReturn:
        refuse(self.path, f"line {self.parser.CurrentLineNumber}", problem, expected)

    def doctype(self, _name: str, _system: object, _public: object, has_inside: bool) -> None:
        # Editors before 1.0 named a document type, which expat does not fetch. Declarations in the
        # file itself, such as entities, are rejected.
        if has_inside:
            self.refuse(
                "the file declares a document type with entities of its own (DOCTYPE [...])",
                "none, as Tiled writes none",
            )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "tile" and self.open and self.open[-1].tag in ("data", "chunk"):
            self.tile(self.open[-1], attributes.get("gid", "0"))
            self.open.append(_TILE)
            self.texts.append([])
            return
        self.count += 1
        if self.count > MAX_ELEMENTS:
            self.refuse("the file has too many elements", f"at most {MAX_ELEMENTS:,}")
        if len(self.open) >= MAX_DEPTH:
            self.refuse("the elements are nested too deeply", f"at most {MAX_DEPTH} deep")
        element = Element(tag, attributes)
        if self.root is None:
            self.root = element
        elif self.open[-1].gids is None:
            self.open[-1].children.append(element)
        self.open.append(element)
        self.texts.append([])

    def tile(self, data: Element, text: str) -> None:
        if data.gids is None:
            data.gids = array("I")
        if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= MAX_GID):
            self.refuse(f"the tile's gid is {shown(text)}", "a whole number of 32 bits")
        data.gids.append(int(text))

    def end(self, _: str) -> None:
        element, texts = self.open.pop(), self.texts.pop()
        if element.gids is None:
            element.text = "".join(texts)

    def characters(self, text: str) -> None:
        # Only blanks stand between single tiles, but there may be millions.
        if self.open[-1].gids is None:
            self.texts[-1].append(text)


def _to_tmj(element: Element) -> Values:
    """Convert an element and its children to the structure of TMJ."""
    values: Values = {**element.attributes}
    if element.tag in ("property", "item"):
        values = {"value": element.text, **values}  # Multi-line text stands between the tags.
    elif element.tag == "wangtile":
        values["wangid"] = _split_wang_id(element.attributes.get("wangid", ""))
    elif element.tag in _LAYERS:
        values["type"] = _LAYERS[element.tag]
    parts: Values = {}
    lists: dict[str, list[Values]] = {}
    for holder in element.children:
        for child in holder.children if holder.tag in _HOLDERS else [holder]:
            match element.tag, child.tag:
                case "object", "point" | "ellipse" | "capsule" | "text" as tag:
                    parts[tag] = True
                case "object", "polygon" | "polyline" as tag:
                    pairs = [pair.split(",") for pair in child.attributes.get("points", "").split()]
                    parts[tag] = [dict(zip(("x", "y"), pair, strict=False)) for pair in pairs]
                case (
                    ("template", "tileset" | "object" as tag)
                    | ("tile", "objectgroup" as tag)
                    | ("tileset", "tileoffset" | "grid" as tag)
                ):
                    parts.setdefault(tag, _to_tmj(child))
                case "tile", "image":
                    sizes = child.attributes.keys() & {"width", "height"}
                    parts |= {f"image{key}": child.attributes[key] for key in sizes}
                case "layer", "data":
                    parts |= _read_tile_data(child)
                case _, tag if tag in _LISTS:
                    lists.setdefault(_LISTS[tag], []).append(_to_tmj(child))
    return {**values, **parts, **lists}


def _read_tile_data(data: Element) -> Values:
    values: Values = {
        key: data.attributes[key] for key in ("encoding", "compression") if key in data.attributes
    }
    chunks = data.all("chunk")
    if chunks:
        values["chunks"] = [
            {**chunk.attributes, "data": _read_cells(chunk, values)} for chunk in chunks
        ]
    else:
        values["data"] = _read_cells(data, values)
    return values


def _read_cells(holder: Element, values: Values) -> object:
    if "encoding" in values:
        return holder.text
    return [] if holder.gids is None else holder.gids


def _split_wang_id(text: str) -> list[str]:
    """Split a Wang id into numbers; before Tiled 1.5 it is eight hexadecimal digits."""
    digits = text.removeprefix("0x")
    if digits == text:
        return text.split(",")
    if not 0 < len(digits) <= _WANG_CORNERS or not set(digits) <= set(hexdigits):
        return [text]
    return [str(int(digit, 16)) for digit in reversed(digits)]


class ProjectFiles:
    """Reads the files that a level refers to, and records them."""

    def __init__(self, source: Path, project: Path | None, *, allow_outside: bool) -> None:
        self.source = source
        self.types = find_custom_types(source, project, allow_outside=allow_outside)
        #: all files read besides the level itself, in order, and the project files
        self.depends_on: list[Path] = list(self.types.files)
        self._known: set[Path] = {source}
        self.allow_outside = allow_outside
        self.root = find_project_root(source, project)

    def refer(self, owner: Fields, reference: str) -> Path:
        """Return the path of the file that a reference names.

        Raises:
            LevelError: the reference is not a path, leaves the project folder, or names no file.
        """
        return resolve_reference(
            owner.file,
            reference,
            root=self.root,
            allow_outside=self.allow_outside,
            place=owner.place,
            table="tiled",
        )

    def open(self, path: Path, kind: str, owner: Fields | None = None) -> Fields:
        """Read a file and return its root in the structure of TMJ.

        Args:
            path: the file; the contents decide whether it is XML or JSON.
            kind: "map", "tileset", "template" or "world".
            owner: the object that refers to it; None for the level itself.

        Raises:
            LevelError: the file is unreadable, or of another kind.
        """
        if owner is not None and path not in self._known:
            self._known.add(path)
            self.depends_on.append(path)
        size = check_file(path)
        if size > MAX_XML_BYTES:
            remedy = "save layer data as base64 with zlib, or split the map"
            refuse(path, None, f"the file has {size:,} bytes", f"at most {MAX_XML_BYTES:,}", remedy)
        start = read_start(path, 64).lstrip()
        if start.startswith((b"{", b"[")):
            return self._read_json(path, kind)
        if kind not in ("map", "tileset", "template"):
            refuse(path, None, f"the {kind} is not JSON", "JSON as Tiled saves it")
        spend_text(path, size)
        data = read_start(path, size)
        check_merged(path, data)
        root = _parse_xml(path, data)
        if root.tag != kind:
            refuse(path, None, f"the file holds <{root.tag[:40]}>", f"<{kind}>")
        fields = Fields(path, _to_tmj(root), "", is_text=True, types=self.types)
        _check_version(fields)
        return fields

    def _read_json(self, path: Path, kind: str) -> Fields:
        document = read_document(path)
        if not isinstance(document, dict):
            refuse(path, None, f"the file holds {shown(document)}", "an object")
        actual_kind = document.get("type", kind)
        if actual_kind != kind:
            refuse(path, "type", f"the type of the file is {shown(actual_kind)}", shown(kind))
        fields = Fields(path, document, "", is_text=False, types=self.types)
        _check_version(fields)
        return fields


def _check_version(fields: Fields) -> None:
    version = fields.values.get("version", "1.0")
    major = str(version).split(".", maxsplit=1)[0]
    if not (major.isascii() and major.isdigit()) or not isinstance(version, str | float | int):
        fields.at_place("version").refuse(f"found {shown(version)}", 'a version such as "1.10"')
    if int(major[:9]) > _NEWEST_MAJOR:
        fields.at_place("version").refuse(
            f"version {shown(version)} of the format is too new for this bake",
            f"{_NEWEST_MAJOR}.x",
            f"update bake, or export for Tiled {_NEWEST_MAJOR}.x",
        )
