"""Pictures of clusters, of the graph between them, and of searches."""

from pathlib import Path

import numpy as np
import pytest

from bake.play import open_asset
from bake.project.recipe import LevelRecipe
from bake.show.colours import ACROSS, PATH, TRANSITION, cluster_colours
from bake.show.render import render_asset
from bake.show.scene import Scene, read_layer, read_scene
from bake.store import Asset
from levelbake.errors import MissingTableError, QueryError
from tests.support.drawings import graph, grid, picture

pytestmark = pytest.mark.note(91, "pixels")

#: Three 32-cell clusters side by side, joined by one gap each.
HALL = ["." * 31 + "##" + "." * 30 + "##" + "." * 31] * 9 + ["." * 96]

#: Next hops of as many places as have several layers of clusters take seconds to bake.
PLANNED = ("components", "clusters", "hierarchy")


def hall(folder: Path) -> Path:
    return grid(folder, *HALL)


def scene_of(asset: Asset) -> Scene:
    return read_scene(asset, None)


def test_clusters_beside_each_other_differ(tmp_path: Path) -> None:
    drawn = picture(hall(tmp_path), show="clusters", scale=12)
    with Asset(tmp_path / "level.h5") as asset:
        scene = scene_of(asset)
        layer = read_layer(scene, 1)
        usable = scene.columns.usable.graph
        colour = cluster_colours(usable, layer.cluster, layer.clusters)[layer.cluster]
        tail, head = usable.tail(), usable.head
        parted = layer.cluster[tail] != layer.cluster[head]
        assert parted.any()
        assert (colour[tail[parted]] != colour[head[parted]]).any(axis=1).all()
        at = {
            tuple(cell): row for row, cell in enumerate(scene.columns.version.cell_of_row.tolist())
        }
        for x, y in [(2, 2), (40, 3), (90, 4)]:
            # Cells have a soft light; the hue is the cluster's.
            seen, meant = np.array(drawn.at(x, y, dy=3)), colour[at[x, y]].astype(int)
            assert np.abs(seen - meant).max() < 24
    assert drawn.said["layer"] == 1
    assert drawn.said["clusters"] == layer.clusters == 3
    assert drawn.said["transitions"] == len(layer.transition)


def test_transitions_and_crossings_are_drawn(tmp_path: Path) -> None:
    drawn = picture(hall(tmp_path), show="clusters", scale=16)
    with Asset(tmp_path / "level.h5") as asset:
        scene = scene_of(asset)
        layer = read_layer(scene, 1)
        cell = scene.columns.version.cell_of_row
        assert len(layer.across)
        for row in layer.transition.tolist():
            x, y = cell[row].tolist()
            assert drawn.at(x, y) == TRANSITION
        for a, b in cell[layer.across].tolist():
            half = ((b[0] - a[0]) * 8, (b[1] - a[1]) * 8)
            assert drawn.at(*a, dx=half[0], dy=half[1]) == ACROSS


def test_every_layer_can_be_seen(tmp_path: Path) -> None:
    recipe = LevelRecipe(levels=3, tables=PLANNED, cluster_size=7)
    asset = grid(tmp_path, *["." * 35] * 35, recipe=recipe)
    first = render_asset(asset, tmp_path / "1.png", show="clusters")
    layers = int(str(first["layers"]))
    assert layers == 3
    counts = [
        int(str(render_asset(asset, tmp_path / "n.png", show="clusters", layer=n)["clusters"]))
        for n in range(1, layers + 1)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 25
    with pytest.raises(QueryError, match=f"no layer {layers + 1}.*expected 1 to {layers}"):
        render_asset(asset, tmp_path / "n.png", show="clusters", layer=layers + 1)


def test_assets_without_clusters_say_so(tmp_path: Path) -> None:
    asset = grid(tmp_path, "...", recipe=LevelRecipe(tables=("components",)))
    with pytest.raises(MissingTableError, match="clusters"):
        render_asset(asset, tmp_path / "a.png", show="clusters")
    with pytest.raises(MissingTableError, match="hierarchy"):
        render_asset(asset, tmp_path / "a.png", show="search", path=((0, 0), (2, 0)), method="hpa")


def test_a_search_needs_two_places(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=r"two places.*--path"):
        render_asset(grid(tmp_path, ".."), tmp_path / "a.png", show="search")


def test_what_a_search_looked_at(tmp_path: Path) -> None:
    asset = grid(tmp_path, *["." * 30] * 9)
    ends = ((10, 4), (20, 4))
    wide = picture(asset, show="search", path=ends, method="dijkstra", scale=20)
    narrow = picture(asset, show="search", path=ends, method="astar", heuristic="octile", scale=20)
    with open_asset(asset) as level:
        nav = level.profile()
        for drawn, heuristic in ((wide, None), (narrow, "octile")):
            method = "astar" if heuristic else "dijkstra"
            found = nav.search(*ends, method, heuristic, looked_at=True)
            assert drawn.said["expanded"] == found.expanded
            assert drawn.said["path_cost"] == 10
            assert found.looked_at is not None
            seen = {place for place, _ in found.looked_at}
            assert ((14, 8) in seen) == (heuristic is None)
    assert wide.at(14, 8) != narrow.at(14, 8)
    assert narrow.at(15, 4) == PATH


def test_a_way_over_every_layer(tmp_path: Path) -> None:
    asset = grid(tmp_path, *["." * 140] * 140, recipe=LevelRecipe(tables=PLANNED))
    said = render_asset(
        asset, tmp_path / "a.png", show="search", path=((1, 1), (138, 137)), method="hpa"
    )
    assert said["method"] == "hpa"
    assert int(str(said["expanded"])) > 2
    assert said["reachable"] is True


def test_unreachable_goals_are_drawn_too(tmp_path: Path) -> None:
    asset = grid(tmp_path, "..#..")
    for method in ("astar", "hpa", "table"):
        said = render_asset(
            asset, tmp_path / "a.png", show="search", path=((0, 0), (4, 0)), method=method
        )
        assert said["reachable"] is False


def test_roads(tmp_path: Path) -> None:
    nodes = {name: (float(place), 0.0) for place, name in enumerate("abcdef")}
    asset = graph(tmp_path, nodes, [(a, b) for a, b in zip("abcde", "bcdef", strict=True)])
    for options in (
        {"show": "clusters"},
        {"show": "search", "path": ("a", "f"), "method": "astar"},
        {"show": "search", "path": ("a", "f"), "method": "hpa"},
    ):
        said = render_asset(asset, tmp_path / "a.png", **options)
        assert said["show"] == options["show"]
