"""Two bakes of a level, compared profile by profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.arrays import Int32Array
from bake.asset import Asset
from bake.diff.distances import Distances, compare_distances
from bake.diff.matched import Matched, match
from bake.diff.reachability import Reachability, compare_reachability
from bake.errors import UnknownProfileError
from bake.runtime.hierarchy.layers import ClusterTables
from bake.runtime.reader.places import Places
from bake.runtime.reader.tables import Tables


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


def compare(
    old: Asset,
    new: Asset,
    profile: str | None,
    sample: int,
    progress: Callable[[float], None] = lambda done: None,
) -> Difference:
    """Compare two open assets.

    Args:
        old, new: before and after; they must stay open while the result is used.
        profile: this one alone; None = all that both have.
        sample: goals whose distances are compared; see :func:`compare_distances`.
        progress: called with the fraction done.

    Raises:
        AssetError: not two bakes of one kind of level, or damaged.
        UnknownProfileError: no such profile in one of them.
    """
    for asset in (old, new):
        if profile is not None and profile not in asset.profiles:
            raise UnknownProfileError(
                f"no profile {profile!r}",
                file=asset.path,
                expected=" or ".join(repr(name) for name in asset.profiles),
            )
    before, after = Places(old), Places(new)
    names = [name for name in new.profiles if name in old.profiles and profile in (None, name)]
    found = []
    for place, name in enumerate(names):
        found.append(_profile(name, Tables(before, name), Tables(after, name), sample))
        progress((place + 1) / len(names))
    return Difference(
        old.path,
        new.path,
        (_size(old, before), _size(new, after)),
        tuple(found),
        tuple(name for name in old.profiles if name not in new.profiles and profile is None),
        tuple(name for name in new.profiles if name not in old.profiles and profile is None),
    )


def _profile(name: str, old: Tables, new: Tables, sample: int) -> ProfileDifference:
    matched = match(old, new)
    clusters, count = None, 0
    if new.has("cluster"):
        tables = ClusterTables(new)
        touched = matched.dearer | matched.cheaper | matched.arcs.touched
        rows = np.concatenate([matched.new_row[touched], matched.opened])
        clusters, count = np.unique(tables.cluster[rows]).astype(np.int32), tables.count
    return ProfileDifference(
        name,
        matched,
        compare_reachability(matched),
        compare_distances(matched, sample),
        clusters,
        count,
    )


def _size(asset: Asset, places: Places) -> Size:
    rows = [Tables(places, name).row_count for name in asset.profiles]
    return Size(
        asset.path.stat().st_size,
        places.node_count,
        len(places.head),
        sum(count * count for count in rows),
    )
