"""Builds that are killed, interrupted, or run twice at once: assets stay whole, nothing is left.

`BAKE_KILLS=100` in the environment for more of them.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bake.play import open_asset
from tests.support import forked
from tests.support.baked import write_grid
from tests.support.command import wait_until_gone

KILLS = int(os.environ.get("BAKE_KILLS", "4"))
INTERRUPTED = "interrupted; what was finished is kept\n"
NAMES = [f"level{number}" for number in range(4)]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    sources = folder / "levels_src"
    sources.mkdir(parents=True)
    rng = random.Random(1)
    for number, name in enumerate(NAMES):
        side = 16 + 3 * number
        drawn = [[rng.choice(("floor", "floor", "wall", "mud")) for _ in range(side)]] * side
        write_grid(sources / f"{name}.json", drawn)
    set_mud(folder, 3)
    return folder


def set_mud(project: Path, cost: int) -> None:
    (project / "bake.toml").write_text(
        f'tables = ["next_hops"]\n[terrain]\nmud = {cost}\nwall = "blocked"\n'
    )


def start(project: Path, *arguments: str) -> subprocess.Popen[str]:
    return start_code(forked.BAKE[2], "build", *arguments, folder=project)


def start_code(
    code: str,
    *arguments: str,
    folder: Path | None = None,
    how: type[subprocess.Popen[str]] = forked.Forked,
) -> subprocess.Popen[str]:
    """Run code in a session of its own."""
    return how(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(project: Path, *arguments: str) -> dict[str, bytes]:
    """A build that is left alone; the assets there are then, and nothing else."""
    process = start(project, *arguments)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, out + err
    found = {file.name: file.read_bytes() for file in (project / "baked").iterdir()}
    assert sorted(found) == [f"{name}.h5" for name in NAMES]
    return found


def wait_for_work(project: Path, process: subprocess.Popen[str]) -> None:
    """Until a first asset is being written."""
    while process.poll() is None:
        if any((project / "baked").glob(".*.tmp")):
            return
        time.sleep(0.001)


def test_killed_builds_leave_whole_assets_and_the_next_build_finishes(project: Path) -> None:
    """Old or new, never half; by turns the build alone is killed, and all of its processes."""
    whole = {}
    for cost, jobs in ((3, "1"), (5, "2")):
        set_mud(project, cost)
        begun = time.monotonic()
        whole[cost] = finish(project, "--jobs", jobs)
    longest = time.monotonic() - begun
    assert all(whole[3][name] != whole[5][name] for name in whole[3])
    rng = random.Random(4)
    caught = 0
    for kill in range(KILLS):
        cost = (3, 5)[kill % 2]
        set_mud(project, cost)
        process = start(project, "--jobs", "2")
        if kill % 4 < 2:
            time.sleep(rng.uniform(0, 1.1 * longest))
        else:
            wait_for_work(project, process)
            time.sleep(rng.uniform(0, 0.02))
        caught += process.poll() is None
        try:
            if rng.random() < 0.5:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        except ProcessLookupError:
            pass
        process.communicate()
        wait_until_gone(process.pid)
        for name in whole[3]:
            asset = project / "baked" / name
            assert asset.read_bytes() in (whole[3][name], whole[5][name])
            open_asset(asset).close()
        if kill % 4 == 3:
            assert finish(project, "--jobs", "1") == whole[cost]
    assert caught >= KILLS // 2
    assert finish(project) == whole[cost]


#: Holds every process of a build up where it calls a function.
STOP = """
import importlib, os, sys, time
from pathlib import Path

stopped, module, name = Path(sys.argv.pop()), sys.argv.pop(), sys.argv.pop()

def stop(*arguments, **options):
    (stopped / str(os.getpid())).touch()
    time.sleep(3600)

