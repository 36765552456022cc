"""How many processors a container leaves, by files like those of Linux."""

import os
from pathlib import Path

import pytest

from bake.core import processors as module
from bake.core.processors import processors


def said_by(
    monkeypatch: pytest.MonkeyPatch, folder: Path, own: str, files: dict[str, str], allowed: int
) -> int:
    (folder / "own").write_text(own)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(module, "_GROUPS", folder)
    monkeypatch.setattr(module, "_OWN_GROUPS", folder / "own")
    monkeypatch.setattr(module, "_count_allowed", lambda: allowed)
    return processors()


@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2),
        ("0::/\n", {"cpu.max": "50000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "9900000 100000\n"}, 64),
        ("0::/\n", {"cpu.max": "max 100000\n"}, 64),
        ("0::/\n", {}, 64),
        # A group is held to what those around it have.
        ("0::/job/step\n", {"job/cpu.max": "300000 100000\n", "job/step/cpu.max": "max 1\n"}, 3),
        (
            "0::/job/step\n",
            {"job/step/cpu.max": "400000 100000\n", "cpu.max": "500000 100000\n"},
            4,
        ),
        # The first version, its controllers together or alone; -1 is no limit.
        (
            "4:memory:/\n3:cpu,cpuacct:/box\n",
            {"cpu/box/cpu.cfs_quota_us": "250000\n", "cpu/box/cpu.cfs_period_us": "100000\n"},
            3,
        ),
        ("1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 64),
        ("1:cpuset:/\n", {"cpu/cpu.cfs_quota_us": "100000\n", "cpu/cpu.cfs_period_us": "1\n"}, 64),
        # Nonsense sets no limit.
        ("0::/\n", {"cpu.max": "many\n"}, 64),
        ("0::/\n", {"cpu.max": "100000 0\n"}, 64),
        ("\nnothing\n", {"cpu.max": "100000 100000\n"}, 64),
    ],
)
def test_shares_of_containers(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own: str,
    files: dict[str, str],
    expected: int,
) -> None:
    assert said_by(monkeypatch, tmp_path, own, files, 64) == expected


def test_no_more_than_it_may_run_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said_by(monkeypatch, tmp_path, "0::/\n", {"cpu.max": "800000 100000"}, 2) == 2


def test_here() -> None:
    assert 1 <= processors() <= (os.cpu_count() or 1)


def test_without_affinity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OWN_GROUPS", tmp_path / "none")
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert processors() == (os.cpu_count() or 1)
