"""Builds on clusters of real Dask processes, schedulers and workers, some of which end early."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest

from bake.baking import Outcome, Task, build, find_tasks
from bake.core.errors import BudgetError
from bake.project.recipe import load_recipe
from bake.search.all_pairs.batch import LANES
from bake.tables import run_writer
from bake.tables.range_search import RangeJob, RunBudget, SharedSearch
from bake.tables.run_writer import target_ranges
from levelbake.errors import BakeError
from tests.support import forked
from tests.support.baked import rows, write_graph, write_grid
from tests.support.command import BLOCKER, HEAVY, PYTHON_PATH, quiet_environment, wait_until_gone
from tests.support.compare import subgraph
from tests.support.projects import silent

pytest.importorskip("distributed", reason="Dask is an extra")

import distributed

from bake.extras.cluster import scheduler
from bake.extras.cluster import tasks as cluster_tasks

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")

#: Rows in a range; the project's own number would need levels of thousands of cells.
ROWS = 512

#: How a process of a cluster begins that cannot load the project.
WITHOUT = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "bake":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refuse())
for name in [name for name in sys.modules if name.partition(".")[0] == "bake"]:
    del sys.modules[name]
"""

#: How one begins that has another version.
PRETEND = """
from bake.extras.cluster import tasks
tasks.__version__ = "9.9.9"
"""


def marking(folder: Path, pause: float) -> str:
    """How one begins whose batches leave a mark of their process, and may be slow."""
    return f"""
import os, time
from pathlib import Path
from bake.tables.run_writer import RunWriter

marks = Path({str(folder)!r})

def slowly(self, start, stop, dist, take=RunWriter.take):  # Dask may run this twice.
    take(self, start, stop, dist)
    (marks / f"{{os.getpid()}}-{{start}}").touch()
    time.sleep({pause})

RunWriter.take = slowly
"""


class Machines:
    """A scheduler and its workers."""

    def __init__(self, folder: Path, before: str = "") -> None:
        self.folder = folder
        self.marks = folder / "marks"
        self.marks.mkdir(parents=True)
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.begin(
            "scheduler", "--port", "0", "--host", "127.0.0.1", before=before
        )
        self.address = ""
        while not self.address:
            if self.scheduler.poll() is not None:
                raise RuntimeError((folder / "scheduler-0.log").read_text()[-2000:])
            time.sleep(0.05)
            # It is there before it is written.
            with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
                self.address = json.loads(self.file.read_text())["address"]

    def begin(self, kind: str, *options: str, before: str) -> subprocess.Popen[bytes]:
        code = f"{before}\nfrom distributed.cli.dask_{kind} import main; main()"
        process = forked.Forked(
            [
                *(sys.executable, "-c", code, *options),
                *("--scheduler-file", str(self.file), "--no-dashboard"),
            ],
            env=forked.surroundings(),
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / f"{kind}-{len(self.processes)}.log").open("wb"),
            start_new_session=True,
            cwd=self.folder,
        )
        self.processes.append(process)
        return process

    def preloaded(self, pause: float) -> str:
        """A file that workers load who leave marks."""
        file = self.folder / "marking.py"
        file.write_text(marking(self.marks, pause))
        return str(file)

    def worker(
        self, *options: str, pause: float | None = None, before: str = ""
    ) -> subprocess.Popen[bytes]:
        if pause is not None:
            before += marking(self.marks, pause)
        kept = ["--nthreads", "1", "--local-directory", str(self.folder / "scratch")]
        return self.begin("worker", *kept, *(options or ["--no-nanny"]), before=before)

    def marked(self) -> set[int]:
        """Processes that have searched a batch."""
        return {int(mark.name.partition("-")[0]) for mark in self.marks.iterdir()}

    def wait_for_marks(self, count: int) -> set[int]:
        end = time.monotonic() + 120
        while len(found := self.marked()) < count:
            assert time.monotonic() < end, (self.folder / "worker-1.log").read_text()[-2000:]
            time.sleep(0.01)
        return found

    def wait_until_idle(self) -> None:
        """Wait until no worker has anything to do."""
        with distributed.Client(self.address) as client:
            while any(client.run(_tasks_held).values()):
                time.sleep(0.01)

    def close(self) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _tasks_held(dask_worker: Any) -> int:
    return len(dask_worker.state.tasks)


