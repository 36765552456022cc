"""Files that are written whole or not at all."""

import os
import sys
from pathlib import Path

import pytest

from bake.asset.partial import written_whole
from bake.errors import OutputError


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
        pytest.raises(OutputError, match="the name of a file"),
        written_whole(pipe),
    ):
        pass
    assert pipe.is_fifo()


def test_a_way_of_its_own_into_the_place(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with (
        pytest.raises(OutputError, match=r"a\.txt: cannot be written: File exists"),
        written_whole(path, lambda partial: os.link(partial, path)) as partial,
    ):
        partial.write_text("new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
