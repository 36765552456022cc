"""Find the level files of a folder, tell them from art, and name them by globs."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bake.core.errors import LevelError
from bake.levels import SUFFIXES, TextReading, TiledReading, format_of
from bake.levels.companions import PICTURE_SUFFIXES, find_companions, find_references, key_of
from bake.levels.formats import (
    JSON_SUFFIX,
    LOSSY_SUFFIXES,
    TEXT_SUFFIXES,
    TILED_WORLD_SUFFIX,
)
from bake.levels.image import image_colours, is_lossy
from bake.levels.painting import MOST_COLORS, reduce_remedy, reduced_path
from bake.levels.reading.files import MAX_JSON_BYTES, read_document, read_start
from bake.levels.reading.names import fold_file_name
from bake.levels.text.kind import explain_exclusion
from bake.levels.tiled.maps import members
from bake.project.init.images import write_reduced
from bake.project.recipe.rules import DEFAULT_OUTPUT
from levelbake.errors import BakeError

#: A folder with more files is not that of a game's levels.
MOST_FILES = 200_000
#: Folders whose files are nobody's levels; LDtk keeps earlier states of projects in "backups".
_SKIPPED = frozenset({"node_modules", "__pycache__", "backups", "venv", "site-packages"})
#: Files that refer to images, which are art and no levels then.
_REFERRING = frozenset({".tsx", ".tsj", ".tmx", ".tmj", ".tx", ".ldtk", ".ldtkl", ".json"})
#: Names of layers by which Tiled knows the maps that its automapping reads.
_RULE_MAP = re.compile(r'name="(?:(input|output)(?:not)?\d*_|(regions))', re.IGNORECASE)
_OF_LEVELS = re.compile("level|map|dungeon|maze|stage|world", re.IGNORECASE)
_OF_ART = re.compile(
    "tile|sprite|texture|icon|font|gfx|graphic|image|art$|arts$|^ui$", re.IGNORECASE
)
#: Of single files, this many are listed; more of one kind are listed by what they have in common.
_MOST_FOLDERS = 4
#: So many files of text that are no levels are listed one by one.
_MOST_TEXTS = 8


@dataclass(frozen=True)
class Found:
    """The level files of a folder."""

    levels: tuple[Path, ...]  #: paths, sorted
    sources: tuple[str, ...]  #: globs, relative to the folder, that match these files and no others
    #: files that may have been meant for levels, and why they are none
    left_out: tuple[tuple[Path, str], ...]
    reduced: tuple[Path, ...] = ()  #: pictures that were written for paintings


def find_levels(folder: Path, *, reduce: bool = False) -> Found:
    """Look through a folder and all folders in it.

    Args:
        folder: the folder.
        reduce: whether to write a reduced picture beside each painting that is a level's.

    Raises:
        LevelError: there is no such folder, it may not be read, holds too many files, or no level.
    """
    files = _files(folder)
    left_out: list[tuple[Path, str]] = []
    levels = [file for file in files if _is_level(file, left_out)]
    left_out = _summarize_texts(left_out)
    inside = _maps_of_worlds(levels, folder, left_out)
    levels = [file for file in levels if file not in inside]
    pictures = [file for file in files if file.suffix.lower() in PICTURE_SUFFIXES]
    companions = find_companions([*levels, *pictures], folder)
    left_out += ((file, each.why) for file, each in companions.items() if each.role == "export")
    levels = [file for file in levels if file not in companions]
    files = [file for file in files if file not in companions]
    reduced: list[Path] | None = [] if reduce else None
    levels += _images_of_levels(files, levels, folder, left_out, reduced)
    levels = sorted(_writable(levels, folder, left_out), key=lambda file: file.as_posix())
    levels = _distinct(levels, left_out)
    if not levels:
        raise LevelError(
            "no level file was found in this folder",
            file=folder,
            expected=f"files ending in {', '.join(sorted(SUFFIXES))}",
            remedy=f"{left_out[0][0]}: {left_out[0][1]}" if left_out else None,
        )
    left_out.sort(key=lambda each: each[0].as_posix())
    sources = tuple(_globs(levels, folder))
    return Found(tuple(levels), sources, tuple(left_out), tuple(reduced or ()))


def _files(folder: Path) -> list[Path]:
    def refuse(error: OSError) -> None:
        if Path(error.filename or folder) == folder:
            raise LevelError(
                f"the folder cannot be read: {error.strerror or error}", file=folder
            ) from None

    if folder.exists() and not folder.is_dir():
        raise LevelError("this is a file", file=folder, expected="the folder of your levels")
    found = []
    for here, inner, names in os.walk(folder, onerror=refuse):
        place = Path(here)
        skipped = {*_SKIPPED, *([DEFAULT_OUTPUT] if place == folder else ())}
        inner[:] = sorted({name for name in inner if not name.startswith(".")} - skipped)
        found += [place / name for name in sorted(names) if not name.startswith(".")]
        if len(found) > MOST_FILES:
            raise LevelError(
                f"there are more than {MOST_FILES:,} files in this folder",
                file=folder,
                expected="the folder of your levels",
                remedy="name it: `bake init FOLDER`",
            )
    return found


def _is_level(file: Path, left_out: list[tuple[Path, str]]) -> bool:
    """Tell whether a file is a level, by its suffix and how it begins; images are looked at later.

    A level that cannot be read is one all the same, and its mistake is told when it is read.
    """
    suffix = file.suffix.lower()
    try:
        kind = format_of(file) if file.is_file() else None
        if kind in (None, "image"):
            return False
        if kind == "movingai":
            return read_start(file, 64).lstrip().startswith(b"type")
        if kind in ("rows", "values"):
            if why := explain_exclusion(file, TextReading()):
                left_out.append((file, why))
            return not why
        if kind == "json":
            return _is_json_level(file, left_out)
        if kind == "tiled" and suffix != TILED_WORLD_SUFFIX:
            text = read_start(file, MAX_JSON_BYTES).decode("utf-8", "replace")
            if suffix == ".tmx" and "<map" not in text:
                # Memories of translators have this suffix, too.
                left_out.append((file, "this is no map of Tiled"))
                return False
            kinds = {found.lower() for pair in _RULE_MAP.findall(text) for found in pair if found}
            if len(kinds) > 1:
                left_out.append((file, "these are rules for Tiled's automapping"))
                return False
    except (BakeError, OSError):
        return suffix != JSON_SUFFIX
    return True


def _summarize_texts(left_out: list[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Return the files left out, with one line for the files of text after the first few."""
    texts = [each for each in left_out if each[0].suffix.lower() in TEXT_SUFFIXES]
    more = texts[_MOST_TEXTS:]
    if len(more) < 2:
        return left_out
    first, why = more[0]
    kept = [each for each in left_out if each not in more]
    return [*kept, (first, f"{why}; so are {len(more) - 1:,} more files of text left out")]


