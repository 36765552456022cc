"""What a newcomer sees first: names, tabs, color modes, and map and path on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser_page import BrowserPage, page_file

MODES = [
    "Terrain",
    "Costs",
    "Distances",
    "Agent clearance",
    "One-way reach",
    "Components",
    "Shortest paths that cross",
    "Clusters",
]


def test_the_page_names_bake_and_counts_walkable_cells(keep: BrowserPage) -> None:
    assert keep.page.get_by_role("heading", level=1).inner_text() == "bake keep"
    assert keep.page.title() == "keep · bake"
    panel = keep.page.locator("#panel")
    assert "96 \u00d7 80 squares, 5,203 walkable cells" in panel.inner_text()
    keep.ask(
        "(view) => view.edits.make('a wall', (now) => now.block(...view.nav.nodes.slice(0, 3)))"
    )
    assert "5,200 walkable cells" in panel.inner_text()


def test_tabs_lie_on_top_and_show_one_page_each(keep: BrowserPage) -> None:
    tabs = keep.page.get_by_role("tab")
    assert tabs.all_inner_texts() == ["Path", "Crowd", "Search", "Draw"]
    first_section = keep.page.locator("#panel h2").first.bounding_box()["y"]
    for name in tabs.all_inner_texts():
        page = keep.open_section(name)
        assert keep.page.get_by_role("tabpanel").count() == 1
        assert page.is_visible()
        assert page.bounding_box()["y"] <= first_section
        assert tabs.and_(keep.page.locator("[aria-selected=true]")).inner_text() == name
    keep.page.keyboard.press("ArrowRight")
    assert keep.page.get_by_role("tabpanel", name="Path").is_visible()
    keep.page.keyboard.press("ArrowLeft")
    assert keep.page.get_by_role("tabpanel", name="Draw").is_visible()


def test_the_draw_tab_draws_and_the_others_do_not(keep: BrowserPage) -> None:
    def tool() -> str:
        found: str = keep.ask("(view) => view.state.tool")
        return found

    keep.open_section("Draw")
    assert tool() == "wall"
    keep.open_section("Path")
    assert tool() == "look"
    keep.page.get_by_role("application").focus()
    keep.page.keyboard.press("t")
    assert keep.page.get_by_role("tabpanel", name="Draw").is_visible()
    assert tool() == "terrain"
    keep.page.keyboard.press("c")
    keep.open_section("Crowd")
    assert tool() == "look"


def test_color_modes_are_one_select_in_the_order_of_their_keys(keep: BrowserPage) -> None:
    select = keep.page.get_by_role("combobox", name="Color by")
    assert select.count() == 1
    titles = select.locator("optgroup").first.locator("option").all_inner_texts()
    assert titles == MODES
    assert keep.page.get_by_role("radio").count() == 0
    keep.page.get_by_role("application").focus()
    for key, title in enumerate(MODES, 1):
        keep.page.keyboard.press(str(key))
        assert select.locator("option:checked").inner_text() == title
    select.select_option("costs")
    assert keep.ask("(view) => view.layers.ground(view).id") == "costs"


def test_what_few_people_need_lies_behind_more(keep: BrowserPage) -> None:
    hidden = [keep.button("Price"), keep.button("Bytes by column"), keep.button("Keys")]
    for name in ("Path", "Crowd", "Search", "Draw"):
        keep.open_section(name)
        assert not any(each.is_visible() for each in hidden)
    keep.open_section("More")
    assert keep.button("Bytes by column").is_visible()
    keep.open_section("Prices")
    keep.button("Price").click()
    assert keep.ask("(view) => view.state.tool") == "price"
    theme = keep.page.get_by_role("combobox", name="Theme")
    assert theme.locator("option").all_inner_texts() == ["System", "Light", "Dark"]


def test_buttons_have_the_words_of_designers(keep: BrowserPage) -> None:
    draw = keep.open_section("Draw")
    for name in ("Wall", "Open", "Paint", "Undo", "Redo", "Reset"):
        assert draw.get_by_role("button", name=name, exact=True).is_visible(), name
    assert keep.button("As it was baked").count() == 0
    crowd = keep.open_section("Crowd")
    assert crowd.get_by_role("button", name="Restart", exact=True).is_visible()
    words = keep.page.locator("#panel").text_content().lower()
    for word in ("anew", "lay terrain", "as the system", "stands on", "colour"):
        assert word not in words, word


# -- a phone --------------------------------------------------------------------------------------


@pytest.fixture
def phone(browser: Any, folder: Path) -> Iterator[BrowserPage]:
    tab = BrowserPage(browser.new_page(viewport={"width": 390, "height": 844}))
    tab.open_file(page_file(folder, "keep.png"))
    yield tab
    tab.page.close()
    assert tab.complaints == []


def test_the_map_and_the_path_are_visible_together_on_a_phone(phone: BrowserPage) -> None:
    hint = phone.page.get_by_text("Click a start, then a goal", exact=True).bounding_box()
    assert hint["x"] >= 0
    assert hint["x"] + hint["width"] <= 390
    assert hint["height"] < 40
    ends = [
        phone.ask("(v, cell) => v.level.locationOf(...cell)", cell)
        for cell in ([22, 45, 0], [43, 25, 0])
    ]
    for at in ends:
        phone.page.mouse.click(*phone.spot(at))
    table = phone.page.get_by_role("table", name="Paths")
    table.get_by_text("HPA* smoothed").wait_for()
    box = table.bounding_box()
    stage = phone.page.locator("#stage").bounding_box()
    assert stage["y"] == 0
    assert stage["height"] >= 400
    assert box["y"] >= stage["height"]
    assert box["y"] + box["height"] <= 844
    assert box["x"] + box["width"] <= 390
    # The whole path lies on the map that is seen.
    path = phone.ask("(view) => view.ways[0].nodes")
    for at in path:
        x, y = phone.spot(at)
        assert 0 <= x <= 390
        assert 0 <= y <= stage["height"]
    assert phone.page.evaluate("document.documentElement.scrollWidth") == 390
