"""Count the processors this process may use: its affinity, or its container's share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUPS = Path("/proc/self/cgroup")


def processors() -> int:
    """Return the number of processors to use, at least 1; a container's share is rounded up.

    Otherwise a build in a container with two processors on a machine with 64 would bake 64 levels
    at once, in the memory of two.
    """
    shares = [-(-quota // period) for quota, period in _read_shares(_GROUPS, _OWN_GROUPS)]
    return max(1, min([_count_allowed(), *shares]))


def _count_allowed() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no affinity.
        return os.cpu_count() or 1


def _read_shares(groups: Path, own_groups: Path) -> Iterator[tuple[int, int]]:
    """Yield (quota, period) in microseconds of processor time, for a control group and its parents.

    See Linux, Documentation/admin-guide/cgroup-v2.rst (cpu.max), and scheduler/sched-bwc.rst for
    the first version (cpu.cfs_quota_us). Unreadable files set no limit.
    """
    try:
        lines = own_groups.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        number, controllers, path = (*line.split(":", 2), "", "")[:3]
        if number == "0" and not controllers:
            base, read = groups, _read_version_2
        elif "cpu" in controllers.split(","):
            base, read = groups / "cpu", _read_version_1
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


def _read_version_2(group: Path) -> tuple[int, int]:
    quota, period = (group / "cpu.max").read_text("utf-8").split()
    return int(quota), int(period)  # "max" is not a number: int() raises, and no limit is set.


def _read_version_1(group: Path) -> tuple[int, int]:
    quota, period = (
        int((group / f"cpu.cfs_{name}_us").read_text("utf-8")) for name in ("quota", "period")
    )
    return quota, period
