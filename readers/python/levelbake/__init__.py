"""Read baked levels: next hops, shortest paths and distances for games.

:func:`open_level` opens a level, and :meth:`Level.profile` returns the queries for one kind of
agent. For larger games and servers, bake.play adds searches, planes and crowds.

Example:
    >>> from levelbake import open_level
    >>> with open_level("baked/keep.h5") as level:
    ...     nav = level.profile()
    ...     nav.next_hop((3, 4), (50, 41)), nav.path((3, 4), (6, 6))
    ((3, 5), [(3, 4), (4, 5), (5, 6), (6, 6)])
"""

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
from levelbake.level import Level, open_level
from levelbake.places import Coordinates
from levelbake.profile import Profile
from levelbake.protocols import LevelLike, ProfileLike
from levelbake.things import Door, Instance, Link, Region, Spot

__version__ = "0.1.0"

__all__ = [
    "AssetError",
    "AssetTooNewError",
    "AssetTooOldError",
    "BakeError",
    "BlockedCellError",
    "Changes",
    "Coordinates",
    "CorruptAssetError",
    "Door",
    "Instance",
    "Level",
    "LevelLike",
    "Link",
    "MissingTableError",
    "NotAnAssetError",
    "OutputError",
    "OutsideMapError",
    "PatchError",
    "Profile",
    "ProfileLike",
    "QueryError",
    "Region",
    "Spot",
    "UnknownNodeError",
    "UnknownProfileError",
    "UpdateReport",
    "open_level",
]