@pytest.fixture(scope="module", autouse=True)
def _short_ranges() -> Iterator[None]:
    """Small levels have several ranges, too. Only who submits them cuts them, no worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_writer, "RANGE_ROWS", ROWS)
        yield


@pytest.fixture(scope="module", autouse=True)
def _closed_to_the_end() -> Iterator[None]:
    """On a busy machine a second is too short, and what is half closed would go on for ever."""
    close = distributed.LocalCluster.close
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distributed.LocalCluster, "close", lambda own, timeout: close(own, 60))
        yield


@pytest.fixture(autouse=True)
def _same_environment() -> Iterator[None]:
    """Dask sets variables for workers it starts; with others, nothing could be forked."""
    with mock.patch.dict(os.environ):
        yield


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    found = Machines(tmp_path / "machines")
    try:
        yield found
    finally:
        found.close()


def write_levels(folder: Path) -> list[Task]:
    """A level of four ranges with two profiles, one of two ranges without, and two small ones."""
    sources = folder / "levels_src"
    sources.mkdir(parents=True)
    rng = random.Random(9)
    kinds = ("floor",) * 7 + ("mud", "wall")
    for name, side in (("plain", 52), ("yard", 36)):
        drawn = [[rng.choice(kinds) for _ in range(side)] for _ in range(side)]
        write_grid(sources / f"{name}.json", drawn)
    write_grid(sources / "keep.json", rows("..#.", "..#.", "...."))
    write_graph(sources / "roads.json", ["a", "b", "c"], [("a", "b", 1.5), ("b", "c", 2)])
    recipe = folder / "bake.toml"
    recipe.write_text(
        '[terrain]\nmud = 3\nwall = "blocked"\n'
        "[levels.plain.profiles.walker]\n"
        '[levels.plain.profiles.cart]\nterrain = { mud = "blocked" }\n'
    )
    return find_tasks(load_recipe(recipe), [], folder / "baked")


def baked(outcomes: list[Outcome]) -> dict[str, bytes]:
    for each in outcomes:
        assert each.status == "baked", each.error
    return {each.task.name: each.task.asset.read_bytes() for each in outcomes}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one process bakes."""
    tasks = write_levels(tmp_path_factory.mktemp("alone"))
    return baked(list(build(tasks, jobs=1, force=False, report=silent)))


def on(address: str, tasks: list[Task], jobs: int | None = None) -> list[Outcome]:
    return list(build(tasks, jobs=jobs, force=False, report=silent, cluster=address))


def nothing_left(tasks: list[Task], *, checkpoints: bool = False) -> bool:
    folder = tasks[0].asset.parent
    # A build that baked nothing removes the folder that it created.
    files = folder.iterdir() if folder.exists() else ()
    left = {file.name for file in files} - {task.asset.name for task in tasks}
    return all(checkpoints and name.endswith(".checkpoint") for name in left)


# -- the same bytes -------------------------------------------------------------------------------


def test_several_workers_bake_the_same_bytes(
    machines: Machines, expected: dict[str, bytes], tmp_path: Path
) -> None:
    for _ in range(3):
        machines.worker(pause=0)
    tasks = write_levels(tmp_path)
    told: dict[str, list[float]] = {}

    def report(level: str, stage: str, done: float) -> None:
        if stage == "next hops":
            told.setdefault(level, []).append(done)

    outcomes = list(build(tasks, jobs=None, force=False, report=report, cluster=machines.address))
    assert baked(outcomes) == expected
    assert nothing_left(tasks)
    assert told["plain"] == sorted(told["plain"])
    assert told["plain"][-1] == 1
    assert len(told["plain"]) >= 8
    assert os.getpid() not in machines.marked()


