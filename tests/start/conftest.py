"""What tests of first recipes share."""

from pathlib import Path

import pytest


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder; the working directory."""
    folder = tmp_path / "game"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
