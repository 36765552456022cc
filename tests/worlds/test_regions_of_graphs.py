"""Clusters that a designer states on the nodes of a graph, by hand and beside a plain oracle."""

import json
import math
import random
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from bake.export.export import export_asset
from bake.extras.school import cluster_cost
from bake.play import Navigator, open_asset
from bake.project.recipe import LevelRecipe
from bake.store import Asset
from bake.verify import verify_asset
from levelbake.errors import CorruptAssetError
from tests.support.anew import compare_with_a_bake
from tests.support.baked import bake, recipe_for
from tests.support.levels import refusal
from tests.support.tampering import edited

TABLES = ("components", "next_hops", "hierarchy", "cluster_distances")


def written(path: Path, edges: str, *, directed: bool = False, **more: Any) -> Path:
    """Write a graph of edges such as "A1-A2 3"; a node's first letter is its region."""
    each = [(edge.split()[0].split("-"), float(edge.split()[1])) for edge in edges.split(", ")]
    names = dict.fromkeys(name for ends, _ in each for name in ends)
    document = {
        "directed": directed,
        "nodes": [{"id": name, "region": name[0], **more} for name in names],
        "edges": [{"source": a, "target": b, "weight": weight} for (a, b), weight in each],
    }
    path.write_text(json.dumps(document))
    return path


def baked(source: Path, **settings: Any) -> Path:
    return bake(source, recipe_for(tables=TABLES, cluster_regions=True, **settings))


def cluster_of(nav: Navigator) -> dict[str, int]:
    return {name: nav.search.cluster(name) for name in nav._now.version.places.names}


def test_the_lookup_table_of_the_notes(tmp_path: Path) -> None:
    """Note 002, "Cluster heuristic": A to B is 13, A to C 29 and B to C 7."""
    edges = "A1-A2 2, A2-A3 1, A1-B1 13, B1-B2 4, B2-B3 5, B1-B3 10, B3-C1 7, C1-C2 3, A3-C2 40"
    asset = baked(written(tmp_path / "rooms.json", edges))
    verify_asset(asset, None, lambda done: None)
    with open_asset(asset) as level:
        nav = level.profile()
        number = cluster_of(nav)
        assert {name[0]: number[name] for name in number} == {"A": 0, "B": 1, "C": 2}
        assert len(set(number.values())) == 3
        table = [[nav.search.cluster_distance(a, b) for b in range(3)] for a in range(3)]
        assert table == [[0, 13, 29], [13, 0, 7], [29, 7, 0]]
        assert set(level.regions["B"].nodes) == {"B1", "B2", "B3"}
        assert level.regions["B"].cells.shape == (0, 2)


def test_the_connection_costs_of_the_notes(tmp_path: Path) -> None:
    """Note 002: C1 to C5 is 4, C6 to C7 is 1, C5 to D1 is 1, so maximin(C, D) is 4 + 1 = 5."""
    edges = (
        "A1-C1 2, B1-C6 3, C1-C2 1, C2-C3 1, C3-C4 1, C4-C5 1, C6-C7 1, C7-C3 5, C5-D1 1, "
        "C7-D2 1, D1-D2 8"
    )
    with open_asset(baked(written(tmp_path / "rooms.json", edges, directed=True))) as level:
        nav = level.profile()
        number = cluster_of(nav)
        c, d = number["C1"], number["D1"]
        assert number["C7"] == c
        assert cluster_cost(nav, c, d, "minimum") == 1
        assert cluster_cost(nav, c, d, "maximin") == 5
        assert cluster_cost(nav, c, d, "average") == pytest.approx((5 + 2) / 2)
        assert cluster_cost(nav, number["A1"], number["B1"], "minimum") == math.inf


def test_a_region_in_two_parts_is_two_clusters(tmp_path: Path) -> None:
    source = written(tmp_path / "parts.json", "A1-B1 1, B1-B2 1, B2-A2 1, A2-A3 1")
    with open_asset(baked(source)) as level:
        number = cluster_of(level.profile())
        assert (number["A1"], number["A2"], number["A3"]) == (0, 1, 1)
        assert number["B1"] == number["B2"] == 2


