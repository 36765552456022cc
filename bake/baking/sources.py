"""Find the level files of a build and the paths of their assets: the first step of a build."""

from __future__ import annotations

import difflib
import os
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from bake.core.errors import LevelError, RecipeError, one_error
from bake.levels import (
    LOSSY_SUFFIXES,
    SUFFIXES,
    LdtkReading,
    TextReading,
    TiledReading,
    format_of,
    parts,
)
from bake.levels.companions import PICTURE_SUFFIXES, find_companions
from bake.levels.formats import TEXT_SUFFIXES
from bake.levels.painting import reduced_path
from bake.levels.reading.names import fold_file_name
from bake.project.recipe import RECIPE_NAME, LevelRecipe, Recipe
from bake.project.recipe.rules import DEFAULT_FOLDER, DEFAULT_SOURCES
from bake.store.header import read_header
from levelbake.errors import AssetError, BakeError

ASSET_SUFFIX = ".h5"

#: The sources if the recipe sets none and the default folder has no level: LDtk projects.
LDTK_PROJECTS = "*.ldtk"

#: Characters that some operating system forbids in file names.
NOT_IN_NAMES = '/\\<>:"|?*'


#: The most folders that are searched for a level file.
MOST_FOLDERS = 10_000
#: Folders of other programs, which are not searched.
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})


@dataclass(frozen=True)
class Task:
    """One level to bake."""

    source: Path  #: the level file
    asset: Path  #: the path of its asset
    recipe: LevelRecipe  #: the rules in effect for it
    part: str = ""  #: the level's name within the file; "" if the file contains only one
    #: the recipe's folder, which the level's file references may not leave; None = no recipe
    project: Path | None = None

    @property
    def name(self) -> str:
        return level_name(self.source, self.part)

    @property
    def profiles(self) -> tuple[str, ...]:
        return tuple(profile.name for profile in self.recipe.profiles)


def level_name(source: Path, part: str) -> str:
    """Return the name of a level: FILE, or FILE-PART if the file contains several levels."""
    return f"{source.stem}-{part}" if part else source.stem


@dataclass(frozen=True)
class LeftOut:
    """A file that has the suffix of a level but is not one."""

    file: Path
    why: str


@dataclass(frozen=True)
class LostLevel:
    """An asset whose level file is missing from the project, or has an ambiguous name."""

    asset: Path
    why: str


def find_tasks(
    recipe: Recipe,
    sources: Sequence[Path],
    output: Path | None,
    left_out: list[LeftOut] | None = None,
    lost: list[LostLevel] | None = None,
) -> list[Task]:
    """Return the levels to bake, sorted by name.

    Pictures and exports that belong to maps of Tiled or LDtk do not count as levels. Text files
    with prose or data do not count either. Naming such a file overrides both rules.

    Args:
        recipe: sets the default sources and the output folder.
        sources: level files, or folders of level files; empty = the recipe's sources.
        output: folder of the assets; None = the recipe's.
        left_out: receives the files that are not levels.
        lost: receives the assets in the output folder whose level file is missing, if no sources
            are given. The levels of the other assets there are then returned as well. None = return
            only levels of the recipe's sources.

    Raises:
        LevelError: there is no level, two have the same name, a name is not UTF-8, or a folder
            cannot be read.
        RecipeError: the recipe has rules for a level that is not among its sources; or there is no
            recipe, no sources are given, and the default folder does not exist.
    """
    folder = recipe.folder / recipe.output if output is None else output
    _check_no_names(recipe, sources)
    files, named = _expand(sources) if sources else _from_recipe(recipe)
    others = _find_others(recipe, files, named)
    files = [file for file in files if file not in others]
    if left_out is not None:
        left_out += (LeftOut(file, why) for file, why in others.items())
    if not files and lost is None:
        raise _no_level_error(recipe, sources, others)
    if problems := [name_error(file) for file in files if not name_is_text(file)]:
        raise one_error(problems)
    unread: list[str] = []
    tasks = _tasks_of(files, recipe, folder, unread)
    if lost is not None and not sources:
        known = {task.name for task in tasks}
        baked = find_baked_sources(recipe.folder, folder, known, lost)
        new = [file for file in baked if file not in files]
        tasks += [task for task in _tasks_of(new, recipe, folder, unread) if task.name not in known]
        files = [*files, *new]
        if not tasks and not lost:
            raise _no_level_error(recipe, sources, others)
    _check_names(tasks)
    if not sources:
        names_of_tables = {task.name for task in tasks} | {file.stem for file in files}
        _check_level_tables(recipe, names_of_tables, tuple(f"{stem}-" for stem in unread))
    return sorted(tasks, key=lambda task: task.name)


