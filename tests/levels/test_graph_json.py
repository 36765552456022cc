"""Explicit graphs in node-link form, compared with networkx."""

import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.level import GraphLevel, TerrainRule
from bake.levels import load
from tests.support.levels import refusal

pytestmark = pytest.mark.note(42, "networkx")


def written(folder: Path, document: object) -> Path:
    path = folder / "roads.json"
    path.write_text(json.dumps(document))
    return path


def read(folder: Path, document: object) -> GraphLevel:
    level = load(written(folder, document), {})
    assert isinstance(level, GraphLevel)
    return level


def arcs_of(level: GraphLevel) -> dict[tuple[str | int, str | int], float]:
    names = level.node_names
    arcs = {
        (names[tail], names[head]): float(length)
        for tail, head, length in zip(level.tail, level.head, level.length, strict=True)
    }
    assert len(arcs) == len(level.tail), "an arc is given twice"
    return arcs


def arcs_by_networkx(graph: nx.Graph) -> dict[tuple[str | int, str | int], float]:
    """The cheapest arc of each pair, told by networkx itself."""
    arcs: dict[tuple[str | int, str | int], float] = {}
    for tail, head, weight in nx.MultiDiGraph(graph).edges(data="weight", default=1.0):
        if tail != head:
            arcs[tail, head] = min(weight, arcs.get((tail, head), np.inf))
    return arcs


@st.composite
def graphs(draw: st.DrawFn) -> nx.Graph:
    """Graphs of every networkx class, with self-loops, parallel edges and other attributes."""
    kind = draw(st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]))
    names: list[Any] = draw(
        st.lists(st.integers(-5, 2**40), min_size=1, max_size=8, unique=True)
        | st.lists(st.text("ab é墙", min_size=1, max_size=3), min_size=1, max_size=8, unique=True)
    )
    graph = kind(name="roads", version=7)
    graph.add_nodes_from(names, label=[1, {"deep": None}])
    for tail, head in draw(
        st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=20)
    ):
        weight = draw(st.none() | st.integers(1, 9) | st.floats(1e-3, 1e9))
        graph.add_edge(tail, head, **({} if weight is None else {"weight": weight}), lanes=2)
    return graph


@given(graph=graphs(), edges=st.sampled_from(["edges", "links"]))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, graph: nx.Graph, edges: str) -> None:
    document = nx.node_link_data(graph, edges=edges)
    level = read(tmp_path_factory.mktemp("graphs"), document)
    assert level.node_names == tuple(graph)
    assert level.directed == graph.is_directed()
    assert level.position is None
    assert arcs_of(level) == arcs_by_networkx(graph)
    assert level.terrains == ("ground",)
    assert level.node_terrain.tolist() == [0] * len(graph)
    assert (level.tail.dtype, level.head.dtype) == (np.int32, np.int32)
    assert (level.length.dtype, level.node_terrain.dtype) == (np.float64, np.uint8)
    # Each node's arcs come in the order of the file's edges.
    order: dict[Any, list[Any]] = {name: [] for name in graph}
    for edge in document[edges]:
        ends = [(edge["source"], edge["target"])]
        if not graph.is_directed():
            ends.append((edge["target"], edge["source"]))
        for tail, head in ends:
            if tail != head and head not in order[tail]:
                order[tail].append(head)
    names = level.node_names
    for node, name in enumerate(names):
        assert [names[head] for head in level.head[level.tail == node]] == order[name]


@given(
    places=st.lists(
        st.tuples(st.floats(-1e9, 1e9), st.integers(-(10**9), 10**9)), min_size=1, max_size=6
    ),
    form=st.sampled_from(["x and y", "pos", "both"]),
)
def test_positions(
    tmp_path_factory: pytest.TempPathFactory, places: list[tuple[float, int]], form: str
) -> None:
    graph = nx.DiGraph()
    for at, (x, y) in enumerate(places):
        graph.add_node(at)
        if form != "pos":
            graph.nodes[at].update(x=x, y=y)
        if form != "x and y":
            graph.nodes[at].update(pos=(x, y))
    level = read(tmp_path_factory.mktemp("graphs"), nx.node_link_data(graph, edges="edges"))
    assert level.position is not None
    assert level.position.dtype == np.float64
    assert level.position.tolist() == [[x, float(y)] for x, y in places]


