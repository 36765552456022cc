"""Find the files that belong to maps of level editors: pictures, tilesets and exports."""

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
#: Suffixes of files that maps refer to, and that may refer to further files.
PART_SUFFIXES = frozenset({".tsx", ".tsj", ".tx", ".tj", ".xml", LDTK_LEVEL_SUFFIX, JSON_SUFFIX})
#: A key or attribute with which editors refer to a file, and the name of that file.
_REFERENCE = re.compile(
    rb'\b(?:source|image|\w*relPath|src|template)"?\s*[=:]\s*"((?:[^"\\]|\\.){1,500})"',
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Companion:
    """The map that a file belongs to, which is why the file is not a level."""

    owner: Path  #: the map
    role: Literal["reference", "export", "art"]

    @property
    def why(self) -> str:
        """Return the reason why the file is not a level, in words."""
        name = self.owner.name
        return {
            "reference": f"{name} refers to it",
            "export": f"it has the name of {name}, so it is taken for its export",
            "art": f"a picture beside {name} is taken for art",
        }[self.role]


def find_references(files: Iterable[Path], folder: Path) -> dict[str, Path]:
    """Find the pictures and parts of maps that files of level editors refer to.

    Tilesets and other parts are searched as well. Files are not parsed, so damaged files count
    as far as they can be read.

    Args:
        files: the files of Tiled and LDtk.
        folder: the project folder; parts outside it and outside a map's own folder are not
            searched.

    Returns:
        The first file that refers to each of them, by :func:`path_key` of the reference.
    """
    owners: dict[str, Path] = {}
    waiting, root = list(files), folder.resolve()
    searched: set[str] = set()
    while waiting:
        file = waiting.pop(0)
        key = path_key(file)
        if key in searched:
            continue
        searched.add(key)
        for reference in _list_references(file):
            suffix = reference.suffix.lower()
            if suffix in PICTURE_SUFFIXES or suffix in PART_SUFFIXES:
                owners.setdefault(path_key(reference), file)
            roots = (root, file.parent.resolve())
            if suffix in PART_SUFFIXES and any(map(reference.is_relative_to, roots)):
                waiting.append(reference)
    return owners


def path_key(file: Path) -> str:
    """Return a key of a path, equal for all spellings that some file system treats as one file."""
    return fold_file_name(str(file.resolve()))


def _list_references(file: Path) -> list[Path]:
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
        except (ValueError, OSError, RuntimeError):  # A cycle of links raises RuntimeError.
            continue
    return references


def find_companions(
    files: Iterable[Path], folder: Path, *, all_pictures: bool = False
) -> Mapping[Path, Companion]:
    """Find the files that are not levels because they belong to a map of Tiled or LDtk.

    Args:
        files: the files with suffixes of levels.
        folder: the project folder.
        all_pictures: whether all pictures in the folder of a map count as its art.

    Returns:
        The map and the reason, by file.
    """
    listed = list(files)
    exported = PICTURE_SUFFIXES | TEXT_SUFFIXES | {JSON_SUFFIX}
    suspects = [file for file in listed if file.suffix.lower() in exported]
    if not suspects:
        return {}
    maps = [file for file in listed if format_of(file) in ("tiled", "ldtk")]
    # Files saved by the editor go before its exports to JSON.
    maps.sort(key=lambda file: file.suffix.lower() == JSON_SUFFIX)
    twins: dict[str, Path] = {}
    for file in maps:
        twins.setdefault(path_key(file.with_suffix("")), file)
    references = find_references(maps, folder)
    companions: dict[Path, Companion] = {}
    beside = {file.parent: file for file in reversed(maps)} if all_pictures else {}
    for file in suspects:
        is_picture = file.suffix.lower() in PICTURE_SUFFIXES
        owner = references.get(path_key(file))
        twin = twins.get(path_key(file.with_suffix("")), file)
        is_map = format_of(file) == "tiled"
        if file.suffix.lower() in TEXT_SUFFIXES:
            owners = (twins.get(path_key(name)) for name in _list_exporters(file, folder))
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


def _list_exporters(file: Path, folder: Path) -> Iterator[Path]:
    """Yield the paths, without suffixes, of maps that a text file may have been exported from.

    Tiled names the file of a layer MAP_LAYER.csv; LDtk exports to a folder beside the project.
    """
    yield file.with_suffix("")
    parts = file.stem.split("_")
    for count in range(len(parts) - 1, 0, -1):
        yield file.with_name("_".join(parts[:count]))
    for parent in file.parents:
        if parent == folder:
            return
        yield parent
