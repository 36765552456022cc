"""docs/searches.md: its examples run, and give what their comments say."""

from pathlib import Path
from typing import Any

from bake.agents import plans
from bake.search.spaces.methods import METHODS
from tests.support.pages import blocks, checked, page

PAGE = page("searches.md")


def test_the_examples(example: Path) -> None:
    names: dict[str, Any] = {}
    shown = [
        found for code in blocks(PAGE, "python") for found in checked(code, "searches.md", names)
    ]
    for value, expected in shown:
        assert value == expected
    assert len(shown) == 17


def test_every_method_is_told() -> None:
    for name in (*METHODS, *plans.METHODS):
        assert f'| `"{name}"' in PAGE
