"""Which tests a change of a module should be noticed by: those near it, without the slow ones."""

from __future__ import annotations

import signal
import time
from collections.abc import Generator
from pathlib import Path
from types import FrameType

import pytest

#: Tests of small cases, for every module after its own.
COMMON = (
    "tests/tables/test_small_graphs.py",
    "tests/lecture_notes/test_next_hop_table.py",
    "tests/lecture_notes/test_astar.py",
)
_GUIDED = ("tests/runtime/searching/test_guided.py",)
_SEARCHES = (
    "tests/search/point/test_space.py",
    *_GUIDED,
    "tests/runtime/searching/test_searches.py",
)
_CLUSTERS = ("tests/tables/test_clusters.py",)
_PLANS = ("tests/runtime/hierarchy/test_plans_by_table.py",)
_HPA = (*_CLUSTERS, "tests/runtime/hierarchy/test_hpa.py", *_PLANS)
_HEURISTIC = ("tests/tables/test_heuristic.py", "tests/runtime/searching/test_baked_heuristic.py")
_DISTANCES = ("tests/tables/test_cluster_distances.py",)
_REBUILT = ("tests/runtime/live/test_clusters.py", "tests/runtime/live/test_stateful.py")
_LIVE = (
    "tests/runtime/live/test_golden.py",
    "tests/runtime/live/test_updates.py",
    "tests/runtime/live/test_sequences.py",
)
_ALL_PAIRS = ("tests/tables/test_all_pairs.py", "tests/tables/test_compressed.py")
TESTS: dict[str, tuple[str, ...]] = {
    "search/adjacency": ("tests/search/live/test_adjacency.py", *_LIVE),
    "search/ascent": ("tests/search/hierarchy/test_ascent.py", *_PLANS),
    "search/astar_buckets": _SEARCHES,
    "search/astar_fields": (*_GUIDED, *_HEURISTIC),
    "search/astar_heap": _SEARCHES,
    "search/batch": ("tests/search/all_pairs/test_batch.py", *_ALL_PAIRS),
    "search/bidirectional": _SEARCHES,
    "search/bucket_queue": (*_SEARCHES, *_HEURISTIC),
    "search/entrances": _HPA,
    "search/estimate": ("tests/search/point/test_norms.py", *_SEARCHES, *_HEURISTIC),
    "search/fields": (*_HEURISTIC, *_DISTANCES),
    "search/first_moves": ("tests/search/all_pairs/test_dense_first_moves.py", *_ALL_PAIRS),
    "search/flow_field": _LIVE,
    "search/floyd_warshall": (
        "tests/search/all_pairs/test_floyd_warshall.py",
        "tests/search/all_pairs/test_dense_first_moves.py",
        "tests/lecture_notes/test_floyd_warshall.py",
    ),
    "search/follow": ("tests/runtime/reader/test_runs.py",),
    "search/follow_field": _LIVE,
    "search/greedy_best_first": _SEARCHES,
    "search/guide": _HEURISTIC,
    "search/heap": (*_SEARCHES, *_DISTANCES),
    "search/hpa": _HPA,
    "search/inside": ("tests/search/hierarchy/test_inside.py", *_HPA),
    "search/landmarks": (*_HPA, *_REBUILT),
    "search/lanes": _LIVE,
    "search/layer": _HPA,
    "search/layer_builder": (*_REBUILT, "tests/tables/test_hierarchy.py", *_HPA),
    "search/link_costs": _DISTANCES,
    "search/live_graph": _LIVE,
    "search/live_hierarchy": _REBUILT,
    "search/live_rows": _REBUILT,
    "search/min_plus": ("tests/search/all_pairs/test_floyd_warshall.py", *_HPA),
    "search/norms": ("tests/search/point/test_norms.py",),
    "search/partition": (*_CLUSTERS, *_HEURISTIC),
    "search/patch_order": ("tests/search/graph/test_patch_order.py",),
    "search/repair_rows": _LIVE,
    "search/repair_sweep": _LIVE,
    "search/clusters": _REBUILT,
    "search/ring": (*_SEARCHES, *_HEURISTIC),
    "search/runs": ("tests/tables/test_compressed.py", "tests/runtime/reader/test_runs.py"),
    "search/smooth": _HPA,
    "search/space": _SEARCHES,
    "search/squares": _HPA,
    "search/straight_runs": _HPA,
    "search/strong_components": ("tests/tables/test_components.py",),
    "search/successors": ("tests/search/graph/test_successors.py",),
    "search/symmetric": ("tests/search/graph/test_symmetric.py", *_CLUSTERS, *_HEURISTIC),
    "search/trace": _SEARCHES,
    "search/visibility": ("tests/runtime/searching/test_sight.py",),
    "search/voronoi": _HEURISTIC,
    "tables/all_pairs": ("tests/tables/test_all_pairs.py", "tests/tables/test_limits.py"),
    "tables/cluster_distances": _DISTANCES,
    "tables/clusters": (*_CLUSTERS, *_DISTANCES),
    "tables/components": ("tests/tables/test_components.py",),
    "tables/compressed": (
        "tests/tables/test_compressed.py",
        "tests/tables/test_limits.py",
        "tests/pipeline/test_checkpoints.py",
    ),
    "tables/field_table": _HEURISTIC,
    "tables/heuristic": _HEURISTIC,
    "tables/hierarchy": ("tests/tables/test_hierarchy.py", *_HPA),
    "tables/pivots": _HEURISTIC,
    "tables/run_writer": ("tests/tables/test_compressed.py",),
    "tables/slopes": ("tests/tables/test_slopes.py", *_HEURISTIC),
}


def files_for(module: Path) -> tuple[str, ...]:
    """Files of tests, the nearest first."""
    own = TESTS[f"{module.parent.name}/{module.stem}"]
    return tuple(dict.fromkeys((*own, *COMMON)))


#: Looking for quick tests ends after so many times what they may take.
_TRIED = 5


class TooLongError(BaseException):
    """What interrupts a test; none of Python's own, which a test may expect."""


class Quick:
    """A plugin of pytest that finds tests to run for every mutant.

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
