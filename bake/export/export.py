"""Export an asset as a flat file, or next hops of a small level as a plain matrix."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import numpy as np

from bake.export.columns import PARTS, columns_of, parts_of
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.places import NodePlaces
from bake.play.reader.rows import Rows
from bake.store import Asset
from bake.store.flat.schema import fingerprint_of_nodes, is_of, stored
from bake.store.flat.write import Columns, write_flat
from bake.store.partial import output_error, written_whole
from levelbake.errors import OutputError, QueryError, UnknownProfileError
from levelbake.file import LEVEL, MAGIC, FlatFile, open_to_read

#: The most rows of a matrix, which then has 128 MiB at most; row numbers fit into 16 bits.
# limit: a one-line error that suggests a flat file; tests/store/flat/test_table.py
MOST_ROWS = 8192


def read_parts(text: str | None) -> tuple[str, ...]:
    """Parse the names of parts, such as "distances,hierarchy".

    Raises:
        QueryError: there is no such part.

    >>> read_parts("distances, hierarchy")
    ('distances', 'hierarchy')
    """
    parts = tuple(part.strip() for part in (text or "").split(",") if part.strip())
    for part in parts:
        if part not in PARTS:
            raise QueryError(f"--with: no part is called {part!r}", expected=" or ".join(PARTS))
    return parts


def export_asset(
    asset: Asset,
    path: Path,
    profiles: Collection[str] | None = None,
    parts: Collection[str] = (),
    *,
    force: bool = False,
) -> int:
    """Write a flat file of an asset.

    Args:
        asset: an open asset.
        path: the file to write.
        profiles: the profiles to write; None = all.
        parts: the parts of :data:`PARTS` to write.
        force: whether to overwrite a file that is not a flat file.

    Returns:
        The size of the file in bytes.

    Raises:
        UnknownProfileError: the asset has no such profile.
        MissingTableError: the asset lacks a requested part.
        CorruptAssetError: the asset is damaged.
        OutputError: the file cannot be written.
    """
    selected = _select_profiles(asset, profiles)
    if not force:
        _check_replaced(path, MAGIC, "flat file")
    columns = columns_of(asset, selected, parts)
    fingerprint = asset.header.fingerprint()
    if (LEVEL, "cell") in columns:
        fingerprint = fingerprint_of_nodes(fingerprint)
    return write_flat(path, columns, asset.header.bake_revision, fingerprint)


def export_table(asset: Asset, path: Path, profile: str | None = None) -> tuple[Path, int]:
    """Write next hops of a small level as a matrix, and the places of its rows to a second file.

    The matrix is (r, r) int16, [from, to]: the next row, the row itself at the goal, and -1 where
    there is no path. ``NAME.places.json`` lists the place of each row, in their order.

    Args:
        asset: an open asset.
        path: the file to write, ``NAME.npy``.
        profile: the profile to write; None = the only one.

    Returns:
        The file of the places, and the total size of both files in bytes.

    Raises:
        UnknownProfileError: there is no such profile, or there are several and none is named.
        MissingTableError: the asset has no next hops of the profile.
        CorruptAssetError: the asset is damaged.
        OutputError: the matrix would be too large, or a file cannot be written.
    """
    names = _select_profiles(asset, None if profile is None else [profile])
    if len(names) > 1:
        raise _unknown_profile(asset, "several profiles, none named")
    columns = ProfileColumns(NodePlaces(asset), names[0])
    if not columns.has_hops:
        raise columns.missing("next_hops")
    every = np.arange(columns.row_count, dtype=np.int32)
    if len(every) > MOST_ROWS:
        raise OutputError(
            f"a matrix of {len(every):,} places has {len(every) ** 2:,} entries",
            file=asset.path,
            expected=f"at most {MOST_ROWS:,} places",
            remedy="export the asset without --table, as a flat file, whose next hops are runs",
        )
    if path.suffix != ".npy":
        raise OutputError("the file extension is of another format", file=path, expected="NAME.npy")
    _check_replaced(path, b"\x93NUMPY", "matrix")
    matrix = np.empty((len(every), len(every)), dtype="<i2")
    for row in every:
        matrix[row] = columns.steps.next_rows(np.full_like(every, row), every)
    beside = path.with_suffix(".places.json")
    places = json.dumps(Rows(columns.version).places(every), separators=(",", ":")) + "\n"
    with written_whole(beside) as partial:
        partial.write_text(places, encoding="utf-8", newline="\n")
    with written_whole(path) as partial, partial.open("wb") as file:
        np.save(file, matrix)
    return beside, beside.stat().st_size + path.stat().st_size


def _select_profiles(asset: Asset, names: Collection[str] | None) -> list[str]:
    """Return profiles of an asset, sorted; None = all.

    Raises:
        UnknownProfileError: it has no such profile.
    """
    for name in names or ():
        if name not in asset.profiles:
            raise _unknown_profile(asset, f"no profile {name!r}")
    return [name for name in asset.profiles if names is None or name in names]


def _unknown_profile(asset: Asset, found: str) -> UnknownProfileError:
    expected = " or ".join(map(repr, asset.profiles))
    return UnknownProfileError(found, file=asset.path, expected=expected)


def _check_replaced(path: Path, magic: bytes, kind: str) -> None:
    """Raise OutputError if a file of another kind would be overwritten."""
    try:
        if not (path.is_file() and path.stat().st_size):
            return
    except OSError as error:
        raise output_error(path, error) from None
    with open_to_read(path) as file:
        if file.read(len(magic)) != magic:
            raise OutputError(
                f"the existing file is not a {kind}, and exporting would overwrite it",
                file=path,
                remedy="move it away, or name another file",
            )


def compare_with_asset(path: Path) -> bool:
    """Compare a flat file with the asset beside it, column by column.

    Returns:
        Whether there is an asset from which the file was exported.

    Raises:
        CorruptAssetError: the file differs from the asset; the column is named.
        AssetError: one of the two cannot be read.
    """
    beside = path.with_suffix(".h5")
    if not beside.is_file():
        return False
    flat = FlatFile(path)
    with Asset(beside) as asset:
        if not is_of(flat, asset.header.fingerprint()):
            return False
        profiles = flat.profiles()
        expected: Columns = {}
        if set(profiles) <= set(asset.profiles):
            expected = columns_of(asset, profiles, parts_of(name for _, name in flat.entries))
        if list(flat.entries) != sorted(expected):
            found = f"its profiles or columns differ from those of {beside.name}"
            raise flat.damaged(found, verdict="wrong")
        for (profile, name), array in expected.items():
            if stored(flat.read(profile, name)).tobytes() != stored(array).tobytes():
                found = f"column {name} differs from {beside.name}"
                raise flat.damaged(found, verdict="wrong")
    return True