def _is_json_level(file: Path, left_out: list[tuple[Path, str]]) -> bool:
    if file.stat().st_size > MAX_JSON_BYTES:
        return False
    text = read_start(file, MAX_JSON_BYTES)
    if b'"bake-tiles"' in text or b'"bake-graph"' in text:
        return True
    if b'"nodes"' not in text or not (b'"links"' in text or b'"edges"' in text):
        return False
    document = read_document(file)
    if not isinstance(document, dict) or not isinstance(document.get("nodes"), list):
        return False
    return isinstance(document.get("links", document.get("edges")), list)


def _maps_of_worlds(
    levels: Iterable[Path], folder: Path, left_out: list[tuple[Path, str]]
) -> set[Path]:
    """Return the maps that are baked as parts of a world, and the worlds that lack a map."""
    found: set[Path] = set()
    lacking: set[Path] = set()
    for world in levels:
        if world.suffix.lower() != TILED_WORLD_SUFFIX:
            continue
        try:
            inside = {member.path.resolve() for member in members(world, TiledReading(), folder)}
        except (BakeError, OSError) as error:
            # A world without its maps is no level, but the maps that are there are.
            lacking.add(world.resolve())
            left_out.append((world, error.found if isinstance(error, BakeError) else str(error)))
        else:
            found |= inside
    return {file for file in levels if file.resolve() in found | lacking}


def _images_of_levels(
    files: list[Path],
    levels: list[Path],
    folder: Path,
    left_out: list[tuple[Path, str]],
    reduced: list[Path] | None,
) -> Iterator[Path]:
    """Yield the images that are levels: of few colors, and not the art of a level editor's maps.

    Paintings are reduced where ``reduced`` is a list, to which the pictures are added.

    In a game's project nearly every image is art. Beside files of level editors, an image counts
    only in a folder that is called after levels; elsewhere, too, where there is such a folder.
    """
    images = [file for file in files if file.suffix.lower() in PICTURE_SUFFIXES and file.is_file()]
    if not images:
        return
    referring = (file for file in files if file.suffix.lower() in _REFERRING)
    art = find_references(referring, folder)
    images = [file for file in images if key_of(file) not in art]
    named = [file for file in images if _is_named(file, folder)]
    edited = any(format_of(file) in ("tiled", "ldtk") for file in levels)
    chosen = named if named or edited else images
    passed = [file for file in images if file not in set(chosen)]
    if passed:
        more = f", and {len(passed) - 1:,} more images" if len(passed) > 1 else ""
        why = f"taken for art{more}; name in sources those that are levels"
        left_out.append((passed[0], why))
    for file in chosen:
        small = reduced_path(file)
        try:
            why, is_painting = _why_no_level(file)
            if not why:
                yield file
            elif is_painting and small in chosen:
                left_out.append((file, f"{small.name} stands for it"))
            elif is_painting and reduced is not None:
                reduced.append(write_reduced(file))
                yield reduced[-1]
            else:
                offer = f"; {reduce_remedy(file)}"
                left_out.append((file, why + (offer if is_painting else "")))
        except LevelError as error:
            left_out.append((file, f"an image, but {error.found}"))


