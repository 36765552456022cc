"""A start or a goal on a wall, and the hint on the map."""

from __future__ import annotations

from pathlib import Path

import pytest

from bake.play import open_asset
from tests.support.browser_page import BrowserPage, page_file
from tests.support.page_modules import Reader
from tests.support.stored import stored_asset


def wall_and_nearest(source: str) -> tuple[int, int, tuple[int, ...]]:
    """Return a wall, the walkable cell nearest to it by the reader, and its place."""
    with open_asset(stored_asset(source)) as level:
        reader = Reader(level, level.profiles[0])
        standing = set(reader.standing)
        count = level.width * level.height
        walls = [at for at in range(count // 3, count) if at not in standing]
        near = reader.nav.nearest(level.to_point(reader.place(walls[0])))
        assert near is not None
        return walls[0], reader.places.location(near), near


@pytest.mark.parametrize("by_keys", [False, True])
def test_a_start_on_a_wall_snaps_and_is_reported(keep: BrowserPage, by_keys: bool) -> None:
    wall, near, place = wall_and_nearest("keep.png")
    status = keep.page.locator("#status")
    goal = keep.ask("(view) => view.level.locationOf(43, 25, 0)")
    for name, at in (("start", wall), ("goal", goal)):
        if by_keys:
            keep.ask("(view, at) => view.hover(at)", at)
            keep.page.get_by_role("application").focus()
            keep.page.keyboard.press(name[0])
        else:
            keep.page.mouse.click(*keep.spot(at))
        if name == "start":
            assert f"({place[0]}, {place[1]})" in status.inner_text()
            assert "not walkable" in status.inner_text()
    assert keep.ask("(view) => [view.start, view.goal]") == [near, goal]
    assert "not walkable" not in status.inner_text()
    assert "costs" in status.inner_text()


def test_a_goal_on_a_wall_reports_the_move_and_the_path(keep: BrowserPage) -> None:
    wall, near, place = wall_and_nearest("keep.png")
    start = keep.ask("(view) => view.level.locationOf(22, 45, 0)")
    for at in (start, wall):
        keep.page.mouse.click(*keep.spot(at))
    assert keep.ask("(view) => view.goal") == near
    status = keep.page.locator("#status").inner_text()
    assert f"nearest walkable cell, ({place[0]}, {place[1]})" in status
    assert "costs" in status


def test_a_cell_that_is_walkable_is_taken_as_it_is(tab: BrowserPage, folder: Path) -> None:
    tab.open_file(page_file(folder, "colony.json"))
    at = tab.ask("(view) => view.nav.nodes[view.nav.nodes.length >> 1]")
    tab.page.mouse.click(*tab.spot(at))
    assert tab.ask("(view) => view.start") == at
    assert "walkable" not in tab.page.locator("#status").text_content()


def test_the_hint_stays_until_start_and_goal_are_set(keep: BrowserPage) -> None:
    hint = keep.page.get_by_text("Click a start, then a goal", exact=True)
    assert hint.count() == 1
    assert hint.is_visible()
    box, stage = hint.bounding_box(), keep.page.locator("#stage").bounding_box()
    assert box["x"] >= stage["x"]
    assert box["x"] + box["width"] <= stage["x"] + stage["width"]
    keep.ask("(view) => view.state.set({ start: '22,45' })")
    assert hint.is_visible()
    for name, is_shown in (("Crowd", False), ("Search", True), ("Draw", False), ("Path", True)):
        keep.open_section(name)
        assert hint.is_visible() == is_shown
    keep.ask("(view) => view.state.set({ goal: '43,25' })")
    assert not hint.is_visible()
    keep.ask("(view) => view.state.set({ goal: '', tool: 'wall' })")
    assert not hint.is_visible()
