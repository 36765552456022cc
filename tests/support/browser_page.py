"""The viewer's page in a browser, as a person uses it."""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bake.show.viewer.bundle import page_html
from tests.support.page_view import shown_once
from tests.support.readers import runs

#: The color of each node in the middle of its cell, three numbers each.
PIXELS = """({ camera, canvas, plane }, nodes) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return nodes.map((at) => {
    const [x, y] = camera.toScreen(plane.x(at), plane.y(at));
    const i = 4 * (Math.floor(y) * canvas.width + Math.floor(x));
    return [data[i], data[i + 1], data[i + 2]];
  });
}"""

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """The path of a Chromium that runs."""
    return next(filter(runs, filter(None, map(shutil.which, CHROMIUMS))), None)


@contextmanager
def launched(program: str) -> Iterator[Any]:
    """Run a browser without a window."""
    from playwright.sync_api import sync_playwright

    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"] if root else []
        )
        yield browser
        browser.close()


@functools.cache
def page_file(folder: Path, source: str) -> Path:
    """Write a page that opens from disk and shows a level, once for each folder."""
    path = folder / f"{Path(source).stem}.html"
    path.write_text(page_html([shown_once(source)]), "utf-8")
    return path


class BrowserPage:
    """The viewer's page in a browser.

    Attributes:
        page: what playwright calls a page.
        complaints: errors of the page, and addresses outside of it that it asked for.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        self._home = "file:"
        self._heard = {
            "pageerror": lambda error: self.complaints.append(str(error)),
            "console": self._listen,
            "request": self._look,
        }
        for event, heard in self._heard.items():
            page.on(event, heard)

    def leave(self) -> None:
        """Leave the tab to others, empty: to open another one takes as long as a page does."""
        self.page.goto("about:blank")
        for event, heard in self._heard.items():
            self.page.remove_listener(event, heard)

    def _listen(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def _look(self, request: Any) -> None:
        if not request.url.startswith((self._home, "blob:", "data:")):
            self.complaints.append(request.url)

    def open_file(self, path: Path, address: str = "") -> None:
        self.open_url(path.as_uri() + address, path.as_uri())

    def open_url(self, url: str, home: str) -> None:
        self._home = home
        self.page.goto(url)
        self.until("() => Boolean(globalThis.bakeView?.level && bakeView.frames > 0)")

    def ask(self, script: str, argument: Any = None) -> Any:
        """Run a function in the page that is given the view and one argument."""
        # As text, since playwright takes long over each part of a large value.
        wrapped = f"""async (given) =>
            JSON.stringify((await ({script})(bakeView, JSON.parse(given))) ?? null)"""
        return json.loads(self.page.evaluate(wrapped, json.dumps(argument)))

    def until(self, script: str, seconds: float = 20) -> None:
        """Wait until a function without arguments says that something is so."""
        # The page forbids itself eval, by which playwright would wait.
        waiting = f"""(patience) => new Promise((done) => {{
            const end = performance.now() + patience;
            const look = () => {{
              if (({script})()) done(true);
              else if (performance.now() > end) done(false);
              else setTimeout(look, 10);
            }};
            look();
        }})"""
        assert self.page.evaluate(waiting, 1000 * seconds), f"this never came: {script}"

    def frame(self) -> None:
        """Wait until the page has drawn what it was last told."""
        self.ask(
            """(view) => new Promise((done) => {
                 const stop = view.on("frame", () => { stop(); done(); });
                 view.redraw();
               })"""
        )

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    def open_section(self, name: str) -> Any:
        """Open a tab or a section of the panel, and return it."""
        tab = self.page.get_by_role("tab", name=name, exact=True)
        if tab.count():
            tab.click()
            return self.page.get_by_role("tabpanel", name=name, exact=True)
        button = self.button(name)
        if button.get_attribute("aria-expanded") == "false":
            button.click()
        return self.page.get_by_role("region", name=name, exact=True)

    def spot(self, at: int) -> tuple[float, float]:
        """Where a place lies on the screen, in pixels."""
        x, y = self.ask(
            """(view, at) => {
                 const { left, top } = view.canvas.getBoundingClientRect();
                 const [x, y] = view.camera.toScreen(view.plane.x(at), view.plane.y(at));
                 return [x + left, y + top];
               }""",
            at,
        )
        return x, y

    def point_at(self, at: int) -> None:
        self.page.mouse.move(*self.spot(at))

    def draw(self, *places: int) -> None:
        """Press the mouse on the first of some places, and lead it over the others."""
        self.point_at(places[0])
        self.page.mouse.down()
        for at in places[1:]:
            self.point_at(at)
        self.page.mouse.up()
        self.frame()

    def here(self) -> dict[str, str]:
        """What the section "Here" says of the place that is pointed at."""
        return dict(
            self.page.evaluate(
                """() => [...document.querySelectorAll("#section-here dt")].map(
                     (name) => [name.textContent, name.nextElementSibling.textContent])"""
            )
        )

    def pixels(self, nodes: list[int]) -> list[list[int]]:
        """The color of each of some nodes on the map."""
        self.frame()
        colors: list[list[int]] = self.ask(PIXELS, nodes)
        return colors
