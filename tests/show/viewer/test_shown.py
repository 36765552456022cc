"""What the page shows: over http, beside an older bake, and in the colours of bake render."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bake.play import open_asset
from bake.show.grid_map import fitting_cells
from bake.show.page import map_corner
from bake.show.road_map import _plan
from bake.show.scene import Scene, read_scene
from bake.show.viewer.bundle import page_html
from bake.show.viewer.contents import shown_level
from bake.store import Asset
from tests.support.browser_page import BrowserPage, page_file
from tests.support.command import bake
from tests.support.page_modules import Reader
from tests.support.shown import running
from tests.support.stored import stored_asset

# -- over http ------------------------------------------------------------------------------------


def test_a_served_page_follows_its_asset(tab: BrowserPage, tmp_path: Path) -> None:
    """What is looked at and what was drawn stay when the level is baked again."""
    home = tmp_path / "baked"
    home.mkdir()
    asset = Path(shutil.copy(stored_asset("village.json"), home))
    source = tmp_path / "village.json"
    source.write_text((Path("levels_src") / "village.json").read_text("utf-8"), "utf-8")
    with running("view", home, "--no-browser", cwd=tmp_path) as command:
        address = command.line()
        tab.open_url(address, address)
        with open_asset(asset) as level:
            reader = Reader(level)
            start, goal, wall = (reader.standing[each] for each in (50, 600, 300))
            hop, distance = reader.hop(start, goal), reader.distance(start, goal)
        tab.page.mouse.click(*tab.spot(start))
        tab.page.mouse.click(*tab.spot(goal))
        found = tab.ask("(v) => [v.nav.nextHop(v.start, v.goal), v.nav.distance(v.start, v.goal)]")
        assert found == [hop, distance]
        tab.open_section("Draw")
        tab.button("Wall").click()
        tab.draw(wall)
        zoom = tab.ask("(view) => { view.camera.zoomBy(1.5); return view.state.zoom; }")
        new = tmp_path / "new"
        told = json.loads(source.read_text("utf-8"))
        told["rows"][0] = told["rows"][0][::-1]
        source.write_text(json.dumps(told), "utf-8")
        assert bake("build", source, "-o", new, "--jobs", "1").code == 0
        fingerprint = tab.ask("(view) => view.level.fingerprint")
        partial = home / ".village.tmp"
        shutil.copy(new / "village.h5", partial)
        partial.replace(asset)
        tab.until(f"() => bakeView.level.fingerprint !== {json.dumps(fingerprint)}")
        assert tab.ask("(v) => [v.start, v.goal, v.state.zoom]") == [start, goal, zoom]
        assert tab.ask("(view, at) => view.changes.hasObstacle(at)", wall)


# -- beside an older bake -------------------------------------------------------------------------


@functools.cache
def walled(folder: Path) -> tuple[Path, Path]:
    """The keep before and after its western gate was walled up and a path was opened."""
    old = stored_asset("keep.png")
    new, patch = folder / "after" / "keep.h5", folder / "gate.patch"
    new.parent.mkdir(exist_ok=True)
    with open_asset(old) as level:
        level.update(
            blocked=[(x, y) for x in (16, 17) for y in range(28, 36) if _stands(level, x, y)],
            opened=[(12, 60), (13, 60)],
            terrain={(30, 48): "mud", (31, 48): "mud"},
        )
        level.save_patch(patch)
    done = bake("apply", old, patch, "-o", new)
    assert done.code == 0, done.err
    return old, new


def _stands(level: Any, x: int, y: int) -> bool:
    reader = Reader(level)
    return reader.stands(reader.places.location((x, y)))


def test_a_difference_names_the_cells_that_the_command_names(
    tab: BrowserPage, folder: Path, tmp_path: Path
) -> None:
    old, new = walled(folder)
    page = tmp_path / "difference.html"
    done = bake("view", new, "--against", old, "--html", page)
    assert done.code == 0, done.err
    told = bake("diff", old, new, "--json").data["profiles"]["default"]
    printed = bake("diff", old, new).out.splitlines()
    assert told["closed"]
    assert told["opened"]
    tab.open_file(page)
    section = tab.open_section("What changed")
    for kind, text in (("closed", "closed"), ("opened", "opened"), ("dearer", "costs more")):
        cells = [tuple(place) for place in told[kind]]
        title = f"{len(cells)} cell{'s' if len(cells) != 1 else ''}: {text}"
        named = section.get_by_role("list", name=title, include_hidden=True)
        names = named.locator("button").all_text_contents()
        assert names == [str(cell) for cell in cells[:40]], kind
    said = section.locator("pre").text_content().split("\n")
    assert said == printed[1:]
    # Distances toward a goal, before and after, place by place.
    with open_asset(old) as before, open_asset(new) as after:
        readers = Reader(before), Reader(after)
        goal = readers[1].places.location((60, 45))
        change = tab.ask(
            """(view, goal) => {
                 view.state.set({ goal: view.placeText(goal) });
                 const before = view.compared();
                 const was = before.field(goal);
                 const told = (units) => (units === Infinity ? null : units);
                 return Array.from(view.nav.nodes, (at) => {
                   return [at, told(was(at)), told(view.nav.distance(at, goal))];
                 });
               }""",
            goal,
        )
        longer = 0
        for at, was, now in change[::7]:
            assert was == readers[0].distance(at, goal)
            assert now == readers[1].distance(at, goal)
        for _, was, now in change:
            longer += was is not None and now is not None and now - was > 1e-6
    assert longer > 0
    assert f": {longer} cells farther" in section.inner_text().replace(",", "")
    for ground in ("difference", "farther"):
        tab.ask("(view, ground) => view.state.set({ ground })", ground)
        tab.frame()


def test_what_was_drawn_is_compared_with_what_was_baked(keep: BrowserPage) -> None:
    section = keep.open_section("What changed")
    assert "Nothing is changed." in section.inner_text()
    with open_asset(stored_asset("keep.png")) as level:
        reader = Reader(level)
        walls = [reader.places.location((48, y)) for y in range(68, 73)]
        walls = [at for at in walls if reader.stands(at)]
        x, y = reader.place(reader.standing[2500])
    keep.ask("(view, walls) => view.edits.make('a wall', (now) => now.block(...walls))", walls)
    assert f"{len(walls)} cells: closed" in section.inner_text()
    keep.ask("(view, goal) => view.state.set({ goal, ground: 'farther' })", f"{x},{y}")
    keep.frame()
    assert f"Toward ({x}, {y})" in section.inner_text()


# -- the same colours as bake render --------------------------------------------------------------

#: The canvas of a page at one pixel of style sheets a pixel, its level in the north-west corner.
PLACE = """(view, [zoom, floor]) => {
  const { camera, plane } = view;
  const [x, y] = [camera.width / 2 / zoom, camera.height / 2 / zoom];
  view.state.set({ layers: [], floor, zoom, x: plane.bounds.left + x, y: plane.bounds.top + y });
}"""
COLOURS = """({ camera, canvas, plane }, nodes) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return nodes.map((at) => {
    const [x, y] = camera.toScreen(plane.x(at), plane.y(at));
    const i = 4 * (Math.floor(y) * canvas.width + Math.floor(x));
    return x < canvas.width && y < canvas.height ? [data[i], data[i + 1], data[i + 2]] : null;
  });
}"""


def agree(tab: BrowserPage, nodes: list[int], picture: Any, where: Callable[[Any], Any]) -> Any:
    """Whether each of these nodes that is seen has the colour of the picture: (seen) bool."""
    colours = dict(zip(nodes, tab.ask(COLOURS, nodes), strict=True))
    seen = [at for at, colour in colours.items() if colour is not None]
    x, y = np.floor(where(seen)).astype(int).T
    return np.abs(picture[y, x].astype(int) - [colours[at] for at in seen]).max(axis=1) <= 6


def rendered(asset: Path, show: str, scale: int | None, folder: Path) -> Any:
    picture = folder / f"{asset.stem}-{show}.png"
    options = [] if scale is None else ["--scale", str(scale)]
    with open_asset(asset) as level:
        options += ["--profile", level.profiles[0]]
    done = bake("render", asset, "-o", picture, "--show", show, *options)
    assert done.code == 0, done.err
    return np.asarray(Image.open(picture).convert("RGB"))


def in_picture(asset: Path, scale: int | None) -> tuple[Callable[[list[int]], Any], Scene]:
    """Say where places lie in a picture of bake render, in pixels."""
    with Asset(asset) as opened:
        with open_asset(asset) as level:
            profile = level.profiles[0]
        scene = read_scene(opened, profile)
        if scene.places.is_grid:
            cells = fitting_cells(scene, scale)
            point = cells.centre(np.arange(scene.places.width * scene.places.height))
            size = cells.size
        else:
            plan = _plan(scene, scale)
            point, size = plan.point, (plan.width, plan.height)
    left, top = map_corner(*size)
    return (lambda nodes: point[nodes] + [left, top]), scene


@pytest.mark.parametrize(
    ("source", "scale"),
    [
        ("keep.png", 8),
        ("colony.json", 12),
        ("manor.tmx", 12),
        ("abbey.ldtk", 6),
        ("roads.json", None),
    ],
)
def test_pictures_agree_with_bake_render(
    tab: BrowserPage, folder: Path, tmp_path: Path, source: str, scale: int | None
) -> None:
    asset = stored_asset(source)
    where, scene = in_picture(asset, scale)
    tab.open_file(page_file(folder, source))
    grid = scene.places.is_grid
    floors = tab.ask("(view) => view.level.floors")
    for show in ("terrain", "components") if grid else ("components",):
        picture = rendered(asset, show, scale, tmp_path)
        tab.ask("(view, ground) => view.state.set({ ground })", show)
        same: list[bool] = []
        for floor in range(floors):
            tab.ask(PLACE, [scale or 24, floor])
            tab.frame()
            nodes = tab.ask(
                """(view) => Array.from({ length: view.level.locations }, (_, at) => at)
                                  .filter((at) => view.plane.floorOf(at) === view.state.floor)"""
            )
            same += agree(tab, nodes, picture, where).tolist()
        assert len(same) > 100
        # Links, spots and names of floors lie above some cells of the picture.
        assert np.mean(same) > 0.95, (show, np.mean(same))


def test_a_level_of_96_603_cells(tab: BrowserPage, tmp_path: Path) -> None:
    """More than are drawn at once; without next hops, which take long to bake."""
    recipe = tmp_path / "bake.toml"
    recipe.write_text('tables = ["components"]\n')
    asset = stored_asset("movingai/orz900d.map", recipe)
    page = tmp_path / "large.html"
    page.write_text(page_html([shown_level(asset)]), "utf-8")
    tab.open_file(page)
    assert tab.ask("(view) => view.nav.nodes.length") == 96_603
    tab.ask(PLACE, [1, 0])
    tab.frame()
    picture = rendered(asset, "terrain", 1, tmp_path)
    where, _ = in_picture(asset, 1)
    nodes = list(range(0, tab.ask("(view) => view.level.locations"), 11))
    same = agree(tab, nodes, picture, where)
    assert len(same) > 20_000
    assert np.mean(same) > 0.995
