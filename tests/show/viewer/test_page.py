"""The page as a person uses it: pointed at, drawn on, and asked, in a browser."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from bake.extras.crowds.agent import Agent
from bake.extras.crowds.belief import Belief
from bake.extras.school import trace_walk
from bake.play import open_asset
from bake.show.viewer.bundle import page_html
from bake.show.viewer.contents import shown_level
from tests.support.browser_page import BrowserPage, page_file
from tests.support.command import bake
from tests.support.page_modules import Reader
from tests.support.page_view import shown_once
from tests.support.stored import stored_asset

#: Places that a mouse is moved to, and places that the page is told a mouse points at.
MOVED, TOLD = 30, 970

POINT = """(view, pairs) => pairs.map(([at, goal]) => {
  view.state.set({ goal: view.placeText(goal) });
  view.hover(at);
  const said = [...document.querySelectorAll("#section-here dt")].map(
    (name) => [name.textContent, name.nextElementSibling.textContent]);
  const distance = view.nav.distance(at, goal);
  return {
    said: Object.fromEntries(said),
    hop: view.nav.nextHop(at, goal),
    distance: distance === Infinity ? null : distance,
  };
})"""

ANSWERS = """(view, pairs) => pairs.map(([from, to]) => {
  const distance = view.nav.distance(from, to);
  return [view.nav.nextHop(from, to), distance === Infinity ? null : distance];
})"""


def near_enough(text: str, units: float | None) -> bool:
    if units is None:
        return text == "no path"
    places = 2 if units < 10 else 1 if units < 1000 else 0
    return abs(float(text) - units) <= 0.5001 * 10**-places


def cell_of(reader: Reader, location: int) -> str:
    x, y = reader.place(location)
    return f"({x}, {y})"


def test_a_thousand_places_say_what_python_says(keep: BrowserPage) -> None:
    """A mouse is moved to some of them; of the others the page is told what is pointed at."""
    rng = random.Random(7)
    with open_asset(stored_asset("keep.png")) as level:
        reader = Reader(level)
        pairs = [rng.choices(reader.standing, k=2) for _ in range(MOVED + TOLD)]
        said = []
        for at, goal in pairs[:MOVED]:
            keep.ask("(view, at) => view.state.set({ goal: view.placeText(at) })", goal)
            keep.point_at(at)
            said.append(keep.here())
        told = keep.ask(POINT, pairs[MOVED:])
        said += [each["said"] for each in told]
        answers = [[reader.hop(*pair), reader.distance(*pair)] for pair in pairs]
        assert [[each["hop"], each["distance"]] for each in told] == answers[MOVED:]
        for (at, goal), here, (hop, distance) in zip(pairs, said, answers, strict=True):
            assert here["cell"] == cell_of(reader, at)
            assert near_enough(here["to goal"], distance), (here, distance)
            if at != goal:
                assert here["next hop"] == ("no path" if hop < 0 else cell_of(reader, hop))


@pytest.mark.parametrize("source", ["colony.json", "manor.tmx", "roads.json"])
def test_other_kinds_of_levels_say_it_as_well(tab: BrowserPage, folder: Path, source: str) -> None:
    rng = random.Random(source)
    tab.open_file(page_file(folder, source))
    with open_asset(stored_asset(source)) as level:
        for profile in level.profiles:
            reader = Reader(level, profile)
            tab.ask("(view, profile) => view.state.set({ profile })", profile)
            pairs = [rng.choices(reader.standing, k=2) for _ in range(300)]
            right = [[reader.hop(*pair), reader.distance(*pair)] for pair in pairs]
            assert tab.ask(ANSWERS, pairs) == right


def test_a_click_makes_start_and_goal_and_shows_the_way(keep: BrowserPage, folder: Path) -> None:
    with open_asset(stored_asset("keep.png")) as level:
        reader = Reader(level)
        start, goal = reader.standing[100], reader.standing[4000]
        for at in (start, goal):
            keep.page.mouse.click(*keep.spot(at))
        path = reader.nav.path(reader.place(start), reader.place(goal))
        cost = reader.distance(start, goal)
    assert path is not None
    ways = keep.page.get_by_role("table", name="Paths")
    row = ways.get_by_role("row").filter(has_text="table")
    cells = row.get_by_role("cell").all_inner_texts()
    assert near_enough(cells[0], cost)
    assert str(len(path) - 1) in cells
    keep.until("() => location.hash.includes('start=') && location.hash.includes('goal=')")
    # The address shows a colleague the same.
    address = keep.page.evaluate("location.hash")
    other = BrowserPage(keep.page.context.new_page())
    other.open_file(page_file(folder, "keep.png"), address)
    assert other.ask("(view) => [view.start, view.goal]") == [start, goal]


# -- changes --------------------------------------------------------------------------------------


def compared(tab: BrowserPage, reader: Reader, pairs: list[list[int]]) -> None:
    """Hold the page's answers to those of Python: distances exactly, hops by what they lead to."""
    for (start, goal), (hop, distance) in zip(pairs, tab.ask(ANSWERS, pairs), strict=True):
        assert distance == reader.distance(start, goal)
        assert (hop < 0) == (distance is None)
        if hop >= 0 and start != goal:
            step, rest = reader.distance(start, hop), reader.distance(hop, goal)
            assert step is not None
            assert rest is not None
            assert distance == pytest.approx(step + rest, abs=1e-9)


