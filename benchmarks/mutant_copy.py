"""Run tests in a copy of the project in which one module at a time is mutated, compiled."""

from __future__ import annotations

import ast
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

#: The outcomes of a mutant; one that does not end is stopped, and also counts as noticed.
KILLED, SURVIVED, ENDLESS = "killed", "survived", "endless"

#: Files that the tests do not need.
_LEFT_OUT = shutil.ignore_patterns(
    *(".git", ".venv", "build", "__pycache__", ".*_cache", ".hypothesis", "*.h5")
)
_PYTEST = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0")
#: A mutant is stopped after this multiple of the time of unchanged tests, plus some seconds.
_PATIENCE = 3
_SLACK = 30


class Copy:
    """A copy of the project.

    Kernels are compiled anew for each change of one, as their cache goes by all of their sources.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self._root, self._folder, self._cache = root, folder / "copy", folder / "cache"
        shutil.copytree(root, self._folder, ignore=_LEFT_OUT)
        self._seconds = cache(self._unchanged)

    def outcome(self, module: Path, tree: ast.Module, files: tuple[str, ...]) -> str:
        """Return the outcome of test files with a module replaced by a mutant."""
        limit = _PATIENCE * self._seconds(files) + _SLACK
        here = self._folder / module.relative_to(self._root)
        source = here.read_text("utf-8")
        here.write_text(ast.unparse(tree), "utf-8")
        try:
            status = self._run(files, limit)
        finally:
            here.write_text(source, "utf-8")
        if status is None:
            return ENDLESS
        return SURVIVED if status == 0 else KILLED

    def _unchanged(self, files: tuple[str, ...]) -> float:
        """Return the seconds of the tests, including compilation.

        Raises:
            SystemExit: one fails.
        """
        shutil.rmtree(self._cache, ignore_errors=True)
        begun = time.perf_counter()
        if self._run(files, None) != 0:
            sys.exit(f"without a change, one of {', '.join(files)} fails")
        return time.perf_counter() - begun

    def _run(self, files: tuple[str, ...], limit: float | None) -> int | None:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                map(str, (self._folder, self._folder / "readers/python"))
            ),
            "BAKE_CACHE_DIR": str(self._cache),
            "NUMBA_DISABLE_JIT": "0",
        }
        with subprocess.Popen(
            [sys.executable, "-m", "pytest", *_PYTEST, *files],
            cwd=self._folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                return process.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return None
