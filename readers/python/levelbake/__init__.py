"""Look up shortest paths in levels that were baked: the reader that a game ships."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from levelbake.errors import (
    AssetError,
    AssetTooNewError,
    AssetTooOldError,
    BakeError,
    BlockedCellError,
    CorruptAssetError,
    MissingTableError,
    NotAnAssetError,
    OutputError,
    OutsideMapError,
    PatchError,
    QueryError,
    UnknownNodeError,
    UnknownProfileError,
)

if TYPE_CHECKING:
    from levelbake.changes import Changes, UpdateReport
    from levelbake.level import Level, open_asset, open_level
    from levelbake.profile import Profile

__all__ = [
    "AssetError",
    "AssetTooNewError",
    "AssetTooOldError",
    "BakeError",
    "BlockedCellError",
    "Changes",
    "CorruptAssetError",
    "Level",
    "MissingTableError",
    "NotAnAssetError",
    "OutputError",
    "OutsideMapError",
    "PatchError",
    "Profile",
    "QueryError",
    "UnknownNodeError",
    "UnknownProfileError",
    "UpdateReport",
    "open_asset",
    "open_level",
]


def __getattr__(name: str) -> Any:
    # At once it would be a circle, as long as both import bake, which imports errors from here.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from levelbake import level

    return getattr(level, name)
