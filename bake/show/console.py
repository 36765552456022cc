"""Print progress to standard error and tables to standard output."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from levelbake.errors import printable

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.progress import TaskID
    from rich.text import Text

Style = Literal["bars", "lines", "silent"]

#: The width of output that is not a terminal, longer than any row.
_NO_WIDTH = 2**31

#: Seconds between two progress lines about one level.
HEARTBEAT = 10.0


def style_for(*, silent: bool) -> Style:
    """Return "bars" on a terminal, and "lines" for a log."""
    if silent:
        return "silent"
    return "bars" if sys.stderr.isatty() else "lines"


@dataclass
class _Running:
    """The progress of one level: times of its start and last line, its stage and fraction done."""

    begun: float
    told: float
    stage: str = ""
    done: float = 0.0


class BuildProgress:
    """The progress of several levels, shown on standard error.

    On a terminal, each level has a bar. Otherwise each level has a line when it is finished, and a
    line every :data:`HEARTBEAT` seconds until then.
    """

    def __init__(self, style: Style, warnings: Callable[[], Iterable[str]] = tuple) -> None:
        """Create the display without showing anything.

        Args:
            style: how progress is shown.
            warnings: returns lines to print, in any style, when work on the first level begins.
        """
        self._style, self._warnings = style, warnings
        self._running: dict[str, _Running] = {}
        self._finished: set[str] = set()
        self._bars: dict[str, TaskID] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._progress = None
        if style == "bars":
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                Progress,
                TaskProgressColumn,
                TextColumn,
                TimeRemainingColumn,
            )

            self._progress = Progress(
                TextColumn("{task.fields[level]}", markup=False),  # any file name
                TextColumn("[dim]{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )

    def __enter__(self) -> BuildProgress:
        if self._progress is not None:
            self._progress.start()
        if self._style == "lines":
            threading.Thread(target=self._beat, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, level: str, stage: str, done: float) -> None:
        """Update a level's progress: its stage, and the fraction of the stage that is done."""
        with self._lock:
            if level in self._finished:  # Reports from workers may arrive late.
                return
            lines, self._warnings = self._warnings(), tuple
            for line in lines:
                _print_line(f"warning: {line}")
            now = time.monotonic()
            running = self._running.setdefault(level, _Running(now, now))
            changed = running.stage != stage
            running.stage, running.done = stage, done
            if self._progress is not None:
                if level not in self._bars:
                    shown = printable(level)
                    self._bars[level] = self._progress.add_task(stage, total=1.0, level=shown)
                if changed:
                    self._progress.reset(self._bars[level])
                self._progress.update(self._bars[level], description=stage, completed=done)

    def finished(self, level: str, told: str = "") -> None:
        """Remove a finished level from the display.

        Args:
            level: its name.
            told: the text of its line in a log; "" = no line.
        """
        with self._lock:
            self._finished.add(level)
            self._running.pop(level, None)
            if self._progress is not None and level in self._bars:
                self._progress.remove_task(self._bars.pop(level))
            if self._style == "lines" and told:
                _print_line(f"{level}: {told}")

    def _beat(self) -> None:
        while not self._over.wait(HEARTBEAT / 10):
            now = time.monotonic()
            with self._lock:
                for level, running in self._running.items():
                    if now - running.told >= HEARTBEAT:
                        running.told = now
                        done = f", {running.done:.0%}" if running.done else ""
                        seconds = f"{now - running.begun:.0f} s"
                        _print_line(f"{level}: {running.stage}{done} after {seconds}")


def _print_line(text: str) -> None:
    print(printable(text), file=sys.stderr, flush=True)


def shown(text: str) -> str:
    """Return text escaped for rich: without markup, and with escapes for control characters."""
    from rich.markup import escape

    return escape(printable(text))


def console() -> Console:
    """Return a console on standard output for tables.

    On a terminal, rows fold at its width. Otherwise each row is one line of any length, so that
    programs can read it.
    """
    from rich.console import Console

    output = Console(highlight=False)
    if not sys.stdout.isatty():  # With FORCE_COLOR, rich treats a pipe as a terminal.
        output.width = _NO_WIDTH
    return output


def print_table(
    output: Console,
    headings: Sequence[str],
    right: Iterable[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    pad_edge: bool = False,
) -> None:
    """Print a table without borders.

    Args:
        output: a console from :func:`console`.
        headings: the headings of the columns.
        right: headings of the right-aligned columns.
        rows: rich markup or text for each column; a row may end early.
        pad_edge: whether to add a space on either side of the table.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=pad_edge, header_style="bold")
    for heading in headings:
        is_number = heading in right  # Texts fold first where a terminal is narrow.
        justify: JustifyMethod = "right" if is_number else "left"
        table.add_column(heading, justify=justify, no_wrap=is_number, overflow="fold")
    for row in rows:
        table.add_row(*row)
    output.print(table)
