"""Writing that fails: one line says why, the old file stays, and nothing is left."""

import errno
import os
import signal
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.store import Asset, header_for, write
from bake.store.write import Contents, write_asset
from levelbake.errors import OutputError
from tests.support import forked
from tests.support.contents import SOURCES, full_contents


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "full.h5"
    write_asset(path, header_for("full", SOURCES, "c" * 64), full_contents())
    return path


def test_a_write_that_fails_leaves_the_old_file(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = written.read_bytes()

    def fail(*arguments: object, **settings: object) -> None:
        raise OSError(28, "No space left on device")

    contents = full_contents()
    steps = ("os.fsync", "pathlib.Path.replace", "pathlib.Path.write_bytes")
    for name in (*steps, "h5py.h5d.create"):
        with monkeypatch.context() as patch:
            patch.setattr(name, fail)
            with pytest.raises(OutputError) as caught:
                write_asset(written, header_for("new", SOURCES, ""), contents)
        line = str(caught.value)
        assert line.startswith(f"{written}: cannot be written: No space left on device")
        assert "\n" not in line
        assert written.read_bytes() == before
        assert [file.name for file in written.parent.iterdir()] == ["full.h5"]


def test_a_write_that_is_interrupted_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_asset(tmp_path / "new.h5", header_for("new", SOURCES, ""), full_contents())
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "taken.h5").mkdir()
    for wrong in (tmp_path / "file" / "a.h5", tmp_path / "absent" / "a.h5", tmp_path / "taken.h5"):
        with pytest.raises(OutputError) as caught:
            write_asset(wrong, header_for("new", SOURCES, ""), full_contents())
        assert str(caught.value).startswith(f"{wrong}: cannot be written: ")
        assert "\n" not in str(caught.value)
        # The system's words, not the paragraph h5py makes of them.
        assert "errno" not in str(caught.value).lower()
        assert "unable" not in str(caught.value).lower()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "taken.h5"]


FULL_DISK = """
import os, resource, signal, sys
from pathlib import Path
import numpy as np
from bake.store import header_for
from bake.store.write import Contents, write_asset
from levelbake.errors import OutputError

path, limits = Path(sys.argv[1]), sys.argv[2:]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
rng = np.random.default_rng(3)
contents = Contents(
    {("/profiles/p", "component_count"): 4},
    {
        "/profiles/p/run_move": rng.integers(0, 256, size=90_000).astype(np.uint8),
        "/head": rng.integers(0, 2**30, size=50_000).astype(np.int32),
        "/profiles/p/weight": rng.integers(0, 2**30, size=50_000).astype(np.int32),
    },
)
opened = os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd") else []
for limit in map(int, limits):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        size = write_asset(path, header_for("n", (), ""), contents)
    except OutputError as error:
        found = str(error)
    else:
        found = f"{size} bytes"
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(limit, found, flush=True)
    if "bytes" not in found:
        assert os.listdir(path.parent) == []
if opened:
    assert len(os.listdir("/proc/self/fd")) == len(opened)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on sizes of files here")
def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """Wherever the disk is full: one line, and nothing is left."""
    path = tmp_path / "new.h5"
    enough = 2**20
    limits = [0, 1, 4_095, 4_096, 4_097, 100_000, 460_000, enough]
    done = forked.run([sys.executable, "-c", FULL_DISK, str(path), *map(str, limits)])
    assert done.returncode == 0, done.stderr[-3000:]
    *failed, last = done.stdout.splitlines()
    assert last == f"{enough} {path.stat().st_size} bytes"
    told = f"{path}: cannot be written: {os.strerror(errno.EFBIG)}; allow larger files"
    for limit, line in zip(limits, failed, strict=False):
        assert line.startswith(f"{limit} {told}"), line
    assert len(failed) == len(limits) - 1
    with Asset(path) as asset:
        assert asset.shape("/profiles/p/run_move") == (90_000,)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
def test_an_interrupt_waits_until_hdf5_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HDF5 takes an exception in the middle of a write for an error of the disk, and crashes."""

    class Interrupted(BytesIO):
        def write(self, data: Any) -> int:
            signal.raise_signal(signal.SIGINT)
            return super().write(data)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(write, "BytesIO", Interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            write_asset(tmp_path / "new.h5", header_for("new", SOURCES, ""), full_contents())
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(tmp_path.iterdir()) == []


def test_what_the_schema_does_not_allow_is_not_written(tmp_path: Path) -> None:
    """A defect of the baking code, not of a user: loud, and before the file is touched."""
    head = np.zeros(3, dtype=np.int32)
    for attributes, columns, error in (
        ({("/", "mood"): "good"}, {}, KeyError),
        ({}, {"/mood": head}, KeyError),
        ({}, {"/head": head.astype(np.int64)}, TypeError),
        ({}, {"/head": head[None]}, TypeError),
    ):
        with pytest.raises(error):
            write_asset(
                tmp_path / "new.h5", header_for("n", SOURCES, ""), Contents(attributes, columns)
            )
    assert list(tmp_path.iterdir()) == []