def test_a_cluster_of_its_own(
    expected: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    tasks = write_levels(tmp_path)
    assert baked(on("local", tasks, jobs=2)) == expected
    assert nothing_left(tasks)
    assert not list(temporary.iterdir())


def test_a_level_with_mistakes_does_not_stop_the_others(
    machines: Machines, expected: dict[str, bytes], tmp_path: Path
) -> None:
    machines.worker()
    tasks = write_levels(tmp_path)
    tasks[0].source.write_text("no level")
    bad, *good = sorted(on(machines.address, tasks), key=lambda each: each.task.name)
    assert bad.status == "failed"
    assert isinstance(bad.error, BakeError)
    assert bad.error.file == tasks[0].source
    assert baked(good) == {name: data for name, data in expected.items() if name != bad.task.name}


def test_what_a_worker_refuses_names_the_level(machines: Machines, tmp_path: Path) -> None:
    machines.worker()
    task = write_levels(tmp_path)[-1]
    task = replace(task, recipe=replace(task.recipe, memory_budget=3 * 2**19))
    here = list(build([task], jobs=1, force=False, report=silent))
    there = on(machines.address, [task])
    assert [str(each.error) for each in there] == [str(each.error) for each in here]
    assert isinstance(there[0].error, BudgetError)
    assert "leave tables out" in str(there[0].error)


# -- machines that are lost -----------------------------------------------------------------------


@POSIX
def test_what_a_killed_worker_had_is_done_again(
    machines: Machines, expected: dict[str, bytes], tmp_path: Path
) -> None:
    workers = [machines.worker(pause=0.05) for _ in range(2)]
    tasks = write_levels(tmp_path)

    def kill() -> None:
        machines.wait_for_marks(2)
        workers[0].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    assert baked(on(machines.address, tasks)) == expected
    killer.join()
    assert workers[0].poll() is not None
    assert nothing_left(tasks)


@POSIX
def test_the_only_worker_is_started_again_and_sent_everything_again(
    machines: Machines, expected: dict[str, bytes], tmp_path: Path
) -> None:
    machines.worker("--nanny", "--preload", machines.preloaded(0.05))
    tasks = write_levels(tmp_path)
    killed: list[int] = []

    def kill() -> None:
        killed.extend(machines.wait_for_marks(1))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    assert baked(on(machines.address, tasks)) == expected
    killer.join()
    assert machines.marked() > set(killed)


@POSIX
def test_a_scheduler_that_dies_leaves_nothing_behind(machines: Machines, tmp_path: Path) -> None:
    machines.worker(pause=0.05)
    tasks = write_levels(tmp_path)

    def kill() -> None:
        machines.wait_for_marks(1)
        machines.scheduler.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    outcomes = on(machines.address, tasks)
    killer.join()
    failed = [each for each in outcomes if each.status == "failed"]
    assert failed
    for each in failed:
        assert f"{machines.address} is gone" in str(each.error)
        assert not each.task.asset.exists()
    assert nothing_left(tasks)


@POSIX
def test_workers_that_do_not_come_back(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build does not wait for ever."""
    worker = machines.worker(pause=0.05)
    tasks = write_levels(tmp_path)[1:2]

    def kill() -> None:
        machines.wait_for_marks(1)
        monkeypatch.setattr(scheduler, "WORKER_SECONDS", 1.0)
        monkeypatch.setattr(scheduler, "COUNT_SECONDS", 0.2)
        worker.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    (outcome,) = on(machines.address, tasks)
    killer.join()
    assert f"scheduler at {machines.address} are gone" in str(outcome.error)
    assert nothing_left(tasks)


@POSIX
@pytest.mark.parametrize("local", [False, True])
def test_an_interrupt_leaves_a_checkpoint_and_no_work(
    local: bool, machines: Machines, expected: dict[str, bytes], tmp_path: Path
) -> None:
    if not local:
        machines.worker(pause=0.1)
    tasks = write_levels(tmp_path)
    code = f"from bake.tables import run_writer as r; r.RANGE_ROWS = {ROWS}; {forked.BAKE[2]}"
    if local:
        settings = {"distributed.worker.preload": [machines.preloaded(0.1)]}
        code = f"import dask; dask.config.set({settings}); {code}"
    variables = {"BAKE_CHECKPOINT_SECONDS": "0", "TMPDIR": str(tmp_path)}
    build = forked.Forked(
        [
            *(sys.executable, "-c", code, "build"),
            *("--cluster", "local" if local else machines.address, "--jobs", "1"),
        ],
        cwd=tmp_path,
        env=forked.surroundings(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    state = tasks[1].asset.with_name(f".{tasks[1].asset.name}.checkpoint")
    while not list(state.glob("*.range")):
        assert build.poll() is None, build.communicate()
        time.sleep(0.01)
    os.killpg(build.pid, signal.SIGINT)
    _, err = build.communicate(timeout=60)
    assert build.returncode == 130, err
    assert err.splitlines()[-1] == "interrupted; what was finished is kept"
    assert "Traceback" not in err
    wait_until_gone(build.pid)
    assert nothing_left(tasks, checkpoints=True)
    if not local:
        machines.wait_until_idle()
        # The first profile has four ranges: the last of them was not searched for nobody.
        assert len(list(machines.marks.iterdir())) <= 3 * ROWS // LANES
    assert not list(tmp_path.glob("levelbake-*"))
    outcomes = list(run_here(tasks))
    assert any(each.baked is not None and each.baked.taken_up > 0 for each in outcomes)
    assert {each.task.name: each.task.asset.read_bytes() for each in outcomes} == expected


def run_here(tasks: list[Task]) -> Iterator[Outcome]:
    return build(tasks, jobs=1, force=False, report=silent)


# -- clusters that are refused --------------------------------------------------------------------


def test_other_versions_are_refused(machines: Machines, tmp_path: Path) -> None:
    machines.worker(before=PRETEND)
    tasks = write_levels(tmp_path)
    with pytest.raises(BakeError) as caught:
        on(machines.address, tasks)
    assert "the worker tcp://" in str(caught.value)
    assert "levelbake: 9.9.9; expected 0.1.0" in str(caught.value)
    assert nothing_left(tasks)


@pytest.mark.parametrize("which", ["scheduler", "worker"])
def test_machines_without_bake_are_refused(which: str, tmp_path: Path) -> None:
    machines = Machines(tmp_path / "machines", WITHOUT if which == "scheduler" else "")
    try:
        machines.worker(before=WITHOUT if which == "worker" else "")
        with pytest.raises(BakeError) as caught:
            on(machines.address, write_levels(tmp_path))
    finally:
        machines.close()
    assert f"the {which} " in str(caught.value)
    assert "levelbake: none; expected 0.1.0" in str(caught.value)


def test_a_worker_that_comes_later_is_refused_as_well(machines: Machines, tmp_path: Path) -> None:
    machines.worker(pause=0.05)
    tasks = write_levels(tmp_path)

    def join() -> None:
        machines.wait_for_marks(1)
        machines.worker(before=PRETEND)

    joiner = threading.Thread(target=join)
    joiner.start()
    outcomes = on(machines.address, tasks)
    joiner.join()
    for each in outcomes:
        if each.status == "failed":
            assert "another version of levelbake" in str(each.error)


@pytest.mark.parametrize("name", list(cluster_tasks.versions()))
@pytest.mark.parametrize("other", ["0", None])
def test_every_version_counts(name: str, other: str | None) -> None:
    mine = cluster_tasks.versions()
    theirs = {key: value for key, value in mine.items() if key != name}
    if other is not None:
        theirs[name] = other
    with pytest.raises(BakeError) as caught:
        cluster_tasks.check_versions(mine, theirs, "the worker w")
    assert f"version of {name}: {other or 'none'}" in str(caught.value)
    cluster_tasks.check_versions(mine, dict(mine), "the worker w")


@pytest.mark.parametrize("address", ["nonsense", "foo://x:1", "tcp://127.0.0.1:1", ""])
def test_addresses_where_nobody_answers(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "CONNECT_SECONDS", 0.5)
    with pytest.raises(BakeError) as caught:
        on(address, write_levels(tmp_path))
    assert f"answers at {address!r}" in str(caught.value)
    assert "`dask scheduler`" in str(caught.value)


def test_a_scheduler_without_workers(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "WORKER_SECONDS", 0.5)
    with pytest.raises(BakeError) as caught:
        on(machines.address, write_levels(tmp_path))
    assert f"{machines.address} has no workers" in str(caught.value)


def test_without_dask(tmp_path: Path) -> None:
    """A build with --cluster ends with one line; any other build works."""
    write_levels(tmp_path)
    code = BLOCKER.replace(repr(HEAVY), "('dask', 'distributed')")
    code += "\nfrom bake.cli import main; main()"
    for options, status in ((["--cluster", "local"], 1), ([], 0)):
        done = subprocess.run(
            [sys.executable, "-c", code, "build", "levels_src/keep.json", *options],
            cwd=tmp_path,
            env={**quiet_environment(), "PYTHONPATH": PYTHON_PATH},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        if status:
            (line,) = done.stderr.splitlines()
            assert "--cluster" in line
            assert 'pip install "levelbake[cluster]"' in line


# -- what runs on workers -------------------------------------------------------------------------


def worker_of(memory: int | None) -> Any:
    """What Dask knows of a worker."""
    return SimpleNamespace(address="w", memory_manager=SimpleNamespace(memory_limit=memory))


def test_a_worker_with_too_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 4 * LANES
    sub = subgraph(n, [(a, a + 1, 1) for a in range(n - 1)])

    def search(memory: int, own: int | None) -> object:
        monkeypatch.setattr(cluster_tasks, "_worker", lambda: worker_of(own))
        shared = SharedSearch(RangeJob(sub, None, True), RunBudget(10**6, memory, 24))
        return cluster_tasks.search_task(shared, (0, n))

    assert search(2**30, None)
    for budget, own in ((2**18, None), (2**30, 2**18)):
        with pytest.raises(BudgetError) as caught:
            search(budget, own)
        assert "worker w" in str(caught.value)


def test_a_worker_finds_what_a_thread_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """And keeps to the budget of runs by itself, as it knows of no other range."""
    n = 2 * LANES
    rng = random.Random(1)
    sub = subgraph(n, [(rng.randrange(n), rng.randrange(n), 1) for _ in range(4 * n)])
    here = SharedSearch(RangeJob(sub, None, True), RunBudget(10**6, 2**30, 24))
    there = pickle.loads(pickle.dumps(here))
    monkeypatch.setattr(cluster_tasks, "_worker", lambda: worker_of(None))
    one, other = here.runs_of((0, n)), cluster_tasks.search_task(there, (0, n))
    assert one.run_count == other.run_count > n
    for mine, theirs in zip(one[2:5], other[2:5], strict=True):
        assert np.array_equal(mine, theirs)
    assert len(other.ended) == 1
    for mine, theirs in zip(zip(*one.ended, strict=True), other.ended[0], strict=True):
        assert np.array_equal(np.concatenate(mine), theirs)
    few = SharedSearch(here.job, RunBudget(n, 2**30, 24))
    with pytest.raises(BudgetError, match="do not compress"):
        cluster_tasks.search_task(few, (0, n))


def test_tasks_of_a_worker_begin_while_there_is_room() -> None:
    pool, used, most = cluster_tasks.MemoryPool(), [0], [0]
    lock = threading.Lock()

    def work(needed: int) -> None:
        with pool.reserve(needed, 10):
            with lock:
                used[0] += needed
                most[0] = max(most[0], used[0])
            time.sleep(0.002)
            with lock:
                used[0] -= needed

    threads = [threading.Thread(target=work, args=(1 + each % 5,)) for each in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert 5 < most[0] <= 10
    with pool.reserve(100, 10):  # One alone may always begin.
        pass


def test_levels_of_the_tests_have_ranges() -> None:
    assert len(target_ranges(52 * 52 * 8 // 9)) == 4
    assert len(target_ranges(36 * 36 * 8 // 9)) == 2