def _tasks_of(files: Iterable[Path], recipe: Recipe, folder: Path, unread: list[str]) -> list[Task]:
    """Return a task for each level in the files.

    Args:
        files: level files.
        recipe: the rules.
        folder: the folder of the assets.
        unread: receives the names of files that cannot be read.
    """
    project = None if recipe.file is None else recipe.folder
    tasks = []
    for file in files:
        rules = recipe.for_level(file.stem)
        try:
            names = parts(file, tiled=rules.tiled, ldtk=rules.ldtk)
        except BakeError:
            # Baking will raise the same error, which is then reported beside the other levels.
            names = ("",)
            unread.append(file.stem)
        for part in names:
            name = level_name(file, part)
            level_rules = _relevant_rules(recipe.for_level(name, file.stem), file)
            tasks.append(Task(file, folder / (name + ASSET_SUFFIX), level_rules, part, project))
    return tasks


def source_folders(recipe: Recipe, sources: Sequence[Path]) -> list[Path]:
    """Return the folders in which a new file could be a level; they need not exist.

    Args:
        recipe: sets the default sources.
        sources: level files, or folders of level files; empty = the recipe's sources.
    """
    if sources:
        return [source if source.is_dir() else source.parent for source in sources]
    folders = [recipe.folder]
    for glob in recipe.sources:
        parts = Path(glob).parts[:-1]
        folders.append(recipe.folder.joinpath(*takewhile(_is_plain, parts)))
        for end in range(1, len(parts) + 1):
            above = recipe.folder.glob("/".join(parts[:end]))
            folders += [folder for folder in above if folder.is_dir()]
    return list(dict.fromkeys(folders))


def name_is_text(file: Path) -> bool:
    """Return whether a file's name is UTF-8; Python represents other bytes as lone surrogates."""
    try:
        file.name.encode()
    except UnicodeEncodeError:
        return False
    return True


def name_error(file: Path) -> LevelError:
    """Return the error for a file name that is not UTF-8, with invalid bytes escaped."""
    shown = str(file).encode(errors="backslashreplace").decode()
    if sys.getfilesystemencoding() != "utf-8":
        return LevelError(
            "the file's name cannot be read in this locale",
            file=shown,
            expected="a locale for UTF-8",
            remedy="set PYTHONUTF8=1 or LC_ALL=C.UTF-8",
        )
    return LevelError(
        "the file's name is not UTF-8",
        file=shown,
        expected="a name that the asset can store as text",
        remedy="rename the file",
    )


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LevelError(
            f"the folder cannot be read: {error.strerror or error}", file=folder
        ) from None


def _is_level(file: Path) -> bool:
    known = file.suffix.lower() in SUFFIXES | LOSSY_SUFFIXES
    return known and not file.name.startswith(".") and file.is_file()


def _find_others(recipe: Recipe, files: Sequence[Path], named: set[Path]) -> Mapping[Path, str]:
    """Return the files that are not levels, with the reason for each.

    They belong to maps, are paintings beside their reduced pictures, or contain prose or data.

    Args:
        recipe: a file whose name has a table of its own in the recipe counts as a level.
        files: all candidates.
        named: the files named individually in the recipe or on the command line, which count as
            levels.
    """
    companions = find_companions(files, recipe.folder, all_pictures=recipe.file is None)
    reasons = {file: companion.why for file, companion in companions.items()}
    present = set(files)
    for file in files:
        small = reduced_path(file)
        if file.suffix.lower() in PICTURE_SUFFIXES and small in present - {file}:
            from bake.levels.image import is_painting

            if is_painting(file):
                reasons[file] = f"{small.name} stands for it"
        if file.suffix.lower() in TEXT_SUFFIXES and file not in reasons:
            from bake.levels.text.kind import explain_exclusion

            if why := explain_exclusion(file, recipe.for_level(file.stem).text):
                reasons[file] = why
    levels = {fold_file_name(file.stem) for file in files if file not in reasons}
    with_rules = {fold_file_name(name) for name in recipe.levels} - levels
    return {
        file: f"{why}; name it in sources or on the command line if it is a level"
        for file, why in reasons.items()
        if file not in named and fold_file_name(file.stem) not in with_rules
    }