def obstacles(tab: BrowserPage) -> list[int]:
    found: list[int] = tab.ask(
        """(view) => Array.from({ length: view.level.locations }, (_, at) => at)
                          .filter((at) => view.changes.hasObstacle(at))"""
    )
    return found


def test_a_wall_that_is_drawn_is_an_update(keep: BrowserPage, folder: Path) -> None:
    """Drawn with the mouse, undone, made again, saved, applied, and baked into a new asset."""
    rng = random.Random(3)
    asset = stored_asset("keep.png")
    section = keep.open_section("Draw")
    with open_asset(asset) as level:
        reader = Reader(level)
        first, last = (reader.places.location(each) for each in ((20, 40), (20, 62)))
        pairs = [rng.choices(reader.standing, k=2) for _ in range(150)]
        before = keep.ask(ANSWERS, pairs)
        keep.button("Wall").click()
        keep.draw(first, last)
        walls = obstacles(keep)
        width = level.width
        assert walls == list(range(first, last + 1, width))
        assert section.get_by_role("status").inner_text() == f"Changed: {len(walls)} walls."
        report = reader.nav.update(blocked=[reader.place(at) for at in walls])
        assert report.closed
        compared(keep, reader, pairs)
        after = keep.ask(ANSWERS, pairs)
        assert after != before

        keep.button("Undo").click()
        assert keep.ask(ANSWERS, pairs) == before
        assert keep.button("Undo").is_disabled()
        keep.button("Redo").click()
        assert keep.ask(ANSWERS, pairs) == after

        with keep.page.expect_download() as download:
            keep.button("Save patch").click()
        patch = folder / download.value.suggested_filename
        assert patch.name == "keep.patch"
        download.value.save_as(patch)
        new = folder / "walled.h5"
        done = bake("apply", asset, patch, "-o", new)
        assert done.code == 0, done.err
        ends = [[reader.place(at) for at in pair] for pair in pairs]
        level.update(opened=[reader.place(at) for at in walls])
        level.apply_patch(patch)
        compared(keep, reader, pairs)
    with open_asset(new) as level:
        nav = level.profile()
        for (start, goal), (_, distance) in zip(ends, after, strict=True):
            if distance is not None:
                assert nav.distance(start, goal) == distance


def test_a_patch_of_a_game_is_loaded(keep: BrowserPage, tmp_path: Path) -> None:
    rng = random.Random(5)
    patch = tmp_path / "of a game.patch"
    keep.open_section("Draw")
    with open_asset(stored_asset("keep.png")) as level:
        reader = Reader(level)
        some = rng.sample(reader.standing, 40)
        level.update(
            blocked=[reader.place(at) for at in some[:20]],
            terrain={reader.place(at): "mud" for at in some[20:]},
        )
        level.save_patch(patch)
        pairs = [rng.choices(reader.standing, k=2) for _ in range(100)]
        keep.page.get_by_label("Load patch").set_input_files(patch)
        keep.page.get_by_text("Changed: 20 walls, 20 places of other terrain.").first.wait_for()
        compared(keep, reader, pairs)
    nonsense = tmp_path / "nonsense.patch"
    nonsense.write_text("<img src=x onerror=alert(1)>")
    keep.page.get_by_label("Load patch").set_input_files(nonsense)
    keep.page.get_by_text("this is not a patch").wait_for()
    assert len(obstacles(keep)) == 20


def test_rock_is_opened_and_terrain_is_laid(keep: BrowserPage) -> None:
    keep.open_section("Draw")
    rng = random.Random(9)
    with open_asset(stored_asset("keep.png")) as level:
        reader = Reader(level)
        pairs = [rng.choices(reader.standing, k=2) for _ in range(100)]
        # Across the moat in the west, and mud on the road that leads there.
        opened = [reader.places.location((x, 45)) for x in range(10, 18)]
        keep.button("Open").click()
        keep.draw(opened[0], opened[-1])
        level.update(opened=[reader.place(at) for at in opened])
        compared(keep, reader, pairs)
        keep.page.get_by_label("Terrain", exact=True).last.select_option("mud")
        assert keep.button("Paint").get_attribute("aria-pressed") == "true"
        laid = [reader.places.location((x, 31)) for x in range(4, 10)]
        keep.draw(laid[0], laid[-1])
        level.update(terrain={reader.place(at): "mud" for at in laid})
        compared(keep, reader, pairs)


