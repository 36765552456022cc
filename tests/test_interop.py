"""There and back again: networkx and scipy."""

import math
import random
import sys
from collections.abc import Callable
from pathlib import Path

import networkx
import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csgraph

from bake.core.errors import CostError
from bake.core.graph import BLOCKED, MAX_WEIGHT
from bake.interop import asset_to_networkx, from_networkx, to_networkx, to_scipy
from bake.play import open_asset
from levelbake.errors import AssetError, BakeError, UnknownProfileError
from tests.support.baked import (
    GROUND,
    bake,
    bake_grid,
    profile_for,
    rows,
    write_graph,
)
from tests.support.compare import subgraph, tables_of, ticks, weighted
from tests.support.oracles import Lattice, square_arcs
from tests.support.strategies import FAMILIES, Arc, ArcList, arc_lists, seeded

DRAWN = rows("..m=~", ".#.v.", "....~")


def lightest(arcs: list[Arc]) -> dict[tuple[int, int], int]:
    best: dict[tuple[int, int], int] = {}
    for tail, head, weight in arcs:
        best[tail, head] = min(weight, best.get((tail, head), weight))
    return best


@given(graph=arc_lists())
def test_to_networkx(graph: ArcList) -> None:
    n, arcs = graph
    built, weight = weighted(n, arcs)
    found = to_networkx(built, weight)
    assert list(found.nodes) == list(range(n))
    assert {(a, b): w for a, b, w in found.edges(data="weight")} == lightest(arcs)
    for tail, head, data in found.edges(data=True):
        arc = built.first_out[tail] + data["slot"]
        assert (built.head[arc], weight[arc]) == (head, data["weight"])
        assert data["slot"] == min(
            slot
            for slot in range(built.first_out[tail + 1] - built.first_out[tail])
            if built.head[built.first_out[tail] + slot] == head
            and weight[built.first_out[tail] + slot] == data["weight"]
        )


@given(graph=arc_lists())
def test_there_and_back(graph: ArcList) -> None:
    n, arcs = graph
    source = networkx.MultiDiGraph()
    source.add_nodes_from(f"node {node}" for node in range(n))
    source.add_weighted_edges_from((f"node {a}", f"node {b}", w) for a, b, w in arcs)
    built, weight, names = from_networkx(source)
    assert names == [f"node {node}" for node in range(n)]
    assert weight.dtype == np.int32
    ends = zip(built.tail().tolist(), built.head.tolist(), weight.tolist(), strict=True)
    assert sorted(ends) == sorted(arcs)


@given(graph=arc_lists())
def test_to_scipy(graph: ArcList) -> None:
    n, arcs = graph
    matrix = to_scipy(*weighted(n, arcs))
    assert matrix.shape == (n, n)
    assert matrix.dtype == np.int32
    assert matrix.has_canonical_format
    found = matrix.tocoo()
    assert {
        (int(a), int(b)): int(w) for a, b, w in zip(found.row, found.col, found.data, strict=True)
    } == lightest(arcs)


@pytest.mark.parametrize("family", FAMILIES)
def test_both_libraries_find_our_distances(
    family: Callable[[random.Random, int], list[Arc]],
) -> None:
    n, arcs = seeded(family, 91, 40)
    graph, weight = weighted(n, arcs)
    distance = tables_of(subgraph(n, arcs)).distance
    assert np.array_equal(csgraph.dijkstra(to_scipy(graph, weight)), ticks(distance))
    lengths = dict(networkx.all_pairs_dijkstra_path_length(to_networkx(graph, weight)))
    for start in range(n):
        for goal in range(n):
            assert lengths[start].get(goal, math.inf) == ticks(distance)[start, goal]


def test_blocked_arcs_are_left_out() -> None:
    graph, weight = weighted(3, [(0, 1, 1), (0, 1, 5), (1, 2, 7), (2, 0, 3)])
    weight[[0, 2]] = BLOCKED
    assert list(to_networkx(graph, weight).edges(data="weight")) == [(0, 1, 5), (2, 0, 3)]
    assert to_scipy(graph, weight).toarray().tolist() == [[0, 5, 0], [0, 0, 0], [3, 0, 0]]


@pytest.mark.parametrize("make", [to_networkx, to_scipy])
def test_weights_must_be_as_many_as_arcs(make: Callable[..., object]) -> None:
    graph, weight = weighted(3, [(0, 1, 1), (1, 2, 7)])
    with pytest.raises(ValueError, match="2 arcs"):
        make(graph, weight[:1])


@pytest.mark.parametrize("kind", [networkx.Graph, networkx.MultiGraph])
def test_undirected_edges_become_two_arcs(kind: type) -> None:
    source = kind([("a", "b", {"w": 3}), ("b", "c", {}), ("c", "c", {"w": 2})])
    graph, weight, names = from_networkx(source, weight="w")
    ends = zip(graph.tail(), graph.head, weight, strict=True)
    assert sorted((names[a], names[b], int(w)) for a, b, w in ends) == [
        ("a", "b", 3),
        ("b", "a", 3),
        ("b", "c", 1),
        ("c", "b", 1),
        ("c", "c", 2),
    ]