def _from_recipe(recipe: Recipe) -> tuple[list[Path], set[Path]]:
    """Return the files that match the recipe's globs, and those named without wildcards."""
    files = _matching(recipe, recipe.sources)
    if not files and recipe.sources == DEFAULT_SOURCES:
        files = _matching(recipe, (LDTK_PROJECTS,))
    _check_inside(recipe, files)
    plain = [glob for glob in recipe.sources if _is_plain(Path(glob).name)]
    return files, set(_matching(recipe, plain))


def _no_level_error(
    recipe: Recipe, sources: Sequence[Path], others: Mapping[Path, str]
) -> BakeError:
    """Return the error for sources without a level; its remedy mentions the first skipped file."""
    if not others and recipe.file is None and not Path(DEFAULT_FOLDER).is_dir():
        return RecipeError(f"no {RECIPE_NAME} here", remedy="run `bake init` to write one")
    remedy = "name level files on the command line, or set sources in bake.toml"
    for file, why in others.items():
        remedy = f"{file.name}: {why}"
        break
    where = "this folder" if sources else ", ".join(recipe.sources)
    return LevelError(
        f"no level file in {where}",
        file=sources[0] if sources else recipe.file,
        expected=f"files ending in {', '.join(sorted(SUFFIXES))}",
        remedy=remedy,
    )


def _matching(recipe: Recipe, globs: Sequence[str]) -> list[Path]:
    files: list[Path] = []
    for glob in globs:
        # A glob skips unreadable folders, but an unreadable base folder must raise an error.
        base = recipe.folder.joinpath(*takewhile(_is_plain, Path(glob).parts[:-1]))
        with _reading(base):
            if base.is_dir():
                next(base.iterdir(), None)
            files += [file for file in recipe.folder.glob(glob) if _is_level(file)]
    return _distinct(sorted(files))


def _check_inside(recipe: Recipe, files: Iterable[Path]) -> None:
    """Raise on files outside the recipe's folder, as links among the levels may lead anywhere."""
    root = recipe.folder.resolve()
    for file in files:
        if not file.resolve().is_relative_to(root):
            raise LevelError(
                f"this is a link to {file.resolve()}, outside the project",
                file=file,
                expected=f"a file inside {root}",
                remedy="copy it there, or name it on the command line",
            )


def _check_no_names(recipe: Recipe, sources: Sequence[Path]) -> None:
    """Raise on the name of a level instead of a file's path; the error names the path."""
    for source in sources:
        with _reading(source):
            is_path = source.parent != Path() or source.suffix or source.exists()
        if is_path:
            continue
        files = (file for glob in recipe.sources for file in recipe.folder.glob(glob))
        meant = [file for file in files if file.stem == source.name and _is_level(file)]
        if meant:
            raise LevelError(
                "there is no such file, but a level has this name",
                file=source,
                expected="a level file, or a folder of them",
                remedy=f"name {min(meant)}",
            )


def _is_plain(part: str) -> bool:
    return not any(sign in part for sign in "*?[")


def _expand(sources: Sequence[Path]) -> tuple[list[Path], set[Path]]:
    """Return the level files of the command line, and those named individually."""
    files: list[Path] = []
    named: list[Path] = []
    for source in sources:
        with _reading(source):
            files_inside = None
            if source.is_dir():
                files_inside = sorted(file for file in source.iterdir() if _is_level(file))
        if files_inside is None:
            files.append(source)
            named.append(source)
            continue
        if not files_inside:
            raise LevelError(
                "no level file in this folder",
                file=source,
                expected=f"files ending in {', '.join(sorted(SUFFIXES))}",
            )
        files += files_inside
    # A file that is named and also in a named folder has two paths.
    distinct, places = _distinct(files), {_place(file) for file in named}
    return distinct, {file for file in distinct if _place(file) in places}


def _distinct(files: Iterable[Path]) -> list[Path]:
    """Return each file once, by its first path; links with other names remain."""
    by_place: dict[tuple[Path, str], Path] = {}
    for file in files:
        by_place.setdefault(_place(file), file)
    return list(by_place.values())


def _place(file: Path) -> tuple[Path, str]:
    with _reading(file.parent):
        return file.parent.resolve(), file.name


