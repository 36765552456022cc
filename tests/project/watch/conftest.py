"""Waits of a watcher are short here: what tests wait for is what comes of a change."""

from __future__ import annotations

import pytest

from bake.project.watch import levels, notices


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "SCAN_INTERVAL", 0.2)
    monkeypatch.setattr(notices, "POLL_INTERVAL", 0.05)
    monkeypatch.setattr(levels, "SECOND_SCAN_DELAY", 0.05)
