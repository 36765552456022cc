"""Export an asset as a flat file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from bake.asset import Asset
from bake.errors import OutputError, QueryError, UnknownProfileError
from bake.export.columns import columns_of
from bake.flat.read import FlatFile, is_flat
from bake.flat.schema import LEVEL, fingerprint_of_nodes, stored
from bake.flat.write import Columns, write_flat

#: What can be written beside next hops.
PARTS = ("distances", "hierarchy")


def read_parts(text: str | None) -> tuple[str, ...]:
    """Return the parts named in a text such as "distances,hierarchy".

    Raises:
        QueryError: there is no such part.
    """
    parts = tuple(part.strip() for part in (text or "").split(",") if part.strip())
    for part in parts:
        if part not in PARTS:
            raise QueryError(f"--with {part}: there is no such part", expected=" or ".join(PARTS))
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
        parts: which of :data:`PARTS` to write.
        force: whether a file that is no flat file may be overwritten.

    Returns:
        The size of the file in bytes.

    Raises:
        UnknownProfileError: the asset has no such profile.
        MissingTableError: the asset does not hold what is asked for.
        CorruptAssetError: the asset is damaged.
        OutputError: the file cannot be written.
    """
    for name in profiles or ():
        if name not in asset.profiles:
            raise UnknownProfileError(
                f"no profile {name!r}",
                file=asset.path,
                expected=" or ".join(map(repr, asset.profiles)),
            )
    if not force and path.is_file() and path.stat().st_size and not is_flat(path):
        raise OutputError(
            "there is a file that is no flat file, and exporting would overwrite it",
            file=path,
            remedy="move it away, or name another file (-o)",
        )
    kept = [name for name in asset.profiles if profiles is None or name in profiles]
    columns = columns_of(asset, kept, parts)
    fingerprint = asset.header.fingerprint()
    if (LEVEL, "cell") in columns:
        fingerprint = fingerprint_of_nodes(fingerprint)
    return write_flat(path, columns, asset.header.bake_revision, fingerprint)


def parts_of(flat: FlatFile) -> tuple[str, ...]:
    """Return which of :data:`PARTS` a flat file holds."""
    names = {name for _, name in flat.entries}
    holds = {"distances": {"label_away"}, "hierarchy": {"cluster", "layer_nodes"}}
    return tuple(part for part in PARTS if names & holds[part])


def compare_with_asset(path: Path) -> bool:
    """Compare a flat file with the asset that lies beside it, column by column.

    Returns:
        Whether there is an asset, from which the file was exported.

    Raises:
        CorruptAssetError: the file says something else than the asset; the column is named.
        AssetError: one of the two cannot be read.
    """
    beside = path.with_suffix(".h5")
    if not beside.is_file():
        return False
    flat = FlatFile(path)
    with Asset(beside) as asset:
        if not flat.is_of(asset.header.fingerprint()):
            return False
        profiles = flat.profiles()
        wanted: Columns = {}
        if set(profiles) <= set(asset.profiles):
            wanted = columns_of(asset, profiles, parts_of(flat))
        if list(flat.entries) != sorted(wanted):
            found = f"it has other profiles or columns than {beside.name} gives"
            raise flat.damaged(found, verdict="wrong")
        for (profile, name), array in wanted.items():
            if stored(flat.read(profile, name)).tobytes() != stored(array).tobytes():
                found = f"column {name} is not what {beside.name} says"
                raise flat.damaged(found, verdict="wrong")
    return True