def _relevant_rules(recipe: LevelRecipe, file: Path) -> LevelRecipe:
    """Return the rules without rules for other file formats, whose changes must not matter."""
    kind = format_of(file)
    if kind not in ("image", "svg"):
        recipe = replace(recipe, legend={})
    if kind not in ("rows", "values"):
        recipe = replace(recipe, text=TextReading())
    if kind != "ldtk":
        recipe = replace(recipe, ldtk=LdtkReading())
    return recipe if kind == "tiled" else replace(recipe, tiled=TiledReading())


def _check_names(tasks: Sequence[Task]) -> None:
    tasks_by_name: dict[str, Task] = {}
    problems: list[BakeError] = []
    for task in tasks:
        if any(sign in NOT_IN_NAMES for sign in task.part) or not task.part.isprintable():
            problems.append(
                LevelError(
                    f"the level name {task.part!r} cannot be part of a file name",
                    file=task.source,
                    expected=f"a name without control characters and {' '.join(NOT_IN_NAMES)}",
                    remedy="rename the level",
                )
            )
            continue
        other = tasks_by_name.setdefault(fold_file_name(task.name), task)
        if other is not task:
            subject = f"{task.part} bakes" if task.part else "bakes"
            other_level = f"{other.part} of {other.source}" if other.part else str(other.source)
            problems.append(
                LevelError(
                    f"{subject} to the same {task.name}{ASSET_SUFFIX} as {other_level}",
                    file=task.source,
                    expected="one source for each level name",
                    remedy="rename one of them",
                )
            )
    if problems:
        raise one_error(problems)


def _check_level_tables(recipe: Recipe, names: set[str], unread: tuple[str, ...]) -> None:
    problems = []
    for name in recipe.levels:
        if name in names or name.startswith(unread):
            continue
        near = difflib.get_close_matches(name, sorted(names), n=1)
        problems.append(
            RecipeError(
                "no source has this name",
                file=recipe.file,
                place=f"[levels.{name}]",
                expected="the name of a level: its file name without the extension, "
                "then -LEVEL if the file contains several",
                remedy=f"did you mean {near[0]}?" if near else "remove the table",
            )
        )
    if problems:
        raise one_error(problems)


# -- levels that were baked by name ---------------------------------------------------------------

# These levels belong to the project as long as their assets are in the output folder. An asset
# stores the name of its level file without the folder, so the project is searched for the file.


def find_baked_sources(
    project: Path, output: Path, known: Collection[str], lost: list[LostLevel]
) -> list[Path]:
    """Search a project for the level files of the assets in a folder.

    Renamed copies of assets and damaged assets are ignored.

    Args:
        project: the folder to search, except hidden folders and folders with another recipe.
        output: the folder of the assets.
        known: names of levels whose files need no search.
        lost: receives the assets whose file is missing or ambiguous.
    """
    known_names = set(map(fold_file_name, known))
    assets = defaultdict[str, list[Path]](list)
    for asset in sorted(output.glob("*.h5")) if output.is_dir() else ():
        name = None if fold_file_name(asset.stem) in known_names else _source_name(asset)
        if name is not None:
            assets[name].append(asset)
    files = _find_files(project, output, assets)
    level_files = []
    for name, same_source in assets.items():
        paths = files[name]
        if len(paths) == 1:
            level_files += paths
            continue
        why = f"its level file {name} is not in this project"
        if paths:
            why = f"several files are called {name}: {', '.join(map(str, sorted(paths)))}"
        lost += [LostLevel(asset, why) for asset in same_source]
    return level_files


def _source_name(asset: Path) -> str | None:
    """Return the name of the level file of an asset, if the asset is named after it."""
    try:
        sources = read_header(asset).sources
    except AssetError:
        return None
    if not sources:
        return None
    file = Path(sources[0][0])
    stem, asset_stem = fold_file_name(file.stem), fold_file_name(asset.stem)
    return file.name if asset_stem == stem or asset_stem.startswith(f"{stem}-") else None


def _find_files(
    project: Path, output: Path, names: Collection[str]
) -> defaultdict[str, list[Path]]:
    """Return the paths of the files in a project that have one of the names, by name."""
    paths = defaultdict[str, list[Path]](list)
    if not names:
        return paths
    place = output.resolve()
    for number, (walked, folders, files) in enumerate(os.walk(project)):
        if number >= MOST_FOLDERS:
            break
        folder = Path(walked)
        for name in set(names).intersection(files):
            paths[name].append(folder / name)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _SKIPPED
            and not (folder / name / RECIPE_NAME).exists()
            and (folder / name).resolve() != place
        )
    return paths