def test_without_the_recipe_regions_are_only_names(tmp_path: Path) -> None:
    source = written(tmp_path / "town.json", "A1-B1 1, B1-C1 1")
    with open_asset(bake(source, LevelRecipe())) as level:
        assert set(cluster_of(level.profile()).values()) == {0}
        assert list(level.regions) == ["A", "B", "C"]


def drawn(rng: random.Random, laid: bool, share: float) -> dict[str, Any]:
    nodes = [
        {
            "id": node,
            **({"x": rng.random() * 90, "y": rng.random() * 40} if laid else {}),
            **({"region": rng.choice("PQR")} if rng.random() < share else {}),
        }
        for node in range(40)
    ]
    edges = [
        {"source": a, "target": b, "weight": rng.choice([1, 2, 2.5])}
        for a in range(40)
        for b in rng.sample(range(40), 2)
    ]
    return {"directed": True, "nodes": nodes, "edges": edges}


@pytest.mark.parametrize("laid", [False, True])
def test_the_parts_of_regions_are_clusters(tmp_path: Path, laid: bool) -> None:
    document = drawn(random.Random(f"regions {laid}"), laid, 0.7)
    source = tmp_path / "net.json"
    source.write_text(json.dumps(document))
    region = {each["id"]: each.get("region") for each in document["nodes"]}
    both = nx.Graph((each["source"], each["target"]) for each in document["edges"])
    both.add_nodes_from(region)
    with open_asset(baked(source, cluster_size=4)) as level:
        nav = level.profile()
        for name in "PQR":
            mine = [node for node, each in region.items() if each == name]
            assert set(level.regions[name].nodes) == set(mine)
            parts = {frozenset(part) for part in nx.connected_components(both.subgraph(mine))}
            found: dict[int, set[int]] = {}
            for node in mine:
                found.setdefault(nav.search.cluster(node), set()).add(node)
            assert {frozenset(part) for part in found.values()} == parts


def test_they_follow_changes_as_a_fresh_bake_does(tmp_path: Path) -> None:
    rng = random.Random("changes")
    document = drawn(rng, True, 1.0)
    source = tmp_path / "net.json"
    source.write_text(json.dumps(document))
    asset = baked(source, cluster_size=4)
    with open_asset(asset) as level:
        for _ in range(3):
            gone, edge = rng.choice(range(40)), rng.choice(document["edges"])
            level.update(blocked=[gone], arcs={(edge["source"], edge["target"]): 7})
            compare_with_a_bake(level, asset, tmp_path, list(range(40)))


def test_a_flat_file_has_them(tmp_path: Path) -> None:
    asset = baked(written(tmp_path / "rooms.json", "A1-B1 1, B1-B2 2, B2-C1 3"))
    flat = tmp_path / "rooms.bake"
    with Asset(asset) as read:
        export_asset(read, flat)
    with open_asset(flat) as level, open_asset(asset) as same:
        assert {name: set(one.nodes) for name, one in level.regions.items()} == {
            name: set(one.nodes) for name, one in same.regions.items()
        }


def test_what_is_no_region_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    for value in (3, "", None, ["A"], "a\nb"):
        nodes = [{"id": "A", "region": "hall"}, {"id": "B", "region": value}]
        path.write_text(json.dumps({"nodes": nodes, "edges": []}))
        line = refusal(path)
        assert line.startswith("nodes[1].region: found ")
        assert line.endswith("expected the name of a region")


def test_damage_is_one_line(tmp_path: Path) -> None:
    asset = baked(written(tmp_path / "rooms.json", "A1-B1 1, B1-B2 2"))
    with edited(asset) as file:
        file["/region_cell"][0] = 9
    with open_asset(asset) as level, pytest.raises(CorruptAssetError, match="region_cell"):
        _ = level.regions
    with pytest.raises(CorruptAssetError, match="region_cell"):
        verify_asset(asset, None, lambda done: None)
