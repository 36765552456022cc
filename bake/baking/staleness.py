"""Check whether assets are up to date, and write dependency files for Make and Ninja.

Only contents count, not modification times: sha256 of every file of the level, sha256 of the rules
that the level uses from its recipe, and the revision of the baking code. Line ends of text files do
not count. An asset stores the rules that its level uses, so that a new recipe can be compared with
them without reading the level.

For other build tools, a depfile lists the files that each asset was baked from (GNU Make manual,
"Generating Prerequisites Automatically"; Ninja manual, "Header dependencies: depfile"). Every file
is also a target of its own without prerequisites, so that Make bakes again when a file was deleted
instead of reporting that there is no rule to make it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from bake.baking.sources import Task, name_error, name_is_text
from bake.core.errors import LevelError
from bake.core.level import GraphLevel, Level
from bake.levels import implied_files
from bake.project.recipe import LevelRecipe, UsedNames, read_used, write_used
from bake.store.header import PATCH_PREFIX, read_header, source_digest
from bake.store.partial import written_whole
from bake.store.schema import BAKE_REVISION, LEVELS
from levelbake.errors import AssetError, OutputError
from levelbake.file import FORMAT_VERSION, Hdf5File, Header

_ESCAPED = {"$": "$$", " ": "\\ ", "#": "\\#"}
#: Characters without a common escape in Make and Ninja: special characters of Make, and characters
#: that end a name in Ninja. Ninja 1.11 ends names at quotes and &, and always rebuilds the asset.
_UNUSABLE = "%*?[]:;=|~\\'\"&`<>^"


def recipe_digest(stated: str) -> str:
    """Return the sha256 of the rules that an asset stores of its recipe."""
    return hashlib.sha256(stated.encode()).hexdigest()


#: The digest in the assets of puzzles, which use no rules of a recipe.
NO_RECIPE = recipe_digest("{}")


def stated_recipe(level: Level, recipe: LevelRecipe) -> str:
    """Return the rules that a level uses from its recipe, as text for the asset."""
    areas = level.areas if isinstance(level, GraphLevel) else {}
    # Terrains of a divided plane have other names than the areas that rules refer to.
    terrains = {area for area, _ in areas.values()} or level.terrains
    unmatched = set(level.unmatched)
    colours = recipe.legend.keys() - unmatched
    symbols = (recipe.text.legend.keys() | recipe.text.spots.keys()) - unmatched
    used = UsedNames(frozenset(colours), frozenset(terrains), frozenset(symbols))
    return write_used(recipe, used)


def _uses_other_rules(task: Task, header: Header) -> bool:
    """Return whether the rules that a level uses differ from those stored in its asset."""
    if header.recipe == NO_RECIPE:
        return False
    with closing(Hdf5File(task.asset, LEVELS, check=False)) as file:
        stated = file.attribute("/", "recipe")
    used = read_used(stated) if isinstance(stated, str) else None
    return used is None or header.recipe != recipe_digest(write_used(task.recipe, used))


def source_digests(level_file: Path, others: tuple[Path, ...]) -> tuple[tuple[str, str], ...]:
    """Return (path relative to the level file's folder, digest) of each file, level file first.

    Raises:
        LevelError: a file cannot be read, or its name is not UTF-8.
    """
    folder = level_file.parent
    digests = []
    for file in (level_file, *others):
        if not name_is_text(file):
            raise name_error(file)
        try:
            digests.append((Path(os.path.relpath(file, folder)).as_posix(), source_digest(file)))
        except OSError as error:
            raise LevelError(f"cannot be read: {error.strerror or error}", file=file) from None
    return tuple(digests)


def judge(tasks: Iterable[Task]) -> Iterator[tuple[Task, list[str]]]:
    """Yield each task with the reasons to bake it; a file of several levels is read only once."""
    digest = cache(source_digest)
    for task in tasks:
        yield task, reasons_to_bake(task, digest)


def reasons_to_bake(task: Task, digest: Callable[[Path], str] = source_digest) -> list[str]:
    """Return the reasons to bake a level; the list is empty if its asset is fresh.

    Args:
        task: the level.
        digest: returns the digest of a file, as :func:`source_digest` does.
    """
    try:
        task.asset.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ["missing"]
    except OSError as error:
        return [f"cannot be read: {error.strerror or error}"]
    try:
        return _changes_since(task, read_header(task.asset), digest)
    except AssetError as error:
        return [error.found]


def _changes_since(task: Task, header: Header, digest: Callable[[Path], str]) -> list[str]:
    """Return the differences between a task and what its asset was baked from.

    Raises:
        AssetError: the asset is damaged.
    """
    reasons = []
    if header.format_version != FORMAT_VERSION:
        reasons.append(f"format version {header.format_version}, now {FORMAT_VERSION}")
    if header.bake_revision != BAKE_REVISION:
        reasons.append(f"baked by revision {header.bake_revision}, now {BAKE_REVISION}")
    # Assets of other versions may store their recipes in another form.
    if not reasons and _uses_other_rules(task, header):
        reasons.append("the recipe changed")
    return reasons + _changed_sources(task, header, digest)


def _changed_sources(task: Task, header: Header, digest: Callable[[Path], str]) -> list[str]:
    if not header.sources or header.sources[0][0] != task.source.name:
        baked_from = header.sources[0][0] if header.sources else "nothing"
        return [f"baked from {baked_from}, now {task.source.name}"]
    changed = []
    for name, baked_from_digest in header.sources:
        if name.startswith(PATCH_PREFIX):
            patch = name.removeprefix(PATCH_PREFIX)
            changed.append(f"the patch {patch} was folded in, and a build leaves it out")
            continue
        file = task.source.parent / name
        try:
            if digest(file) != baked_from_digest:
                changed.append(f"{name} changed")
        except OSError as error:
            changed.append(f"{name} cannot be read: {error.strerror or error}")
        except ValueError:  # There is a NUL in its name.
            changed.append(f"{name} cannot be read")
    known = {name for name, _ in header.sources}
    try:
        implied = implied_files(task.source, task.recipe.tiled, task.project)
    except LevelError as error:
        return [*changed, error.found]
    names = [Path(os.path.relpath(file, task.source.parent)).as_posix() for file in implied]
    return [*changed, *(f"{name} is new" for name in names if name not in known)]


def write_depfile(file: Path, tasks: Sequence[Task], recipe: Path | None) -> None:
    """Write a depfile with one rule for each asset, in the order of the tasks.

    Args:
        file: the depfile; paths in it are relative to the working directory, where Make runs.
        tasks: levels that were built; a level without an asset depends on its level file.
        recipe: the recipe, on which every asset depends.

    Raises:
        OutputError: the file cannot be written, or a path cannot be written in a depfile.
    """
    lines = []
    mentioned: dict[str, None] = {}
    for task in tasks:
        needed = [_escaped(path, file) for path in _prerequisites(task, recipe)]
        mentioned |= dict.fromkeys(needed)
        lines.append(f"{_escaped(task.asset, file)}: {' '.join(needed)}\n")
    lines += [f"\n{path}:\n" for path in mentioned]
    with written_whole(file) as partial:
        partial.write_text("".join(lines), encoding="utf-8", newline="\n")


def _prerequisites(task: Task, recipe: Path | None) -> Iterable[Path]:
    try:
        names = [name for name, _ in read_header(task.asset).sources]
        sources = [task.source.parent / name for name in names if not name.startswith(PATCH_PREFIX)]
    except AssetError:
        sources = [task.source]
    return sources if recipe is None else [*sources, recipe]


def _escaped(path: Path, depfile: Path) -> str:
    try:
        text = os.path.relpath(path)
    except ValueError:  # The path is on another drive.
        text = str(path.resolve())
    # Make and Ninja accept the colon of a drive; names on Windows contain no other colon.
    drive, text = os.path.splitdrive(text)
    if os.sep != "/":
        text = text.replace(os.sep, "/")
    unusable = next((sign for sign in text if sign in _UNUSABLE or not sign.isprintable()), None)
    if unusable is not None:
        raise OutputError(
            f"{str(path)!r} cannot be written in a depfile, because {unusable!r} is special there",
            file=depfile,
            expected=f"paths without control characters and {' '.join(_UNUSABLE)}",
            remedy="rename it",
        )
    return drive + "".join(_ESCAPED.get(sign, sign) for sign in text)
