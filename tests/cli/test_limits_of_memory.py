"""A process that may not have the memory it needs says so in one line for each level."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bake import cli
from bake.core.kernels import jit
from tests.support import forked
from tests.support.baked import write_grid
from tests.support.command import bake

NUMBA = pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")

#: Begins a command in which the libraries of numba cannot be loaded.
BROKEN = """
import os, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "llvmlite":
            raise {error}
for name in [*sys.modules]:
    if name.partition(".")[0] in ("bake", "numba", "llvmlite"):
        del sys.modules[name]
sys.meta_path.insert(0, Refuse())
os.environ["BAKE_CACHE_DIR"] = os.path.abspath("cache")
from bake.baking import compiling
compiling.compile_ahead = lambda *given: ""  # Its processes would not be broken.
compiling.PLAIN_PAIRS = compiling.COLD_PAIRS = {pairs}
from bake.cli import main
sys.argv = ["bake", "build", "--jobs", "1"]
main()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "levels_src").mkdir()
    for name in ("one", "two"):
        write_grid(tmp_path / "levels_src" / f"{name}.json", [["floor"] * 6] * 6)
    return tmp_path


def built(project: Path, error: str, pairs: int = 1) -> subprocess.CompletedProcess[str]:
    code = BROKEN.format(error=error, pairs=pairs)
    return forked.run([sys.executable, "-c", code], cwd=project)


@NUMBA
@pytest.mark.parametrize(
    ("error", "word"), [("OSError('libllvm: cannot map')", "libllvm"), ("MemoryError", "MemoryErr")]
)
def test_libraries_that_cannot_be_loaded(error: str, word: str, project: Path) -> None:
    """Every level fails with the same line, also the one that finds a half of numba there."""
    done = built(project, error)
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(lines) == 2
    for name, line in zip(("one", "two"), lines, strict=True):
        assert f"{name}.json: numba" in line
        assert word in line
        assert "ulimit" in line
    assert not (project / "baked").exists()


@NUMBA
def test_small_levels_are_baked_all_the_same(project: Path) -> None:
    done = built(project, "OSError('libllvm: cannot map')", pairs=2**17)
    assert done.returncode == 0, done.stderr
    assert len(list((project / "baked").iterdir())) == 2


@pytest.mark.parametrize(
    ("error", "word"),
    [(MemoryError(), "memory"), (RuntimeError("can't start new thread"), "threads")],
)
def test_a_command_that_runs_out(
    error: Exception, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**options: object) -> None:
        raise error

    monkeypatch.setattr(cli, "app", fail)
    done = bake("lint")
    assert done.code == 1
    assert word in done.errors[0]


def test_other_errors_are_defects(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**options: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(RuntimeError, match="a defect"):
        bake("lint")
