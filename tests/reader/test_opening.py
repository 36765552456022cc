"""Files that the operating system withholds: no lock is needed, and no error is called damage."""

from __future__ import annotations

import errno
import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import h5py
import pytest
from PIL import Image

from bake.core.errors import LevelError
from bake.export.export import export_asset
from bake.levels.formats import load
from bake.play import open_asset
from bake.store import Asset
from levelbake import AssetError, CorruptAssetError, open_level
from levelbake.file import Hdf5File
from tests.support.baked import bake_grid, rows
from tests.support.command import PYTHON_PATH, bake, quiet_environment
from tests.support.readers import compiled, tool
from tests.support.tampering import edited

fcntl = pytest.importorskip("fcntl", reason="Windows has no advisory locks")

OPENERS = [open_level, open_asset, Asset]

#: Replaces functions of the C library by ones that fail as the environment says.
FAULTS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static int fault(const char *name) {
    const char *value = getenv(name);
    return value ? atoi(value) : 0;
}

ssize_t pread64(int file, void *to, size_t size, off64_t at) {
    ssize_t (*usual)(int, void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pread64");
    if (fault("PREAD_ERROR") && at + (off64_t)size > fault("PREAD_FROM")) {
        errno = fault("PREAD_ERROR");
        return -1;
    }
    return usual(file, to, size, at);
}

ssize_t pread(int file, void *to, size_t size, off_t at) { return pread64(file, to, size, at); }

int flock(int file, int operation) {
    int (*usual)(int, int) = dlsym(RTLD_NEXT, "flock");
    if (fault("FLOCK_ERROR")) {
        errno = fault("FLOCK_ERROR");
        return -1;
    }
    return usual(file, operation);
}
"""

#: Opens an asset under each value of a variable and reads all of it; prints what came of each.
READ_ALL = """
import json, os, sys
from bake.store import Asset
from bake.play import open_asset
from levelbake import open_level
from levelbake.errors import BakeError

path, variable, *values = sys.argv[1:]
told = []
for value in values:
    for opened in (open_level, open_asset, Asset):
        os.environ[variable] = value
        try:
            with opened(path, check=False) as level:
                if opened is Asset:
                    found = [level.read(name).shape for name in level.columns()]
                    found += [level.stored_bytes(name) for name in level.columns()]
                else:
                    found = level.profile().path((0, 0), (7, 4)), dict(level.regions)
            told.append(["ok", bool(found)])
        except BakeError as error:
            told.append([type(error).__name__, str(error)])
        del os.environ[variable]
print(json.dumps(told))
"""


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    grid = rows("....#...", ".mm.#.m.", "...v...~", "##......", "....==..")
    return bake_grid(tmp_path, grid, tables=None)


@pytest.fixture
def preloaded(tmp_path: Path) -> str:
    source = tmp_path / "faults.c"
    source.write_text(FAULTS)
    command = [tool("gcc", "cc"), "-shared", "-fPIC", source, "-o", "faults.so", "-ldl"]
    return str(compiled("faults", command) / "faults.so")


def outcomes(asset: Path, variable: str, *values: int, **environment: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(asset), variable, *map(str, values)],
        env={**quiet_environment(), "PYTHONPATH": PYTHON_PATH, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    assert len(found) == len(OPENERS) * len(values)
    return found


# -- locks ----------------------------------------------------------------------------------------


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock that HDF5 takes of a file that it writes."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_lock_of_another_program_is_none_of_ours(asset: Path) -> None:
    with locked(asset):
        with pytest.raises(BlockingIOError):
            h5py.File(asset)
        for opened in OPENERS:
            with opened(asset) as level:
                assert level.profiles == ("default",)
        assert bake("verify", asset).code == 0
        assert bake("info", asset).code == 0


def test_an_open_level_locks_nothing(asset: Path) -> None:
    with open_level(asset), asset.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.skipif(sys.platform != "linux", reason="functions are replaced as Linux does it")
def test_file_systems_without_locks(asset: Path, preloaded: str) -> None:
    failing = {"LD_PRELOAD": preloaded}
    for kind, _ in outcomes(asset, "FLOCK_ERROR", 37, **failing):  # ENOLCK
        assert kind == "ok"
    # Who asks for locks by HDF5's own variable gets them.
    failing["HDF5_USE_FILE_LOCKING"] = "TRUE"
    for kind, message in outcomes(asset, "FLOCK_ERROR", 37, **failing):
        assert kind == "AssetError"
        assert "No locks available" in message
        assert "HDF5_USE_FILE_LOCKING" in message


@pytest.mark.parametrize("locking", [None, False, True])
def test_h5py_may_have_the_file_open(asset: Path, locking: bool | None) -> None:
    """HDF5 opens a file twice in one process only in the same way."""
    with h5py.File(asset, locking=locking):
        for opened in OPENERS:
            with opened(asset) as level:
                assert level.profiles == ("default",)
    with open_level(asset) as level, h5py.File(asset, locking=False) as file:
        assert level.profile().path((0, 0), (3, 0)) is not None
        assert "terrain" in file


def test_settings_that_cannot_be_shared_are_no_damage(asset: Path) -> None:
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    with closing(h5py.h5f.open(os.fsencode(asset), h5py.h5f.ACC_RDONLY, access)):
        for opened in OPENERS:
            with pytest.raises(AssetError, match="in this process") as caught:
                opened(asset)
            assert not isinstance(caught.value, CorruptAssetError)


# -- errors of the operating system ---------------------------------------------------------------


@pytest.mark.skipif(
    h5py.version.hdf5_version_tuple < (2, 0), reason="HDF5 1.14 crashes where a disk fails"
)
@pytest.mark.skipif(sys.platform != "linux", reason="functions are replaced as Linux does it")
def test_a_disk_that_fails(asset: Path, preloaded: str) -> None:
    """Wherever in the file it begins to fail, no error is called damage."""
    size = asset.stat().st_size
    begins = [0, *range(512, size, size // 40), 2**30]
    failing = {"LD_PRELOAD": preloaded, "PREAD_ERROR": "5"}  # EIO
    kinds = set()
    for kind, message in outcomes(asset, "PREAD_FROM", *begins, **failing):
        assert kind == "ok" or (kind == "AssetError" and "Input/output error" in message)
        kinds.add(kind)
    assert kinds == {"ok", "AssetError"}


@contextmanager
def few_descriptors(free: int) -> Iterator[None]:
    """Open files until this process may open just so many more."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    held: list[int] = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0) + 64, before[1]))
        with suppress(OSError):
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(free):
            os.close(held.pop())
        yield
    finally:
        for handle in held:
            os.close(handle)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def ending(path: Path, free: int) -> str:
    """What comes of opening a file with so few descriptors."""
    try:
        with few_descriptors(free):
            open_level(path).close()
    except CorruptAssetError as error:
        return f"damage: {error}"
    except AssetError as error:
        return str(error).partition(": ")[2]
    return "ok"


def test_too_many_open_files(asset: Path) -> None:
    flat = asset.with_suffix(".bake")
    with Asset(asset) as opened:
        export_asset(opened, flat)
    endings = []
    for path in (asset, flat):
        open_level(path).close()
        endings += [ending(path, free) for free in range(5)]
    assert set(endings) == {"ok", "cannot be read: Too many open files"}
    assert endings[4] == endings[9] == "ok" != endings[0]


def test_an_image_of_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = tmp_path / "cave.png"
    Image.new("RGB", (4, 4)).save(picture)
    for number, word in (
        (errno.EIO, "cannot be read: Input/output error"),
        (errno.EINVAL, "damag"),
    ):

        def fail(*_: object, number: int = number, **__: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(Image, "open", fail)
        with pytest.raises(LevelError, match=word):
            load(picture, {})


# -- what stays open ------------------------------------------------------------------------------


def test_an_error_does_not_hold_a_file_open(asset: Path) -> None:
    """An exception that somebody keeps has all variables of the functions that it went through."""
    with edited(asset) as file:
        del file.attrs["width"]
        file.attrs["width"] = 8.0
    gc.disable()
    try:
        with Asset(asset) as opened, pytest.raises(CorruptAssetError, match="width") as kept:
            opened.number("width")
        with pytest.raises(CorruptAssetError) as other:
            open_level(asset)
        with h5py.File(asset, "r+") as file:
            file.attrs["note"] = 1
        assert kept.value.file == other.value.file == asset
    finally:
        gc.enable()


def test_a_level_that_is_closed_while_it_is_asked(asset: Path) -> None:
    file = Hdf5File(asset, Asset.in_assets)
    for read in (file.load, file.part, file.form, file.has):
        file = Hdf5File(asset, Asset.in_assets)
        file.close()
        with pytest.raises(AssetError, match="closed") as caught:
            getattr(file, read.__name__)("/terrain")
        assert not isinstance(caught.value, CorruptAssetError)
