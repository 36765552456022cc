"""A command that serves a page, in a process of its own, and requests to it."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import forked

#: Seconds after which something that should come is taken for lost; machines of tests are busy.
PATIENCE = 60.0


@dataclass(frozen=True)
class Answer:
    """What a server answered: the status, headers by name, and the content."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def get(address: str, method: str = "GET", **headers: str) -> Answer:
    """Send a request; underscores in names of headers are dashes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(address, headers=named, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return Answer(answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, dict(error.headers), error.read())


class Running:
    """A command that runs until it is interrupted; its lines come as they are printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: queue.Queue[str] = queue.Queue()
        self.errors: queue.Queue[str] = queue.Queue()
        for stream, lines in ((process.stdout, self.lines), (process.stderr, self.errors)):
            threading.Thread(target=_read, args=(stream, lines), daemon=True).start()

    def line(self) -> str:
        """The next line of standard output."""
        return self.lines.get(timeout=PATIENCE)

    def error(self) -> str:
        """The next line of standard error."""
        return self.errors.get(timeout=PATIENCE)

    def interrupt(self) -> int:
        """Send Ctrl-C, and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


def _read(stream: Any, lines: queue.Queue[str]) -> None:
    for line in stream:
        lines.put(line.rstrip("\n"))


@contextmanager
def running(*arguments: str | Path, cwd: Path, **variables: str) -> Iterator[Running]:
    """Run `bake ARGUMENTS` in a process of its own, and end it at last."""
    process = forked.Forked(
        [*forked.BAKE, *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=forked.surroundings(**variables),
    )
    try:
        yield Running(process)
    finally:
        process.kill()
        process.wait()


def states(address: str) -> Iterator[dict[str, Any]]:
    """Yield what a page hears of: the levels there are, and what is wrong."""
    with urllib.request.urlopen(address + "events", timeout=PATIENCE) as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        for line in stream:
            if line.startswith(b"data: "):
                yield json.loads(line.removeprefix(b"data: "))
