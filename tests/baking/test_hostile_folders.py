"""Output folders that are full, read-only, or hold something that is not ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from bake.baking import Task, find_tasks
from bake.project.recipe import load_recipe
from levelbake.errors import OutputError
from tests.support import forked
from tests.support.baked import write_grid
from tests.support.projects import run, statuses, write_project

ROOT = Path(__file__).resolve().parents[2]
#: A level whose asset takes more than the small disk has.
LARGE = np.where(np.random.default_rng(5).random((96, 96)) < 0.3, "wall", "floor").tolist()


def mount(*arguments: str) -> None:
    try:
        subprocess.run(["mount", *arguments], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("only root may mount a file system of its own")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 192 KiB, all of it assets' folder."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not sys.platform.startswith("linux"):
        pytest.skip("tmpfs is Linux's")
    mount("-t", "tmpfs", "-o", "size=192k", "tmpfs", str(folder))
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def tasks_into(folder: Path, project: Path) -> list[Task]:
    return find_tasks(load_recipe(project / "bake.toml"), [], folder)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk(small_disk: Path, tmp_path: Path, jobs: int) -> None:
    """Told in one line; the old asset stays, nothing is left, and other levels are baked."""
    project = tmp_path / "project"
    write_project(project)
    tasks = tasks_into(small_disk, project)
    assert set(statuses(run(tasks)).values()) == {"baked"}
    before = {task.name: task.asset.read_bytes() for task in tasks}
    write_grid(project / "levels_src" / "keep.json", LARGE)
    outcomes = run(tasks, jobs=jobs, force=True)
    assert statuses(outcomes) == {"hive": "baked", "keep": "failed", "roads": "baked"}
    error = outcomes["keep"].error
    assert isinstance(error, OutputError)
    assert str(error).startswith(f"{small_disk / 'keep.h5'}: cannot be written: No space left")
    assert {task.name: task.asset.read_bytes() for task in tasks} == before
    assert len(list(small_disk.iterdir())) == 3


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.argv[1:] = sys.argv[2:]
from bake.cli import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on sizes of files here")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_compressed_columns_that_find_no_room(tmp_path: Path, jobs: str) -> None:
    """HDF5 keeps these until it closes a file, and crashed where the disk was full by then."""
    project = tmp_path / "project"
    write_project(project)
    rng = np.random.default_rng(6)
    for name in ("alp", "moor"):
        drawn = np.where(rng.random((60, 60)) < 0.3, "wall", "floor").tolist()
        write_grid(project / "levels_src" / f"{name}.json", drawn)
    tasks = tasks_into(tmp_path / "whole", project)
    assert set(statuses(run(tasks)).values()) == {"baked"}
    sizes = {task.name: task.asset.stat().st_size for task in tasks}
    assert min(sizes["alp"], sizes["moor"]) > 40_000 > max(sizes["hive"], sizes["roads"])
    for limit in (40_000, sizes["alp"] - 600):
        out = tmp_path / f"out{limit}"
        options = (str(limit), "build", "-o", out, "--jobs", jobs)
        done = forked.run([sys.executable, "-c", LIMITED, *options], cwd=project)
        assert done.returncode == 1, done.stderr
        errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        failed = [name for name, size in sizes.items() if size > limit]
        assert len(errors) == len(failed)
        for name, line in zip(failed, errors, strict=True):
            assert line.startswith(f"error: {out / name}.h5: cannot be written: File too large; ")
        there = {file.name for file in out.iterdir()}
        assert there == {f"{name}.h5" for name, size in sizes.items() if size <= limit}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_disk_that_fills_up_has_room_for_the_levels_that_fit(small_disk: Path, jobs: str) -> None:
    """What a level that failed had written takes no room from those after it."""
    named = [ROOT / "levels_src" / name for name in ("marsh.png", "keep.png", "five.json")]
    done = forked.bake_apart(
        "build", *named, "--recipe", ROOT / "bake.toml", "-o", small_disk, "--jobs", jobs, "--force"
    )
    assert done.code == 1, done
    assert [line.split(": ")[0] for line in done.errors] == [
        str(small_disk / "keep.h5"),
        str(small_disk / "marsh.h5"),
    ]
    assert all("No space left on device" in line for line in done.errors)
    assert [file.name for file in small_disk.iterdir()] == ["five.h5"]


def test_a_read_only_file_system(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    write_project(project)
    tasks = tasks_into(small_disk, project)
    run(tasks)
    mount("-o", "remount,ro", str(small_disk))
    assert set(statuses(run(tasks)).values()) == {"fresh"}
    baked: list[str] = []
    monkeypatch.setattr("bake.baking.run.attempt", lambda task, *rest: baked.append(task.name))
    with pytest.raises(OutputError) as caught:
        run(tasks, force=True)
    told = f"{small_disk}: nothing can be written into this folder: Read-only file system"
    assert str(caught.value).startswith(told)
    assert baked == []


def test_a_folder_on_a_full_disk_is_noticed_before_baking(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    write_project(project)
    with suppress(OSError), (small_disk / "ballast").open("wb", buffering=0) as ballast:
        while ballast.write(bytes(2**12)):
            pass
    baked: list[str] = []
    monkeypatch.setattr("bake.baking.run.attempt", lambda task, *rest: baked.append(task.name))
    with pytest.raises(OutputError, match="No space left"):
        run(tasks_into(small_disk, project))
    assert baked == []
    assert [file.name for file in small_disk.iterdir()] == ["ballast"]


@pytest.mark.parametrize(
    ("jobs", "data"),
    [(1, b"text"), (2, b"text"), (1, b"\x89HDF\r\n\x1a\n" + bytes(600)), (1, bytes(600))],
)
def test_a_file_of_another_program_is_not_overwritten(
    tmp_path: Path, jobs: int, data: bytes
) -> None:
    project = tmp_path / "project"
    write_project(project)
    tasks = tasks_into(tmp_path / "out", project)
    (tmp_path / "out").mkdir()
    tasks[0].asset.write_bytes(data)
    outcomes = run(tasks, jobs=jobs)
    assert statuses(outcomes) == {"hive": "failed", "keep": "baked", "roads": "baked"}
    error = outcomes["hive"].error
    assert isinstance(error, OutputError)
    assert str(error).startswith(f"{tasks[0].asset}: the existing file is not an asset")
    assert "--force" in str(error)
    assert "\n" not in str(error)
    assert tasks[0].asset.read_bytes() == data
    assert statuses(run(tasks[:1], jobs=jobs, force=True)) == {"hive": "baked"}
    assert statuses(run(tasks)) == {"hive": "fresh", "keep": "fresh", "roads": "fresh"}


def test_a_damaged_asset_of_ours_is_baked_again(tmp_path: Path) -> None:
    """Nothing is lost that was not lost already."""
    project = tmp_path / "project"
    write_project(project)
    tasks = tasks_into(tmp_path / "out", project)[:1]
    run(tasks)
    whole = tasks[0].asset.read_bytes()
    for damaged in (b"", whole[:300], whole[:-1], whole.replace(b'"level"', b'"lewel"')):
        tasks[0].asset.write_bytes(damaged)
        assert statuses(run(tasks)) == {"hive": "baked"}
        assert tasks[0].asset.read_bytes() == whole
