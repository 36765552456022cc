"""Check guesses by reading the file with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bake.core.level import Drawn
from bake.levels import LdtkReading, TextReading, TiledReading, load, parts
from bake.project.init.entries import (
    COLOURS,
    TEXT_LEGEND,
    TEXT_SPOTS,
    Entry,
    TablePath,
    build_reading,
)
from levelbake.errors import BakeError


def find_readable(
    file: Path, project: Path, candidates: Iterable[list[Entry]]
) -> tuple[list[Entry], list[Drawn]]:
    """Return the first entries with which all levels of a file can be read, and the levels.

    Args:
        file: the level file.
        project: the folder of the recipe, which referenced files must lie in.
        candidates: entries to try in order.

    Raises:
        BakeError: no entries work; this is the error of the first ones.
    """
    first: BakeError | None = None
    for entries in candidates:
        try:
            return entries, _read(file, project, entries)
        except BakeError as error:
            first = first or error
    assert first is not None, "else there were no candidates"
    raise first


def _read(file: Path, project: Path, entries: Sequence[Entry]) -> list[Drawn]:
    tiled, ldtk = build_reading(entries, TiledReading()), build_reading(entries, LdtkReading())
    text = TextReading(_text_entries(entries, TEXT_LEGEND), _text_entries(entries, TEXT_SPOTS))
    legend = _text_entries(entries, COLOURS)
    return [
        load(file, legend, part=part, tiled=tiled, ldtk=ldtk, text=text, project=project)
        for part in parts(file, tiled=tiled, ldtk=ldtk)
    ]


def _text_entries(entries: Sequence[Entry], table: TablePath) -> dict[str, str]:
    """Return the entries of a table with text values."""
    return {
        entry.key: entry.value
        for entry in entries
        if entry.table == table and isinstance(entry.value, str)
    }
