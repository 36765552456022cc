"""Export an asset as a flat file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from bake.arrays import AnyArray
from bake.asset import Asset
from bake.errors import QueryError, UnknownProfileError
from bake.export.level import LevelColumns
from bake.export.profile import profile_columns
from bake.flat.schema import LEVEL
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
) -> int:
    """Write a flat file of an asset.

    Args:
        asset: an open asset.
        path: the file to write.
        profiles: the profiles to write; None = all.
        parts: which of :data:`PARTS` to write.

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
    kept = [name for name in asset.profiles if profiles is None or name in profiles]
    level = LevelColumns(asset, kept)
    columns: dict[tuple[int, str], AnyArray] = {
        (LEVEL, name): array for name, array in level.columns().items()
    }
    for number, name in enumerate(kept):
        own = profile_columns(level, name, frozenset(parts))
        columns |= {(number, column): array for column, array in own.items()}
    header = asset.header
    return write_flat(path, columns, header.bake_revision, header.fingerprint())
