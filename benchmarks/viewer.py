"""Time the page of `bake view`: opening a level, drawing a frame, and following an edit."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bake.play import open_asset
from bake.show.viewer.bundle import page_html
from bake.show.viewer.contents import shown_level
from benchmarks.bench import Bench, Skip
from benchmarks.section import Section
from tests.support.browser_page import BrowserPage, chromium, launched
from tests.support.page_modules import Reader

ROOT = Path(__file__).resolve().parents[1]
#: Maps of 28,178 and 392,287 cells; the project's keep, with 5,203, comes first.
MAPS = ("den520d", "AcrosstheCape")
QUICK = ("den312d",)

#: Frames in each run, and pairs that are compared with Python first.
FRAMES, PAIRS = 120, 200

#: Records the time of a level's first frame in milliseconds since the page was requested.
FIRST_FRAME = """
globalThis.firstFrame = new Promise((done) => {
  const look = () => (globalThis.bakeView?.frames > 0 ? done(performance.now()) : setTimeout(look));
  look();
});
"""

#: Draws some frames, and returns the milliseconds between frames and of drawing for each.
FRAMES_OF = """async (view, [kind, count]) => {
  const told = [];
  const zoom = view.state.zoom;
  let last = 0;
  for (let i = 0; i < count + 1; i++) {
    const begun = await new Promise((done) => {
      let start = 0;
      requestAnimationFrame(() => (start = performance.now()));
      const stop = view.on("frame", () => {
        stop();
        done([start, performance.now()]);
      });
      if (kind === "pan") view.camera.pan(i % 40 < 20 ? 9 : -9, i % 60 < 30 ? 5 : -5);
      else view.camera.zoomBy(i % 60 < 30 ? 1.06 : 1 / 1.06);
      view.redraw();
    });
    if (i) told.push([begun[0] - last, begun[1] - begun[0]]);
    last = begun[0];
  }
  view.state.set({ zoom });
  return told;
}"""

#: Blocks a place, waits for the frame that shows it, and opens the place again.
EDIT = """async (view, at) => {
  const drawn = () => new Promise((done) => {
    const stop = view.on("frame", () => { stop(); done(performance.now()); });
    view.redraw();
  });
  await drawn();
  const begun = performance.now();
  view.edits.make("a wall", (now) => now.block(at));
  const shown = (await drawn()) - begun;
  view.edits.undo();
  await drawn();
  return shown;
}"""

#: Shows the distances toward a place for the first time.
FIELD = """async (view, goal) => {
  const begun = performance.now();
  view.state.set({ ground: "distances", goal: view.placeText(goal) });
  const end = await new Promise((done) => {
    const stop = view.on("frame", () => { stop(); done(performance.now()); });
    view.redraw();
  });
  view.state.set({ ground: "terrain", goal: "" });
  return end - begun;
}"""

ANSWERS = """(view, pairs) => pairs.map(([from, to]) => view.nav.nextHop(from, to))"""


def run(bench: Bench, section: Section) -> None:
    """Open each level from disk in a browser without a window, and measure inside the page."""
    program = chromium()
    if program is None:
        raise Skip("no Chromium is here")
    names = bench.choose(section, MAPS, QUICK)
    assets = [_keep(bench), *(bench.baked(name).asset for name in names)]
    rows, worst = [], 0.0
    with launched(program) as browser:
        for asset in assets:
            bench.tell(f"looking at {asset.stem}")
            found = measured(bench, browser, asset)
            rows.append(row(found))
            worst = max(worst, *(_share([each[0] for each in found[kind]], 0.5) for kind in MOVES))
    section.text(
        "A page of one file, opened from disk in Chromium without a window and without a graphics "
        "processor, on a canvas of 900 x 840 pixels. Loading ends with the first frame. Then the "
        f"whole level is moved and zoomed by a few pixels a frame, {FRAMES} frames each: the "
        "median and the 95th percentile of the time between two frames, of which a screen has 60 "
        "a second, and the 95th percentile of what the page's own drawing takes of it. A wall is "
        "drawn and the next frame waited for; distances toward a place are shown for the first "
        f"time. {PAIRS} next hops are compared with those of Python first."
    )
    columns = ("level", "cells", "page", "load", "pan", "zoom", "drawing", "a wall", "distances")
    section.table(columns, rows)
    section.at_most("between two frames, the slowest level", worst, 17, "ms", 1)


MOVES = ("pan", "zoom")


def _keep(bench: Bench) -> Path:
    folder = bench.scratch / "viewer"
    source = ROOT / "levels_src" / "keep.png"
    command = [sys.executable, "-m", "bake", "build", str(source), "-q", "-o", str(folder)]
    subprocess.run(command, check=True)
    return folder / "keep.h5"


def measured(bench: Bench, browser: Any, asset: Path) -> dict[str, Any]:
    """Measure one level, after its answers were compared."""
    page = bench.scratch / f"{asset.stem}.html"
    page.write_text(page_html([shown_level(asset)]), "utf-8")
    context = browser.new_context(viewport={"width": 1240, "height": 840})
    tab = BrowserPage(context.new_page())
    tab.page.add_init_script(FIRST_FRAME)
    tab.open_file(page)
    found: dict[str, Any] = {"name": asset.stem, "bytes": page.stat().st_size}
    found["load"] = tab.page.evaluate("globalThis.firstFrame")
    with open_asset(asset) as level:
        reader = Reader(level)
        rng = random.Random(1)
        pairs = [rng.choices(reader.standing, k=2) for _ in range(PAIRS)]
        right = [reader.hop(*pair) for pair in pairs]
        assert tab.ask(ANSWERS, pairs) == right, f"{asset.stem}: a next hop is another one"
        found["cells"] = len(reader.standing)
    for kind in MOVES:
        tab.ask(FRAMES_OF, [kind, 10])
        found[kind] = tab.ask(FRAMES_OF, [kind, FRAMES])
    found["edit"] = sorted(tab.ask(EDIT, at) for at, _ in pairs[:5])[2]
    found["field"] = sorted(tab.ask(FIELD, goal) for _, goal in pairs[:5])[2]
    assert not tab.complaints, tab.complaints
    context.close()
    return found


def row(found: dict[str, Any]) -> Sequence[str]:
    """Return the measurements as a row of the table."""
    moves = []
    for kind in MOVES:
        between = [each[0] for each in found[kind]]
        moves.append(f"{_share(between, 0.5):.1f}, {_share(between, 0.95):.1f} ms")
    drawing = [each[1] for kind in MOVES for each in found[kind]]
    return (
        found["name"],
        f"{found['cells']:,}",
        f"{found['bytes'] / 1024:,.0f} KiB",
        f"{found['load']:,.0f} ms",
        *moves,
        f"{_share(drawing, 0.95):.1f} ms",
        f"{found['edit']:,.0f} ms",
        f"{found['field']:,.0f} ms",
    )


def _share(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
