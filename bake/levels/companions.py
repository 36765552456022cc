"""Find the files that belong to maps of level editors: their pictures, tilesets and exports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Literal

from bake.levels.formats import (
    IMAGE_SUFFIXES,
    JSON_SUFFIX,
    LDTK_LEVEL_SUFFIX,
    LOSSY_SUFFIXES,
    TEXT_SUFFIXES,
    format_of,
)
from bake.levels.reading.files import MAX_JSON_BYTES, read_start
from bake.levels.reading.names import fold_file_name
from levelbake.errors import BakeError

PICTURE_SUFFIXES = IMAGE_SUFFIXES | LOSSY_SUFFIXES
#: Files that maps refer to, and that may refer to others.
PART_SUFFIXES = frozenset({".tsx", ".tsj", ".tx", ".tj", ".xml", LDTK_LEVEL_SUFFIX, JSON_SUFFIX})
#: The keys and attributes under which editors name files, and the names.
_REFERENCE = re.compile(
    rb'\b(?:source|image|\w*relPath|src|template)"?\s*[=:]\s*"((?:[^"\\]|\\.){1,500})"',
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Companion:
    """The reason why a file is no level."""

    owner: Path  #: the map that it belongs to
    role: Literal["reference", "export", "art"]

    @property
    def why(self) -> str:
        """Return the reason in words."""
        name = self.owner.name
        return {
            "reference": f"{name} refers to it",
            "export": f"it has the name of {name}, so it is taken for its export",
            "art": f"a picture beside {name} is taken for art",
        }[self.role]


def find_references(files: Iterable[Path], folder: Path) -> dict[str, Path]:
    """Return the pictures and parts of maps that files of level editors refer to.

    Tilesets and other parts are searched as well. Nothing is parsed, so that damaged files count
    as far as they can be read.

    Args:
        files: of Tiled or LDtk.
        folder: of the project; parts outside of it and of a map's own folder are not searched.

    Returns:
        The first file that refers to each, by the key of :func:`key_of`.
    """
    found: dict[str, Path] = {}
    waiting, root = list(files), folder.resolve()
    searched: set[str] = set()
    while waiting:
        file = waiting.pop(0)
        key = key_of(file)
        if key in searched:
            continue
        searched.add(key)
        for reference in _references(file):
            suffix = reference.suffix.lower()
            if suffix in PICTURE_SUFFIXES or suffix in PART_SUFFIXES:
                found.setdefault(key_of(reference), file)
            around = (root, file.parent.resolve())
            if suffix in PART_SUFFIXES and any(map(reference.is_relative_to, around)):
                waiting.append(reference)
    return found


def key_of(file: Path) -> str:
    """Return a file's place, the same for all spellings that some file system takes for one."""
    return fold_file_name(str(file.resolve()))


def _references(file: Path) -> list[Path]:
    try:
        data = read_start(file, MAX_JSON_BYTES)
    except (BakeError, OSError):
        return []
    is_json = data.lstrip().startswith((b"{", b"["))
    references = []
    for written in _REFERENCE.findall(data):
        text = written.decode("utf-8", "replace")
        try:
            name = json.loads(f'"{text}"') if is_json else unescape(text)
            references.append((file.parent / name.replace("\\", "/")).resolve())
        except (ValueError, OSError, RuntimeError):  # A loop of links is a RuntimeError.
            continue
    return references


def find_companions(
    files: Iterable[Path], folder: Path, *, all_pictures: bool = False
) -> Mapping[Path, Companion]:
    """Return the files that are no levels because maps of Tiled or LDtk beside them are.

    Args:
        files: level files by their suffixes.
        folder: of the project.
        all_pictures: whether all pictures in the folder of a map are taken for its art.

    Returns:
        The reason, by file.
    """
    listed = list(files)
    exported = PICTURE_SUFFIXES | TEXT_SUFFIXES | {JSON_SUFFIX}
    suspects = [file for file in listed if file.suffix.lower() in exported]
    if not suspects:
        return {}
    maps = [file for file in listed if format_of(file) in ("tiled", "ldtk")]
    # What the editor saves goes before what it exports as JSON.
    maps.sort(key=lambda file: file.suffix.lower() == JSON_SUFFIX)
    twins: dict[str, Path] = {}
    for file in maps:
        twins.setdefault(key_of(file.with_suffix("")), file)
    references = find_references(maps, folder)
    companions: dict[Path, Companion] = {}
    beside = {file.parent: file for file in reversed(maps)} if all_pictures else {}
    for file in suspects:
        is_picture = file.suffix.lower() in PICTURE_SUFFIXES
        owner = references.get(key_of(file))
        twin = twins.get(key_of(file.with_suffix("")), file)
        is_map = format_of(file) == "tiled"
        if file.suffix.lower() in TEXT_SUFFIXES:
            owners = (twins.get(key_of(name)) for name in _exporters(file, folder))
            if (exporter := next(filter(None, owners), None)) is not None:
                companions[file] = Companion(exporter, "export")
            continue
        if owner is not None and not is_map:
            companions[file] = Companion(owner, "reference")
        elif twin != file and (is_picture or is_map):
            companions[file] = Companion(twin, "export")
        elif is_picture and file.parent in beside:
            companions[file] = Companion(beside[file.parent], "art")
    return companions


def _exporters(file: Path, folder: Path) -> Iterator[Path]:
    """Yield the paths, without suffixes, of the maps that a file of text may be exported from.

    Tiled names each layer's file MAP_LAYER.csv, and LDtk has a folder beside a project for exports.
    """
    yield file.with_suffix("")
    parts = file.stem.split("_")
    for count in range(len(parts) - 1, 0, -1):
        yield file.with_name("_".join(parts[:count]))
    for parent in file.parents:
        if parent == folder:
            return
        yield parent
