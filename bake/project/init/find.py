"""Find the level files of a folder, exclude art, and match the levels by globs."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bake.core.errors import LevelError
from bake.levels import SUFFIXES, TextReading, TiledReading, format_of
from bake.levels.companions import PICTURE_SUFFIXES, find_companions, find_references, path_key
from bake.levels.formats import (
    JSON_SUFFIX,
    LOSSY_SUFFIXES,
    TEXT_SUFFIXES,
    TILED_WORLD_SUFFIX,
)
from bake.levels.image import count_colors, is_lossy
from bake.levels.painting import MOST_COLORS, reduce_remedy, reduced_path
from bake.levels.reading.files import MAX_JSON_BYTES, read_document, read_start
from bake.levels.reading.names import fold_file_name
from bake.levels.text.kind import explain_exclusion
from bake.levels.tiled.maps import list_members
from bake.project.init.images import write_reduced
from bake.project.recipe.rules import DEFAULT_OUTPUT
from levelbake.errors import BakeError

#: The most files in a folder of levels.
MOST_FILES = 200_000
#: Folders that are skipped; LDtk stores earlier versions of projects in "backups".
_SKIPPED = frozenset({"node_modules", "__pycache__", "backups", "venv", "site-packages"})
#: Suffixes of files that refer to images; such images are art.
_REFERRING = frozenset({".tsx", ".tsj", ".tmx", ".tmj", ".tx", ".ldtk", ".ldtkl", ".json"})
#: Layer names by which Tiled recognizes maps with rules of automapping.
_RULE_MAP = re.compile(r'name="(?:(input|output)(?:not)?\d*_|(regions))', re.IGNORECASE)
_OF_LEVELS = re.compile("level|map|dungeon|maze|stage|world", re.IGNORECASE)
_OF_ART = re.compile(
    "tile|sprite|texture|icon|font|gfx|graphic|image|art$|arts$|^ui$", re.IGNORECASE
)
#: With more folders, one glob covers the common parent folder.
_MOST_FOLDERS = 4
#: The number of excluded text files that are listed one by one.
_MOST_TEXTS = 8


@dataclass(frozen=True)
class Found:
    """The result of a search for level files."""

    levels: tuple[Path, ...]  #: paths of the level files, sorted
    sources: tuple[str, ...]  #: globs relative to the folder that match exactly these files
    #: files that might have been levels, with the reason for their exclusion
    left_out: tuple[tuple[Path, str], ...]
    reduced: tuple[Path, ...] = ()  #: reduced pictures that were written for paintings


def find_levels(folder: Path, *, reduce: bool = False) -> Found:
    """Find the level files in a folder and all its subfolders.

    Args:
        folder: the folder.
        reduce: whether to write a reduced picture beside each painting that may be a level.

    Raises:
        LevelError: the folder is missing, unreadable, has too many files, or has no levels.
    """
    files = _list_files(folder)
    left_out: list[tuple[Path, str]] = []
    levels = [file for file in files if _is_level(file, left_out)]
    left_out = _summarize_texts(left_out)
    inside = _maps_of_worlds(levels, folder, left_out)
    levels = [file for file in levels if file not in inside]
    pictures = [file for file in files if file.suffix.lower() in PICTURE_SUFFIXES]
    companions = find_companions([*levels, *pictures], folder)
    left_out += (
        (file, companion.why)
        for file, companion in companions.items()
        if companion.role == "export"
    )
    levels = [file for file in levels if file not in companions]
    files = [file for file in files if file not in companions]
    reduced: list[Path] | None = [] if reduce else None
    levels += _images_of_levels(files, levels, folder, left_out, reduced)
    levels = sorted(_nameable(levels, folder, left_out), key=lambda file: file.as_posix())
    levels = _remove_duplicates(levels, left_out)
    if not levels:
        raise LevelError(
            "no level file was found in this folder",
            file=folder,
            expected=f"files ending in {', '.join(sorted(SUFFIXES))}",
            remedy=f"{left_out[0][0]}: {left_out[0][1]}" if left_out else None,
        )
    left_out.sort(key=lambda excluded: excluded[0].as_posix())
    sources = tuple(_build_globs(levels, folder))
    return Found(tuple(levels), sources, tuple(left_out), tuple(reduced or ()))


def _list_files(folder: Path) -> list[Path]:
    def report(error: OSError) -> None:
        if Path(error.filename or folder) == folder:
            raise LevelError(
                f"the folder cannot be read: {error.strerror or error}", file=folder
            ) from None

    if folder.exists() and not folder.is_dir():
        raise LevelError("this is a file", file=folder, expected="the folder of your levels")
    files = []
    for parent, inner, names in os.walk(folder, onerror=report):
        place = Path(parent)
        skipped = {*_SKIPPED, *([DEFAULT_OUTPUT] if place == folder else ())}
        inner[:] = sorted({name for name in inner if not name.startswith(".")} - skipped)
        files += [place / name for name in sorted(names) if not name.startswith(".")]
        if len(files) > MOST_FILES:
            raise LevelError(
                f"there are more than {MOST_FILES:,} files in this folder",
                file=folder,
                expected="the folder of your levels",
                remedy="name it: `bake init FOLDER`",
            )
    return files


def _is_level(file: Path, left_out: list[tuple[Path, str]]) -> bool:
    """Return whether a file other than an image is a level, by its suffix and first bytes.

    An unreadable level counts as a level; its error is reported when it is read.
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
                # Translation memories have the same suffix.
                left_out.append((file, "this is not a map of Tiled"))
                return False
            kinds = {kind.lower() for pair in _RULE_MAP.findall(text) for kind in pair if kind}
            if len(kinds) > 1:
                left_out.append((file, "these are rules for Tiled's automapping"))
                return False
    except (BakeError, OSError):
        return suffix != JSON_SUFFIX
    return True