def test_an_undirected_edge_is_two_arcs(tmp_path: Path) -> None:
    nodes = [{"id": name} for name in "abc"]
    edges = [{"source": "c", "target": "a", "weight": 2}, {"source": "b", "target": "c"}]
    level = read(tmp_path, {"nodes": nodes, "edges": edges})
    assert not level.directed
    assert level.tail.tolist() == [2, 0, 1, 2]
    assert level.head.tolist() == [0, 2, 2, 1]
    assert level.length.tolist() == [2, 2, 1, 1]


def test_of_parallel_arcs_the_cheapest_takes_the_place_of_the_first(tmp_path: Path) -> None:
    edges = [
        {"source": 1, "target": 2, "weight": 5},
        {"source": 1, "target": 3},
        {"source": 1, "target": 2, "weight": 3},
        {"source": 2, "target": 1, "weight": 4},
        {"source": 3, "target": 3, "weight": 9},
    ]
    document = {"directed": True, "nodes": [{"id": 1}, {"id": 2}, {"id": 3}], "links": edges}
    level = read(tmp_path, document)
    assert level.tail.tolist() == [0, 0, 1]
    assert level.head.tolist() == [1, 2, 0]
    assert level.length.tolist() == [3, 1, 4]


def test_terrains(tmp_path: Path) -> None:
    nodes = [{"id": 1, "terrain": "track"}, {"id": 2}, {"id": 3, "terrain": "road"}]
    level = read(tmp_path, {"nodes": nodes, "edges": []})
    assert level.terrains == ("track", "ground", "road")
    assert level.node_terrain.tolist() == [0, 1, 2]
    assert level.terrain_rules == {"ground": TerrainRule(1.0)}
    level = read(tmp_path, {"nodes": nodes[:1], "edges": []})
    assert level.terrain_rules == {}
    costs = {
        "road": 0.5,
        "ground": {"cost": 2, "colour": "#102030"},
        "lava": "blocked",
        "track": {"cost": 3, "enter_from": ["road"]},
    }
    level = read(tmp_path, {"graph": {"terrains": costs}, "nodes": nodes, "edges": []})
    assert level.terrains == ("road", "ground", "lava", "track")
    assert level.node_terrain.tolist() == [3, 1, 0]
    assert level.terrain_rules == {
        "road": TerrainRule(0.5),
        "ground": TerrainRule(2.0),
        "lava": TerrainRule(None),
        "track": TerrainRule(3.0, ("road",)),
    }
    assert level.colours == {"ground": (16, 32, 48)}


def test_nodes_without_edges(tmp_path: Path) -> None:
    level = read(tmp_path, {"nodes": [{"id": "alone"}], "edges": []})
    assert level.node_names == ("alone",)
    assert level.tail.shape == level.head.shape == level.length.shape == (0,)


