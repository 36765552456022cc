"""What changed since another bake, as the page marks and lists it."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.support.browser_page import BrowserPage
from tests.support.command import bake
from tests.support.shown import running

ROOM = ["." * 30 for _ in range(20)]

CLOSED, OPENED, DEARER = [214, 48, 66], [60, 170, 100], [240, 170, 60]


Cells = Collection[tuple[int, int]]


def bake_room(folder: Path, walls: Cells, mud: Cells = ()) -> Path:
    """Bake a room with walls and mud in some cells, and return its asset."""
    rows = [
        "".join(
            "#" if (x, y) in walls else "," if (x, y) in mud else cell for x, cell in enumerate(row)
        )
        for y, row in enumerate(ROOM)
    ]
    level = {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {"floor": 1, "mud": 3, "wall": "blocked"},
        "legend": {".": "floor", ",": "mud", "#": "wall"},
        "rows": rows,
    }
    source = folder / "source" / "room.json"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(json.dumps(level), "utf-8")
    done = bake("build", source, "-o", folder / "new", "--jobs", "1")
    assert done.code == 0, done.err
    asset = folder / "room.h5"
    (folder / "new" / "room.h5").replace(asset)
    return asset


def node(x: int, y: int) -> int:
    return 30 * y + x


def layer_texts(tab: BrowserPage) -> list[str]:
    """Return the legend of the layer of changed places."""
    texts: list[str] = tab.ask(
        """(view) => {
             const layer = view.layers.get("changes");
             if (!view.layers.available(layer, view)) return [];
             return layer.legend(view).map(({ text }) => text);
           }"""
    )
    return texts


def edge(tab: BrowserPage, at: int) -> list[list[int]]:
    """Return the colors on the four edges of a cell."""
    tab.frame()
    colours: list[list[int]] = tab.ask(
        """({ camera, canvas, plane }, at) => {
             const { width, height } = canvas;
             const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
             return [[-0.48, 0], [0.48, 0], [0, -0.48], [0, 0.48]].map(([dx, dy]) => {
               const [x, y] = camera.toScreen(plane.x(at) + dx, plane.y(at) + dy);
               const i = 4 * (Math.floor(y) * canvas.width + Math.floor(x));
               return [data[i], data[i + 1], data[i + 2]];
             });
           }""",
        at,
    )
    return colours


def test_a_page_beside_an_older_bake_opens_with_the_changes(
    tab: BrowserPage, tmp_path: Path
) -> None:
    old = bake_room(tmp_path / "old", {(5, 5)})
    new = bake_room(tmp_path / "now", {(8, 8), (9, 8)}, {(12, 3)})
    page = tmp_path / "room.html"
    done = bake("view", new, "--against", old, "--html", page)
    assert done.code == 0, done.err
    tab.open_file(page)
    assert tab.ask("(view) => view.layers.ground(view).title") == "What changed"
    assert tab.page.locator("#section-compare h2 button").get_attribute("aria-expanded") == "true"
    assert tab.page.get_by_role("list", name="2 cells: closed").is_visible()
    legend = tab.page.get_by_role("list", name="What the colors mean").inner_text().split("\n")
    assert [text.strip() for text in legend if text] == ["1 costs more", "1 opened", "2 closed"]
    changed = [node(8, 8), node(9, 8), node(5, 5), node(12, 3)]
    assert tab.pixels(changed) == [CLOSED, CLOSED, OPENED, DEARER]
    assert layer_texts(tab) == ["1 cell: costs more", "1 cell: opened", "2 cells: closed"]
    # Other color modes outline the same cells.
    tab.ask("(view) => view.state.set({ ground: 'terrain' })")
    assert edge(tab, node(5, 5)) == [OPENED] * 4
    # An address that names a color mode keeps it.
    other = BrowserPage(tab.page.context.new_page())
    other.open_file(page, "#ground=costs")
    assert other.ask("(view) => view.layers.ground(view).title") == "Costs"


@pytest.mark.parametrize("is_against", [True, False])
def test_changes_are_marked_after_a_rebake(
    tab: BrowserPage, tmp_path: Path, is_against: bool
) -> None:
    old = bake_room(tmp_path / "old", set())
    asset = bake_room(tmp_path / "home", set())
    against = ("--against", old) if is_against else ()
    with running("view", asset, *against, "--no-browser", cwd=tmp_path) as command:
        address = command.line()
        tab.open_url(address, address)
        assert layer_texts(tab) == []
        nodes = tab.ask("(view) => view.nav.nodes.length")
        bake_room(tmp_path / "home", {(4, 4), (6, 4)})
        tab.until(f"() => bakeView.nav.nodes.length === {nodes - 2}")
        assert layer_texts(tab) == ["2 cells: closed"]
        section = tab.open_section("What changed")
        cells = section.get_by_role("list", name="2 cells: closed").get_by_role("button")
        assert cells.all_inner_texts() == ["(4, 4)", "(6, 4)"]
        tab.ask("(view) => view.state.set({ ground: 'costs' })")
        assert edge(tab, node(6, 4)) == [CLOSED] * 4
        tab.ask("(view) => view.state.set({ ground: 'difference' })")
        assert tab.pixels([node(4, 4), node(6, 4)]) == [CLOSED] * 2
        # A third bake is compared with the second one, or still with the older one.
        bake_room(tmp_path / "home", {(4, 4)})
        tab.until(f"() => bakeView.nav.nodes.length === {nodes - 1}")
        assert layer_texts(tab) == ["1 cell: closed" if is_against else "1 cell: opened"]
