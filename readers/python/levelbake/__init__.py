"""Look up shortest paths in levels that were baked: the reader that a game ships.

:func:`open_level` opens a level, and :meth:`Level.profile` gives the lookups of one kind of agents.
Larger games and servers use bake.play, which has searches, planes and agents as well.
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
