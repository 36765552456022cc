"""Cold builds of many small levels: each ends with all assets, and prints nothing out of turn.

`BAKE_COLD_BUILDS=200` in the environment for more of them, as `make night` runs.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import forked

BUILDS = int(os.environ.get("BAKE_COLD_BUILDS", "1"))
LEVELS = 11


def mesh(seed: int) -> str:
    """A square of triangles in OBJ, less a few of them."""
    drawn, side = random.Random(seed), 5
    corners = [f"v {x} 0 {y}" for y in range(side + 1) for x in range(side + 1)]
    faces = []
    for y in range(side):
        for x in range(side):
            first = y * (side + 1) + x + 1
            below = first + side + 1
            halves = [f"f {first} {first + 1} {below + 1}", f"f {first} {below + 1} {below}"]
            faces += [half for half in halves if drawn.random() < 0.9]
    return "\n".join([*corners, "usemtl Walkable", *faces]) + "\n"


@pytest.mark.parametrize("number", range(BUILDS))
def test_a_cold_build_of_small_levels(number: int, tmp_path: Path) -> None:
    """In new interpreters, with an empty cache; a crash of one prints where it was."""
    (tmp_path / "levels_src").mkdir()
    for level in range(LEVELS):
        (tmp_path / "levels_src" / f"nav{level}.obj").write_text(mesh(number * LEVELS + level))
    (tmp_path / "bake.toml").write_text("[terrain]\nWalkable = 1\n")
    done = subprocess.run(
        [sys.executable, "-c", forked.BAKE[2], "build", "--jobs", "2"],
        cwd=tmp_path,
        env=forked.surroundings(BAKE_CACHE_DIR=str(tmp_path / "cache"), PYTHONFAULTHANDLER="1"),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    assert done.stderr.count(": baked, ") == LEVELS, done.stderr
    for word in ("Traceback", "Fatal", "leaked"):
        assert word not in done.stderr, done.stderr
    assets = sorted(file.name for file in (tmp_path / "baked").iterdir())
    assert assets == sorted(f"nav{level}.h5" for level in range(LEVELS))
