"""Look at the viewer's page for the pictures of it in docs.

A crowd walks by a clock that is led by hand, so that the same page looks the same each time. Its
text is drawn in the fonts of the machine, so that pixels of two machines differ: what a picture was
taken of is told by a digest.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from bake.show.viewer.bundle import page_html, served_page_html
from bake.show.viewer.contents import ShownLevel
from tests.support.browser_page import BrowserPage, launched

#: The names of the pictures, in the order in which they are taken.
SHOWN = ("viewer", "viewer-crowd")

_SIZE = {"width": 1240, "height": 760}

#: Seconds in which 300 agents walk far enough to show where most of them pass.
_WALK = 10


def digest(level: ShownLevel) -> str:
    """Return a digest of all that the pictures show: the page, its level, and what is done."""
    # The page names the digest of its program, whose deflated bytes depend on the version of zlib.
    page = re.sub('(id="program">)[^<]*', r"\1", served_page_html([]))
    source = Path(__file__).read_text("utf-8")
    return hashlib.sha256(page.encode() + level.flat + source.encode()).hexdigest()


def look(program: str, level: ShownLevel, folder: Path) -> Iterator[Image.Image]:
    """Open a page with the keep in a browser, and return each of its pictures.

    Args:
        program: the path of a Chromium.
        level: the keep.
        folder: where the page may be written.
    """
    page = folder / "keep.html"
    page.write_text(page_html([level]), "utf-8")
    with launched(program) as browser:
        tab = BrowserPage(browser.new_page(viewport=_SIZE))
        tab.open_file(page, "#ground=distances&start=22,45&goal=43,25")
        tab.ask("(view) => view.hover(view.level.locationOf(30, 50))")
        tab.frame()
        yield _seen(tab)
        tab = BrowserPage(browser.new_page(viewport=_SIZE))
        clock = tab.page.clock
        clock.install(time=0)
        tab.open_file(page, "#ground=crowd-steps")
        clock.pause_at(60_000)
        tab.open_section("Crowd")
        tab.ask(
            """(view) => {
                 const at = (x, y) => view.level.locationOf(x, y);
                 const wall = Array.from({ length: 9 }, (_, i) => at(46 + i, 50));
                 view.edits.make("a wall", (now) => now.block(...wall));
               }"""
        )
        tab.button("Walk").click()
        clock.run_for(1000 * _WALK)
        tab.button("Stop").click()
        tab.ask("(view) => view.say('')")
        clock.run_for(500)
        yield _seen(tab)


def _seen(tab: BrowserPage) -> Image.Image:
    return Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")
