"""Step 2 of a build: whether an asset still says what its sources say.

Content decides, never a clock: sha256 of every file the level was read from and of the recipe in
effect, and the revision of the baking code.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from bake.asset.header import Header, read_header, sha256_of
from bake.asset.schema import BAKE_REVISION, FORMAT_VERSION
from bake.errors import AssetError, LevelError
from bake.pipeline.sources import Task, name_error, name_is_text
from bake.recipe import LevelRecipe


def recipe_digest(recipe: LevelRecipe) -> str:
    """sha256 of the rules in effect."""
    return hashlib.sha256(recipe.canonical().encode()).hexdigest()


def source_digests(level_file: Path, others: tuple[Path, ...]) -> tuple[tuple[str, str], ...]:
    """(path relative to the level file's folder, sha256) of each file, the level file first.

    Raises:
        LevelError: a file cannot be read, or its name is not UTF-8.
    """
    folder = level_file.parent
    digests = []
    for file in (level_file, *others):
        if not name_is_text(file):
            raise name_error(file)
        try:
            digests.append((Path(os.path.relpath(file, folder)).as_posix(), sha256_of(file)))
        except OSError as error:
            raise LevelError(f"cannot be read: {error.strerror or error}", file=file) from None
    return tuple(digests)


def judge(tasks: Iterable[Task]) -> Iterator[tuple[Task, list[str]]]:
    """Each task and why it must be baked; a file that several levels come from is read once."""
    digest = cache(sha256_of)
    for task in tasks:
        yield task, reasons_to_bake(task, digest)


def reasons_to_bake(task: Task, digest: Callable[[Path], str] = sha256_of) -> list[str]:
    """Why an asset must be baked; empty where it is up to date.

    Args:
        task: the level.
        digest: sha256 of a file.
    """
    try:
        task.asset.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ["missing"]
    except OSError as error:
        return [f"cannot be read: {error.strerror or error}"]
    try:
        header = read_header(task.asset)
    except AssetError as error:
        return [error.found]
    reasons = []
    if header.format_version != FORMAT_VERSION:
        reasons.append(f"format version {header.format_version}, now {FORMAT_VERSION}")
    if header.bake_revision != BAKE_REVISION:
        reasons.append(f"baked by revision {header.bake_revision}, now {BAKE_REVISION}")
    if header.recipe != recipe_digest(task.recipe):
        reasons.append("the recipe changed")
    return reasons + _changed_sources(task, header, digest)


def _changed_sources(task: Task, header: Header, digest: Callable[[Path], str]) -> list[str]:
    if not header.sources or header.sources[0][0] != task.source.name:
        baked_from = header.sources[0][0] if header.sources else "nothing"
        return [f"baked from {baked_from}, now {task.source.name}"]
    changed = []
    for name, baked_from_digest in header.sources:
        file = task.source.parent / name
        try:
            if digest(file) != baked_from_digest:
                changed.append(f"{name} changed")
        except (OSError, ValueError):  # a name with a NUL in it is a ValueError
            changed.append(f"{name} cannot be read")
    return changed
