"""A pytest plugin that records the cost of each test; `benchmarks.suite` loads it.

It imports nothing of the project, so that it measures an older state of it as well. Each process
that runs tests writes one file of lines of JSON into the folder ``SUITE_COSTS``.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from numba.core import event


def _cpu() -> tuple[float, float]:
    """Return the CPU seconds of this process and of its finished children."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, -1))
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


class _Compiling(event.Listener):
    """Record the compile time of each kernel, without the kernels that it compiles first."""

    def __init__(self) -> None:
        self._open: list[list[float]] = []
        self.seconds: dict[str, float] = {}

    def on_start(self, event: Any) -> None:
        self._open.append([time.thread_time(), 0.0])

    def on_end(self, event: Any) -> None:
        begun, inner = self._open.pop()
        took = time.thread_time() - begun
        if self._open:
            self._open[-1][1] += took
        function = event.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}"
        self.seconds[name] = self.seconds.get(name, 0.0) + took - inner


class _Costs:
    def __init__(self, folder: Path) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        self._file = (folder / f"{worker}-{os.getpid()}.jsonl").open("w", encoding="utf-8")
        self._compiling = _Compiling()
        register: Any = event.register
        register("numba:compile", self._compiling)

    def _write(self, **row: object) -> None:
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()

    def pytest_collection_finish(self) -> None:
        self._write(collected=_cpu()[0])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._compiling.seconds.clear()
        begun, (own, others) = time.perf_counter(), _cpu()
        try:
            return (yield)
        finally:
            now = _cpu()
            self._write(
                test=item.nodeid,
                wall=time.perf_counter() - begun,
                own=now[0] - own,
                others=now[1] - others,
                compiled=self._compiling.seconds,
            )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple):
            self._write(skipped=report.nodeid, reason=report.longrepr[2])


def pytest_configure(config: pytest.Config) -> None:
    """Start measuring in the process that runs tests: each worker, or this process."""
    if (folder := os.environ.get("SUITE_COSTS")) and (
        hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    ):
        config.pluginmanager.register(_Costs(Path(folder)), "suite_costs")
