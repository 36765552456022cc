"""The hierarchy of clusters, by an asset's columns and by plain Python."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import h5py

from bake.play import Navigator


def by_columns(asset: Path, nav: Navigator) -> list[list[int]]:
    """For each layer the baked cluster of every place, in the order of `nav.places()`."""
    # The level is open, without a lock, and HDF5 wants the same of all who open it.
    with h5py.File(asset, locking=False) as file:
        group = file["profiles"][nav.name]
        label = [int(each) for each in group["cluster"]]
        counts = [int(each) for each in group.get("layer_clusters", ())]
        parent = [int(each) for each in group["layer_parent"]] if len(counts) > 1 else []
    layers = [label]
    for count in counts[:-1]:
        layers.append([parent[each] for each in layers[-1]])
        parent = parent[count:]
    row = nav._now.version.row_at
    order = row[row >= 0].tolist()
    return [[labels[each] for each in order] for labels in layers]


def check_tree(
    nav: Navigator, at: Mapping[Any, tuple[float, float]] | None
) -> list[list[frozenset[Any]]]:
    """Every place has one cluster on each layer, and all that is said of clusters fits together.

    `at` says where nodes of a graph lie; cells lie where their numbers say. Returns the places of
    all clusters, layer by layer.
    """
    tree, places = nav.search.clusters, nav.places()
    if not nav.node_names:
        at = {place: place[:2] for place in places}
    steps = [(place, other) for place in places for other, _ in nav.neighbors(place)]
    found, ordered = [], in_reading_order(nav, places)
    for layer, count in enumerate(tree.counts, start=1):
        of = {place: tree.of(place, layer) for place in places}
        of_cluster = defaultdict(set)
        for place, cluster in of.items():
            of_cluster[cluster].add(place)
        assert sorted(of_cluster) == list(range(count))
        near: dict[int, set[int]] = {cluster: set() for cluster in range(count)}
        for place, other in steps:
            if of[place] != of[other]:
                near[of[place]].add(of[other])
                near[of[other]].add(of[place])
        for cluster, own in of_cluster.items():
            listed = said(tree.members(cluster, layer))
            assert set(listed) == own
            assert listed == [place for place in ordered if place in own]
            assert tree.neighbors(cluster, layer) == tuple(sorted(near[cluster]))
            check_representative(tree.representative(cluster, layer), listed, steps, at)
            up = tree.above(cluster, layer)
            if layer == len(tree.counts):
                assert up is None
            else:
                assert up is not None
                assert cluster in tree.below(up, layer + 1)
                assert {tree.of(place, layer + 1) for place in own} == {up}
            down = tree.below(cluster, layer)
            assert list(down) == sorted(set(down))
            if layer > 1:
                assert own == set().union(*(found[-1][each] for each in down))
        found.append([frozenset(of_cluster[cluster]) for cluster in range(count)])
    return found


def said(places: Any) -> list[Any]:
    """Places of an array as `nav.places()` says them."""
    return [tuple(each) if isinstance(each, list) else each for each in places.tolist()]


def in_reading_order(nav: Navigator, places: list[Any]) -> list[Any]:
    """Cells floor by floor (or heading by heading) and row by row; nodes as the asset has them."""
    names = {name: number for number, name in enumerate(nav.node_names)}
    return sorted(places, key=lambda each: names[each] if names else each[::-1])


def check_representative(
    chosen: Any, own: list[Any], steps: list[Any], at: Mapping[Any, tuple[float, float]] | None
) -> None:
    """The first of those nearest to the middle, to a rounding; without positions see below."""
    if at is None:
        inside = set(own)
        ends = Counter(place for place, other in steps if place in inside and other in inside)
        most = max(ends.values(), default=0)
        assert chosen == next(place for place in own if ends[place] == most)
        return
    points = {place: [Fraction(each) for each in at[place]] for place in own}
    middle = [sum(each) / len(own) for each in zip(*points.values(), strict=True)]
    away = {
        place: sum((one - other) ** 2 for one, other in zip(point, middle, strict=True))
        for place, point in points.items()
    }
    nearest = min(away.values()) + Fraction(1, 10**9)
    near = [place for place in own if away[place] <= nearest]
    assert chosen in near
