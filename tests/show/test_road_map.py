"""Pictures of graph levels."""

from pathlib import Path

import pytest

from bake.core.arrays import UInt8Array
from bake.show.colours import ARROW, GOAL, PATH, START, UNREACHABLE
from bake.show.render import render_asset
from levelbake.errors import QueryError, UnknownNodeError
from tests.support.drawings import graph, pixels_of

TRIANGLE = {"A": (0.0, 0.0), "B": (10.0, 0.0), "C": (10.0, 10.0)}


def drawn(asset: Path, **options: object) -> tuple[UInt8Array, dict[str, object]]:
    output = asset.with_name("picture.png")
    said = render_asset(asset, output, **options)
    return pixels_of(output), said


def count(pixels: UInt8Array, colour: tuple[int, int, int]) -> int:
    return int((pixels == colour).all(axis=2).sum())


def test_a_path_follows_the_roads(tmp_path: Path) -> None:
    asset = graph(tmp_path, TRIANGLE, [("A", "B"), ("B", "C")])
    before, _ = drawn(asset)
    after, said = drawn(asset, path=("A", "C"))
    assert count(before, PATH) == 0
    assert count(after, PATH) > 500
    assert count(after, START) > 0
    assert count(after, GOAL) > 0
    assert (said["reachable"], said["path_steps"], said["path_cost"]) == (True, 2, 2.0)


def test_one_way_roads_have_arrows_and_others_have_none(tmp_path: Path) -> None:
    both, _ = drawn(graph(tmp_path, TRIANGLE, [("A", "B"), ("B", "C")]))
    assert count(both, ARROW) == 0
    one_way, _ = drawn(graph(tmp_path, TRIANGLE, [("A", "B"), ("B", "C")], directed=True))
    assert count(one_way, ARROW) > 50


def test_next_hops_are_arrows_and_lost_nodes_are_red(tmp_path: Path) -> None:
    nodes = {**TRIANGLE, "D": (0.0, 10.0)}
    asset = graph(tmp_path, nodes, [("A", "B"), ("B", "C"), ("C", "D")], directed=True)
    pixels, said = drawn(asset, show="hops", toward="C")
    assert count(pixels, ARROW) > 50
    assert count(pixels, UNREACHABLE) > 20
    assert said["unreachable"] == 1
    assert (said["farthest"], said["farthest_distance"]) == ("A", 2.0)


def test_distances_shade_the_roads(tmp_path: Path) -> None:
    asset = graph(tmp_path, TRIANGLE, [("A", "B"), ("B", "C")])
    near, _ = drawn(asset, show="distances", toward="A")
    far, _ = drawn(asset, show="distances", toward="C")
    assert (near != far).any()


def test_components_differ(tmp_path: Path) -> None:
    nodes = {**TRIANGLE, "D": (0.0, 10.0)}
    joined, _ = drawn(
        graph(tmp_path, nodes, [("A", "B"), ("B", "C"), ("C", "D")]), show="components"
    )
    cut, _ = drawn(graph(tmp_path, nodes, [("A", "B"), ("B", "C")]), show="components")

    def vivid(pixels: UInt8Array) -> int:
        spread = pixels.max(axis=2).astype(int) - pixels.min(axis=2)
        return int((spread > 100).sum())

    assert vivid(joined) == 0
    assert vivid(cut) > 50


def test_scale_is_pixels_a_unit(tmp_path: Path) -> None:
    asset = graph(tmp_path, {"A": (0.0, 0.0), "B": (700.0, 100.0)}, [("A", "B")])
    one, _ = drawn(asset, scale=1)
    two, _ = drawn(asset, scale=2)
    assert two.shape[1] - one.shape[1] == 700
    with pytest.raises(QueryError, match="--scale 100000 is too large"):
        drawn(asset, scale=100000)
    with pytest.raises(QueryError, match="--scale 0 is too small"):
        drawn(asset, scale=0)


@pytest.mark.parametrize("nodes", [{"A": (3.0, 4.0)}, {"A": (0.0, 2.0), "B": (5.0, 2.0)}])
def test_nodes_on_a_point_or_a_line_can_be_drawn(
    tmp_path: Path, nodes: dict[str, tuple[float, float]]
) -> None:
    asset = graph(tmp_path, nodes, [("A", "B")] if "B" in nodes else [])
    pixels, said = drawn(asset, show="distances", toward="A", path=("A", "A"))
    assert count(pixels, START) > 0
    assert said["path_steps"] == 0


def test_a_graph_without_positions_cannot_be_drawn(tmp_path: Path) -> None:
    asset = graph(tmp_path, {"A": None, "B": None}, [("A", "B")])
    with pytest.raises(QueryError, match=r"without positions.*nodes"):
        drawn(asset)


def test_an_unknown_node_is_named(tmp_path: Path) -> None:
    asset = graph(tmp_path, TRIANGLE, [("A", "B"), ("B", "C")])
    with pytest.raises(UnknownNodeError, match="'Z'"):
        drawn(asset, path=("A", "Z"))
    with pytest.raises(UnknownNodeError, match="'Z'"):
        drawn(asset, show="hops", toward="Z")


def test_names_in_any_script_are_drawn(tmp_path: Path) -> None:
    nodes = {"Großmünster": (0.0, 0.0), "東京": (5.0, 5.0), "x" * 400: (9.0, 0.0)}
    plain, _ = drawn(graph(tmp_path, nodes, [("Großmünster", "東京")]))
    assert plain.shape[1] < 2000


def test_nodes_that_lie_too_far_apart_are_refused(tmp_path: Path) -> None:
    asset = graph(tmp_path, {"A": (-1e308, 0.0), "B": (1e308, 0.0)}, [("A", "B")])
    with pytest.raises(QueryError, match="too far apart"):
        drawn(asset)
