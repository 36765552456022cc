"""Check that the names to be renamed exist, and that the new ones are free."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

GLOSSARY = Path(__file__).parents[1] / "support" / "glossary.toml"

RENAMES: list[dict[str, str]] = tomllib.loads(GLOSSARY.read_text(encoding="utf-8"))["rename"]


def owner_of(name: str) -> tuple[Any, str]:
    """Return the module or class that a qualified name belongs to, and its last part."""
    path = name.split(".")
    for length in range(len(path) - 1, 0, -1):
        try:
            owner: Any = importlib.import_module(".".join(path[:length]))
        except ModuleNotFoundError:
            continue
        for part in path[length:-1]:
            owner = getattr(owner, part)
        return owner, path[-1]
    raise ModuleNotFoundError(name)


@pytest.mark.parametrize("rename", RENAMES, ids=lambda rename: rename["old"])
def test_renames(rename: dict[str, str]) -> None:
    assert rename.keys() == {"old", "new", "reason"}
    owner, last = owner_of(rename["old"])
    assert isinstance(owner, (ModuleType, type))
    assert hasattr(owner, last)
    assert rename["new"].isidentifier()
    assert not hasattr(owner, rename["new"])


def test_each_name_is_renamed_once() -> None:
    names = [rename["old"] for rename in RENAMES]
    assert len(set(names)) == len(names)
