"""Changes of files: told however a file was saved, with notices of the system and without."""

from __future__ import annotations

import builtins
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bake.core.interrupts import StopFlag
from bake.project.watch import notices
from bake.project.watch.notices import nearest_existing, noticed, read_state

#: Changes that a test waits for before it gives up; most come in the first.
PATIENCE = 40


class Watched:
    """What is told of some folders, gathered until what is wanted is among it."""

    def __init__(self, folders: Callable[[], list[Path]]) -> None:
        self.stop = StopFlag()
        self._told = noticed(folders, self.stop, lambda name: name.startswith("."))
        self.seen: set[Path] = set()
        assert next(self._told) == frozenset()

    def write_until_told(self, file: Path) -> None:
        """Write a file anew after each thing that is told, until it is told of.

        When other folders are watched than before, nothing is told: whoever follows looks there.
        """
        for number in range(PATIENCE):
            file.write_text(str(number))
            if file in next(self._told):
                return
        raise AssertionError("it is never told of")

    def until(self, *wanted: Path) -> None:
        """Go on until each of these was told of."""
        self.seen.clear()
        for _ in range(PATIENCE):
            if set(wanted) <= self.seen:
                return
            self.seen |= next(self._told)
        raise AssertionError(f"only {self.seen}")


@pytest.fixture(params=["notices", "polling", "none"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How changes are found: by notices, by watchfiles that polls, and without watchfiles."""
    if request.param == "polling":
        monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    if request.param == "none":
        plain = builtins.__import__

        def refuse(name: str, *more: Any, **named: Any) -> Any:
            if name == "watchfiles":
                raise ImportError(name)
            return plain(name, *more, **named)

        monkeypatch.setattr(builtins, "__import__", refuse)
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_ways_of_saving(tmp_path: Path) -> None:
    file, other = tmp_path / "cave.json", tmp_path / "other"
    file.write_text("one")
    watched = Watched(lambda: [tmp_path])
    file.write_text("another")
    watched.until(file)
    other.write_text("a third")
    other.replace(file)
    watched.until(file)
    os.utime(file, (1, 1))
    watched.until(file)
    file.unlink()
    watched.until(file)
    file.write_text("a fourth")
    watched.until(file)
    (tmp_path / "deep").mkdir()
    watched.until(tmp_path / "deep")


@pytest.mark.usefixtures("way")
def test_what_is_left_out(tmp_path: Path) -> None:
    watched = Watched(lambda: [tmp_path])
    (tmp_path / ".hidden").write_text("one")
    (tmp_path / "shown").write_text("one")
    watched.until(tmp_path / "shown")
    assert tmp_path / ".hidden" not in watched.seen


@pytest.mark.usefixtures("way")
def test_a_folder_that_comes_goes_and_comes_again(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    watched = Watched(lambda: [folder])
    for _ in range(2):
        folder.mkdir(parents=True)
        watched.write_until_told(folder / "one")
        (folder / "one").unlink()
        folder.rmdir()
        folder.parent.rmdir()


@pytest.mark.usefixtures("way")
def test_other_folders_than_before(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    folders = [one]
    watched = Watched(lambda: folders)
    folders[:] = [one, other]
    (one / "a").write_text("now")
    watched.until(one / "a")
    watched.write_until_told(other / "b")


@pytest.mark.usefixtures("way")
def test_it_ends(tmp_path: Path) -> None:
    stop = StopFlag()
    told = noticed(lambda: [tmp_path], stop)
    next(told)
    threading.Timer(0.2, stop.set).start()
    assert list(told) == []


def test_a_look_finds_what_no_notice_tells_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on drives over a network."""

    def silent(watched: object, stop: StopFlag) -> Iterator[set[Path]]:
        while True:
            yield set()

    monkeypatch.setattr(notices, "_wait_for_events", silent)
    watched = Watched(lambda: [tmp_path])
    (tmp_path / "one").write_text("now")
    watched.until(tmp_path / "one")


def test_a_notice_counts_where_a_look_finds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on drives whose times are too coarse for two saves in a second."""
    (tmp_path / "one").write_text("as it was")

    def named(watched: object, stop: StopFlag) -> Iterator[set[Path]]:
        yield {tmp_path / "one", tmp_path / "gone", tmp_path / ".hidden"}

    monkeypatch.setattr(notices, "_wait_for_events", named)
    told = noticed(lambda: [tmp_path], None, lambda name: name.startswith("."))
    assert [next(told), next(told)] == [frozenset(), {tmp_path / "one"}]


def test_states(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "below").write_text("one")
    (tmp_path / "one").write_text("four")
    (tmp_path / "nothing").symlink_to(tmp_path / "nowhere")
    state = read_state([tmp_path, tmp_path / "absent"])
    assert state.keys() == {tmp_path / "deep", tmp_path / "one"}
    assert state[tmp_path / "one"][1] == 4
    (tmp_path / "deep" / "more").write_text("two")
    assert read_state([tmp_path]) == state


def test_the_nearest_folder_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert nearest_existing([tmp_path / "a" / "b", tmp_path]) == {tmp_path}
    monkeypatch.chdir(tmp_path)
    assert nearest_existing([Path()]) == {tmp_path}
