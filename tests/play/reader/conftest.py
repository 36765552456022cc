"""What tests of the reader share."""

import pytest

from bake.kernels import jit


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where numba is not installed."""
    monkeypatch.setattr(jit, "COMPILED", False)
