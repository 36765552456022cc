"""Two bakes of a level, compared profile by profile, and what a change may do before it fails."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from bake.arrays import Int32Array
from bake.asset import Asset
from bake.diff.matched import Matched, match
from bake.diff.measures import Distances, Reachability, compare_distances, compare_reachability
from bake.errors import QueryError
from bake.runtime import LevelAsset
from bake.runtime.hierarchy.layers import ClusterTables
from bake.runtime.reader.baked import BakedTables
from bake.runtime.reader.places import Place

What = Literal["cells", "reachability", "distances", "size"]

#: Those that may have a limit, in percent.
_WITH_LIMIT = ("distances", "size")


@dataclass(frozen=True)
class Size:
    """How large one bake is, and what baking it again would visit.

    Attributes:
        bytes: of the file.
        nodes, arcs: of the graph.
        pairs: ordered pairs of places over all profiles, which next hops are baked for.
    """

    bytes: int
    nodes: int
    arcs: int
    pairs: int


@dataclass(frozen=True)
class ProfileDifference:
    """What changed for one profile.

    Attributes:
        name: of the profile.
        matched: places of both bakes.
        reachability: None where it cannot be told.
        distances: None where next hops were not baked.
        clusters: clusters of the new bake in which something changed; None without clusters.
        cluster_count: how many there are.
    """

    name: str
    matched: Matched
    reachability: Reachability | None
    distances: Distances | None
    clusters: Int32Array | None
    cluster_count: int

    @property
    def cells_changed(self) -> int:
        """Places opened, closed or repriced."""
        matched = self.matched
        repriced = int(matched.dearer.sum()) + int(matched.cheaper.sum())
        return len(matched.opened) + len(matched.closed) + repriced

    def place(self, number: int) -> Place:
        """The place that is shared under this number."""
        tables = self.matched.new
        return tables.places.place(int(tables.node[self.matched.new_row[number]]))


@dataclass(frozen=True)
class Difference:
    """What changed between two bakes.

    Attributes:
        old, new: the assets.
        sizes: of both.
        profiles: those of both bakes.
        profiles_gone, profiles_come: names of those only one has.
    """

    old: Path
    new: Path
    sizes: tuple[Size, Size]
    profiles: tuple[ProfileDifference, ...]
    profiles_gone: tuple[str, ...]
    profiles_come: tuple[str, ...]


def compare(old: Asset, new: Asset, profile: str | None, sample: int) -> Difference:
    """Compare two open assets.

    Args:
        old, new: before and after; they must stay open while the result is used.
        profile: this one alone; None = all that both have.
        sample: goals whose distances are compared; see :func:`compare_distances`.

    Raises:
        AssetError: not two bakes of one kind of level, or damaged.
        UnknownProfileError: no such profile in one of them.
    """
    before, after = LevelAsset(old), LevelAsset(new)
    gone: tuple[str, ...] = ()
    come: tuple[str, ...] = ()
    if profile is None:
        names = [name for name in new.profiles if name in old.profiles]
        gone = tuple(name for name in old.profiles if name not in names)
        come = tuple(name for name in new.profiles if name not in names)
    else:
        names = [profile]
    pairs = [(before._tables(name), after._tables(name)) for name in names]
    found = tuple(_profile(*pair, sample) for pair in pairs)
    sizes = _size(before, old), _size(after, new)
    return Difference(old.path, new.path, sizes, found, gone, come)


def _profile(old: BakedTables, new: BakedTables, sample: int) -> ProfileDifference:
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
    rows = [level._tables(name).row_count for name in asset.profiles]
    return Size(
        asset.path.stat().st_size,
        asset.shape("/world/first_out")[0] - 1,
        asset.shape("/world/head")[0],
        sum(count * count for count in rows),
    )


# -- limits ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limit:
    """Something that may not change, or by no more than so much.

    Attributes:
        what: "cells" (opened, closed, repriced), "reachability" (a way lost), "distances" (grown),
            "size" (of the file, grown).
        percent: how much is still fine, for the last two.
    """

    what: What
    percent: float = 0.0


def read_limit(text: str) -> Limit:
    """Read a limit such as "reachability" or "distances=10%".

    Raises:
        QueryError: anything else was written.
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
        f"--fail-on {text!r} is nothing that can be watched",
        expected="cells, reachability, distances, distances=10%, size or size=10%",
    )


def broken(difference: Difference, limits: list[Limit]) -> list[str]:
    """One line for every limit that was passed."""
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
            found = _broken(profile, limit)
            if found is not None:
                lines.append(f"{limit.what}: profile {profile.name}: {found}")
    if any(limit.what == "reachability" for limit in limits):
        lines += [f"reachability: profile {name} is gone" for name in difference.profiles_gone]
    return lines


def _broken(profile: ProfileDifference, limit: Limit) -> str | None:
    """What went beyond a limit; None where nothing did."""
    if limit.what == "cells":
        changed = profile.cells_changed
        return f"{changed:,} places opened, closed or repriced" if changed else None
    if limit.what == "reachability":
        reach = profile.reachability
        if reach is None:
            return "this cannot be told, as an asset holds no closure of its one-way components"
        closed = len(profile.matched.closed)
        lost = f"{reach.lost:,} pairs lost their way ({closed:,} places closed)"
        return lost if reach.lost else None
    distances = profile.distances
    if distances is None:
        return "this cannot be told, as an asset holds no next hops"
    if distances.most_longer > limit.percent:
        return f"a way grew by {distances.most_longer:,.1f} %, {limit.percent:g} % is allowed"
    return None
