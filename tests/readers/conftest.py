"""Every reader that can be run on this machine."""

from __future__ import annotations

import pytest

from tests.support.readers import READY, Runner


@pytest.fixture(scope="session", params=sorted(READY))
def runner(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """One reader; its tests are skipped where its language is not installed."""
    return READY[request.param](tmp_path_factory.mktemp(request.param))
