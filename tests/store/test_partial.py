"""Files that are written whole or not at all."""

import errno
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bake.store.partial import output_error, with_room, written_whole
from levelbake.errors import OutputError


def test_what_is_written_takes_its_place_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with written_whole(path) as partial:
        partial.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_left_of_a_block_that_raises(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError), written_whole(path) as partial:
        partial.write_text("new \udc80", encoding="utf-8")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in folders")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with (
        pytest.raises(OutputError, match="name of a file"),
        written_whole(pipe),
    ):
        pass
    assert pipe.is_fifo()


def test_a_way_of_its_own_into_the_place(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with (
        pytest.raises(OutputError, match=r"a\.txt: .*File exists"),
        written_whole(path, lambda partial: os.link(partial, path)) as partial,
    ):
        partial.write_text("new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="no locks on folders here")
def test_room_that_another_file_takes_for_a_while(tmp_path: Path) -> None:
    """A file that fits is written, although one that does not had filled the disk meanwhile."""
    full, told = threading.Event(), threading.Event()
    writing: list[str] = []
    alone: list[bool] = []

    def no_room(name: str) -> OutputError:
        error = output_error(tmp_path / name, OSError(errno.ENOSPC, "no room"))
        error.__cause__ = OSError(errno.ENOSPC, "no room")
        return error

    def large() -> int:
        writing.append("large")
        alone.append(len(writing) == 1)
        full.set()
        assert told.wait(10)
        writing.remove("large")
        raise no_room("large")

    def small() -> int:
        assert full.wait(10)
        if not told.is_set():
            told.set()
            raise no_room("small")
        alone.append(not writing)
        return 7

    with ThreadPoolExecutor(2) as pool:
        lost = pool.submit(with_room, tmp_path / "large", large)
        assert pool.submit(with_room, tmp_path / "small", small).result(10) == 7
        with pytest.raises(OutputError, match="large"):
            lost.result(10)
    assert alone == [True, True, True]


def test_other_errors_are_not_tried_again(tmp_path: Path) -> None:
    tried: list[int] = []

    def write() -> int:
        tried.append(1)
        raise output_error(tmp_path / "file", OSError(errno.EACCES, "closed"))

    with pytest.raises(OutputError):
        with_room(tmp_path / "file", write)
    assert len(tried) == 1
