"""docs/searches.md: its examples run, and give what their comments say."""

import shutil
from pathlib import Path

import pytest

from bake.extras.crowds import plans
from tests.support.pages import examples, page

pytestmark = pytest.mark.note(129, "the page's example")

PAGE = page("searches.md")


def test_the_examples(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(example, tmp_path / "example")
    monkeypatch.chdir(tmp_path / "example")
    shown = examples(PAGE, "searches.md")
    for value, expected in shown:
        assert value == expected
    assert len(shown) == 19


def test_every_method_is_told() -> None:
    for name in plans.METHODS:
        assert f'| `"{name}"' in PAGE