def test_walls_are_drawn_with_the_keyboard_alone(keep: BrowserPage) -> None:
    at = keep.ask("(view) => view.level.locationOf(20, 40)")
    keep.ask("(view, at) => view.hover(at)", at)
    keep.page.get_by_role("application").focus()
    for key in ("w", "Enter", "ArrowRight", "Enter"):
        keep.page.keyboard.press(key)
    assert obstacles(keep) == [at, at + 1]
    keep.page.keyboard.press("Control+z")
    assert obstacles(keep) == [at]
    for key in ("v", "Enter"):
        keep.page.keyboard.press(key)
    assert keep.ask("(view) => view.state.start") == "21,40"


def test_doors_and_prices(tab: BrowserPage, folder: Path) -> None:
    source = "bastion.json"
    tab.open_file(page_file(folder, source))
    section = tab.open_section("Draw")
    rng = random.Random(11)
    with open_asset(stored_asset(source)) as level:
        readers = [Reader(level, name) for name in level.profiles]
        standing = readers[0].standing
        pairs = [rng.choices(standing, k=2) for _ in range(80)]
        for name, door in level.doors.items():
            state = next(each for each in door.states if each != door.state)
            section.get_by_label(f"Door {name}").select_option(state)
            level.set_state(name, state)
        tab.open_section("More")
        section = tab.open_section("Prices")
        for link in list(level.links.values())[:2]:
            section.get_by_label(f"Link {link.name}").fill("closed")
            section.get_by_label(f"Link {link.name}").press("Enter")
            ends = [(link.start, link.goal), (link.goal, link.start)]
            level.update(arcs=dict.fromkeys(ends[: 1 + link.both_ways], math.inf))
        for reader in readers:
            tab.ask("(view, profile) => view.state.set({ profile })", reader.nav.name)
            compared(tab, reader, pairs)
        assert tab.ask("(view) => view.changes.changed")
        tab.button("Reset").click()
        assert not tab.ask("(view) => view.changes.changed")


def test_what_was_drawn_is_there_again_when_a_level_is_opened_again(
    tab: BrowserPage, tmp_path: Path
) -> None:
    page = tmp_path / "two.html"
    sources = ("bastion.json", "manor.tmx")
    page.write_text(page_html([shown_once(each) for each in sources]))
    tab.open_file(page)
    patch = tab.ask(
        """(view) => {
             view.edits.make("walls", (now) => now.block(200, 201));
             const [{ from, to }] = view.level.links;
             view.edits.make("a price", (now) => now.setPrice(from, to, 9));
             return view.edits.save();
           }"""
    )
    level = tab.page.get_by_label("Level", exact=True).last
    for name, changed in (("manor", False), ("bastion", True)):
        level.select_option(name)
        tab.until(f"() => bakeView.level.name === '{name}'")
        assert tab.ask("(view) => view.changes.changed") is changed
    assert tab.ask("(view) => view.edits.save()") == patch
    tab.open_section("Draw")
    tab.button("Undo").click()
    assert not tab.ask("(view) => view.changes.changed")


# -- searches, crowds and what others wrote -------------------------------------------------------


def test_a_trace_of_the_command_is_stepped_through(keep: BrowserPage, tmp_path: Path) -> None:
    asset, trace = stored_asset("keep.png"), tmp_path / "trace.json"
    done = bake("path", asset, "10,10", "60,60", "--trace", trace, "--json")
    assert done.code == 0, done.err
    section = keep.open_section("Search")
    keep.page.get_by_label("Open a trace").set_input_files(trace)
    step = section.get_by_role("slider", name="Step")
    step.wait_for()
    count = int(step.get_attribute("max"))
    step.fill("10")
    facts = section.locator("dl").inner_text().split("\n")
    assert f"10 of {count:,}" in facts
    section.get_by_role("button", name="Back", exact=True).click()
    assert step.input_value() == "9"
    section.get_by_role("button", name="Last", exact=True).click()
    way = keep.ask(
        "(view) => view.trace.player.wayBack().map((at) => view.level.cellOf(at).slice(0, 2))"
    )
    assert way == done.data["path"]
    section.get_by_role("button", name="First", exact=True).click()
    section.get_by_label("Speed").select_option("4000")
    section.get_by_role("button", name="Play", exact=True).click()
    section.get_by_role("button", name="Play", exact=True).wait_for()
    keep.until(f"() => bakeView.trace.player.at === {count}")
    # The same search, made in the page, takes the same steps.
    section.get_by_role("button", name="Search", exact=True).click()
    assert keep.ask("(view) => view.trace.player.trace.expanded") == count