def _why_no_level(file: Path) -> tuple[str, bool]:
    """Return why an image is no level, "" if it is one, and whether its main colours make one."""
    if file.suffix.lower() in LOSSY_SUFFIXES or is_lossy(file):
        return "an image that was saved lossy, which blurs colors", True
    colours = image_colours(file, MOST_COLORS)
    if colours is None:
        return f"an image of more than {MOST_COLORS} colors", True
    return "" if colours else "an image of clear pixels alone", False


def _is_named(file: Path, folder: Path) -> bool:
    parts = (folder.resolve().name, *file.relative_to(folder).parts[:-1])
    return any(map(_OF_LEVELS.search, parts)) and not any(map(_OF_ART.search, parts[1:]))


def _writable(
    levels: Iterable[Path], folder: Path, left_out: list[tuple[Path, str]]
) -> Iterator[Path]:
    """Yield the files that a recipe can name; links out of the folder are none of its levels."""
    root = folder.resolve()
    for file in levels:
        text = file.relative_to(folder).as_posix()
        if not text.isprintable() or "\\" in text or not file.stem.strip():
            # A lone surrogate stands for a byte that is not UTF-8; it is not printable.
            left_out.append((file, "a recipe cannot hold this name; rename the file"))
        elif not file.resolve().is_relative_to(root):
            left_out.append((file, "this is a link out of the folder"))
        else:
            yield file


def _distinct(levels: Iterable[Path], left_out: list[tuple[Path, str]]) -> list[Path]:
    """Keep one of several files that would bake to one asset.

    Images go last, files of text before them, and of others those in deep folders.
    """
    taken: dict[str, Path] = {}
    kept = []

    def rank(file: Path) -> tuple[bool, bool, int]:
        is_text = file.suffix.lower() in TEXT_SUFFIXES
        return format_of(file) == "image", is_text, len(file.parts)

    for file in sorted(levels, key=rank):
        first = taken.setdefault(fold_file_name(file.stem), file)
        if first is file:
            kept.append(file)
        else:
            left_out.append((file, f"it has the name of {first}; rename one of them"))
    return sorted(kept, key=lambda file: file.as_posix())


def _globs(levels: list[Path], folder: Path) -> Iterator[str]:
    """Yield globs that match the levels and nothing else, as few as can be."""
    by_suffix: dict[str, list[Path]] = defaultdict(list)
    for file in levels:
        by_suffix[file.suffix].append(file)
    for suffix, files in sorted(by_suffix.items()):
        by_folder: dict[Path, set[Path]] = defaultdict(set)
        for file in files:
            by_folder[file.parent].add(file)
        if len(by_folder) > _MOST_FOLDERS:
            shared = Path(os.path.commonpath(by_folder))
            glob = _joined(shared, folder, f"**/*{_escaped(suffix)}")
            if set(_matches(folder, glob)) == set(files):
                yield glob
                continue
        yield from _globs_of_folders(by_folder, folder, suffix)


def _globs_of_folders(by_folder: dict[Path, set[Path]], folder: Path, suffix: str) -> Iterator[str]:
    for parent, inside in sorted(by_folder.items()):
        glob = _joined(parent, folder, f"*{_escaped(suffix)}")
        if set(_matches(folder, glob)) == inside:
            yield glob
        else:
            yield from (_joined(parent, folder, _escaped(file.name)) for file in sorted(inside))


def _matches(folder: Path, glob: str) -> Iterator[Path]:
    return (file for file in folder.glob(glob) if file.is_file() and not file.name.startswith("."))


def _joined(parent: Path, folder: Path, name: str) -> str:
    return "/".join([*map(_escaped, parent.relative_to(folder).parts), name])


def _escaped(name: str) -> str:
    """Write a name so that a glob matches it alone."""
    return re.sub(r"([*?[])", r"[\1]", name)