def _summarize_texts(left_out: list[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Return the excluded files, with all text files after the first few as one entry."""
    texts = [item for item in left_out if item[0].suffix.lower() in TEXT_SUFFIXES]
    more = texts[_MOST_TEXTS:]
    if len(more) < 2:
        return left_out
    first, why = more[0]
    others = [item for item in left_out if item not in more]
    return [*others, (first, f"{why}; so are {len(more) - 1:,} more files of text left out")]


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
    """Return the maps that belong to a world, and the worlds that lack a map."""
    parts: set[Path] = set()
    lacking: set[Path] = set()
    for world in levels:
        if world.suffix.lower() != TILED_WORLD_SUFFIX:
            continue
        try:
            inside = {
                member.path.resolve() for member in list_members(world, TiledReading(), folder)
            }
        except (BakeError, OSError) as error:
            # A world without some maps is not a level, but its other maps are.
            lacking.add(world.resolve())
            left_out.append((world, error.found if isinstance(error, BakeError) else str(error)))
        else:
            parts |= inside
    return {file for file in levels if file.resolve() in parts | lacking}


def _images_of_levels(
    files: list[Path],
    levels: list[Path],
    folder: Path,
    left_out: list[tuple[Path, str]],
    reduced: list[Path] | None,
) -> Iterator[Path]:
    """Yield the images that are levels: images of few colors that are not art of maps.

    If ``reduced`` is a list, paintings are reduced, and their reduced pictures are added to it.

    Nearly all images in a game project are art. If the project has files of level editors, or a
    folder whose name suggests levels, images in other folders are excluded.
    """
    images = [file for file in files if file.suffix.lower() in PICTURE_SUFFIXES and file.is_file()]
    if not images:
        return
    referring = (file for file in files if file.suffix.lower() in _REFERRING)
    art = find_references(referring, folder)
    images = [file for file in images if path_key(file) not in art]
    named = [file for file in images if _is_named(file, folder)]
    has_maps = any(format_of(file) in ("tiled", "ldtk") for file in levels)
    chosen = named if named or has_maps else images
    excluded = [file for file in images if file not in set(chosen)]
    if excluded:
        more = f", and {len(excluded) - 1:,} more images" if len(excluded) > 1 else ""
        why = f"taken for art{more}; name in sources those that are levels"
        left_out.append((excluded[0], why))
    for file in chosen:
        small = reduced_path(file)
        try:
            why, is_painting = _explain_image(file)
            if not why:
                yield file
            elif is_painting and small in chosen:
                left_out.append((file, f"{small.name} is used instead"))
            elif is_painting and reduced is not None:
                reduced.append(write_reduced(file))
                yield reduced[-1]
            else:
                remedy = f"; {reduce_remedy(file)}"
                left_out.append((file, why + (remedy if is_painting else "")))
        except LevelError as error:
            left_out.append((file, f"an image, but {error.found}"))


def _explain_image(file: Path) -> tuple[str, bool]:
    """Return the reason why an image is not a level, or "", and whether it is a painting."""
    if file.suffix.lower() in LOSSY_SUFFIXES or is_lossy(file):
        return "an image that was saved lossy, which blurs colors", True
    colors = count_colors(file, MOST_COLORS)
    if colors is None:
        return f"an image of more than {MOST_COLORS} colors", True
    return "" if colors else "an image of clear pixels alone", False


def _is_named(file: Path, folder: Path) -> bool:
    parts = (folder.resolve().name, *file.relative_to(folder).parts[:-1])
    return any(map(_OF_LEVELS.search, parts)) and not any(map(_OF_ART.search, parts[1:]))


def _nameable(
    levels: Iterable[Path], folder: Path, left_out: list[tuple[Path, str]]
) -> Iterator[Path]:
    """Yield the files that a recipe can name, without links out of the folder."""
    root = folder.resolve()
    for file in levels:
        text = file.relative_to(folder).as_posix()
        if not text.isprintable() or "\\" in text or not file.stem.strip():
            # A lone surrogate represents a byte that is not UTF-8; it is not printable.
            left_out.append((file, "a recipe cannot hold this name; rename the file"))
        elif not file.resolve().is_relative_to(root):
            left_out.append((file, "this is a link out of the folder"))
        else:
            yield file


def _remove_duplicates(levels: Iterable[Path], left_out: list[tuple[Path, str]]) -> list[Path]:
    """Return one file for each asset name, and exclude other files with the same name.

    Maps are preferred over text, and text over images; of equal kinds, files in upper folders win.
    """
    taken: dict[str, Path] = {}
    chosen = []

    def rank(file: Path) -> tuple[bool, bool, int]:
        is_text = file.suffix.lower() in TEXT_SUFFIXES
        return format_of(file) == "image", is_text, len(file.parts)

    for file in sorted(levels, key=rank):
        first = taken.setdefault(fold_file_name(file.stem), file)
        if first is file:
            chosen.append(file)
        else:
            left_out.append((file, f"it has the name of {first}; rename one of them"))
    return sorted(chosen, key=lambda file: file.as_posix())


def _build_globs(levels: list[Path], folder: Path) -> Iterator[str]:
    """Yield a few globs that match exactly the levels."""
    by_suffix: dict[str, list[Path]] = defaultdict(list)
    for file in levels:
        by_suffix[file.suffix].append(file)
    for suffix, files in sorted(by_suffix.items()):
        by_folder: dict[Path, set[Path]] = defaultdict(set)
        for file in files:
            by_folder[file.parent].add(file)
        if len(by_folder) > _MOST_FOLDERS:
            shared = Path(os.path.commonpath(by_folder))
            glob = _join_glob(shared, folder, f"**/*{_escape_glob(suffix)}")
            if set(_list_matches(folder, glob)) == set(files):
                yield glob
                continue
        yield from _globs_of_folders(by_folder, folder, suffix)


def _globs_of_folders(by_folder: dict[Path, set[Path]], folder: Path, suffix: str) -> Iterator[str]:
    for parent, inside in sorted(by_folder.items()):
        glob = _join_glob(parent, folder, f"*{_escape_glob(suffix)}")
        if set(_list_matches(folder, glob)) == inside:
            yield glob
        else:
            yield from (
                _join_glob(parent, folder, _escape_glob(file.name)) for file in sorted(inside)
            )


def _list_matches(folder: Path, glob: str) -> Iterator[Path]:
    return (file for file in folder.glob(glob) if file.is_file() and not file.name.startswith("."))


def _join_glob(parent: Path, folder: Path, name: str) -> str:
    return "/".join([*map(_escape_glob, parent.relative_to(folder).parts), name])


def _escape_glob(name: str) -> str:
    """Return a glob that matches a name literally."""
    return re.sub(r"([*?[])", r"[\1]", name)
