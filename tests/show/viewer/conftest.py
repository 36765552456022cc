"""One browser for all tests of the page, and the folder in which their pages are written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser_page import CHROMIUMS, BrowserPage, chromium, launched, page_file


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("viewer-pages")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    pytest.importorskip("playwright", reason="playwright is not installed")
    program = chromium()
    if program is None:
        pytest.skip(f"no {' or '.join(CHROMIUMS)} on this machine")
    with launched(program) as opened:
        yield opened


@pytest.fixture(scope="session")
def window(browser: Any) -> Any:
    """One for all tests, as the page keeps nothing when it is closed."""
    return browser.new_context(viewport={"width": 1240, "height": 840}, accept_downloads=True)


@pytest.fixture
def tab(window: Any) -> Iterator[BrowserPage]:
    """A tab without a page. What the page complains of, or loads from elsewhere, fails the test."""
    found = BrowserPage(window.pages[0] if window.pages else window.new_page())
    yield found
    assert window.storage_state() == {"cookies": [], "origins": []}
    found.leave()
    for page in window.pages[1:]:
        page.close()
    assert found.complaints == []


@pytest.fixture
def keep(tab: BrowserPage, folder: Path) -> BrowserPage:
    """A page from disk that shows the keep, 5,203 cells."""
    tab.open_file(page_file(folder, "keep.png"))
    return tab
