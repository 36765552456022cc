"""The files a map consists of: each read once, remembered, and kept inside the project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bake.errors import LevelError
from bake.levels.allowance import spend_text
from bake.levels.json_text import read_document, shown
from bake.levels.references import project_root, referred_file
from bake.levels.source import check_file, read_start
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.tmx_words import map_words, template_words, tileset_words
from bake.levels.tiled.xml_tree import parse_xml

if TYPE_CHECKING:
    from bake.levels.tiled.tilesets import Tileset

MAX_XML_BYTES = 2**26
_WORDS = {"map": map_words, "tileset": tileset_words, "template": template_words}
#: Tiled counts the digits after the point by themselves: 1.10 follows 1.9.
_NEWEST_MAJOR = 1


class ProjectFiles:
    """Reads files for one level.

    Attributes:
        depends_on: every file read besides the level itself, in order.
        tilesets: those in files of their own, each read once.
    """

    def __init__(self, source: Path, project: Path | None, *, allow_outside: bool) -> None:
        self.source = source
        self.depends_on: list[Path] = []
        self.tilesets: dict[Path, Tileset] = {}
        self._known: set[Path] = {source}
        self.allow_outside = allow_outside
        self.root = project_root(source, project)

    def refer(self, owner: Fields, reference: str) -> Path:
        """The file a reference means, relative to the file it stands in.

        Raises:
            LevelError: it is no path, leaves the project folder, or leads to nothing.
        """
        return referred_file(
            owner.file,
            reference,
            root=self.root,
            allow_outside=self.allow_outside,
            place=owner.place,
            table="tiled",
        )

    def open(self, path: Path, kind: str, owner: Fields | None = None) -> Fields:
        """A file's root as an object in the words of TMJ.

        Args:
            path: the file, XML or JSON whatever its name says.
            kind: "map", "tileset", "template" or "world".
            owner: what refers to it; None for the level itself.

        Raises:
            LevelError: unreadable, or no file of this kind.
        """
        if owner is not None and path not in self._known:
            self._known.add(path)
            self.depends_on.append(path)
        size = check_file(path)
        if size > MAX_XML_BYTES:
            raise LevelError(
                f"the file has {size:,} bytes",
                file=path,
                expected=f"at most {MAX_XML_BYTES:,}",
                remedy="save layer data as base64 with zlib, or split the map",
            )
        start = read_start(path, 64).lstrip()
        if start.startswith((b"{", b"[")):
            return self._json(path, kind)
        if kind not in _WORDS:
            raise LevelError(
                f"the {kind} is not JSON", file=path, expected="JSON as Tiled saves it"
            )
        spend_text(path, size)
        data = read_start(path, size)
        root = parse_xml(path, data)
        if root.tag != kind:
            raise LevelError(f"the file holds <{root.tag[:40]}>", file=path, expected=f"<{kind}>")
        fields = Fields(path, _WORDS[kind](root), "", is_text=True)
        _check_version(fields)
        return fields

    def _json(self, path: Path, kind: str) -> Fields:
        document = read_document(path)
        if not isinstance(document, dict):
            raise LevelError(f"the file holds {shown(document)}", file=path, expected="an object")
        found = document.get("type", kind)
        if found != kind:
            raise LevelError(
                f"the type of the file is {shown(found)}",
                file=path,
                place="type",
                expected=shown(kind),
            )
        fields = Fields(path, document, "", is_text=False)
        _check_version(fields)
        return fields


def _check_version(fields: Fields) -> None:
    version = fields.values.get("version", "1.0")
    major = str(version).split(".", maxsplit=1)[0]
    if not (major.isascii() and major.isdigit()) or not isinstance(version, str | float | int):
        fields.at("version").refuse(f"found {shown(version)}", 'a version such as "1.10"')
    if int(major[:9]) > _NEWEST_MAJOR:
        fields.at("version").refuse(
            f"version {shown(version)} of the format is too new for this bake",
            f"{_NEWEST_MAJOR}.x",
            f"update bake, or export for Tiled {_NEWEST_MAJOR}.x",
        )
