"""Nodes that come to graphs and meshes while the game runs, and go again, by hand."""

import hashlib
import json
import math
import threading
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest

from bake.apply import apply_patch
from bake.extras.crowds.belief import Belief
from bake.play import LevelAsset, Navigator, PatchError, QueryError, UnknownNodeError, open_asset
from bake.play.live import rules
from bake.verify import verify_asset
from levelbake import open_level
from tests.support.baked import bake, bake_grid, profile_for, recipe_for, rows, write_graph
from tests.support.live_model import PROFILES

ROADS = [("a", "b", 4), ("b", "a", 4), ("b", "c", 1), ("c", "b", 1)]
PLACES = {"a": (0.0, 0.0), "b": (4.0, 0.0), "c": (5.0, 0.0)}
FORD = {("a", "Z"): 1, ("Z", "b"): 1.5, ("Z", "a"): 1}
TABLES = ("components", "next_hops", "distances", "hierarchy", "cluster_distances", "heuristic")


def baked(folder: Path, positions: dict[str, tuple[float, float]] | None = PLACES) -> Path:
    source = write_graph(folder / "roads.json", ["a", "b", "c"], ROADS, positions=positions)
    return bake(source, recipe_for(tables=TABLES, cluster_size=4))


@pytest.fixture(scope="module")
def roads_asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return baked(tmp_path_factory.mktemp("roads"))


@pytest.fixture
def roads(roads_asset: Path) -> Iterator[LevelAsset]:
    with open_asset(roads_asset) as level:
        yield level


def every_way(nav: Navigator, start: str, goal: str) -> set[float]:
    """What a path costs by each method there is; inf where it finds none."""
    found = {nav.distance(start, goal), float(nav.distances([start], [goal])[0])}
    for method in ("astar", "dijkstra", "bidirectional", "hpa"):
        found.add(nav.search(start, goal, method).cost)
    for heuristic in ("null", "euclidean", "landmark", "maximum", "cluster"):
        found.add(nav.search(start, goal, heuristic=heuristic).cost)
    path = nav.path(start, goal)
    found.add(math.inf if path is None else nav.length(path))
    return found


def test_a_node_comes_and_goes(roads: LevelAsset) -> None:
    nav = roads.profile()
    asked_before = nav.next_hop
    report = nav.update(nodes={"Z": {"at": (2, 1)}}, arcs=FORD)
    assert (report.arcs, report.as_baked) == (3, False)
    assert (report.opened, report.closed) == (("Z",), ())
    assert report.components == (1, 1)
    assert every_way(nav, "a", "c") == {3.5}
    assert every_way(nav, "c", "Z") == {6}
    assert nav.path("a", "c") == ["a", "Z", "b", "c"]
    assert asked_before("a", "c") == "Z"
    assert nav.path("c", "a") == ["c", "b", "a"]
    assert nav.nearest((2, 2)) == "Z"
    assert nav.nearest_of("a", ["c", "Z"]) == "Z"
    assert nav.node_names == ("a", "b", "c", "Z")
    assert nav.places() == ["a", "b", "c", "Z"]
    assert nav.hops_to("c").tolist() == ["Z", "c", "c", "b"]
    assert nav.distances_to("Z").tolist() == [1, 5, 6, 0]
    assert dict(nav.neighbors("Z")) == {"a": 1, "b": 1.5}
    assert roads.to_point("Z") == (2, 1)
    assert (roads.node_name("Z"), roads.terrain_at("Z")) == ("Z", "ground")
    report = nav.update(nodes={"Z": None})
    assert (report.arcs, report.as_baked, report.closed) == (3, True, ("Z",))
    assert every_way(nav, "a", "c") == {5}
    assert asked_before("a", "c") == "b"
    assert nav.hops_to("c").tolist() == ["b", "c", "c"]
    assert nav.node_names == ("a", "b", "c")
    for ask in (lambda: nav.path("a", "Z"), lambda: roads.to_point("Z")):
        with pytest.raises(UnknownNodeError, match="no node is named 'Z'"):
            ask()


def test_baked_paths_stand_while_no_way_by_the_node_is_cheaper(roads: LevelAsset) -> None:
    nav = roads.profile()
    nav.update(nodes={"Z": {"at": (2, 1)}}, arcs={("a", "Z"): 2.5, ("Z", "b"): 1.5})
    assert nav.path("a", "c") == ["a", "b", "c"]
    assert nav.next_hops(["a", "a"], ["c", "Z"]).tolist() == ["b", "Z"]
    nav.update(arcs={("Z", "b"): 1.25})
    assert nav.path("a", "c") == ["a", "Z", "b", "c"]


