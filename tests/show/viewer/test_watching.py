"""`bake watch --view` in a browser: what a designer sees while drawing."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.browser_page import BrowserPage
from tests.support.shown import running

HALL = {
    "format": "bake-tiles",
    "version": 1,
    "terrains": {"floor": 1, "wall": "blocked"},
    "legend": {".": "floor", "#": "wall"},
}


def draw(source: Path, *rows: str) -> None:
    """Save as editors do that rename a new file over the old one."""
    partial = source.with_suffix(".tmp")
    partial.write_text(json.dumps({**HALL, "rows": rows}, indent=1))
    partial.replace(source)


def test_the_page_follows_the_editor(tab: BrowserPage, bare: Path) -> None:
    source = bare / "levels_src" / "hall.json"
    source.parent.mkdir()
    draw(source, *["." * 40] * 30)
    with running("watch", "--view", "--no-browser", cwd=bare) as command:
        command.line()
        address = command.line()
        tab.open_url(address + "#level=hall&zoom=40&x=12&y=7&start=1,1&goal=30,20", address)
        place = tab.ask("(view) => view.state.toAddress()")
        assert "zoom=40" in place
        assert tab.ask("(view) => view.nav.nodes.length") == 1200

        draw(source, *["." * 40] * 29, "#" * 40)
        tab.until("() => bakeView.nav.nodes.length === 1160")
        assert tab.ask("(view) => view.state.toAddress()") == place
        assert "baked again" in tab.page.inner_text("#status")

        source.write_text('{"format": "bake-tiles",\n "version": 1,\n "rows": [\n')
        tab.until("() => !document.getElementById('trouble').hidden")
        assert "levels_src/hall.json: line " in tab.page.get_by_role("alert").inner_text()
        assert tab.ask("(view) => view.nav.nodes.length") == 1160

        draw(source, *["." * 40] * 29, "#" * 40)
        tab.until("() => document.getElementById('trouble').hidden")

        draw(source.with_name("attic.json"), "...")
        tab.until("() => bakeView.manifest.levels.length === 2")
        levels = tab.page.get_by_role("combobox", name="Level", exact=True).locator("option")
        assert levels.all_inner_texts() == ["attic", "hall"]
        assert tab.ask("(view) => view.state.toAddress()") == place
        assert command.interrupt() == 0
        tab.until("() => document.getElementById('status').textContent.includes('has ended')")
        tab.complaints.clear()  # Of the connection that was lost, and of nothing else.