def test_a_graph_of_real_size(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    count = 8_000
    ends = random.integers(0, count, (20_000, 2)).tolist()
    weights = random.random(20_000) + 0.1
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(
        (tail, head, {"weight": weight})
        for (tail, head), weight in zip(ends, weights.tolist(), strict=True)
    )
    level = read(tmp_path, nx.node_link_data(graph, edges="edges"))
    assert arcs_of(level) == arcs_by_networkx(graph)


def test_too_many_terrains(tmp_path: Path) -> None:
    nodes = [{"id": at, "terrain": f"t{at}"} for at in range(300)]
    path = written(tmp_path, {"nodes": nodes, "edges": []})
    assert refusal(path).startswith("nodes: the level has 300 terrains; expected at most 255")
    level = read(tmp_path, {"nodes": nodes[:255], "edges": []})
    assert level.node_terrain.tolist() == list(range(255))


TWO = [{"id": 1}, {"id": 2}]


def with_edge(**edge: object) -> dict[str, Any]:
    """Four edges, the last as given."""
    good = {"source": 1, "target": 2}
    return {"nodes": TWO, "edges": [good, good, good, {**good, **edge}]}


def with_node(**node: object) -> dict[str, Any]:
    return {"nodes": [{"id": 1, "x": 0, "y": 0}, node], "edges": []}


@pytest.mark.parametrize(
    ("document", "line"),
    [
        *(
            (
                with_edge(weight=weight),
                f"edges[3].weight: the weight is {text}; expected a number from 0 to 1e+09",
            )
            for weight, text in [
                (-1, "-1"),
                (-0.5, "-0.5"),
                (float("nan"), "NaN"),
                (float("inf"), "Infinity"),
                (1_000_000_001, "1000000001"),
                (10**400, "a number of very many digits"),
                (True, "true"),
                (None, "null"),
                ("1", '"1"'),
                ([1], "a list"),
            ]
        ),
        (with_edge(target=3), "edges[3].target: 3 is not the id of a node"),
        (with_edge(source="1"), 'edges[3].source: "1" is not the id of a node'),
        (with_edge(source=True), "edges[3].source: true is not the id of a node"),
        (with_edge(source=1.0), "edges[3].source: 1.0 is not the id of a node"),
        (with_edge(source=[1]), "edges[3].source: a list is not the id of a node"),
        (with_edge(source=None), "edges[3].source: null is not the id of a node"),
        ({"nodes": TWO, "links": [{"source": 1}]}, "links[0].target: this key is missing"),
        ({"nodes": TWO, "links": [[1, 2]]}, "links[0]: found a list; expected an object"),
        ({"nodes": TWO, "edges": {}}, "edges: found an object; expected a list of objects"),
        ({"nodes": TWO, "edges": [], "links": []}, 'links: both "edges" and "links" are given'),
        (
            {"multigraph": False, **with_edge()},
            "edges[1]: this edge joins the same nodes as edges[0]; "
            "expected each edge once, as multigraph is false",
        ),
        (
            {
                "multigraph": False,
                "nodes": TWO,
                "edges": [{"source": 1, "target": 1}, *({"source": 1, "target": 2},) * 2],
            },
            "edges[2]: this edge joins the same nodes as edges[1]",
        ),
        (
            {
                "multigraph": False,
                "nodes": TWO,
                "edges": [{"source": 1, "target": 2}, {"source": 2, "target": 1}],
            },
            "edges[1]: this edge joins the same nodes as edges[0]",
        ),
        # Nodes.
        ({"nodes": [], "edges": []}, "nodes: the level is empty, the graph has no nodes"),
        ({"nodes": {}, "edges": []}, "nodes: found an object; expected a list of objects"),
        ({"nodes": [1, 2], "edges": []}, "nodes[0]: found 1; expected an object"),
        ({"format": "bake-graph", "edges": []}, "nodes: this key is missing"),
        ({"format": "bake-graph", "nodes": TWO}, "edges: this key is missing"),
        ({"nodes": [{}], "edges": []}, "nodes[0].id: this key is missing"),
        (with_node(id=1), "nodes[1].id: 1 is the id of nodes[0] already; expected each id once"),
        (with_node(id="a"), 'nodes[1].id: found "a", though nodes[0] has a whole number'),
        (
            {"nodes": [{"id": "a"}, {"id": 1}], "edges": []},
            "nodes[1].id: found 1, though nodes[0] has a string",
        ),
        (with_node(id=True), "nodes[1].id: found true; expected a string or a whole number"),
        (with_node(id=1.0), "nodes[1].id: found 1.0; expected a string or a whole number"),
        (with_node(id=None), "nodes[1].id: found null"),
        (with_node(id=[0, 1]), "nodes[1].id: found a list; expected a string or a whole number"),
        (with_node(id=2**63), "nodes[1].id: found 9223372036854775808; expected a number that"),
        ({"nodes": [{"id": ""}], "edges": []}, 'nodes[0].id: found ""; expected some text'),
        ({"nodes": [{"id": "\ud800"}], "edges": []}, 'nodes[0].id: found "\\ud800"'),
        ({"nodes": [{"id": "a\0"}], "edges": []}, 'nodes[0].id: found "a\\u0000"'),
        # Positions.
        (with_node(id=2), "nodes[1]: the node has no position, though nodes[0] has one"),
        (
            {"nodes": [{"id": 1}, {"id": 2, "pos": [0, 0]}], "edges": []},
            "nodes[0]: the node has no position, though nodes[1] has one",
        ),
        (with_node(id=2, x=1), "nodes[1].y: this key is missing; expected both x and y"),
        (with_node(id=2, y=1), "nodes[1].x: this key is missing"),
        (with_node(id=2, x="1", y=1), 'nodes[1].x: found "1"; expected a finite number'),
        (with_node(id=2, x=1, y=True), "nodes[1].y: found true; expected a finite number"),
        (with_node(id=2, x=1, y=float("nan")), "nodes[1].y: found NaN"),
        (with_node(id=2, x=10**400, y=1), "nodes[1].x: found a number of very many digits"),
        (with_node(id=2, pos=[1, 2, 3]), "nodes[0]: the node has no z, though nodes[1] has one"),
        (with_node(id=2, pos="1,2"), 'nodes[1].pos: found "1,2"; expected [x, y]'),
        (with_node(id=2, pos=[1, None]), "nodes[1].pos[1]: found null; expected a finite number"),
        (with_node(id=2, x=1, y=2, pos=[1, 3]), "nodes[1].pos: pos differs from x and y"),
        # Terrains.
        (with_node(id=2, x=1, y=2, terrain=5), "nodes[1].terrain: found 5; expected the name of"),
        (with_node(id=2, x=1, y=2, terrain=""), 'nodes[1].terrain: found ""'),
        (
            {"graph": {"terrains": {"road": 1}}, **with_node(id=2, terrain="mud")},
            'nodes[0].terrain: the node names no terrain, so it is "ground"',
        ),
        (
            {
                "graph": {"terrains": {"road": 1}},
                "nodes": [{"id": 1, "terrain": "mud"}],
                "edges": [],
            },
            'nodes[0].terrain: the terrain "mud" is not among the graph\'s terrains; '
            'expected one of "road"; add it to graph.terrains',
        ),
        (
            {"graph": {"terrains": {"ground": -1}}, "nodes": TWO, "edges": []},
            "graph.terrains.ground: the cost is -1; expected a number above 0",
        ),
        (
            {"graph": {"terrains": {"ground": {"enter_from": []}}}, "nodes": TWO, "edges": []},
            "graph.terrains.ground: the terrain has enter_from",
        ),
        (
            {"graph": {"terrains": {"ground": {"price": 1}}}, "nodes": TWO, "edges": []},
            "graph.terrains.ground.price: unknown key; expected one of cost, enter_from, colour",
        ),
        (
            {"graph": {"terrains": 1}, "nodes": TWO, "edges": []},
            "graph.terrains: found 1; expected",
        ),
        ({"graph": [], "nodes": TWO, "edges": []}, "graph: found a list; expected an object"),
        # The rest.
        ({"directed": 1, "nodes": TWO, "edges": []}, "directed: found 1; expected true or false"),
        ({"multigraph": None, "nodes": TWO, "edges": []}, "multigraph: found null"),
        ({"direcetd": True, "nodes": TWO, "edges": []}, "direcetd: unknown key; expected one of"),
        ({"version": 2, "nodes": TWO, "edges": []}, "version: version 2 of the format is too new"),
        ({"version": 0, "nodes": TWO, "edges": []}, "version: version 0"),
    ],
)
def test_refused(tmp_path: Path, document: dict[str, Any], line: str) -> None:
    assert refusal(written(tmp_path, document)).startswith(line)


def test_a_grid_graph_of_networkx_is_told_to_relabel(tmp_path: Path) -> None:
    document = nx.node_link_data(nx.grid_2d_graph(2, 2), edges="edges")
    assert "convert_node_labels_to_integers" in refusal(written(tmp_path, document))


def test_a_key_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "roads.json"
    path.write_text('{"nodes": [{"id": 1}, {"id": 2,\n"x": 1, "x": 2}], "edges": []}')
    assert refusal(path).startswith("nodes[1].x (line 2): this key is given twice")