def test_a_node_is_moved_and_changed_as_others_are(roads: LevelAsset) -> None:
    nav = roads.profile()
    nav.update(nodes={"Z": {"at": (2, 1)}}, arcs=FORD)
    assert nav.update(nodes={"Z": {"at": (9, 9)}}).arcs == 0
    assert nav.nearest((2, 1)) == "a"
    assert nav.nearest((8, 8)) == "Z"
    assert every_way(nav, "a", "c") == {3.5}
    nav.update(blocked=["Z"])
    assert every_way(nav, "a", "c") == {5}
    assert nav.node_names == ("a", "b", "c", "Z")
    nav.update(nodes={"Z": {"at": (3, 3)}})
    assert not nav.still_valid(["a", "Z"])
    nav.update(opened=["Z"], links={"jump": {"from": "Z", "to": "c", "cost": 0.5}})
    assert every_way(nav, "a", "c") == {1.5}
    # With a node go its arcs and links, and another one of its name has none of them.
    nav.update(nodes={"Z": None})
    assert dict(roads.links) == {}
    nav.update(nodes={"Z": {"at": (2, 1)}})
    assert not nav.reachable("a", "Z")
    assert nav.update(nodes={"Z": None}).as_baked


def test_one_node_takes_the_place_of_another_in_one_batch(roads: LevelAsset) -> None:
    nav = roads.profile()
    nav.update(nodes={"Z": {"at": (2, 1)}, "Q": {"at": (1, 1)}}, arcs=FORD)
    report = nav.update(nodes={"Z": None, "Y": {"at": (2, 1)}}, arcs={("a", "Y"): 1, ("Y", "c"): 1})
    assert (report.opened, report.closed) == (("Y",), ("Z",))
    assert every_way(nav, "a", "c") == {2}
    # The place of the one that went is taken over by the next one that comes.
    assert nav.update(nodes={"X": {"at": (0, 5)}}).opened == ("X",)
    assert nav.node_names == ("a", "b", "c", "X", "Q", "Y")
    with pytest.raises(UnknownNodeError):
        nav.distance("a", "Z")


def test_agents_hear_of_nodes(roads: LevelAsset) -> None:
    roads.update(nodes={"Z": {"at": (2, 1)}}, arcs={("a", "Z"): 1})
    one = roads.changes_since()
    assert set(one.places) == {"a", "Z"}
    assert one.rerouted == roads.profiles
    roads.update(nodes={"Z": None})
    roads.update(nodes={"Y": {"at": (2, 1)}})
    assert set(roads.changes_since(one.token).places) == {"a", "Z", "Y"}
    two = roads.changes_since(one.token)
    roads.update(nodes={"Y": {"at": (2, 2)}})
    assert list(roads.changes_since(two.token).places) == ["Y"]


def test_patches_and_journals_hold_nodes(tmp_path: Path) -> None:
    asset, patch, kept = baked(tmp_path), tmp_path / "saved.patch", tmp_path / "kept.journal"
    with open_asset(asset) as level:
        level.journal(kept)
        level.update(nodes={"Q": {"at": (1, 1)}})
        level.update(nodes={"Z": {"at": (2, 1)}}, arcs=FORD, blocked=["Q"])
        level.update(nodes={"Q": None}, links={"jump": {"from": "Z", "to": "c", "cost": 0.5}})
        level.save_patch(patch)
        level.update(nodes={"Z": None})
        # The place of a node that went is another one's now, until the patch puts it back.
        level.update(nodes={"X": {"at": (0, 0)}, "Y": {"at": (0, 1)}}, arcs={("a", "Y"): 1})
        report = level.apply_patch(patch)["default"]
        assert (report.opened, set(report.closed)) == (("Z",), {"X", "Y"})
        assert every_way(level.profile(), "a", "c") == {1.5}
        assert level.profile().node_names == ("a", "b", "c", "Z")
    assert patch.read_text().startswith("levelbake-patch 3 ")
    assert kept.read_text().startswith("levelbake-journal 3 ")
    with open_asset(asset) as level:
        assert level.journal(kept) == 6
        assert every_way(level.profile(), "a", "c") == {1.5}
        assert level.profile().node_names == ("a", "b", "c", "Z")
    with open_level(asset) as level, pytest.raises(PatchError, match=r"with bake\.play"):
        level.apply_patch(patch)


