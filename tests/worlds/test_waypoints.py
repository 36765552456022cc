"""Path networks by flood fill, against shapely: what is joined, what is merged, what is reached."""

import random
from itertools import permutations, product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import shapely

from bake.core.errors import LevelError
from bake.core.level import GeometryLevel, GraphLevel, OffMeshLink, Shape, TerrainRule
from bake.worlds import AgentProfile, divided
from bake.worlds.waypoints import SAMPLES

pytestmark = pytest.mark.note(109, "shapely")

RULES = {"floor": TerrainRule(1.0), "wall": TerrainRule(None)}


def box(x: float, y: float, wide: float, high: float, terrain: str = "wall") -> Shape:
    ring = [(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]
    return Shape(terrain, (np.array(ring, dtype=np.float64),))


def filled(*shapes: Shape, radius: float = 0.0, **more: object) -> GraphLevel:
    """A room of 16 x 16 units with shapes in it, as a path network."""
    drawn = (box(0, 0, 16, 16, "floor"), *shapes)
    level = GeometryLevel("room", Path("room.json"), drawn, ("floor", "wall"), **more)
    return divided(level, [AgentProfile("default", RULES, radius=radius)], "waypoints")


def ways(level: GraphLevel) -> set[tuple[tuple[float, ...], tuple[float, ...]]]:
    assert level.position is not None
    where = [tuple(point) for point in level.position.tolist()]
    return {(where[a], where[b]) for a, b in zip(level.tail, level.head, strict=True)}


def test_an_empty_room_is_one_waypoint() -> None:
    level = filled()
    assert level.position is not None
    assert level.position.tolist() == [[8, 8]]
    assert not len(level.tail)


def test_a_quarter_that_is_full() -> None:
    """Three quarters are left, and each sees the others, two of them just past the corner."""
    assert ways(filled(box(8, 8, 8, 8))) == set(permutations([(4, 4), (12, 4), (4, 12)], 2))


@pytest.mark.parametrize("seed", range(6))
def test_nobody_loses_a_way(seed: int) -> None:
    """Who could walk from sample to sample can walk from waypoint to waypoint, and no farther."""
    rng = random.Random(seed)
    boxes = [
        (rng.uniform(0, 14), rng.uniform(0, 14), rng.uniform(0.2, 6), rng.uniform(0.2, 3))
        for _ in range(7)
    ]
    level = filled(*(box(*each) for each in boxes))
    on_grid = [[round(v * 1024) / 1024 for v in (x, y, x + w, y + h)] for x, y, w, h in boxes]
    walls = shapely.union_all([shapely.box(*each) for each in on_grid])
    room = shapely.difference(shapely.box(0, 0, 16, 16), walls)
    side = 16 / SAMPLES
    samples = nx.Graph()
    lattice = [(x, y) for x, y in product(range(SAMPLES), repeat=2)]
    middle = {at: ((at[0] + 0.5) * side, (at[1] + 0.5) * side) for at in lattice}
    inside = {at for at in lattice if room.covers(shapely.Point(middle[at]))}
    samples.add_nodes_from(inside)
    for x, y in inside:
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            other = (x + dx, y + dy)
            if other in inside and room.covers(shapely.LineString([middle[x, y], middle[other]])):
                samples.add_edge((x, y), other)
    assert level.position is not None
    network = nx.Graph()
    network.add_nodes_from(map(tuple, level.position.tolist()))
    for a, b in ways(level):
        assert room.covers(shapely.LineString([a, b]))
        network.add_edge(a, b)
    assert nx.number_connected_components(network) == nx.number_connected_components(samples)
    assert len(network) < len(samples) / 2


def test_agents_with_a_radius_and_links() -> None:
    wall = box(7, 0, 2, 16)
    link = OffMeshLink("gate", (3.0, 3.0), (13.0, 3.0), cost=2.0)
    level = filled(wall, radius=0.5, links=(link,))
    assert level.position is not None
    where = [tuple(point) for point in level.position.tolist()]
    graph = nx.DiGraph(list(zip(level.tail.tolist(), level.head.tolist(), strict=True)))
    start, goal = where.index((3, 3)), where.index((13, 3))
    assert graph.has_edge(start, goal)
    assert not graph.has_edge(goal, start)
    for node, (x, y) in enumerate(where):
        assert 0.5 <= x <= 6.5 or 9.5 <= x <= 15.5
        assert 0.5 <= y <= 15.5
        assert nx.has_path(graph, node, goal)
    with pytest.raises(LevelError, match=r"nothing is walkable.*'default'"):
        filled(wall, radius=5)


def test_a_sliver_between_samples_has_a_waypoint() -> None:
    level = filled(box(0, 0, 16, 7.9), box(0, 7.95, 16, 8.05))
    assert level.position is not None
    assert len(level.position) >= 1
