"""Export an asset as a flat file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from bake.arrays import AnyArray
from bake.asset import Asset
from bake.errors import OutputError, QueryError, UnknownProfileError
from bake.export.columns import level_columns, profile_columns
from bake.flat.read import FlatFile, is_flat
from bake.flat.schema import LEVEL, fingerprint_of_nodes
from bake.flat.write import write_flat

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
    columns = _columns(asset, kept, frozenset(parts))
    fingerprint = asset.header.fingerprint()
    if (LEVEL, "cell") in columns:
        fingerprint = fingerprint_of_nodes(fingerprint)
    return write_flat(path, columns, asset.header.bake_revision, fingerprint)


def _columns(
    asset: Asset, profiles: list[str], parts: frozenset[str]
) -> dict[tuple[int, str], AnyArray]:
    """Return all columns of a flat file, by profile and name."""
    columns = {(LEVEL, name): array for name, array in level_columns(asset, profiles).items()}
    for number, name in enumerate(profiles):
        own = profile_columns(asset, name, parts)
        columns |= {(number, column): array for column, array in own.items()}
    return columns


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
        names = flat.texts(LEVEL, "profile_name")
        if not set(names) <= set(asset.profiles):
            raise flat.damaged(f"{beside.name} has other profiles", "wrong")
        wanted = _columns(asset, names, frozenset(parts_of(flat)))
        if list(flat.entries) != sorted(wanted):
            raise flat.damaged(f"it has other columns than {beside.name} gives", "wrong")
        for (profile, name), array in wanted.items():
            if flat.read(profile, name).tobytes() != array.tobytes():
                raise flat.damaged(f"column {name} is not what {beside.name} says", "wrong")
    return True
