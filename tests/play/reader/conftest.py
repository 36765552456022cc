"""What tests of the reader share."""

import sys

import pytest

from bake.kernels import jit


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where numba is not installed."""
    monkeypatch.setattr(jit, "COMPILED", False)
    # It must not be needed, either.
    monkeypatch.setitem(sys.modules, "bake.search.all_pairs.follow", None)
