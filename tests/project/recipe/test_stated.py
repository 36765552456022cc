"""What an asset states of its recipe, read again."""

import json
from pathlib import Path

import pytest

from bake.project.recipe import LevelRecipe, load_recipe, read_stated

WRITTEN = """
ticks_per_unit = 100
tables = ["heuristic", "components", "next_hops"]
distances = { storage = "labels" }
clusters = { size = 7, regions = true }
hierarchy = { mode = "hpa", spacing = 3, levels = 2, keep_paths = false }
heuristic = { kind = "landmark", bytes_per_node = 9 }
profiles = { b = {}, a = { size = 2 } }
"""

KEPT = (
    *("ticks_per_unit", "tables", "cluster_size", "cluster_regions", "hierarchy"),
    *("distance_storage", "spacing", "levels", "keep_paths", "heuristic_kind", "heuristic_bytes"),
)


@pytest.mark.parametrize("text", ["", WRITTEN])
def test_what_was_written_is_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "bake.toml").write_text(text, "utf-8")
    recipe = load_recipe(tmp_path / "bake.toml").defaults
    stated = read_stated(recipe.canonical())
    assert [getattr(stated, name) for name in KEPT] == [getattr(recipe, name) for name in KEPT]
    assert [each.name for each in stated.profiles] == [each.name for each in recipe.profiles]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("ticks_per_unit", 0),
        ("ticks_per_unit", "100"),
        ("ticks_per_unit", True),
        ("tables", ["hops"]),
        ("tables", "auto"),
        ("distances", {"storage": "runs"}),
        ("clusters", None),
        ("clusters.size", 3),
        ("clusters.regions", 1),
        ("hierarchy.mode", ""),
        ("hierarchy.spacing", 10**400),
        ("hierarchy.levels", 0),
        ("heuristic.kind", 1),
        ("heuristic.bytes_per_node", 7.5),
        ("profiles", {}),
        ("profiles", []),
    ],
)
def test_anything_else_says_where(place: str, value: object) -> None:
    stated = json.loads(LevelRecipe().canonical())
    *above, key = place.split(".")
    (stated[above[0]] if above else stated)[key] = value
    with pytest.raises(ValueError, match=f"^{place}"):
        read_stated(json.dumps(stated))
