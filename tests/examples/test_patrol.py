"""The example in C, compiled and run as its README says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.support.pull_request import EXAMPLE, ROOT, Run
from tests.support.readers import tool


def test_patrol(run: Run, tmp_path: Path) -> None:
    compiler = tool("gcc", "clang", "cc")
    game = tmp_path / "game"
    shutil.copytree(EXAMPLE, game)
    assert run(game, "bake", "build", "levels/harbour.tmx").returncode == 0
    assert run(game, "bake", "export", "baked/harbour.h5", "-o", "harbour.bake").returncode == 0
    warnings = ("-std=c99", "-Wall", "-Wextra", "-Werror")
    include = f"-I{ROOT / 'readers' / 'c'}"
    done = run(game, compiler, *warnings, include, "patrol.c", "-o", "patrol")
    assert done.returncode == 0, done.stderr
    done = run(game, "./patrol", "harbour.bake")
    assert done.returncode == 0, done.stdout
    told = "".join(f"$ ./patrol harbour.bake\n{done.stdout}")
    assert told in (game / "README.md").read_text("utf-8")
    steps = re.search(r"made (\d+) steps", done.stdout)
    assert steps is not None
    assert int(steps[1]) > 100
    assert len((game / "patrol.c").read_text("utf-8").splitlines()) <= 62


def test_what_it_refuses(run: Run, tmp_path: Path) -> None:
    compiler = tool("gcc", "clang", "cc")
    include = f"-I{ROOT / 'readers' / 'c'}"
    program = tmp_path / "patrol"
    assert run(EXAMPLE, compiler, include, "patrol.c", "-o", str(program)).returncode == 0
    done = run(tmp_path, str(program), str(EXAMPLE / "README.md"))
    assert done.returncode == 1
    assert done.stdout.startswith("this is no level of bake")
