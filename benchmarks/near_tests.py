"""Select the quick tests near a module, which should notice its mutants."""

from __future__ import annotations

import signal
import time
from collections.abc import Generator
from pathlib import Path
from types import FrameType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "bake"

#: Tests of small cases, which run for every module after its own tests.
COMMON = (
    "tests/tables/test_small_graphs.py",
    "tests/lecture_notes/test_next_hop_table.py",
    "tests/lecture_notes/test_astar.py",
)
#: By room, tests that use its modules. The file and folder of tests that mirror a module run first.
ROOMS: dict[str, tuple[str, ...]] = {
    "search/graph": ("tests/tables", "tests/worlds"),
    "search/all_pairs": (
        "tests/tables",
        "tests/play/reader/test_runs.py",
        "tests/play/reader/test_damaged_runs.py",
    ),
    "search/point": ("tests/play/searching", "tests/tables/test_heuristic.py"),
    "search/hierarchy": (
        "tests/tables/test_clusters.py",
        "tests/tables/test_hierarchy.py",
        "tests/tables/test_cluster_distances.py",
        "tests/play/hierarchy",
        "tests/play/live/test_clusters.py",
    ),
    "search/live": (
        "tests/play/live/test_golden.py",
        "tests/play/live/test_updates.py",
        "tests/play/live/test_sequences.py",
        "tests/play/live/test_clusters.py",
        "tests/play/live/test_stateful.py",
    ),
    "tables": (
        "tests/tables",
        "tests/play/searching/test_baked_heuristic.py",
        "tests/play/hierarchy",
        "tests/baking/test_checkpoints.py",
    ),
}


def files_for(module: Path) -> tuple[str, ...]:
    """Return files and folders of tests, the nearest first.

    Args:
        module: a file of one of ROOMS.
    """
    room = module.parent.relative_to(PACKAGE).as_posix()
    folder = ROOT / "tests" / room
    own = [folder / f"test_{module.stem}.py", folder]
    named = [each.relative_to(ROOT).as_posix() for each in own if each.exists()]
    return tuple(dict.fromkeys((*named, *ROOMS.get(room, ()), *COMMON)))


#: The search for quick tests ends after this multiple of their time limit.
_TRIED = 5


class TooLongError(BaseException):
    """Interrupts a test; a separate type, as a test may expect Python's own exceptions."""


class Quick:
    """A plugin of pytest that selects the tests to run for every mutant.

    Times are those of the processor, so that the choice hardly depends on what else it does.

    Attributes:
        each: seconds a test may take.
        total: seconds all may take; tests after that are left out.
        chosen: what passed in time.
        failed: what failed, other than by its time.
        left_out: how many tests took too long.
        seconds: imports and what was chosen took.
    """

    def __init__(self, each: float, total: float) -> None:
        self.each, self.total = each, total
        self.chosen: list[str] = []
        self.failed: list[str] = []
        self.left_out = 0
        self.seconds = 0.0
        signal.signal(signal.SIGPROF, _interrupt)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        begun = time.process_time()
        self.seconds = self.seconds or begun
        if self.seconds > self.total or begun > _TRIED * self.total:
            item.add_marker(pytest.mark.skip)
            self.left_out += 1
        signal.setitimer(signal.ITIMER_PROF, self.each)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            if item.nodeid in self.chosen[-1:]:
                self.seconds += time.process_time() - begun

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.excinfo is not None and call.excinfo.errisinstance(TooLongError):
            self.left_out += 1
        elif report.failed:
            self.failed.append(item.nodeid)
        elif report.when == "call" and report.passed:
            self.chosen.append(item.nodeid)
        return report


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise TooLongError