stop.__module__, stop.__qualname__ = module, name  # By which it is sent to workers.
setattr(importlib.import_module(module), name, stop)
"""


@pytest.mark.parametrize(
    ("jobs", "place"),
    [
        *(
            (jobs, f"bake.baking.level:{name}")
            for jobs in (1, 2)
            for name in ("read_level", "world_contents", "write_asset")
        ),
        (2, "bake.core.workers:_serve"),
    ],
)
def test_an_interrupt_ends_a_build_in_one_line(
    project: Path, tmp_path: Path, jobs: int, place: str
) -> None:
    """As a terminal sends it: to every process of the build, even workers that are starting."""
    stopped = tmp_path / "stopped"
    stopped.mkdir()
    module, _, name = place.partition(":")
    options = ("build", "--jobs", str(jobs), name, module, str(stopped))
    process = start_code(STOP + forked.BAKE[2], *options, folder=project)
    while len(list(stopped.iterdir())) < jobs:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    wait_until_gone(process.pid)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted; what was finished is kept"
    assert err.count("interrupted") == 1
    assert "Traceback" not in err, err
    assert not list((project / "baked").glob(".*"))


def test_an_interrupt_ends_a_command_that_does_not_listen() -> None:
    """Such as one whose main thread is inside a kernel."""
    code = (
        "import signal, time\n"
        # A shell that starts this in the background has interrupts ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from bake import cli\n"
        "def deaf(**options):\n"
        "    print('begun', flush=True)\n"
        "    while True:\n"
        "        try:\n"
        "            time.sleep(1)\n"
        "        except KeyboardInterrupt:\n"
        "            pass\n"
        "cli.app = deaf\n"
        "cli.main()\n"
    )
    process = start_code(code)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)  # into the loop
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == "interrupted; what was finished is kept\n"


def test_an_interrupt_that_nobody_can_catch_ends_a_worker_in_silence() -> None:
    """Python prints those that come into a finalizer or a callback, and goes on."""
    code = (
        "import os, signal, time\n"
        "from bake.core import workers\n"
        "workers.prepare_process()\n"
        "class Last:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        time.sleep(30)\n"
        "def attempt(task, report):\n"
        "    Last()\n"
        "    print('went on', flush=True)\n"
        "workers.run_task(attempt, None, None)\n"
    )
    done = start_code(code)
    out, err = done.communicate(timeout=120)
    assert (done.returncode, out, err) == (-signal.SIGTERM, "", "")


@pytest.mark.parametrize("moment", ["import", "command"])
def test_an_interrupt_that_a_library_takes_for_an_error(moment: str) -> None:
    """pydantic does that where it makes a model; and while modules are loaded there is no main."""
    module = {"import": "typer", "command": "bake.project.lint"}[moment]
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def interrupted():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        for _ in range(10**6): pass\n"
        "    except KeyboardInterrupt as error:\n"
        "        raise ValueError('no schema') from error\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            interrupted()\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from bake.cli import main\n"
        "sys.argv = ['bake', 'lint']\n"
        "main()\n"
    )
    done = start_code(code, how=subprocess.Popen)
    _, err = done.communicate(timeout=120)
    ended = {"import": (-signal.SIGINT, ""), "command": (130, INTERRUPTED)}[moment]
    assert (done.returncode, err) == ended


def test_two_builds_into_one_folder_at_once(project: Path) -> None:
    expected = finish(project, "--jobs", "1")
    both = [start(project, "--jobs", "2", "--force") for _ in range(2)]
    for process in both:
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    found = {file.name: file.read_bytes() for file in (project / "baked").iterdir()}
    assert found == expected


def test_a_clock_that_was_set_back(project: Path) -> None:
    """Times of files mean nothing, whatever they are."""
    expected = finish(project, "--jobs", "1")
    for file in [*(project / "levels_src").iterdir(), *(project / "baked").iterdir()]:
        os.utime(file, (2**33, 2**33))
    process = start(project)
    out, _ = process.communicate(timeout=300)
    assert out.splitlines()[-1].startswith(f"{len(NAMES)} fresh in ")
    set_mud(project, 9)
    assert finish(project, "--jobs", "1") != expected
