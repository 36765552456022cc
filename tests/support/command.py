"""Running the command line: in this process for speed, in its own where that is the point."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from bake import cli


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


def bake(*arguments: str | Path) -> Done:
    """Run `bake ARGUMENTS` here."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "argv", ["bake", *map(str, arguments)]),
    ):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
    return Done(
        code if isinstance(code, int) else 0 if code is None else 1, out.getvalue(), err.getvalue()
    )


def quiet_environment() -> dict[str, str]:
    """The environment, less what makes programs colour their output."""
    loud = {"FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLUMNS"}
    return {name: value for name, value in os.environ.items() if name not in loud}


def bake_apart(*arguments: str | Path) -> Done:
    """Run `bake ARGUMENTS` in a process of its own."""
    code = "from bake.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=quiet_environment(),
    )
    return Done(done.returncode, done.stdout, done.stderr)


def mistake(done: Done, *parts: str) -> str:
    """The one line a failed command told; it has each of ``parts`` in it."""
    assert done.code == 1, done
    (line,) = done.errors
    for part in parts:
        assert part in line, line
    assert "Traceback" not in done.err
    return line
