"""Open a baked level and look things up in it; this is the package that a game imports.

    from bake.play import open_asset

    with open_asset("baked/keep.h5") as level:
        nav = level.profile()
        nav.next_hop((3, 4), (80, 12))

It needs only numpy and h5py.
"""

from bake.play.level import LevelAsset, open_asset
from bake.play.navigator import Navigator
from bake.play.report import DetailedReport
from bake.play.searching.result import SearchResult
from levelbake.changes import Changes, UpdateReport
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
from levelbake.places import Coordinates
from levelbake.protocols import LevelLike, ProfileLike
from levelbake.things import Door, Instance, Link, Region, Spot

__all__ = [
    "AssetError",
    "AssetTooNewError",
    "AssetTooOldError",
    "BakeError",
    "BlockedCellError",
    "Changes",
    "Coordinates",
    "CorruptAssetError",
    "DetailedReport",
    "Door",
    "Instance",
    "LevelAsset",
    "LevelLike",
    "Link",
    "MissingTableError",
    "Navigator",
    "NotAnAssetError",
    "OutputError",
    "OutsideMapError",
    "PatchError",
    "ProfileLike",
    "QueryError",
    "Region",
    "SearchResult",
    "Spot",
    "UnknownNodeError",
    "UnknownProfileError",
    "UpdateReport",
    "open_asset",
]
