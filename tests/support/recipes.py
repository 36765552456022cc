"""Recipes that must be refused."""

from pathlib import Path

import pytest

from bake.core.errors import BakeErrors, RecipeError
from bake.project.recipe import load_recipe


def told(tmp_path: Path, text: str) -> list[str]:
    """What is said of a recipe, without the file that every line starts with."""
    file = tmp_path / "bake.toml"
    file.write_text(text, encoding="utf-8", newline="")
    with pytest.raises((RecipeError, BakeErrors)) as caught:
        load_recipe(file)
    lines = str(caught.value).split("\n")
    assert isinstance(caught.value, BakeErrors if len(lines) > 1 else RecipeError)
    assert all(line.startswith(f"{file}: ") for line in lines)
    return [line.removeprefix(f"{file}: ") for line in lines]
