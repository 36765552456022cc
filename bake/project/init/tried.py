"""Try guesses on the file they were made for: what cannot be read with them is no level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bake.core.level import Drawn
from bake.levels import LdtkReading, TextReading, TiledReading, load, parts
from bake.project.init.entries import COLOURS, TEXT_LEGEND, TEXT_SPOTS, Entry, TablePath, reading_of
from levelbake.errors import BakeError


def first_that_reads(
    file: Path, project: Path, tries: Iterable[list[Entry]]
) -> tuple[list[Entry], list[Drawn]]:
    """Return the first entries under which all levels of a file can be read, and these levels.

    Args:
        file: the level file.
        project: folder of the recipe, in which files that the level refers to must lie.
        tries: entries to read it under, in turn.

    Raises:
        BakeError: it can be read under none of them; the error is that of the first.
    """
    first: BakeError | None = None
    for entries in tries:
        try:
            return entries, _read(file, project, entries)
        except BakeError as error:
            first = first or error
    assert first is not None, "else there was nothing to try"
    raise first


def _read(file: Path, project: Path, entries: Sequence[Entry]) -> list[Drawn]:
    tiled, ldtk = reading_of(entries, TiledReading()), reading_of(entries, LdtkReading())
    text = TextReading(_texts(entries, TEXT_LEGEND), _texts(entries, TEXT_SPOTS))
    legend = _texts(entries, COLOURS)
    return [
        load(file, legend, part=part, tiled=tiled, ldtk=ldtk, text=text, project=project)
        for part in parts(file, tiled=tiled, ldtk=ldtk)
    ]


def _texts(entries: Sequence[Entry], table: TablePath) -> dict[str, str]:
    """Return the entries of a table whose values are text."""
    return {
        entry.key: entry.value
        for entry in entries
        if entry.table == table and isinstance(entry.value, str)
    }
