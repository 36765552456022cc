"""Settings of all tests."""

import contextlib
import gc
import importlib
import os
import signal
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import settings

# Machines that run tests are shared: how long one example takes says nothing about the code.
# `make night` draws more of them.
settings.register_profile("usual", deadline=None, max_examples=25)
settings.register_profile("night", deadline=None, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "usual"))

# No test is to depend on what another one has left in the cache of compiled kernels.
os.environ.setdefault("BAKE_COMPILE", "wait")

# A shell lets what it starts in the background ignore Ctrl-C, and so would the builds of tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test can cut the power, and to wait for the disk takes milliseconds for each level baked.
mock.patch("os.fsync", os.fstat).start()

# What is loaded and collected stays until the end, so nothing is gained by looking through it again
# and again.
gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "note(number, against): verifies a system of docs/notes.md; see tests/support/notes.py",
    )


def pytest_collection(session: pytest.Session) -> None:
    """Have each worker begin to import elsewhere, as all would rewrite the same asserts at once.

    What one has rewritten lies on the disk, where the others find it.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    home = Path(__file__).parent
    files = sorted(home.rglob("test_*.py"))
    begin = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in [*files[begin:], *files[:begin]]:
        # Pytest imports the module again, and then tells what is wrong with it.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(home.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    gc.freeze()
    # Circles that nobody refers to are few; to look for them after each 700 objects takes time.
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder; the working directory."""
    folder = tmp_path / "bare"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
