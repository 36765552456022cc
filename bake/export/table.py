"""Write next hops of a small level as a plain matrix, for programs that read nothing of ours."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from bake.arrays import AnyArray
from bake.asset import Asset
from bake.asset.partial import with_room, written_whole
from bake.errors import OutputError, UnknownProfileError
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.places import Places
from bake.play.reader.rows import Rows

#: Rows of a matrix, which then has 128 MiB at most; numbers of rows fit into 16 bits.
MOST_ROWS = 8192

#: What every file of numpy's begins with.
_MAGIC = b"\x93NUMPY"


def export_table(asset: Asset, path: Path, profile: str | None = None) -> tuple[Path, int]:
    """Write a matrix of next hops, and beside it the places of its rows.

    The matrix is (r, r) int16, [from, to]: the row to step to, the row itself where it is the goal,
    and -1 where there is no path. ``NAME.places.json`` has the place of each row, in their order.

    Args:
        asset: an open asset.
        path: the file to write, ``NAME.npy``.
        profile: whose next hops to write; None = the only one.

    Returns:
        The file of the places, and the bytes of both files together.

    Raises:
        UnknownProfileError: there is no such profile, or there are several and none is named.
        MissingTableError: the asset holds no next hops of the profile.
        CorruptAssetError: the asset is damaged.
        OutputError: the matrix would be too large, or a file cannot be written.
    """
    names = asset.profiles if profile is None else (profile,)
    if len(names) != 1 or names[0] not in asset.profiles:
        raise UnknownProfileError(
            f"no profile {profile!r}" if profile else "several profiles, none named",
            file=asset.path,
            expected=" or ".join(map(repr, asset.profiles)),
        )
    tables = ProfileColumns(Places(asset), names[0])
    if not tables.has_hops:
        raise tables.missing("next_hops")
    rows = tables.row_count
    if rows > MOST_ROWS:
        raise OutputError(
            f"a matrix of {rows:,} places has {rows * rows:,} entries",
            file=asset.path,
            expected=f"at most {MOST_ROWS:,} places",
            remedy="export the asset without --table, as a flat file, whose next hops are runs",
        )
    _check_name(path)
    beside = path.with_suffix(".places.json")
    every = np.arange(rows, dtype=np.int32)
    places = json.dumps(Rows(tables.version).places(every), separators=(",", ":")) + "\n"
    return beside, _write(beside, places.encode()) + _write(path, _matrix(tables, every))


def _matrix(tables: ProfileColumns, every: AnyArray) -> AnyArray:
    """Return (r, r) int16, the row to step to from each row toward each."""
    rows = len(every)
    matrix = np.empty((rows, rows), dtype="<i2")
    for row in every:
        matrix[row] = tables.steps.next_rows(np.full(rows, row), every)
    return matrix


def _check_name(path: Path) -> None:
    """Refuse a name that says nothing, and a file that this has not written."""
    if path.suffix != ".npy":
        raise OutputError("the name says another format", file=path, expected="NAME.npy")
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise OutputError(
                    "there is a file that is no matrix, and exporting would overwrite it",
                    file=path,
                    remedy="move it away, or name another file",
                )


def _write(path: Path, content: bytes | AnyArray) -> int:
    def write() -> int:
        with written_whole(path) as partial, partial.open("wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                np.save(file, content)
            return file.tell()

    return with_room(path, write)
