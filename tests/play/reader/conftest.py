"""What tests of the reader share."""

import pytest

from tests.support.uncompiled import without_compiler


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where numba is not installed."""
    without_compiler(monkeypatch)
