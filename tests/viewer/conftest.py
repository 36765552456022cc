"""One browser for all tests of the page, and the folder in which their levels are baked."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser_page import BrowserPage, page_file

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("viewer-assets")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if program is None:
        pytest.skip(f"no {' or '.join(CHROMIUMS)} on this machine")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"] if root else []
        )
        yield opened
        opened.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[BrowserPage]:
    """A tab without a page. What the page complains of, or loads from elsewhere, fails the test."""
    context = browser.new_context(viewport={"width": 1240, "height": 840}, accept_downloads=True)
    found = BrowserPage(context.new_page())
    yield found
    context.close()
    assert found.complaints == []


@pytest.fixture
def keep(tab: BrowserPage, folder: Path) -> BrowserPage:
    """A page from disk that shows the keep, 5,203 cells."""
    tab.open_file(page_file(folder, "keep.png"))
    return tab
