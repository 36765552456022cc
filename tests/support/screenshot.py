"""Make the pictures of the viewer's page in docs: `python -m tests.support.screenshot`.

The page is what people see, so its text is drawn in the fonts of the machine; the pictures are
looked at before they are kept.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image

from tests.support.browser_page import BrowserPage, chromium, launched, page_file
from tests.support.readers import ROOT

#: At most this many bytes each, as readers of the documents load them.
MOST = 200_000


def main() -> None:
    program = chromium()
    if program is None:
        raise SystemExit("error: no Chromium is here")
    with tempfile.TemporaryDirectory() as name, launched(program) as browser:
        folder = Path(name)
        context = browser.new_context(viewport={"width": 1240, "height": 760})
        tab = BrowserPage(context.new_page())
        tab.open_file(page_file(folder, "keep.png"), "#ground=distances&start=26,49&goal=48,30")
        for section in ("Level", "Tools", "Layers"):
            tab.button(section).click()
        tab.ask("(view) => view.hover(view.level.locationOf(30, 50))")
        keep(tab, "viewer.png")
        tab.page.reload()
        tab.until("() => Boolean(globalThis.bakeView?.frames > 0)")
        tab.ask("(view) => view.state.set({ start: '', goal: '' })")
        for section in ("Tools", "Colours", "Layers", "Here", "Ways"):
            tab.button(section).click()
        tab.open_section("Change")
        tab.open_section("Crowd")
        tab.ask(
            """(view) => {
                 const at = (x, y) => view.level.locationOf(x, y);
                 const wall = Array.from({ length: 9 }, (_, i) => at(46 + i, 50));
                 view.edits.make("a wall", (now) => now.block(...wall));
                 view.state.set({ ground: "crowd-steps" });
               }"""
        )
        tab.button("Walk").click()
        tab.until("() => bakeView.crowd()?.arrived > 120", seconds=60)
        tab.button("Stop").click()
        tab.ask("(view) => view.say('')")
        keep(tab, "viewer-crowd.png")


def keep(tab: BrowserPage, name: str) -> None:
    """Write what is seen, in as many colours as it takes to be small enough."""
    tab.frame()
    tab.page.wait_for_timeout(400)
    picture = Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")
    for colours in (256, 128, 64):
        data = io.BytesIO()
        picture.quantize(colours, dither=Image.Dither.NONE).save(data, "PNG", optimize=True)
        if len(data.getvalue()) <= MOST:
            break
    (ROOT / "docs" / name).write_bytes(data.getvalue())
    print(f"docs/{name}: {len(data.getvalue()):,} bytes in {colours} colours")


if __name__ == "__main__":
    main()
