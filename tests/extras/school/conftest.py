"""Tests of the school know puzzles, as the command line does."""

import pytest

from bake.extras.school import register


@pytest.fixture(autouse=True)
def _registered() -> None:
    register()
