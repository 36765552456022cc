"""This module writes progress to standard error and tables to standard output."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID
    from rich.text import Text

Style = Literal["bars", "lines", "silent"]


def style_for(*, json: bool) -> Style:
    """Choose bars where a person watches, lines in a log, and nothing where a program reads."""
    if json:
        return "silent"
    return "bars" if sys.stderr.isatty() else "lines"


class BuildProgress:
    """The progress of several levels at once, shown on standard error."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._stage: dict[str, str] = {}
        self._bars: dict[str, TaskID] = {}
        self._lock = threading.Lock()
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
        return self

    def __exit__(self, *error: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, level: str, stage: str, done: float) -> None:
        """Show a level's progress: its stage, and the fraction of the stage that is done."""
        with self._lock:
            changed = self._stage.get(level) != stage
            self._stage[level] = stage
            if self._progress is not None:
                if level not in self._bars:
                    self._bars[level] = self._progress.add_task(stage, total=1.0, level=level)
                if changed:
                    self._progress.reset(self._bars[level])
                self._progress.update(self._bars[level], description=stage, completed=done)
            elif self._style == "lines" and changed:
                print(f"{level}: {stage}", file=sys.stderr, flush=True)

    def finished(self, level: str) -> None:
        """Remove the bar of a level that is done."""
        with self._lock:
            if self._progress is not None and level in self._bars:
                self._progress.remove_task(self._bars.pop(level))


def console() -> Console:
    """Return standard output for tables.

    It is 100 columns wide where it is not a terminal, so that rows do not fold where
    nobody can widen the window.
    """
    from rich.console import Console

    output = Console(highlight=False)
    if not output.is_terminal:
        output.width = 100
    return output


def print_table(
    output: Console,
    headings: Sequence[str],
    right: Iterable[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    pad_edge: bool = False,
) -> None:
    """Print a table without lines.

    Args:
        output: a console from :func:`console`.
        headings: the headings of the columns.
        right: headings whose columns are set flush right.
        rows: rich markup or texts, column by column; a row may end early.
        pad_edge: leave a space on either side of the table.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=pad_edge, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left")
    for row in rows:
        table.add_row(*row)
    output.print(table)
