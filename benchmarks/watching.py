"""Time `bake watch --view` from the save of a level to the new picture."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks import child
from benchmarks.bench import Bench, Skip
from benchmarks.levels import small_level
from benchmarks.section import Section
from levelbake.file import LEVEL, FlatFile

#: A level of about 5,000 walkable cells.
SIZE = 80

#: Seconds after which a change counts as lost.
PATIENCE = 60.0

_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")

#: Records the time of the next level's first frame in milliseconds since 1970.
_NOTE = """() => {
  const before = bakeView.level;
  globalThis.drawnAt = 0;
  const stop = bakeView.on("frame", () => {
    if (bakeView.level === before) return;
    globalThis.drawnAt = Date.now();
    stop();
  });
}"""


def run(bench: Bench, section: Section) -> None:
    """Measure repeated saves of a level, each with one cell more or less."""
    command = child.bake_command()
    if command is None:
        raise Skip("the bake command is not installed")
    source = bench.scratch / "watched" / "levels_src" / "hall.map"
    source.parent.mkdir(parents=True)
    text = small_level(SIZE)
    at = text.index("..", text.index("map\n") + SIZE * SIZE // 2)
    drawn = (text, text[:at] + "@" + text[at + 1 :])
    nodes = [each.count(".") for each in (each.partition("map\n")[2] for each in drawn)]
    source.write_text(text, "utf-8")
    times = bench.either(21, 5)
    with _watching(command, source.parents[1]) as address:
        got = _measured(
            source, drawn, range(1, times + 1), lambda number: _flat(address, nodes[number % 2])
        )
        seen = _time_page(address, source, drawn, range(times + 1, 2 * times + 1))
    section.text(
        f"From the moment the level file is saved ({nodes[0]:,} cells one can stand on; one of "
        f"them is blocked or opened), by the wall clock; medians of {times - 1}, and the longest. "
        "The page is in Chromium, headless, at 1240 x 840 pixels; kernels are in the cache of "
        "compiled code."
    )
    rows = [("a program has the new flat file", f"{median(got):.3f}", f"{max(got):.3f}")]
    if seen is not None:
        rows.append(("the page has drawn it", f"{median(seen):.3f}", f"{max(seen):.3f}"))
    section.table(("until", "median, s", "longest, s"), rows)
    section.at_most("from save to the new picture", median(seen or got), 1, "s")


@contextmanager
def _watching(command: str, folder: Path) -> Iterator[str]:
    """Run `bake watch --view`, and yield the address of its page when the first bake is done."""
    process = subprocess.Popen(
        [command, "watch", "--view", "--no-browser"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env=child.environment(),
    )
    try:
        assert process.stdout is not None
        address = next(line.strip() for line in process.stdout if line.startswith("http://"))
        time.sleep(5)  # It loads compiled code behind.
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)


def _measured(
    source: Path, drawn: tuple[str, str], numbers: range, until: Callable[[int], float]
) -> list[float]:
    """Save two drawings in turns; return the seconds until each appears, except the first."""
    found = []
    for number in numbers:
        partial = source.with_suffix(".tmp")
        partial.write_text(drawn[number % 2], "utf-8")
        begun = time.time()
        partial.replace(source)
        found.append(until(number) - begun)
        time.sleep(0.3)
    return found[1:]


def _flat(address: str, nodes: int) -> float:
    """Fetch the flat file until it has a number of nodes; return the time then."""
    end = time.time() + PATIENCE
    with urllib.request.urlopen(address + "events") as stream:
        for line in stream:
            assert time.time() < end, "the change never came"
            if not line.startswith(b"data: "):
                continue
            for level in json.loads(line.removeprefix(b"data: "))["levels"]:
                with urllib.request.urlopen(address + level["flat"]) as answer:
                    data = answer.read()
                if _nodes(data) == nodes:
                    return time.time()
    raise AssertionError("the server has ended")


def _nodes(data: bytes) -> int:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "level.bake"
        file.write_bytes(data)
        return int(FlatFile(file).numbers[LEVEL]["nodes"])


def _time_page(
    address: str, source: Path, drawn: tuple[str, str], numbers: range
) -> list[float] | None:
    """Return the seconds until a page has drawn each change; None without a browser."""
    program = next(filter(None, map(shutil.which, _CHROMIUMS)), None)
    if program is None:
        return None
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1240, "height": 840})
        page.goto(address)
        while not page.evaluate("Boolean(globalThis.bakeView?.level)"):
            time.sleep(0.05)
        page.evaluate(_NOTE)

        def until(number: int) -> float:
            end = time.time() + PATIENCE
            while not (at := page.evaluate("globalThis.drawnAt")):
                assert time.time() < end, "the change was never drawn"
                time.sleep(0.01)
            page.evaluate(_NOTE)
            return float(at) / 1000

        found = _measured(source, drawn, numbers, until)
        browser.close()
    return found