def test_an_agent_in_fog_is_stepped_through(keep: BrowserPage, tmp_path: Path) -> None:
    with open_asset(stored_asset("keep.png")) as level:
        belief = Belief(level.profile())
        agent = Agent(belief, (3, 4), (30, 5))
        trace = trace_walk(agent)
        while not agent.arrived:
            agent.observe(belief.around(agent.place, 4))
            trace.note()
            assert agent.step() is not None
    trace.write(tmp_path / "fog.json")
    section = keep.open_section("Search")
    keep.page.get_by_label("Open a trace").set_input_files(tmp_path / "fog.json")
    step = section.get_by_role("slider", name="Step")
    step.wait_for()
    assert step.input_value() == "1"
    assert section.get_by_text(f"dstar_lite: 1 agent, {len(trace.steps)} steps.").count() == 1
    section.get_by_role("button", name="Forward", exact=True).click()
    facts = section.locator("dl").inner_text().split("\n")
    assert f"2 of {len(trace.steps)}" in facts
    assert facts[facts.index("searched") + 1] == str(len(trace.steps[1]["searched"]))
    section.get_by_role("button", name="Last", exact=True).click()
    assert "it has arrived" in section.locator("dl").inner_text()
    seen = keep.ask("(view) => view.trace.player.seen")
    assert seen == int(belief.seen_everywhere().sum())


def test_a_crowd_walks_and_goes_round_a_wall(keep: BrowserPage) -> None:
    section = keep.open_section("Crowd")
    section.get_by_role("button", name="Walk", exact=True).click()
    keep.until("() => bakeView.crowd()?.most > 3")
    keep.ask(
        """(view) => view.edits.make("a wall", (now) => {
             now.block(...view.nav.nodes.slice(0, 900));
           })"""
    )
    visits = keep.ask("(view) => Array.from(view.crowd().visits)")
    keep.until(f"() => bakeView.crowd().visits.reduce((a, b) => a + b) > {sum(visits)} + 300")
    section.get_by_role("button", name="Stop", exact=True).click()
    later = keep.ask("(view) => Array.from(view.crowd().visits)")
    assert sum(later) > sum(visits)
    walls = obstacles(keep)
    assert all(later[at] == visits[at] for at in walls)
    assert section.get_by_role("list", name="Choke points").get_by_role("button").count() > 0


def test_content_of_level_files_cannot_run(tab: BrowserPage, tmp_path: Path) -> None:
    """Names hold markup and script wherever a level file may name something."""
    evil = "<img src=x onerror='window.caught=1'></script><script>window.caught=2</script>"
    rows = ["....", "....", "...."]
    level: dict[str, Any] = {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {f"floor{evil}": 1, f"shut{evil}": "blocked"},
        "legend": {".": f"floor{evil}", "#": f"shut{evil}"},
        "rows": rows,
        "links": [{"name": f"link{evil}", "kind": evil, "from": [0, 0], "to": [3, 2], "cost": 1}],
        "spots": [{"name": f"spot{evil}", "kind": evil, "at": [1, 1]}],
        "regions": [{"name": f"region{evil}", "cells": [[1, 0]]}],
        "doors": [
            {
                "name": f"door{evil}",
                "cells": [[2, 1]],
                "states": {f"open{evil}": f"floor{evil}", f"shut{evil}": f"shut{evil}"},
                "state": f"open{evil}",
            }
        ],
    }
    (tmp_path / "evil.json").write_text(json.dumps(level))
    done = bake("build", tmp_path / "evil.json", "-o", tmp_path)
    assert done.code == 0, done.err
    shown = shown_level(tmp_path / "evil.h5")
    page = tmp_path / "evil.html"
    page.write_text(page_html([shown]), "utf-8")
    tab.open_file(page)
    for name in ("Draw", "Crowd", "What changed", "Search"):
        tab.open_section(name)
    tab.ask("(view) => view.state.set({ layers: view.layers.overlays().map(({ id }) => id) })")
    for at in range(12):
        tab.point_at(at)
    for ground in tab.ask("(view) => view.layers.grounds().map(({ id }) => id)"):
        tab.ask("(view, ground) => view.state.set({ ground })", ground)
        tab.frame()
    tab.open_section("Draw")
    tab.page.get_by_label(f"Door door{evil}").select_option(f"shut{evil}")
    assert tab.page.evaluate("window.caught") is None
    assert tab.page.locator("img").count() == 0
    assert evil in tab.page.locator("#panel").inner_text()
