"""Running the command line: in this process for speed, in its own where that is the point."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import typer.main

from bake import cli

#: What a game does not ship with the reader.
HEAVY = ("numba", "typer", "PIL", "pydantic", "networkx", "scipy", "rich", "llvmlite", "click")

#: Begins a program that can import nothing of that.
BLOCKER = f"""
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HEAVY!r}:
            raise ImportError(name + " is not shipped")

sys.meta_path.insert(0, Refuse())
"""


@dataclass(frozen=True)
class Done:
    """What a command did: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        """The lines that tell mistakes, without their mark."""
        lines = self.err.splitlines()
        return [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]

    @property
    def data(self) -> Any:
        """Standard output as JSON; nothing else may be on it."""
        return json.loads(self.out)


#: To make all commands of their functions anew takes ten times as long as many a command.
_commands = functools.cache(typer.main.get_command)


def bake(*arguments: str | Path) -> Done:
    """Run `bake ARGUMENTS` here."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", ["bake", *map(str, arguments)]),
        mock.patch.object(typer.main, "get_command", _commands),
    ):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
    return Done(
        code if isinstance(code, int) else 0 if code is None else 1, out.getvalue(), err.getvalue()
    )


#: Where interpreters that tests start find the code that is tested, whatever is installed.
PYTHON_PATH = os.pathsep.join(
    str(Path(__file__).resolve().parents[2] / home) for home in (".", "readers/python")
)


def quiet_environment() -> dict[str, str]:
    """The environment, less what makes programs colour their output."""
    loud = {"FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLUMNS"}
    return {name: value for name, value in os.environ.items() if name not in loud}


def mistake(done: Done, *parts: str) -> str:
    """The one line a failed command told; it has each of ``parts`` in it."""
    assert done.code == 1, done
    (line,) = done.errors
    for part in parts:
        assert part in line, line
    assert "Traceback" not in done.err
    return line


def misuse(done: Done, *parts: str) -> str:
    """Return the last line of a command that was used wrongly; it has each of ``parts`` in it."""
    assert (done.code, done.out) == (2, ""), done
    line = done.err.splitlines()[-1]
    for part in ("error: ", *parts):
        assert part in line, line
    return line


def members(session: int) -> Iterator[int]:
    """Processes of a session that are still running."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                yield int(entry.name)


def wait_until_gone(session: int) -> None:
    """Wait until no process of a session runs any longer."""
    if not Path("/proc/self/stat").exists():
        return
    for _ in range(200):
        if not list(members(session)):
            return
        time.sleep(0.05)
    raise AssertionError("workers outlive the build that started them")


def walk_apart(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code in a Python of its own, which may crash or never come back."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=Path(__file__).resolve().parents[2],
    )
