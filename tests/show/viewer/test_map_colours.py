"""The map beside its legend and the keys beside the docs: pixels and texts in a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.browser_page import BrowserPage
from tests.support.pages import page

#: The words and the outermost colors of the first ramp in the legend of the map's colors.
RAMP = """(view) => {
  const canvas = document.querySelector("#section-ground .legend canvas[width='120']");
  const { data } = canvas.getContext("2d").getImageData(0, 0, 120, 1);
  const end = (x) => Array.from(data.slice(4 * x, 4 * x + 3));
  return [canvas.previousSibling.textContent, end(0), canvas.nextSibling.textContent, end(119)];
}"""

#: Colors of cells are drawn exactly where no line crosses the middle of a cell.
CLOSED = [214, 48, 66]


def test_the_legend_of_clearance_has_the_colours_of_the_map(keep: BrowserPage) -> None:
    keep.ask("(view) => view.state.set({ ground: 'clearance', layers: [] })")
    rooms = keep.ask(
        """(view) => {
             const { nodes } = view.nav;
             const fits = (at, size) => {
               const [x, y] = view.level.cellOf(at);
               for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) {
                 const other = view.level.locationOf(x + i, y + j, 0);
                 if (other < 0 || !view.nav.stands(other)) return false;
               }
               return true;
             };
             const narrow = nodes.find((at) => !fits(at, 2));
             let widest = [nodes[0], 1];
             for (const at of nodes) {
               while (fits(at, widest[1] + 1)) widest = [at, widest[1] + 1];
             }
             return [narrow, ...widest];
           }"""
    )
    narrow, wide, size = rooms
    first, first_colour, last, last_colour = keep.ask(RAMP)
    ends = {first: first_colour, last: last_colour}
    assert set(ends) == {"1 cell wide", "16 cells and more"}
    narrow_colour, wide_colour = keep.pixels([narrow, wide])
    assert narrow_colour == ends["1 cell wide"]
    assert size > 2
    assert distance(wide_colour, ends["16 cells and more"]) < distance(
        narrow_colour, ends["16 cells and more"]
    )


def distance(one: list[int], other: list[int]) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def test_the_legend_of_steps_has_the_count_of_the_map(keep: BrowserPage) -> None:
    """In each frame some cell has the highest count, and it is the one of the legend."""
    keep.ask("(view) => view.state.set({ ground: 'crowd-steps', layers: [] })")
    crowd = keep.open_section("Crowd")
    crowd.get_by_role("button", name="Walk", exact=True).click()
    # The counts are copied a few times a second.
    keep.until("() => bakeView.layers.ground(bakeView).legend(bakeView)[0].to > '0 steps'")
    legend_at = """(view) => {
      const { fill } = view.layers.ground(view).paint(view);
      const dark = view.palette.shade(1);
      const cells = view.nav.nodes.filter((at) => fill[at] === dark);
      const [{ to }] = view.layers.ground(view).legend(view);
      const shown = document.querySelector("#section-ground .legend canvas[width='120']");
      return [to, shown.nextSibling.textContent, cells.length];
    }"""
    for _ in range(8):
        keep.frame()
        computed, shown, cells = keep.ask(legend_at)
        assert computed == shown
        assert cells > 0, "no cell has the count at the end of the ramp"
    crowd.get_by_role("button", name="Stop", exact=True).click()
    most = keep.ask("(view) => view.crowd().most")
    computed, shown, _ = keep.ask(legend_at)
    assert computed == shown == f"{most:,} steps"
    crowd.get_by_role("button", name="Restart", exact=True).click()
    computed, shown, _ = keep.ask(legend_at)
    assert computed == shown == "0 steps"


def test_walls_that_were_drawn_stay_red_in_every_mode(keep: BrowserPage) -> None:
    wall = keep.ask(
        """(view) => {
             const wall = [46, 48, 50].map((x) => view.level.locationOf(x, 50, 0));
             view.edits.make("a wall", (now) => now.block(...wall));
             view.state.set({ start: "22,45", goal: "43,25" });
             return wall;
           }"""
    )
    keep.open_section("Search").get_by_role("button", name="Search").last.click()
    keep.ask("(view) => { view.trace.player.seek(40); view.state.set({ layers: [] }); }")
    grounds = keep.ask("(view) => view.layers.grounds().map(({ id }) => id)")
    assert "search" in grounds
    for ground in grounds:
        keep.ask("(view, ground) => view.state.set({ ground })", ground)
        assert keep.pixels(wall) == [CLOSED] * 3, ground


def test_blocked_cells_that_were_baked_are_dark_and_not_red(keep: BrowserPage) -> None:
    keep.ask("(view) => view.state.set({ ground: 'components', layers: [] })")
    blocked = keep.ask(
        """(view) => Array.from({ length: view.level.locations }, (_, at) => at)
             .filter((at) => !view.nav.stands(at)).slice(0, 40)"""
    )
    assert CLOSED not in keep.pixels(blocked)
    legend = keep.page.get_by_role("list", name="What the colors mean").inner_text()
    assert "wall" not in legend


def test_a_crowd_pauses_while_a_search_plays(keep: BrowserPage) -> None:
    keep.ask("(view) => view.state.set({ start: '3,4', goal: '79,12' })")
    search = keep.open_section("Search")
    search.get_by_role("button", name="Search").last.click()
    crowd = keep.open_section("Crowd")
    crowd.get_by_role("button", name="Walk", exact=True).click()
    keep.until("() => bakeView.crowd()?.most > 1")
    keep.open_section("Search")
    search.get_by_label("Speed").select_option("4")
    search.get_by_role("button", name="Play", exact=True).click()
    keep.open_section("Crowd")
    crowd.get_by_text("paused while a search plays").wait_for()
    steps = keep.ask("(view) => Array.from(view.crowd().visits)")
    keep.until("() => bakeView.trace.player.at >= 2")
    assert keep.ask("(view) => Array.from(view.crowd().visits)") == steps
    keep.open_section("Search")
    search.get_by_role("button", name="Pause", exact=True).click()
    keep.open_section("Crowd")
    total = sum(steps)
    keep.until(f"() => bakeView.crowd().visits.reduce((a, b) => a + b) > {total}")
    assert "paused" not in crowd.inner_text()


# -- keys -----------------------------------------------------------------------------------------


def documented_keys() -> list[list[str]]:
    section = page("viewer.md").split("\n## Keys\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.M)
    return [list(row) for row in rows[1:]]


def test_the_panel_lists_the_keys_of_the_docs(keep: BrowserPage) -> None:
    shown = keep.page.evaluate(
        """() => [...document.querySelectorAll("#section-keys dt")].map(
             (key) => [key.textContent, key.nextElementSibling.textContent])"""
    )
    assert shown == documented_keys()


TOOLS = {"w": "wall", "o": "open", "c": "price", "t": "terrain"}


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("s", {"start": "30,50"}),
        ("g", {"goal": "30,50"}),
        ("Enter", {"start": "30,50"}),
        ("h", {"layers": ["things", "changes", "way", "hops"]}),
        *((key, {"tool": tool}) for key, tool in TOOLS.items()),
    ],
)
def test_keys_do_what_the_docs_say(keep: BrowserPage, key: str, change: dict[str, Any]) -> None:
    keep.ask("(view) => view.hover(view.level.locationOf(30, 50, 0))")
    keep.page.get_by_role("application").focus()
    keep.page.keyboard.press(key)
    for name, value in change.items():
        assert keep.ask("(view, name) => view.state[name]", name) == value
    keep.page.keyboard.press("v")
    assert keep.ask("(view) => view.state.tool") == "look"


def test_each_number_key_chooses_a_mode_of_its_own(keep: BrowserPage) -> None:
    keep.page.get_by_role("application").focus()
    modes = []
    for key in "123456789":
        keep.page.keyboard.press(key)
        modes.append(keep.ask("(view) => view.layers.ground(view).id"))
    assert len(set(modes[:8])) == 8
    assert modes[8] == modes[7]