def test_a_patch_is_folded_in(tmp_path: Path) -> None:
    asset, patch, output = baked(tmp_path), tmp_path / "saved.patch", tmp_path / "new.h5"
    with open_asset(asset) as level:
        level.update(nodes={"Q": {"at": (1, 1)}, "Z": {"at": (2, 1)}}, arcs=FORD)
        level.update(nodes={"Q": None})
        level.save_patch(patch)
    apply_patch(asset, patch, output, 1, lambda stage, done: None)
    verify_asset(output, None, lambda done: None)
    with open_asset(output) as level:
        nav = level.profile()
        assert set(nav.node_names) == {"a", "b", "c", "Z"}
        assert every_way(nav, "a", "c") == {3.5}
        assert level.to_point("Z") == (2, 1)
        nav.update(nodes={"W": {"at": (7, 7)}}, arcs={("c", "W"): 2})
        assert nav.distance("Z", "W") == 4.5


def test_nodes_without_positions(tmp_path: Path) -> None:
    with open_asset(baked(tmp_path, None)) as level:
        nav = level.profile()
        nav.update(nodes={"Z": {}}, arcs=FORD)
        assert nav.path("a", "c") == ["a", "Z", "b", "c"]
        level.save_patch(tmp_path / "saved.patch")
        nav.update(nodes={"Z": None})
        level.apply_patch(tmp_path / "saved.patch")
        assert nav.distance("a", "c") == 3.5
        with pytest.raises(QueryError, match=r"no 'at'.*positions"):
            nav.update(nodes={"Y": {"at": (1, 1)}})


@pytest.mark.parametrize(
    ("nodes", "arcs", "said"),
    [
        ({"a": {"at": (1, 1)}}, None, "node 'a' was baked"),
        ({"a": None}, None, "node 'a' was baked"),
        ({"Z": None}, None, "no node is named 'Z'"),
        ({"Z": {}}, None, "node 'Z' does not say 'at'"),
        ({"Z": {"at": (1,)}}, None, r"node 'Z' lies at \(1,\)"),
        ({"Z": {"at": (1, 2, 0)}}, None, r"node 'Z' lies at \(1, 2, 0\)"),
        ({"Z": {"at": (1, math.nan)}}, None, "two finite numbers"),
        ({"Z": {"at": (1, "2")}}, None, "two finite numbers"),
        ({"Z": {"at": "12"}}, None, "two finite numbers"),
        ({"Z": {"at": (1, 1), "z": 3}}, None, "node 'Z' says 'z'"),
        ({"Z": {"at": (1, 1), "colour": 3}}, None, "node 'Z' says 'colour'"),
        ({"Z": {"at": (1, 1), "terrain": "lava"}}, None, "no terrain 'lava'"),
        ({"Z": (1, 1)}, None, r"node 'Z' is \(1, 1\)"),
        ({7: {"at": (1, 1)}}, None, "7 is no name"),
        ({"": {"at": (1, 1)}}, None, "'' is no name"),
        ({"Z" * 257: {"at": (1, 1)}}, None, "is no name"),
        (["Z"], None, "nodes is list"),
        ({"Z": {"at": (1, 1)}}, {("Z", "Y"): 1}, "no node is named 'Y'"),
        ({"Z": {"at": (1, 1)}}, {("Z", "a"): None}, "from 'Z' to 'a'"),
        ({"Z": {"at": (1, 1)}}, {("Z", "a"): -1}, "cost is -1"),
    ],
)
def test_wrong_nodes_are_told_in_a_line(
    roads: LevelAsset, nodes: object, arcs: object, said: str
) -> None:
    with pytest.raises(QueryError, match=said) as told:
        roads.update(nodes=nodes, arcs=arcs)  # type: ignore[arg-type]
    assert "\n" not in str(told.value)
    assert not roads.changes_since()
    assert roads.profile().node_names == ("a", "b", "c")


def test_names_of_numbers_and_grids(tmp_path: Path) -> None:
    asset = bake(write_graph(tmp_path / "n.json", [1, 2], [(1, 2, 1)]), recipe_for())
    with open_asset(asset) as level:
        for name in (True, 2**63, 1.0, "3", "-3"):
            with pytest.raises(QueryError, match="is no name"):
                level.update(nodes={name: {}})  # type: ignore[dict-item]
        level.update(nodes={2**63 - 1: {}}, arcs={(2, 2**63 - 1): 1})
        assert level.profile().path(1, 2**63 - 1) == [1, 2, 2**63 - 1]
        level.update(nodes={2**63 - 1: None, "Z": {}, 3: {}}, arcs={(2, "Z"): 1, ("Z", 3): 1})
        assert level.profile().path(1, 3) == [1, 2, "Z", 3]
        assert (level.node_name("Z"), level.node_name("2"), level.node_name("3")) == ("Z", 2, 3)
        level.save_patch(tmp_path / "saved.patch")
    with pytest.raises(PatchError, match="cannot hold the node 'Z'"):
        apply_patch(asset, tmp_path / "saved.patch", tmp_path / "new.h5", 1, lambda *_: None)
    with open_asset(bake_grid(tmp_path, rows("..", ".."))) as level:
        with pytest.raises(QueryError, match="graphs and meshes"):
            level.update(nodes={"Z": {"at": (1, 1)}})
        level.update(nodes={})


