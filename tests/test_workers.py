"""Worker processes: whatever ends one is reported with its task, and costs no other task."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from bake.baking import run
from bake.core import workers
from bake.core.workers import Lost, run_tasks, safe_import_path
from levelbake.errors import BakeError
from tests.support import forked
from tests.support.command import PYTHON_PATH

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")


def end(task: str, report: Any) -> str:
    """End this process, or raise, as a task names it."""
    if task == "memory":
        raise MemoryError
    if task == "defect":
        raise ZeroDivisionError("no number")
    if task == "odd":
        raise Unsendable(threading.Lock())
    if task.startswith("exit"):
        os._exit(int(task.removeprefix("exit")))
    if task.startswith("SIG"):
        os.kill(os.getpid(), getattr(signal, task))
        time.sleep(60)
    report(task, os.getpid())
    return task.upper()


def blocks_interrupts(task: str, report: Any) -> bool:
    """Whether this worker has been started with interrupts blocked."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


class Unsendable(Exception):
    """An exception that cannot be pickled."""


def nothing() -> None:
    """Prepare nothing."""


def fail_to_load() -> None:
    raise ImportError("libwhatever.so: cannot be mapped\nand more")


def exit_early() -> None:
    os._exit(5)


def results(
    tasks: list[str], count: int = 2, prepare: Any = nothing, report: Any = lambda *news: None
) -> dict[str, str | Lost]:
    found = dict(run_tasks(end, tasks, count, prepare=prepare, report=report))
    assert not multiprocessing.active_children()
    return found


@pytest.mark.parametrize(
    ("ending", "words", "killed"),
    [
        pytest.param("SIGKILL", "SIGKILL", True, marks=POSIX),
        pytest.param("SIGTERM", "SIGTERM", False, marks=POSIX),
        pytest.param("SIGSEGV", "SIGSEGV", False, marks=POSIX),
        pytest.param("SIGABRT", "SIGABRT", False, marks=POSIX),
        ("exit7", "status 7", False),
        ("exit0", "status 0", False),
        ("memory", "memory", True),
    ],
)
def test_the_end_of_a_worker_costs_its_own_task_alone(
    ending: str, words: str, killed: bool
) -> None:
    """Tasks that another worker has, and those that none has begun, are done all the same."""
    found = results(["a", ending, "b", "c"])
    lost = found.pop(ending)
    assert isinstance(lost, Lost)
    assert words in lost.cause
    assert lost.killed is killed
    assert found == {"a": "A", "b": "B", "c": "C"}


def test_every_worker_may_end() -> None:
    found = results([f"exit{code}" for code in range(3, 8)])
    assert {task: lost.cause for task, lost in found.items() if isinstance(lost, Lost)} == {
        f"exit{code}": f"ended with exit status {code}" for code in range(3, 8)
    }


def test_news_arrive_before_the_result_and_more_tasks_than_workers_are_done() -> None:
    news: list[tuple[object, ...]] = []
    tasks = [f"t{number}" for number in range(7)]
    stream = run_tasks(end, tasks, 3, prepare=nothing, report=lambda *told: news.append(told))
    for task, result in stream:
        assert result == task.upper()
        assert task in [name for name, _ in news]
    assert sorted(name for name, _ in news) == tasks
    assert 1 < len({pid for _, pid in news} | {os.getpid()}) <= 4
    assert os.getpid() not in {pid for _, pid in news}


def test_a_defect_is_raised_here_with_the_place_where_it_was() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        results(["defect"])
    assert "in end" in "".join(caught.value.__notes__)
    with pytest.raises(RuntimeError, match="Unsendable"):
        results(["odd"])
    assert not multiprocessing.active_children()


def test_workers_that_cannot_load_fail_every_task_in_one_line() -> None:
    found = results(["a", "b", "c"], prepare=fail_to_load)
    assert set(found) == {"a", "b", "c"}
    for lost in found.values():
        assert isinstance(lost, Lost)
        assert lost.cause.endswith("ImportError: libwhatever.so: cannot be mapped")


def test_workers_that_end_while_they_start() -> None:
    found = results(["a", "b", "c"], prepare=exit_early)
    assert set(found.values()) == {Lost("ended with exit status 5 while it started")}


def test_a_system_without_processes_to_spare(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    def start(*given: Any) -> Any:
        if started:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        started.append(1)
        return real(*given)

    real = workers._start_worker
    monkeypatch.setattr(workers, "_start_worker", start)
    assert results(["a", "b", "c"]) == {"a": "A", "b": "B", "c": "C"}
    lost = results(["a"])["a"]
    assert isinstance(lost, Lost)
    assert "Resource temporarily unavailable" in lost.cause


def test_workers_end_when_no_more_results_are_wanted() -> None:
    stream = run_tasks(end, ["a", "b", "c"], 2, prepare=nothing, report=lambda *news: None)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()


@POSIX
def test_interrupts_are_blocked_in_the_first_worker_as_in_the_next(tmp_path: Path) -> None:
    """In a process that has started no other yet: multiprocessing then starts one of its own."""
    code = (
        "from bake.core.workers import run_tasks\n"
        "from tests.test_workers import blocks_interrupts, nothing\n"
        "if __name__ == '__main__':\n"
        "    tasks = ['a', 'b']\n"
        "    found = run_tasks(blocks_interrupts, tasks, 2, prepare=nothing, report=print)\n"
        "    print(*(blocked for _, blocked in found))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=forked.surroundings(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["True", "True"]


# -- where modules come from ----------------------------------------------------------------------


def test_the_variable_is_set_in_the_block_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    name = workers.SAFE_PATH_VARIABLE
    for before in (None, "", "x"):
        monkeypatch.delenv(name, raising=False)
        if before is not None:
            monkeypatch.setenv(name, before)
        with safe_import_path():
            with safe_import_path():
                assert os.environ[name] == "1"
            assert os.environ[name] == "1"
        assert os.environ.get(name) == before


@pytest.mark.parametrize(
    ("options", "safe"), [([], "True"), (["-E"], "False"), (["-E", "-P"], "True"), (["-I"], "True")]
)
def test_options_of_python_under_which_children_are_safe(options: list[str], safe: str) -> None:
    """Checked on a child that is started in the way of multiprocessing."""
    code = (
        "import subprocess, sys\n"
        f"sys.path[:0] = {PYTHON_PATH.split(os.pathsep)!r}\n"
        "from bake.core.workers import children_import_safely, safe_import_path\n"
        "print(children_import_safely())\n"
        "with safe_import_path():\n"
        "    own = subprocess._args_from_interpreter_flags()\n"
        "    child = [sys.executable, *own, '-c', 'import sys; print(\"\" not in sys.path)']\n"
        "    subprocess.run(child, check=True)\n"
    )
    done = subprocess.run(
        [sys.executable, *options, "-u", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [safe, safe]


def test_a_build_is_refused_whose_children_would_import_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "children_import_safely", lambda: False)
    for outcomes in (
        run.attempt_in_processes([], 2, 1, False, lambda *news: None),
        run.attempt_on_cluster([], "local", 1, False, lambda *news: None),
    ):
        with pytest.raises(BakeError, match="-P"):
            next(outcomes)
