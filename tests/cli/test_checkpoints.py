"""Long builds that are killed or interrupted, and taken up by the next one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.baked import write_grid
from tests.support.command import wait_until_gone

NAMES = ("hall", "yard")
SIDE = 24

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")

#: Comes before a build: ranges are short, and what each process keeps the second time is the last
#: there is, or each takes a while, so that whatever comes to the build comes before its end.
HOOK = """
import sys, time
from bake.baking.ranges import RangeFolder
from bake.tables import run_writer

run_writer.RANGE_ROWS = 64
save, saved, how = RangeFolder.save, [], sys.argv.pop()

def slowly(self, runs):
    save(self, runs)
    saved.append(self)
    time.sleep(3600 if how == "stop" and len(saved) == 2 else 0.2)

if how != "whole":
    RangeFolder.save = slowly
"""


def write_project(folder: Path) -> Path:
    sources = folder / "project" / "levels_src"
    sources.mkdir(parents=True)
    rng = random.Random(1)
    kinds = ("floor",) * 5 + ("mud", "wall")
    for name in NAMES:
        drawn = [[rng.choice(kinds) for _ in range(SIDE)] for _ in range(SIDE)]
        write_grid(sources / f"{name}.json", drawn)
    recipe = folder / "project" / "bake.toml"
    recipe.write_text('tables = ["next_hops"]\n[terrain]\nwall = "blocked"\n')
    return recipe.parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a build that nothing happens to bakes."""
    found, out, err = finish(write_project(tmp_path_factory.mktemp("whole")), "1")
    assert "checkpoint" not in out + err
    return found


def start(project: Path, jobs: str, hook: str = "whole") -> subprocess.Popen[str]:
    python, option, build = forked.BAKE
    return forked.Forked(
        [python, option, HOOK + build, "build", "--jobs", jobs, hook],
        cwd=project,
        env=forked.surroundings(BAKE_CHECKPOINT_SECONDS="" if hook == "whole" else "0"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def states(project: Path) -> list[Path]:
    """The checkpoints that hold a range, whichever of its threads was the quickest."""
    return sorted({kept.parent for kept in (project / "baked").glob(".*.checkpoint/*.range")})


def wait_for_checkpoints(project: Path, process: subprocess.Popen[str], count: int) -> None:
    latest = time.monotonic() + 300
    while len(states(project)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < latest, "no checkpoint was kept"
        time.sleep(0.01)


def finish(project: Path, jobs: str) -> tuple[dict[str, bytes], str, str]:
    """A build that is left alone; the assets there are then, and nothing else; what it said."""
    process = start(project, jobs)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err
    found = {file.name: file.read_bytes() for file in (project / "baked").iterdir()}
    assert sorted(found) == [f"{name}.h5" for name in NAMES]
    return found, out, err


@pytest.mark.parametrize(("jobs", "all_of_it"), [("1", True), ("2", False)])
def test_a_killed_build_is_taken_up(
    jobs: str, all_of_it: bool, project: Path, expected: dict[str, bytes]
) -> None:
    process = start(project, jobs, "stop")
    wait_for_checkpoints(project, process, int(jobs))
    if all_of_it:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()
    wait_until_gone(process.pid)
    assert len(states(project)) == int(jobs)
    found, out, _ = finish(project, jobs)
    assert found == expected
    assert out.count("of the next hops taken up from a checkpoint") == int(jobs)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_build_is_taken_up(
    jobs: str, project: Path, expected: dict[str, bytes]
) -> None:
    process = start(project, jobs, "slow")
    wait_for_checkpoints(project, process, int(jobs))
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    wait_until_gone(process.pid)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted; what was finished is kept"
    assert "Traceback" not in err
    assert len(states(project)) == int(jobs)
    found, out, _ = finish(project, jobs)
    assert found == expected
    assert out.count("of the next hops taken up from a checkpoint") == int(jobs)
