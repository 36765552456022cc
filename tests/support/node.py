"""Programs that Node runs once, for all that tests ask of modules of the viewer's page."""

from __future__ import annotations

import atexit
import functools
import json
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.readers import tool

#: Seconds after which a program is taken for one that never ends; machines of tests are busy.
PATIENCE = 120.0


@functools.cache
def _program(script: Path) -> subprocess.Popen[str]:
    """A program that reads lines of JSON, and prints "done" when it has done what one says."""
    program = subprocess.Popen(
        [tool("node"), str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    atexit.register(_end, program)
    return program


def _end(program: subprocess.Popen[str]) -> None:
    program.kill()
    program.wait()


def ask_node(script: Path, **files: bytes | Path) -> Any:
    """Hand a program some files by their names, and return what it writes into `answers`.

    A program that fails is told of with all that it printed; the next one asks another.
    """
    program = _program(script)
    assert program.stdin is not None
    assert program.stdout is not None
    with tempfile.TemporaryDirectory() as name:
        paths: Mapping[str, Path] = {file: Path(name) / file for file in (*files, "answers")}
        for file, content in files.items():
            if isinstance(content, Path):
                paths[file].symlink_to(content)
            else:
                paths[file].write_bytes(content)
        watch = threading.Timer(PATIENCE, program.kill)
        watch.start()
        program.stdin.write(json.dumps({file: str(path) for file, path in paths.items()}) + "\n")
        program.stdin.flush()
        said = program.stdout.readline()
        watch.cancel()
        if said != "done\n":
            _program.cache_clear()
            program.stdin.close()
            raise AssertionError(said + program.stdout.read()[:3000])
        return json.loads(paths["answers"].read_text("utf-8"))