def test_there_may_be_so_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bake.play.live.nodes.MOST_NODES", 2)
    monkeypatch.setattr(rules, "MOST_NODES", 2)
    with open_asset(baked(tmp_path)) as level:
        nav = level.profile()
        nav.update(nodes={name: {"at": (1, 1)} for name in "ZY"}, arcs={("Y", "Z"): 1})
        with pytest.raises(QueryError, match="one node too many"):
            nav.update(nodes={"X": {"at": (1, 1)}})
        nav.update(nodes={"Z": None})
        nav.update(nodes={"X": {"at": (1, 1)}}, arcs={("Y", "X"): 2, ("X", "Y"): 3})
        assert (nav.distance("Y", "X"), nav.distance("X", "Y")) == (2, 3)
        level.save_patch(tmp_path / "saved.patch")
        monkeypatch.setattr("bake.play.live.nodes.MOST_NODES", 1)
        with pytest.raises(PatchError, match="damaged"):
            level.apply_patch(tmp_path / "saved.patch")


def test_an_agent_in_fog_learns_of_a_node(roads: LevelAsset) -> None:
    nav = roads.profile()
    belief = Belief(nav, "pessimistic")
    belief.observe(["a", "b"])
    nav.update(nodes={"Z": {"at": (2, 1)}}, arcs=FORD)
    belief.observe(["a"])
    assert not belief.seen("Z")
    belief.observe(["Z", "b"])
    assert belief.seen("Z")
    late = Belief(nav, "pessimistic")
    late.observe_all()
    for each in (belief, late):
        graph = nx.DiGraph()
        arcs = each.arcs
        for tail, head, weight in zip(arcs.tails(), arcs.head, arcs.weight, strict=True):
            if weight < 2**30:
                names = each.places.names
                graph.add_edge(names[tail], names[head], weight=int(weight))
        assert nx.shortest_path(graph, "a", "b", weight="weight") == ["a", "Z", "b"]


def test_searches_under_way_keep_the_level_they_began_on(roads: LevelAsset) -> None:
    nav = roads.profile()
    nav.update(nodes={"Z": {"at": (2, 1)}}, arcs=FORD)
    begun = nav.search.begin("a", "c")
    walked = nav.search.walk("a", "c")
    nav.update(nodes={"Z": None, "Y": {"at": (3, 3)}})
    begun.run()
    assert begun.path == ["a", "Z", "b", "c"]
    assert walked is not None
    assert list(walked) == ["Z", "b", "c"]
    assert nav.path("a", "c") == ["a", "b", "c"]


@pytest.mark.parametrize(
    "nodes",
    [
        5,
        None,
        {"Z": 3},
        ["Z"],
        [["Z"]],
        [["Z"], ["Z"]],
        [["Z", 3]],
        [["Z", 3, [1, 1]]],
        [["Z", 3, [1, 1], None, 0]],
        [["Z", 2, [1, 1], None]],
        [["Z", 3 + 2**16, [1, 1], None]],
        [["Z", 3.0, [1, 1], None]],
        [["Z", 3, [1], None]],
        [["Z", 3, None, None]],
        [["Z", 3, [1, math.inf], None]],
        [["Z", 3, [1, 1], 2]],
        [["Z", 3, [1, 1], None], ["Y", 3, [1, 1], None]],
        [["a", 3, [1, 1], None]],
        [[["Z"], 3, [1, 1], None]],
        [[7, 3, [1, 1], None]],
    ],
)
def test_patches_that_say_nothing_of_nodes(
    roads_asset: Path, roads: LevelAsset, tmp_path: Path, nodes: object
) -> None:
    patch, kept = tmp_path / "saved.patch", tmp_path / "kept.journal"
    roads.save_patch(patch)
    first, text = patch.read_text().split("\n")[:2]
    changed = json.dumps(json.loads(text) | {"nodes": nodes}) + "\n"
    words = first.split(" ")[:3]
    words[1] = "3"
    digest = hashlib.sha256(changed.encode()).hexdigest()
    patch.write_text(" ".join([*words, digest]) + "\n" + changed)
    with pytest.raises(PatchError, match="says nothing"):
        roads.apply_patch(patch)
    roads.journal(kept)
    roads.close()
    batch = {"blocked": [], "opened": [], "terrain": [], "arcs": [], "nodes": nodes}
    line = json.dumps(batch)
    digest = hashlib.sha256(line.encode()).hexdigest()[:16]
    with kept.open("a") as file:
        file.write(f"{digest} {line}\n")
    with open_asset(roads_asset) as again, pytest.raises(PatchError, match="line 2"):
        again.journal(kept)


