"""Meshes and areas in the page: polygons, walls and terrain as `bake render` draws them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bake.show.page import map_corner
from bake.show.road_map import _plan
from bake.show.scene import read_scene
from bake.show.viewer.bundle import page_html
from bake.show.viewer.contents import shown_level
from bake.store import Asset
from tests.support.browser_page import BrowserPage, page_file
from tests.support.command import bake
from tests.support.stored import stored_asset

#: Two rooms with a pillar, of paving and of mud, whose common side is a portal.
ROOMS = """<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80" viewBox="0 0 120 80">
  <g data-terrain="paving"><rect x="4" y="4" width="60" height="72" fill="#c06020"/></g>
  <g data-terrain="mud"><rect x="64" y="4" width="52" height="72" fill="#2060c0"/></g>
  <g data-terrain="wall"><rect x="24" y="30" width="16" height="16" fill="#000000"/></g>
</svg>
"""
RECIPE = """division = "mesh"

[terrain]
paving = 1
mud = 3
wall = "blocked"
"""

#: Pixels of the canvas under some points of the plane, in units of the source; null where those
#: around a point differ.
UNDER = """({ camera, canvas, plane }, [points, around]) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return points.map(([px, py]) => {
    const [left, top] = [px - plane.low[0], py - plane.low[1]].map((part) => part * plane.scale);
    const [x, y] = camera.toScreen(left, top).map(Math.floor);
    const colours = around.map(([dx, dy]) => {
      const i = 4 * ((y + dy) * canvas.width + x + dx);
      return [data[i], data[i + 1], data[i + 2]];
    });
    return colours.every((colour) => `${colour}` === `${colours[0]}`) ? colours[0] : null;
  });
}"""

PAPER, WALL = [248, 246, 241], [70, 66, 78]


def test_terrain_walls_and_polygons(tab: BrowserPage, tmp_path: Path) -> None:
    tab.open_file(rooms_page(tmp_path))
    tab.frame()
    points = [(9, 20), (110, 70), (32, 38), (4, 41), (40, 38), (116, 50), (1, 1)]
    colours = tab.ask(UNDER, [points, [[0, 0]]])
    assert colours[:3] == [mixed([192, 96, 32]), mixed([32, 96, 192]), PAPER]
    assert all(near(colour, WALL) for colour in colours[3:6])
    assert colours[6] == PAPER


def mixed(colour: list[int]) -> list[int]:
    return [round(0.45 * part + 0.55 * paper) for part, paper in zip(colour, PAPER, strict=True)]


def near(one: list[int], other: list[int]) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 40


def rooms_page(folder: Path) -> Path:
    (folder / "rooms.svg").write_text(ROOMS, "utf-8")
    (folder / "bake.toml").write_text(RECIPE, "utf-8")
    done = bake("build", folder / "rooms.svg", "--recipe", folder / "bake.toml", "-o", folder)
    assert done.code == 0, done.err
    page = folder / "rooms.html"
    page.write_text(page_html([shown_level(folder / "rooms.h5")]), "utf-8")
    return page


@pytest.mark.parametrize("source", ["harbour.svg", "plaza.json"])
def test_the_plane_agrees_with_bake_render(
    tab: BrowserPage, folder: Path, tmp_path: Path, source: str
) -> None:
    """Compare points whose surroundings have one color in both: far from nodes, roads and walls."""
    asset = stored_asset(source)
    tab.open_file(page_file(folder, source))
    with Asset(asset) as opened:
        profile = opened.profiles[0]
        plan = _plan(read_scene(opened, profile), None)
    picture_file = tmp_path / "plane.png"
    done = bake("render", asset, "-o", picture_file, "--profile", profile)
    assert done.code == 0, done.err
    picture = np.asarray(Image.open(picture_file).convert("RGB"))
    corner = map_corner(plan.width, plan.height)
    # From edge to edge of the map, without the free border.
    extent = (np.array([plan.width, plan.height]) - 96) / plan.per_unit
    points = plan.low + np.random.default_rng(3).random((600, 2)) * extent
    tab.ask("(view) => view.state.set({ layers: [] })")
    tab.frame()
    around = [[dx, dy] for dx in range(-3, 4) for dy in range(-3, 4)]
    compared = set()
    count = 0
    for point, colour in zip(points, tab.ask(UNDER, [points.tolist(), around]), strict=True):
        x, y = np.floor((point - plan.low) * plan.per_unit + 48 + corner).astype(int)
        patch = picture[y - 3 : y + 4, x - 3 : x + 4].reshape(-1, 3)
        if colour is None or (patch != patch[0]).any():
            continue
        assert np.abs(patch[0].astype(int) - colour).max() <= 1, point
        compared.add(tuple(colour))
        count += 1
    assert count > 150
    assert len(compared) > 1


def test_domains_have_the_colors_of_bake_render(
    tab: BrowserPage, folder: Path, tmp_path: Path
) -> None:
    asset = stored_asset("grove.json")
    tab.open_file(page_file(folder, "grove.json"))
    with Asset(asset) as opened:
        profile = opened.profiles[0]
        plan = _plan(read_scene(opened, profile), None)
    picture_file = tmp_path / "grove.png"
    done = bake("render", asset, "-o", picture_file, "--profile", profile)
    assert done.code == 0, done.err
    picture = np.asarray(Image.open(picture_file).convert("RGB"))
    corner = map_corner(plan.width, plan.height)
    extent = (np.array([plan.width, plan.height]) - 96) / plan.per_unit
    points = plan.low + np.random.default_rng(4).random((800, 2)) * extent
    around = [[dx, dy] for dx in range(-3, 4) for dy in range(-3, 4)]
    labels = tab.page.locator("#section-ground option").all_inner_texts()
    assert "Domains" in labels
    compared = {}
    for ground in ("domains", "terrain"):
        tab.ask("(view, ground) => view.state.set({ ground, layers: [] })", ground)
        tab.frame()
        compared[ground] = set()
        for point, colour in zip(points, tab.ask(UNDER, [points.tolist(), around]), strict=True):
            x, y = np.floor((point - plan.low) * plan.per_unit + 48 + corner).astype(int)
            patch = picture[y - 3 : y + 4, x - 3 : x + 4].reshape(-1, 3)
            if colour is None or (patch != patch[0]).any() or colour == PAPER:
                continue
            compared[ground].add(tuple(colour))
            if ground == "domains":
                assert np.abs(patch[0].astype(int) - colour).max() <= 2, point
    assert len(compared["domains"]) > 3
    assert len(compared["terrain"]) < len(compared["domains"])


def test_levels_without_domains_have_no_such_colors(keep: BrowserPage) -> None:
    labels = keep.page.locator("#section-ground option").all_inner_texts()
    assert "Terrain" in labels
    assert "Domains" not in labels


def test_nodes_of_other_kinds_of_agents_are_hidden(tab: BrowserPage, folder: Path) -> None:
    """Each radius has a mesh of its own: the muddy lake has nodes for sailors alone."""
    tab.open_file(page_file(folder, "harbour.svg"))
    node = tab.ask(
        """(view) => {
             view.state.set({ profile: "cart", layers: [] });
             const { level, ground } = view;
             const isMud = (at) => level.terrains[ground.terrainAt(at)].name === "mud (sailor)";
             return Array.from({ length: level.locations }, (_, at) => at).find(isMud);
           }"""
    )
    tab.frame()
    assert tab.pixels([node]) == [PAPER]
    tab.ask("(view) => view.state.set({ profile: 'sailor' })")
    tab.frame()
    assert tab.pixels([node]) != [PAPER]


def test_a_graph_without_a_plane_has_none(tmp_path: Path) -> None:
    source = tmp_path / "dots.json"
    source.write_text(
        '{"format": "bake-graph", "version": 1, "nodes": [{"id": "a"}, {"id": "b"}],'
        ' "edges": [{"source": "a", "target": "b", "weight": 1}]}',
        "utf-8",
    )
    done = bake("build", source, "-o", tmp_path)
    assert done.code == 0, done.err
    assert b'"plane":null' in shown_level(tmp_path / "dots.h5").contents
