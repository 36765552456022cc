"""Graphs whose nodes have heights: searches guided in space, and the nearest node in space."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from bake.play import open_asset
from levelbake import open_level
from levelbake.errors import QueryError
from tests.support.baked import bake, write_graph

pytestmark = pytest.mark.note(43, "networkx, and a scan of all nodes")

Point = tuple[float, float, float]


def drawn_nodes(seed: int, count: int = 60) -> dict[str, Point]:
    """Nodes of a tower: many floors over a small ground, some of them at one place."""
    rng = random.Random(seed)
    points: list[Point] = [
        (float(rng.randint(0, 6)), float(rng.randint(0, 6)), float(rng.randint(-9, 30)))
        for _ in range(count)
    ]
    return {f"n{number}": point for number, point in enumerate(points)}


def joined(seed: int, nodes: dict[str, Point], *, flat: bool = False) -> nx.DiGraph:
    """Each node joined to others that are near, at the distance in space and some more."""
    rng = random.Random(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    for name, point in nodes.items():
        near = sorted(nodes, key=lambda other: math.dist(nodes[other], point))
        for other in near[1:5]:
            ends = (point[:2], nodes[other][:2]) if flat else (point, nodes[other])
            graph.add_edge(name, other, weight=math.dist(*ends) * rng.choice((1, 1, 1.5)) + 0.01)
    return graph


def written(path: Path, nodes: Mapping[str, tuple[float, ...]], graph: nx.DiGraph) -> Path:
    edges = [(a, b, data["weight"]) for a, b, data in graph.edges(data=True)]
    return bake(write_graph(path, list(nodes), edges, positions=nodes))


@pytest.mark.parametrize("flat", [False, True])
def test_the_distance_in_space_guides(tmp_path: Path, flat: bool) -> None:
    """It is admissible and consistent, never less than in the plane, and expands no more."""
    nodes = drawn_nodes(1)
    graph = joined(1, nodes, flat=flat)
    asset = written(tmp_path / "tower.json", nodes, graph)
    plane = {name: point[:2] for name, point in nodes.items()}
    flattened = written(tmp_path / "flat.json", plane, graph)
    with open_asset(asset) as level, open_asset(flattened) as below:
        nav, under = level.profile(), below.profile()
        far = dict(nx.all_pairs_dijkstra_path_length(graph))
        more = expanded = expanded_below = 0
        for goal in list(nodes)[::7]:
            h = {name: nav.search.estimate(name, goal, "euclidean") for name in nodes}
            for name in nodes:
                assert h[name] <= far[name].get(goal, math.inf) + 1e-9
                in_plane = under.search.estimate(name, goal, "euclidean")
                # Positions are rounded to millionths of the extent, which is larger in space.
                assert h[name] >= in_plane * (1 - 1e-4) - 1e-3
                more += h[name] > in_plane + 0.1
            for a, b, data in graph.edges(data=True):
                assert h[a] <= h[b] + data["weight"] + 1e-4
            for start in list(nodes)[::5]:
                found = nav.search(start, goal)
                assert (found.heuristic, found.admissible, found.consistent) == (
                    "euclidean",
                    True,
                    True,
                )
                assert found.cost == pytest.approx(far[start].get(goal, math.inf), abs=0.01)
                expanded += found.expanded
                expanded_below += under.search(start, goal).expanded
        if not flat:
            assert more > 100
            assert expanded < expanded_below


def scanned(nodes: dict[str, Point], names: tuple[object, ...], point: tuple[float, ...]) -> str:
    """The first of the nearest nodes, in the order of the asset."""
    away = [
        sum((mine - other) ** 2 for mine, other in zip(nodes[str(name)], point, strict=False))
        for name in names
    ]
    return str(names[away.index(min(away))])


@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_node(tmp_path: Path, seed: int) -> None:
    """Of points in space and in the plane; one by one, many at once, and by both packages."""
    nodes = drawn_nodes(seed)
    asset = written(tmp_path / "tower.json", nodes, joined(seed, nodes))
    rng = random.Random(seed)
    points = [
        (rng.randint(-2, 16) / 2, rng.randint(-2, 16) / 2, rng.randint(-20, 64) / 2)
        for _ in range(80)
    ]
    with open_asset(asset) as level, open_level(asset) as small:
        nav, reader = level.profile(), small.profile()
        names = nav.node_names
        last = None
        differ = 0
        for point in points:
            expected = scanned(nodes, names, point)
            assert nav.nearest(point) == nav.nearest(list(point)) == expected
            assert nav.nearest(np.array(point), last=last) == expected
            assert reader.nearest(point) == expected
            in_plane = scanned(nodes, names, point[:2])
            assert nav.nearest(point[:2], last=last) == reader.nearest(point[:2]) == in_plane
            differ += expected != in_plane
            last = expected
        assert differ > 20
        assert nav.nearest(points).tolist() == [scanned(nodes, names, point) for point in points]
        flat = np.array(points)[:, :2]
        assert nav.nearest(flat).tolist() == [scanned(nodes, names, tuple(p)) for p in flat]
        start = names[0]
        for goal in list(names)[::9]:
            found = nav.search.nearest_reachable(start, goal)
            reached = [n for n in names if nav.distance(start, n) < math.inf]
            least = min(math.dist(nodes[str(n)], nodes[str(goal)]) for n in reached)
            assert math.dist(nodes[str(found)], nodes[str(goal)]) == least


def test_what_is_no_point(tmp_path: Path) -> None:
    nodes: dict[str, Point] = {"a": (0, 0, 0), "b": (0, 0, 5)}
    graph = nx.DiGraph()
    graph.add_edge("a", "b", weight=5)
    asset = written(tmp_path / "g.json", nodes, graph)
    flat = written(
        tmp_path / "flat.json", {name: point[:2] for name, point in nodes.items()}, graph
    )
    with open_asset(asset) as level, open_level(asset) as small:
        for nav in (level.profile(), small.profile()):
            for point in ((0, 0, math.nan), (0, 0, "1"), (0,), (0, 0, 0, 0), "abc", (0, None, 1)):
                with pytest.raises(QueryError, match="point"):
                    nav.nearest(point)  # type: ignore[arg-type]
            assert nav.nearest((0, 0, 1e300)) == "b"
            assert nav.nearest((0, 0, np.float32(1))) == nav.nearest((0, 0, np.uint8(2))) == "a"
        with pytest.raises(QueryError, match="no array of points"):
            level.profile().nearest(np.zeros((3, 4)))
        with pytest.raises(QueryError, match=r"points\[1\] is .*nan"):
            level.profile().nearest([(0, 0, 0), (0, 0, math.nan)])
    with open_asset(flat) as level, open_level(flat) as small:
        for nav in (level.profile(), small.profile()):
            with pytest.raises(QueryError, match="two finite numbers"):
                nav.nearest((0, 0, 0))


def test_nodes_that_come(tmp_path: Path) -> None:
    """A lift docks: it is near in space, and the heuristic holds over its arcs."""
    nodes = drawn_nodes(4, 25)
    graph = joined(4, nodes)
    with open_asset(written(tmp_path / "tower.json", nodes, graph)) as level:
        nav = level.profile()
        level.update(
            nodes={"lift": {"at": (3, 3), "z": 60.0}},
            arcs={("n0", "lift"): 2.0, ("lift", "n5"): 2.0},
        )
        assert nav.nearest((3, 3, 50)) == "lift"
        assert nav.nearest([(3, 3, 50), nodes["n7"]]).tolist()[0] == "lift"
        graph.add_edge("n0", "lift", weight=2.0)
        graph.add_edge("lift", "n5", weight=2.0)
        far = dict(nx.all_pairs_dijkstra_path_length(graph))
        for goal in ("n5", "lift", "n9"):
            for start in nodes:
                found = nav.search(start, goal)
                assert found.admissible
                assert found.cost == pytest.approx(far[start].get(goal, math.inf), abs=0.01)
        level.update(blocked=["lift"])
        assert nav.nearest((3, 3, 50)) != "lift"
