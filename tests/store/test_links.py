"""Links that come with a repository: none is followed where files are made or removed."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

import levelbake
from bake.baking import find_tasks
from bake.baking.checkpoint_folder import CheckpointFolder
from bake.baking.shards import Shard, build_shard
from bake.play import open_asset
from bake.project.recipe import load_recipe
from bake.store import partial as module
from bake.store.partial import (
    beside,
    check_writable,
    is_link,
    make_own_folder,
    remove_leftovers,
    written_whole,
)
from levelbake.errors import BakeError, OutputError
from tests.support.projects import run, silent, statuses, write_project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need a right on Windows")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder outside of the project, with files that a build must not touch."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in ("a.tmp", "0-0.range", "thesis.txt"):
        (folder / name).write_text("mine")
    return folder


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """The folder that files are written into."""
    folder = tmp_path / "project" / "baked"
    folder.mkdir(parents=True)
    return folder


def intact(outside: Path) -> bool:
    names = {file.name for file in outside.iterdir()}
    assert {file.read_text() for file in outside.iterdir()} == {"mine"}
    return names == {"a.tmp", "0-0.range", "thesis.txt"}


def partial_name(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


# -- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["thesis.txt", "absent.txt"])
def test_a_link_at_the_name_of_an_unfinished_file(target: str, output: Path, outside: Path) -> None:
    path = output / "keep.h5"
    partial_name(path).symlink_to(outside / target)
    with written_whole(path) as partial:
        assert not partial.is_symlink()
        partial.write_bytes(b"new")
    assert path.read_bytes() == b"new"
    assert intact(outside)
    assert list(output.iterdir()) == [path]


def test_a_link_at_the_name_of_the_trial(output: Path, outside: Path) -> None:
    partial_name(output / "trial.h5").symlink_to(outside / "thesis.txt")
    check_writable(output)
    assert intact(outside)
    assert not list(output.iterdir())


@pytest.mark.parametrize("target", ["thesis.txt", "absent.txt"])
def test_a_link_in_the_place_of_a_file_is_replaced(
    target: str, output: Path, outside: Path
) -> None:
    (output / "keep.h5").symlink_to(outside / target)
    with written_whole(output / "keep.h5") as partial:
        partial.write_bytes(b"new")
    assert (output / "keep.h5").read_bytes() == b"new"
    assert not (output / "keep.h5").is_symlink()
    assert intact(outside)


def test_links_among_leftovers_are_removed_and_not_what_they_lead_to(
    output: Path, outside: Path
) -> None:
    (output / ".keep.h5.123.tmp").symlink_to(outside / "thesis.txt")
    (output / ".keep.h5.124.tmp").symlink_to(outside)
    (output / ".keep.h5.125.tmp").symlink_to(outside / "absent")
    os.mkfifo(output / ".keep.h5.126.tmp")
    remove_leftovers(output)
    assert not list(output.iterdir())
    assert intact(outside)


def test_a_leftover_of_a_process_that_had_this_number(output: Path) -> None:
    partial_name(output / "keep.h5").write_text("half")
    with written_whole(output / "keep.h5") as partial:
        assert partial.read_bytes() == b""
        partial.write_text("whole")
    assert (output / "keep.h5").read_text() == "whole"


def test_a_folder_at_the_name_of_an_unfinished_file(output: Path) -> None:
    partial_name(output / "keep.h5").mkdir()
    with pytest.raises(OutputError, match="cannot be written"), written_whole(output / "keep.h5"):
        pass


@pytest.mark.parametrize("locks", [True, False])
def test_writers_of_one_number_wait_for_each_other(
    output: Path, locks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As processes of two containers; where files cannot be locked, nobody waits for ever."""
    if not locks:

        def flock(handle: int, how: int) -> None:
            raise OSError("no locks here")

        monkeypatch.setattr(module.fcntl, "flock", flock)
    path, began = output / "keep.h5", threading.Event()

    def write() -> None:
        began.set()
        with beside(path) as partial:
            partial.write_text("second")
            partial.replace(path)

    with beside(path) as partial:
        partial.write_text("first")
        second = threading.Thread(target=write)
        second.start()
        began.wait()
        if locks:
            second.join(0.2)
            assert second.is_alive()
            assert partial.read_text() == "first"
            partial.replace(path)
    second.join(30)
    assert not second.is_alive()
    assert path.read_text() == "second"


