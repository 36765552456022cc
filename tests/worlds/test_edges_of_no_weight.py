"""Edges of weight 0: each counts as one tick, beside networkx."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import networkx as nx
import pytest

from bake.play import open_asset
from bake.project.recipe import LevelRecipe
from tests.support.baked import bake

pytestmark = pytest.mark.note(77, "networkx")


@pytest.mark.parametrize("ticks_per_unit", [27720, 10, 3])
def test_they_count_as_one_tick(tmp_path: Path, ticks_per_unit: int) -> None:
    rng = random.Random(ticks_per_unit)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(40))
    for _ in range(160):
        a, b = rng.sample(range(40), 2)
        graph.add_edge(a, b, weight=rng.choice((0, 0, 0, 1, 2)))
    source = tmp_path / "free.json"
    source.write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    ticks = nx.DiGraph(graph)
    for a, b, weight in graph.edges(data="weight"):
        ticks[a][b]["weight"] = weight * ticks_per_unit or 1
    best = dict(nx.all_pairs_dijkstra_path_length(ticks))
    with open_asset(bake(source, LevelRecipe(ticks_per_unit=ticks_per_unit))) as level:
        nav = level.profile()
        for start in graph:
            for goal in graph:
                expected = best[start].get(goal, math.inf)
                assert nav.distance(start, goal) * ticks_per_unit == pytest.approx(expected)
                path = nav.path(start, goal)
                assert (path is None) == math.isinf(expected)
                if path is not None:  # It ends, though many of its steps cost next to nothing.
                    assert nx.path_weight(ticks, path, "weight") == expected


def test_what_costs_less_than_a_tick_is_refused_as_before(tmp_path: Path) -> None:
    source = tmp_path / "tiny.json"
    edge = {"source": 0, "target": 1, "weight": 1e-9}
    source.write_text(json.dumps({"nodes": [{"id": 0}, {"id": 1}], "edges": [edge]}))
    with pytest.raises(Exception, match="at 27720 ticks"):
        bake(source)