def test_patches_of_nodes_that_never_end(
    roads: LevelAsset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patch = tmp_path / "saved.patch"
    roads.update(nodes={"Z": {"at": (2, 1)}})
    roads.save_patch(patch)
    with patch.open("a") as file:
        file.write(" " * 2**20)
    monkeypatch.setattr("bake.play.live.ground._LINK", 0)
    monkeypatch.setattr("bake.play.live.ground._NODE", 8)
    with pytest.raises(PatchError, match="longer than any patch"):
        roads.apply_patch(patch)


def test_terrain_and_heights_of_nodes(tmp_path: Path) -> None:
    """A walker gets into no water and up no cliff; a boat gets to water alone."""
    nodes = [
        {"id": "a", "x": 0, "y": 0, "z": 0, "terrain": "floor"},
        {"id": "b", "x": 2, "y": 0, "z": 0, "terrain": "floor"},
        {"id": "c", "x": 0, "y": 9, "z": 0, "terrain": "water"},
    ]
    edges = [{"source": "a", "target": "b", "weight": 9}]
    source = tmp_path / "slopes.json"
    source.write_text(json.dumps({"nodes": nodes, "edges": edges}))
    profiles = tuple(profile_for(name, ground) for name, ground in PROFILES.items())
    slopes = {"up": 2.0, "down": 0.5, "climb": 1.0, "drop": 3.0}
    asset = bake(source, recipe_for(profiles=profiles, slopes=slopes))
    over = {("a", "Z"): 1, ("Z", "b"): 1, ("c", "Z"): 2}
    with open_asset(asset) as level:
        walker, boat = level.profile("walker"), level.profile("boat")
        with pytest.raises(QueryError, match="node 'Z' does not say 'z'"):
            level.update(nodes={"Z": {"at": (1, 1)}})
        with pytest.raises(QueryError, match="node 'Z': z is 'high'"):
            level.update(nodes={"Z": {"at": (1, 1), "z": "high"}})
        report = level.update(nodes={"Z": {"at": (1, 1), "z": 1}}, arcs=over)
        assert (report["walker"].opened, report["boat"].opened) == (("Z",), ())
        assert level.elevation_at("Z") == 1
        assert walker.distance("a", "b") == 2
        # Higher up than it climbs; the price does not open what the cliff forbids.
        level.update(nodes={"Z": {"at": (1, 1), "z": 1.5}})
        assert walker.distance("a", "b") == 9
        assert not walker.reachable("a", "Z")
        assert walker.distance("Z", "b") == 1
        level.update(nodes={"Z": {"at": (1, 1), "z": 0, "terrain": "water"}})
        assert boat.distance("c", "Z") == 2
        # Water is entered from roads alone, by arcs that come as well.
        assert not walker.reachable("a", "Z")
        assert walker.distance("Z", "b") == 1
        level.save_patch(tmp_path / "saved.patch")
        level.update(terrain={"Z": "floor"})
        assert walker.distance("a", "b") == 2
        level.apply_patch(tmp_path / "saved.patch")
        assert (level.terrain_at("Z"), level.elevation_at("Z")) == ("water", 0)
        assert boat.distance("c", "Z") == 2


def test_threads_ask_while_a_node_comes_and_goes(roads: LevelAsset) -> None:
    nav, wrong = roads.profile(), []
    hoisted, done = nav.next_hop, threading.Event()

    def read() -> None:
        while not done.is_set():
            try:
                assert nav.path("a", "c") in (["a", "b", "c"], ["a", "Z", "b", "c"])
                assert nav.distance("a", "c") in (5, 3.5)
                assert hoisted("a", "c") in ("b", "Z")
                assert len(nav.hops_to("c")) in (3, 4)
                assert nav.search("a", "c", "hpa").cost in (5, 3.5)
            except BaseException as error:
                wrong.append(error)
                raise

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(100):
        nav.update(nodes={"Z": {"at": (2, 1)}}, arcs=FORD)
        nav.update(nodes={"Z": None})
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong, wrong[0]