def test_no_node_and_no_edge() -> None:
    graph, weight, names = from_networkx(networkx.DiGraph())
    assert (graph.node_count, graph.arc_count, len(weight), names) == (0, 0, 0, [])
    assert to_networkx(graph, weight).number_of_nodes() == 0
    assert to_scipy(graph, weight).shape == (0, 0)
    graph, weight, names = from_networkx(networkx.empty_graph(3))
    assert (graph.node_count, graph.arc_count, names) == (3, 0, [0, 1, 2])


@pytest.mark.parametrize("value", [1, 2.0, np.int16(3), np.float64(4), MAX_WEIGHT])
def test_whole_numbers_of_any_type(value: object) -> None:
    _, weight, _ = from_networkx(networkx.Graph([(0, 1, {"weight": value})]))
    assert weight.tolist() == [value, value]


@pytest.mark.parametrize(
    "value", [0, -1, 1.5, math.nan, math.inf, MAX_WEIGHT + 1, 2**40, "1", None, True, [1]]
)
def test_a_weight_with_no_place_on_the_scale_names_the_edge(value: object) -> None:
    with pytest.raises(CostError) as caught:
        from_networkx(networkx.DiGraph([("inn", "mill", {"weight": value})]))
    assert str(caught.value).startswith(
        f"edge 'inn' to 'mill': the weight is {value!r}; expected a whole"
    )


def test_a_baked_grid(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, DRAWN)
    found = asset_to_networkx(asset)
    lattice = Lattice(DRAWN, GROUND)
    assert sorted(found.nodes) == sorted(lattice.cells())
    assert {(a, b): t for a, b, t in found.edges(data="ticks")} == square_arcs(lattice, 8)
    assert all(d["weight"] == d["ticks"] / 27720 for _, _, d in found.edges(data=True))
    assert all(found.nodes[cell]["terrain"] == lattice.terrain(cell) for cell in found)
    assert all(found.nodes[cell]["pos"] == cell for cell in found)
    assert all(found.nodes[x, y]["point"] == (x + 0.5, y + 0.5) for x, y in found)
    assert found.graph == {"name": "drawn", "profile": "default", "ticks_per_unit": 27720}
    with open_asset(asset) as level:
        nav = level.profile()
        lengths = dict(networkx.all_pairs_dijkstra_path_length(found, weight="ticks"))
        for start in found:
            for goal in found:
                assert nav.distance(start, goal) == lengths[start].get(goal, math.inf) / 27720


def test_a_baked_graph(tmp_path: Path) -> None:
    edges = [("inn", "mill", 1.5), ("mill", "ford", 2.0), ("ford", "inn", 4.0)]
    positions = {"inn": (0.0, 1.0), "mill": (2.5, 1.0), "ford": (-3.0, 0.25)}
    asset = bake(write_graph(tmp_path / "r.json", list(positions), edges, positions=positions))
    found = asset_to_networkx(str(asset))
    assert sorted(found.edges(data="weight")) == sorted(edges)
    assert dict(found.nodes(data="pos")) == positions
    bare = asset_to_networkx(bake(write_graph(tmp_path / "b.json", [7, -2], [(7, -2, 1.0)])))
    assert sorted(bare.nodes(data=True)) == [
        (-2, {"terrain": "ground"}),
        (7, {"terrain": "ground"}),
    ]


def test_one_of_several_profiles(tmp_path: Path) -> None:
    from tests.support.oracles import Ground

    dry = GROUND | {"water": Ground(None)}
    two = (profile_for("dry", dry), profile_for("walker", GROUND))
    asset = bake_grid(tmp_path, DRAWN, profiles=two)
    for name, ground in (("dry", dry), ("walker", GROUND)):
        found = asset_to_networkx(asset, name)
        lattice = Lattice(DRAWN, ground)
        assert sorted(found.nodes) == sorted(lattice.cells())
        assert {(a, b): t for a, b, t in found.edges(data="ticks")} == square_arcs(lattice, 8)
    with pytest.raises(UnknownProfileError, match="several profiles, none named"):
        asset_to_networkx(asset)
    with pytest.raises(UnknownProfileError, match="no profile 'boat'; expected 'dry' or 'walker'"):
        asset_to_networkx(asset, "boat")


def test_a_file_that_is_no_asset(tmp_path: Path) -> None:
    (tmp_path / "x.h5").write_bytes(b"text")
    for wrong in ("x.h5", "y.h5"):
        with pytest.raises(AssetError, match=wrong):
            asset_to_networkx(tmp_path / wrong)


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    sub = subgraph(2, [(0, 1, 5)])
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(BakeError) as caught:
        to_scipy(sub.graph, sub.weight)
    assert "levelbake[verify]" in str(caught.value)
