"""Count the processors this process may use: those it may run on, or its container's share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_GROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def processors() -> int:
    """Return how many processors to use, at least 1; a container's share of them is rounded up.

    Without that, a build in a container of two processors on a machine of 64 would bake 64 levels
    at once, in the memory of two.
    """
    shares = [-(-quota // period) for quota, period in _shares(_GROUPS, _OWN)]
    return max(1, min([_allowed(), *shares]))


def _allowed() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no affinity.
        return os.cpu_count() or 1


def _shares(groups: Path, own: Path) -> Iterator[tuple[int, int]]:
    """Yield (quota, period) in microseconds of processor time, for a control group and its parents.

    See Linux, Documentation/admin-guide/cgroup-v2.rst (cpu.max), and scheduler/sched-bwc.rst for
    the first version (cpu.cfs_quota_us). What cannot be read sets no limit.
    """
    try:
        lines = own.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        number, controllers, path = (*line.split(":", 2), "", "")[:3]
        if number == "0" and not controllers:
            base, read = groups, _second_version
        elif "cpu" in controllers.split(","):
            base, read = groups / "cpu", _first_version
        else:
            continue
        group = PurePosixPath("/", path)
        for above in (group, *group.parents):
            try:
                share = read(base / above.relative_to("/"))
            except (OSError, ValueError):
                continue
            if share[0] > 0 and share[1] > 0:
                yield share


def _second_version(group: Path) -> tuple[int, int]:
    quota, period = (group / "cpu.max").read_text("utf-8").split()
    return int(quota), int(period)  # "max" is not a number, and sets no limit.


def _first_version(group: Path) -> tuple[int, int]:
    quota, period = (
        int((group / f"cpu.cfs_{name}_us").read_text("utf-8")) for name in ("quota", "period")
    )
    return quota, period
