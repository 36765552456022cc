"""Settings of all tests."""

import gc
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
