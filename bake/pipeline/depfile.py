"""Which files each asset was baked from, as rules Make and Ninja read.

GNU Make manual, "Generating Prerequisites Automatically"; Ninja manual, "Header dependencies:
depfile". Every file also stands alone as a target, so that one that is gone means "bake again" to
Make instead of "no rule to make it".
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from bake.asset.header import read_header
from bake.errors import AssetError, OutputError
from bake.pipeline.sources import Task

_ESCAPED = {"$": "$$", " ": "\\ ", "#": "\\#"}
#: Make gives these a meaning that no escape it shares with Ninja takes away.
_UNUSABLE = "%*?[]:;=|~\\"


def write_depfile(file: Path, tasks: Sequence[Task], recipe: Path | None) -> None:
    """Write one rule an asset, in the order of the tasks.

    Args:
        file: where to; paths in it are relative to the working directory, as Make is run in.
        tasks: levels that were built; one without an asset is said to depend on its level file.
        recipe: the recipe, on which every asset depends.

    Raises:
        OutputError: the file cannot be written, or a path has no place in a depfile.
    """
    lines = []
    mentioned: dict[str, None] = {}
    for task in tasks:
        needed = [_escaped(path, file) for path in _prerequisites(task, recipe)]
        mentioned |= dict.fromkeys(needed)
        lines.append(f"{_escaped(task.asset, file)}: {' '.join(needed)}\n")
    lines += [f"\n{each}:\n" for each in mentioned]
    _replace(file, "".join(lines))


def _prerequisites(task: Task, recipe: Path | None) -> Iterable[Path]:
    try:
        sources = [task.source.parent / name for name, _ in read_header(task.asset).sources]
    except AssetError:
        sources = [task.source]
    return sources if recipe is None else [*sources, recipe]


def _escaped(path: Path, depfile: Path) -> str:
    try:
        text = os.path.relpath(path)
    except ValueError:  # on another drive
        text = str(path.resolve())
    # A drive's colon is understood; on Windows a name can hold no other.
    drive, text = os.path.splitdrive(text)
    if os.sep != "/":
        text = text.replace(os.sep, "/")
    found = next((sign for sign in text if sign in _UNUSABLE or not sign.isprintable()), None)
    if found is not None:
        raise OutputError(
            f"{str(path)!r} cannot be named in a depfile, as Make gives {found!r} a meaning",
            file=depfile,
            expected=f"paths without control characters and {' '.join(_UNUSABLE)}",
            remedy="rename it",
        )
    return drive + "".join(_ESCAPED.get(sign, sign) for sign in text)


def _replace(file: Path, text: str) -> None:
    draft = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(file)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror or error}", file=file) from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
