"""Compare two bakes of a level profile by profile, and check limits of change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.errors import counted
from bake.play import LevelAsset
from bake.play.hierarchy.layers import ClusterTables
from bake.play.reader.columns import ProfileColumns
from bake.show.diff.matched import Matched, match
from bake.show.diff.measures import Distances, Reachability, compare_distances, compare_reachability
from bake.store import Asset
from levelbake.errors import QueryError
from levelbake.places import Coordinates, Place

What = Literal["cells", "reachability", "distances", "size"]

#: Kinds of change whose limit may be a percentage.
_WITH_LIMIT = ("distances", "size")


@dataclass(frozen=True)
class Size:
    """The size of one bake, and the number of pairs that baking it visits."""

    bytes: int  #: size of the file
    #: nodes, arcs: number of nodes and arcs of the graph
    nodes: int
    arcs: int
    #: number of ordered pairs of places, over all profiles, for which next hops are baked
    pairs: int


@dataclass(frozen=True)
class ProfileDifference:
    """The changes for one profile."""

    name: str  #: name of the profile
    matched: Matched  #: its places in both bakes
    #: changes of reachability; None if an asset lacks the closure of its one-way components
    reachability: Reachability | None
    #: changes of distances; None if an asset has neither next hops nor distances
    distances: Distances | None
    #: (k) int32 clusters of the new bake with changes; None if it has no clusters
    clusters: Int32Array | None
    cluster_count: int  #: number of clusters of the new bake

    def __repr__(self) -> str:
        matched = self.matched
        counts = {
            "opened": len(matched.opened),
            "closed": len(matched.closed),
            "dearer": int(matched.dearer.sum()),
            "cheaper": int(matched.cheaper.sum()),
        }
        text = ", ".join(f"{count} {name}" for name, count in counts.items())
        return f"<ProfileDifference {self.name!r}: places {text}>"

    @property
    def cells_changed(self) -> int:
        """The number of places that were opened, closed or repriced."""
        matched = self.matched
        repriced = int(matched.dearer.sum()) + int(matched.cheaper.sum())
        return len(matched.opened) + len(matched.closed) + repriced

    def place(self, number: int) -> Place:
        """Return the shared place with a number."""
        columns = self.matched.new
        return columns.places.place(int(columns.node[self.matched.new_row[number]]))


@dataclass(frozen=True)
class Difference:
    """The changes between two bakes."""

    #: old, new: paths of the assets
    old: Path
    new: Path
    levels: tuple[str, str]  #: names of their levels, which should be equal
    sizes: tuple[Size, Size]  #: sizes of both
    profiles: tuple[ProfileDifference, ...]  #: changes of the profiles in both
    #: profiles_gone, profiles_come: names of profiles only in the old or only in the new bake
    profiles_gone: tuple[str, ...]
    profiles_come: tuple[str, ...]
    #: the coordinates of both; None if they are equal, or for graphs
    coordinates: tuple[Coordinates, Coordinates] | None


def compare(
    old: Asset, new: Asset, profile: str | None, sample: int, *, strict: bool = True
) -> Difference:
    """Compare two open assets.

    Args:
        old, new: before and after; they must stay open while the result is used.
        profile: the only profile to compare; None = all profiles in both.
        sample: the number of goals for which distances are compared; see
            :func:`compare_distances`.
        strict: whether it is an error if one asset lacks the profile; otherwise the profile counts
            as gone or new.

    Raises:
        IncomparableError: the levels are of different kinds.
        AssetError: an asset is damaged.
        UnknownProfileError: one asset lacks the profile.
    """
    before, after = LevelAsset(old), LevelAsset(new)
    gone: tuple[str, ...] = ()
    come: tuple[str, ...] = ()
    names = [profile] if profile is not None else []
    if profile is None or not strict:
        known = [
            tuple(name for name in asset.profiles if profile in (None, name))
            for asset in (old, new)
        ]
        names = [name for name in known[1] if name in known[0]]
        gone = tuple(name for name in known[0] if name not in names)
        come = tuple(name for name in known[1] if name not in names)
    pairs = [(before._columns(name), after._columns(name)) for name in names]
    differences = tuple(_profile(*pair, sample) for pair in pairs)
    sizes = _size(before, old), _size(after, new)
    moved = None
    if before.is_grid and after.is_grid and before.coordinates != after.coordinates:
        moved = before.coordinates, after.coordinates
    levels = before.name, after.name
    return Difference(old.path, new.path, levels, sizes, differences, gone, come, moved)


def _profile(old: ProfileColumns, new: ProfileColumns, sample: int) -> ProfileDifference:
    matched = match(old, new)
    clusters, count = None, 0
    if new.has("cluster"):
        tables = ClusterTables(new)
        touched = matched.dearer | matched.cheaper | matched.arcs.touched
        rows = np.concatenate([matched.new_row[touched], matched.opened])
        clusters, count = np.unique(tables.cluster[rows]).astype(np.int32), tables.count
    return ProfileDifference(
        new.profile,
        matched,
        compare_reachability(matched),
        compare_distances(matched, sample),
        clusters,
        count,
    )


def _size(level: LevelAsset, asset: Asset) -> Size:
    rows = [level._columns(name).row_count for name in asset.profiles]
    return Size(
        asset.path.stat().st_size,
        len(asset.graph.place),
        asset.graph.taken(asset.profiles),
        sum(count * count for count in rows),
    )


# -- limits ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limit:
    """A kind of change that is not allowed, or only up to a percentage."""

    #: "cells" (a place was opened, closed or repriced), "reachability" (a pair lost its path),
    #: "distances" (a distance grew), or "size" (the file grew)
    what: What
    percent: float = 0.0  #: the growth allowed, for the last two


def read_limit(text: str) -> Limit:
    """Parse a limit such as "reachability" or "distances=10%".

    Raises:
        QueryError: the text is not a limit.
    """
    name, _, share = text.partition("=")
    for what in get_args(What):
        if name == what and (not share or what in _WITH_LIMIT):
            try:
                percent = float(share.removesuffix("%")) if share else 0.0
            except ValueError:
                break
            if 0 <= percent < float("inf"):
                return Limit(what, percent)
    raise QueryError(
        f"--fail-on {text!r} is not a valid limit",
        expected="cells, reachability, distances, distances=10%, size or size=10%",
    )


def broken(difference: Difference, limits: list[Limit]) -> list[str]:
    """Return a line for each exceeded limit and each profile that exceeds it."""
    lines = []
    for limit in limits:
        if limit.what == "size":
            old, new = difference.sizes[0].bytes, difference.sizes[1].bytes
            grown = 100 * (new / max(1, old) - 1)
            if grown > limit.percent:
                lines.append(
                    f"size: the file grew by {grown:,.1f} %, {limit.percent:g} % is allowed"
                )
            continue
        for profile in difference.profiles:
            excess = _broken(profile, limit)
            if excess is not None:
                lines.append(f"{limit.what}: profile {profile.name}: {excess}")
    if any(limit.what == "reachability" for limit in limits):
        lines += [f"reachability: profile {name} is gone" for name in difference.profiles_gone]
    return lines


def _broken(profile: ProfileDifference, limit: Limit) -> str | None:
    """Return a text about a profile that exceeds a limit; None if it does not."""
    if limit.what == "cells":
        changed = profile.cells_changed
        return f"{changed:,} places opened, closed or repriced" if changed else None
    if limit.what == "reachability":
        reach = profile.reachability
        if reach is None:
            return "unknown, because an asset lacks the closure of its one-way components"
        closed = counted(len(profile.matched.closed), "place")
        lost = f"{reach.lost:,} pairs lost their path ({closed} closed)"
        return lost if reach.lost else None
    distances = profile.distances
    if distances is None:
        return "unknown, because an asset lacks next hops"
    if distances.most_longer > limit.percent:
        return f"a path grew by {distances.most_longer:,.1f} %, {limit.percent:g} % is allowed"
    return None