# -- folders --------------------------------------------------------------------------------------


def test_what_is_a_link(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "link").symlink_to(outside)
    (tmp_path / "broken").symlink_to(tmp_path / "absent")
    found = {name: is_link(tmp_path / name) for name in ("link", "broken", "outside", "absent")}
    assert found == {"link": True, "broken": True, "outside": False, "absent": False}


@pytest.mark.parametrize("target", ["", "absent"])
def test_a_link_at_the_name_of_a_checkpoint(target: str, output: Path, outside: Path) -> None:
    (output / ".keep.h5.checkpoint").symlink_to(outside / target)
    folder = CheckpointFolder(output / "keep.h5")
    folder.clear()
    with pytest.raises(OSError, match="link"):
        folder.claim()
    folder.release()
    assert intact(outside)


def test_a_build_among_links(
    tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fresh, stale, and long enough for a checkpoint: what lies outside stays as it is."""
    monkeypatch.setenv("BAKE_CHECKPOINT_SECONDS", "0")
    tasks = find_tasks(load_recipe(write_project(tmp_path / "project")), [], None)
    folder = tasks[0].asset.parent
    folder.mkdir()
    for task in tasks:
        (folder / f".{task.asset.name}.checkpoint").symlink_to(outside)
        partial_name(task.asset).symlink_to(outside / "thesis.txt")
        (folder / f".{task.asset.name}.7.tmp").symlink_to(outside / "a.tmp")
    for expected in ("baked", "fresh"):
        assert set(statuses(run(tasks)).values()) == {expected}
        assert intact(outside)
    assert set(statuses(run(tasks, force=True)).values()) == {"baked"}
    assert intact(outside)
    left = {file.name for file in folder.iterdir() if not file.name.endswith(".checkpoint")}
    assert left == {task.asset.name for task in tasks}
    for task in tasks:
        open_asset(task.asset).close()


def test_an_output_folder_may_be_a_link(tmp_path: Path) -> None:
    recipe = write_project(tmp_path / "project")
    (tmp_path / "disk").mkdir()
    (tmp_path / "project" / "baked").symlink_to(tmp_path / "disk")
    tasks = find_tasks(load_recipe(recipe), [], None)
    assert set(statuses(run(tasks)).values()) == {"baked"}
    assert {file.name for file in (tmp_path / "disk").iterdir()} == {
        task.asset.name for task in tasks
    }


def test_a_link_at_the_name_of_a_shard(tmp_path: Path, outside: Path) -> None:
    tasks = find_tasks(load_recipe(write_project(tmp_path / "project")), [], None)
    folder = tasks[0].asset.parent
    folder.mkdir()
    (folder / "shard-1-of-2").symlink_to(outside)
    with pytest.raises(BakeError, match=r"shard-1-of-2: .*link"):
        list(build_shard(tasks, Shard(1, 2), jobs=1, force=False, report=silent))
    assert intact(outside)


def test_a_folder_of_its_own(tmp_path: Path, outside: Path) -> None:
    for _ in range(2):
        make_own_folder(tmp_path / "new", "the folder")
    (tmp_path / "link").symlink_to(outside)
    with pytest.raises(OutputError, match="link"):
        make_own_folder(tmp_path / "link", "the folder")


def test_a_link_at_the_name_of_an_unfinished_patch(tmp_path: Path, outside: Path) -> None:
    tasks = find_tasks(load_recipe(write_project(tmp_path / "project")), [], None)
    run(tasks)
    patch = tmp_path / "project" / "door.patch"
    link = patch.with_name(f"{patch.name}.{os.getpid()}.part")
    link.symlink_to(outside / "thesis.txt")
    with levelbake.open_level(tasks[0].asset) as level:
        level.update(blocked=[(0, 0)])
        level.save_patch(patch)
        level.apply_patch(patch)
    assert intact(outside)
    assert not patch.is_symlink()
    assert not link.is_symlink()
