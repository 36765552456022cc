"""Waits of a watcher are short here: what tests wait for is what comes of a change."""

from __future__ import annotations

import pytest

from bake.project.watch import levels, notices


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "LOOK_EVERY", 0.2)
    monkeypatch.setattr(notices, "LOOK_OFTEN", 0.05)
    monkeypatch.setattr(levels, "SECOND_LOOK", 0.05)
