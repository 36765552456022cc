"""XML as the editor writes it, and no more: no document type, no entities, of bounded size.

Entities are the way a small file grows to gigabytes or reads other files, and Tiled writes none,
so a document type is refused before anything in it is looked at.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from bake.errors import LevelError
from bake.levels.json_text import shown
from bake.levels.tiled.gids import MAX_GID

#: Elements besides single tiles; each takes a few hundred bytes in memory.
MAX_ELEMENTS = 2**20
MAX_DEPTH = 64


@dataclass(slots=True)
class Element:
    """One element.

    Attributes:
        gids: of the <tile> elements inside <data> or <chunk>, which are not kept one by one.
    """

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: str = ""
    gids: array[int] | None = None

    def child(self, tag: str) -> Element | None:
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, tag: str) -> list[Element]:
        return [child for child in self.children if child.tag == tag]


def parse_xml(path: Path, data: bytes) -> Element:
    """The root of a document.

    Raises:
        LevelError: no XML, a document type, too many elements, or nested too deeply.
    """
    builder = _Builder(path)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise LevelError(
            f"not XML: {expat.ErrorString(error.code)}",
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


#: Stands for every single tile while it is open; it takes neither children nor text.
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

    def refuse(self, found: str, expected: str) -> NoReturn:
        raise LevelError(
            found,
            file=self.path,
            place=f"line {self.parser.CurrentLineNumber}",
            expected=expected,
        )

    def doctype(self, *_: object) -> None:
        self.refuse("the file declares a document type (DOCTYPE)", "none, as Tiled writes none")

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
        # Between single tiles there is only space, but once for each of millions.
        if self.open[-1].gids is None:
            self.texts[-1].append(text)
