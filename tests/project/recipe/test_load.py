"""A recipe in `bake.toml`: what it sets, where it is found, and its schema."""

import json
import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bake.core.errors import RecipeError
from bake.core.level import TerrainRule
from bake.project.recipe import (
    LevelRecipe,
    ProfileRecipe,
    Recipe,
    find_recipe,
    load_recipe,
    recipe_schema,
)
from tests.support.pages import page

WHOLE = """\
sources = ["levels_src/*.png", "more/**/*.map"]
output = "out/baked"
connectivity = 8
corner_cutting = "one_free"
cost_rule = "entered"
ticks_per_unit = 65536
memory_budget = "1.5 GiB"
tables = ["distances", "components"]

[next_hops]
algorithm = "dijkstra"

[clusters]
size = 16
regions = true

[hierarchy]
mode = "hpa"
spacing = 4
levels = 2
keep_paths = false

[heuristic]
kind = "landmark"
bytes_per_node = 12

[legend]
"#FFF" = "grass"
"#3a7d44" = "grass"
"#00000080" = "mist"
"#11223FFF" = "mist"

[terrain]
grass = 1
wall = "blocked"
water = { cost = 1.5, enter_from = ["water", "shore"] }

[profiles.walker]
terrain = { water = "blocked" }
[profiles.boat-2]

[levels.keep]
connectivity = 4
tables = "auto"
memory_budget = 1048576
legend = { "#000" = "void", "#ffffff" = "snow" }
[levels.keep.terrain]
water = 3
void = "blocked"

[levels."den 2.v1"]
next_hops.algorithm = "auto"
[levels."den 2.v1".profiles.ghost]
"""


@pytest.fixture
def recipe(tmp_path: Path):
    def write(text: str) -> Recipe:
        file = tmp_path / "bake.toml"
        file.write_text(text, encoding="utf-8", newline="")
        return load_recipe(file)

    return write


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", 32),
        ('tables = ["clusters"]', 32),
        ('tables = ["cluster_distances"]', 8),
        ('tables = ["cluster_distances", "next_hops"]', 8),
        ('tables = ["cluster_distances", "hierarchy"]', 32),
        ('tables = ["cluster_distances", "hierarchy"]\n[hierarchy]\nmode = "none"', 8),
        ('tables = ["cluster_distances"]\n[clusters]\nsize = 32', 32),
        ('tables = ["cluster_distances"]\n[clusters]\nregions = true', 8),
    ],
)
def test_clusters_for_distances_alone_are_small(recipe, text, size):
    assert recipe(text).defaults.cluster_size == size


def test_a_whole_recipe(recipe, tmp_path):
    got = recipe(WHOLE)
    project = LevelRecipe(
        connectivity=8,
        corner_cutting="one_free",
        cost_rule="entered",
        ticks_per_unit=65536,
        memory_budget=3 * 2**29,
        tables=("components", "distances"),
        algorithm="dijkstra",
        cluster_size=16,
        cluster_regions=True,
        hierarchy="hpa",
        spacing=4,
        levels=2,
        keep_paths=False,
        heuristic_kind="landmark",
        heuristic_bytes=12,
        # "#11223FFF" ends in the alpha of an opaque colour.
        legend={
            "#00000080": "mist",
            "#11223f": "mist",
            "#3a7d44": "grass",
            "#ffffff": "grass",
        },
        terrain={
            "grass": TerrainRule(1.0),
            "wall": TerrainRule(None),
            "water": TerrainRule(1.5, ("shore", "water")),
        },
        profiles=(
            ProfileRecipe("boat-2"),
            ProfileRecipe("walker", {"water": TerrainRule(None)}),
        ),
    )
    assert got == Recipe(
        file=tmp_path / "bake.toml",
        sources=("levels_src/*.png", "more/**/*.map"),
        output="out/baked",
        defaults=project,
        levels={
            "den 2.v1": replace(project, algorithm="auto", profiles=(ProfileRecipe("ghost"),)),
            "keep": replace(
                project,
                connectivity=4,
                tables=None,
                memory_budget=2**20,
                legend={"#000000": "void", **project.legend, "#ffffff": "snow"},
                terrain={
                    "grass": TerrainRule(1.0),
                    "void": TerrainRule(None),
                    "wall": TerrainRule(None),
                    "water": TerrainRule(3.0),
                },
            ),
        },
    )
    assert got.folder == tmp_path
    assert got.for_level("keep") is got.levels["keep"]
    assert got.for_level("other") is got.defaults


def test_without_a_recipe_the_defaults_hold(recipe, monkeypatch, tmp_path):
    built_in_rules = load_recipe(None)
    assert built_in_rules == Recipe(
        file=None,
        sources=("levels_src/*",),
        output="baked",
        defaults=LevelRecipe(
            connectivity=None,
            corner_cutting=None,
            cost_rule=None,
            ticks_per_unit=27720,
            memory_budget=2**31,
            tables=None,
            algorithm="auto",
            legend={},
            terrain={},
            profiles=(ProfileRecipe("default", {}),),
        ),
        levels={},
    )
    assert replace(recipe(""), file=None) == built_in_rules
    assert (
        replace(recipe("[levels]\n[terrain]\n[legend]\n[next_hops]\n"), file=None) == built_in_rules
    )
    monkeypatch.chdir(tmp_path)
    assert built_in_rules.folder == Path()


def test_a_recipe_given_by_its_bare_name_starts_from_the_working_directory(
    recipe, monkeypatch, tmp_path
):
    recipe("")
    monkeypatch.chdir(tmp_path)
    assert load_recipe(Path("bake.toml")).folder.resolve() == tmp_path.resolve()


@pytest.mark.parametrize("start", ["\ufeff", "# windows\r\n"])
def test_byte_order_mark_and_windows_line_ends_are_read(recipe, start):
    assert recipe(f'{start}output = "x"\r\n[terrain]\r\na = 2\r\n').output == "x"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1048576", 2**20),
        ("2_000_000", 2_000_000),
        ('"1MiB"', 2**20),
        ('"1 MiB"', 2**20),
        ('"2048 KiB"', 2**21),
        ('"3 GiB"', 3 * 2**30),
        ('"2000 kB"', 2_000_000),
        ('"2 MB"', 2_000_000),
        ('"0.1 GB"', 100_000_000),
        ('"1.000000001 GiB"', 2**30 + 1),  # and 0.07 bytes
        ("9223372036854775807", 2**63 - 1),
    ],
)
def test_memory_budget_in_every_unit(recipe, text, size):
    assert recipe(f"memory_budget = {text}").defaults.memory_budget == size


@pytest.mark.parametrize("text", ["1e-300", "1", "0.5", "1e6", "1_000_000", "0x10", "1000000.0"])
def test_costs_from_the_smallest_to_the_largest(recipe, text):
    cost = recipe(f"terrain.x = {text}").defaults.terrain["x"].cost
    assert type(cost) is float
    assert cost == float(eval(text))


def test_terrain_may_be_closed_to_every_entry(recipe):
    rule = recipe("terrain.ledge = { cost = 1, enter_from = [] }").defaults.terrain["ledge"]
    assert rule == TerrainRule(1.0, ())


def test_canonical_text_is_stable(recipe):
    assert recipe(WHOLE).for_level("den 2.v1").canonical() == (
        '{"clusters":{"regions":true,"size":16},'
        '"connectivity":8,"corner_cutting":"one_free","cost_rule":"entered",'
        '"heuristic":{"bytes_per_node":12,"kind":"landmark"},'
        '"hierarchy":{"keep_paths":false,"levels":2,"mode":"hpa","spacing":4},'
        '"legend":{"#00000080":"mist","#11223f":"mist","#3a7d44":"grass","#ffffff":"grass"},'
        '"profiles":{"ghost":{}},"tables":["components","distances"],'
        '"terrain":{"grass":{"cost":1.0,"enter_from":null},"wall":{"cost":null,"enter_from":null},'
        '"water":{"cost":1.5,"enter_from":["shore","water"]}},"ticks_per_unit":65536}'
    )


#: Each line changes what is baked, alone and against every other line.
CHANGES = [
    "",
    "connectivity = 4",
    "connectivity = 8",
    'corner_cutting = "never"',
    'corner_cutting = "always"',
    'cost_rule = "mean"',
    'cost_rule = "entered"',
    "ticks_per_unit = 1",
    "clusters.size = 31",
    "clusters.regions = true",
    'hierarchy.mode = "none"',
    "hierarchy.spacing = 4",
    "hierarchy.levels = 3",
    "hierarchy.keep_paths = false",
    'heuristic.kind = "landmark"',
    "heuristic.bytes_per_node = 21",
    'tables = ["components"]',
    'tables = ["components", "next_hops", "distances"]',
    'legend = { "#fff" = "a" }',
    'legend = { "#fff" = "b" }',
    'legend = { "#fffffffe" = "a" }',
    "terrain.a = 1",
    "terrain.b = 1",
    "terrain.a = 1.0000000000000002",
    'terrain.a = "blocked"',
    "terrain.a = { cost = 1, enter_from = [] }",
    'terrain.a = { cost = 1, enter_from = ["a"] }',
    'terrain.a = { cost = 1, enter_from = ["a", "b"] }',
    "[profiles.a]",
    "[profiles.b]",
    "[profiles]\na.terrain.a = 1\nb = {}",
    "[profiles]\na = {}\nb.terrain.a = 1",
]


def test_canonical_tells_every_meaning_apart(recipe):
    texts = {change: recipe(change).defaults.canonical() for change in CHANGES}
    assert len(set(texts.values())) == len(CHANGES)


@pytest.mark.parametrize(
    "same",
    [
        "memory_budget = 1048576",
        'next_hops.algorithm = "floyd_warshall"',
        "clusters.size = 32",
        'hierarchy = { mode = "hpa", spacing = 8, levels = 1, keep_paths = true }',
        'heuristic = { kind = "auto", bytes_per_node = 20 }',
        'tables = "auto"',
        "ticks_per_unit = 27720",
        "profiles.default.terrain = {}",
        'sources = ["x/*"]\noutput = "y"',
        "levels.other.connectivity = 4",
    ],
)
def test_what_bakes_the_same_tables_keeps_the_canonical_text(recipe, same):
    assert recipe(same).defaults.canonical() == LevelRecipe().canonical()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("terrain.a = 1", "terrain.a = { cost = 1.0 }"),
        ('legend = { "#AbC" = "x" }', 'legend = { "#aabbccFF" = "x" }'),
        ("terrain = { a = 1, b = 2 }", "terrain = { b = 2, a = 1 }"),
        ("[profiles.a]\n[profiles.b]", "[profiles.b]\n[profiles.a]"),
        ('tables = ["distances", "components"]', 'tables = ["components", "distances"]'),
        (
            'terrain.a = { cost = 1, enter_from = ["a", "b"] }',
            'terrain.a = { enter_from = ["b", "a"], cost = 1 }',
        ),
    ],
)
def test_spelling_and_order_mean_nothing(recipe, one, other):
    first, second = recipe(one).defaults, recipe(other).defaults
    assert first == second
    assert first.canonical() == second.canonical()
    # Equal in order too: whatever is baked by walking through these must come out the same.
    assert list(first.legend.items()) == list(second.legend.items())
    assert list(first.terrain.items()) == list(second.terrain.items())


def test_canonical_of_rules_made_in_code_does_not_depend_on_their_order():
    ab, ba = TerrainRule(1, ("a", "b")), TerrainRule(1.0, ("b", "a"))
    one = LevelRecipe(terrain={"x": ab, "y": ba}, tables=("next_hops", "distances"))
    other = LevelRecipe(terrain={"y": ab, "x": ba}, tables=("distances", "next_hops"))
    assert one.canonical() == other.canonical()


def test_rules_of_a_level_can_be_sent_to_another_process(recipe):
    rules = recipe(WHOLE).for_level("keep")
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_resolved_rules_are_used_without_pydantic():
    code = """
import sys
from bake.project.recipe import load_recipe
load_recipe(None).for_level("keep").canonical()
sys.exit("pydantic" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_nearest_recipe_is_found(tmp_path, monkeypatch):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert find_recipe(inner) is None
    outer = tmp_path / "bake.toml"
    outer.write_text("")
    (inner / ".git").mkdir()
    assert find_recipe(tmp_path) == find_recipe(inner) == outer
    monkeypatch.chdir(inner)
    assert find_recipe(Path()) == Path("../../bake.toml")
    (tmp_path / "a" / "bake.toml").write_text("")
    assert find_recipe(Path()) == Path("../bake.toml")
    (inner / "bake.toml").write_text("")
    assert find_recipe(Path()) == Path("bake.toml")
    assert find_recipe(inner) == inner / "bake.toml"


def test_a_folder_is_searched_from_where_it_is_not_from_a_link_to_it(tmp_path, monkeypatch):
    inner = tmp_path / "real" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "real" / "bake.toml").write_text("")
    (tmp_path / "link").symlink_to(inner)
    monkeypatch.chdir(tmp_path / "link")
    assert find_recipe(Path()) == Path("../bake.toml")
    assert Path("../bake.toml").is_file()


def test_no_recipe_of_a_stranger_is_used_unless_it_is_named(tmp_path, monkeypatch):
    inner = tmp_path / "inner"
    inner.mkdir()
    file = tmp_path / "bake.toml"
    file.write_text("")
    owner = file.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    if owner == 0:  # The administrator is trusted, as this user is.
        assert find_recipe(inner) == file
        os.chown(file, 4321, -1)
    with pytest.raises(RecipeError) as caught:
        find_recipe(inner)
    assert caught.value.file == file
    assert "another user" in str(caught.value)
    assert find_recipe(tmp_path) == file, "it is in the folder itself"
    monkeypatch.setattr(os, "getuid", lambda: file.stat().st_uid)
    assert find_recipe(inner) == file


def test_a_removed_folder_has_no_recipe(tmp_path, monkeypatch):
    (tmp_path / "bake.toml").write_text("")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert find_recipe(Path()) is None


def test_schema_knows_every_key_and_closes_every_table():
    schema = recipe_schema()
    assert json.loads(json.dumps(schema)) == schema
    assert set(schema["properties"]) == {
        *("sources", "output", "connectivity", "corner_cutting", "cost_rule", "ticks_per_unit"),
        *(
            "cell_size",
            "origin",
            "memory_budget",
            "tables",
            "next_hops",
            "distances",
            "clusters",
            "hierarchy",
            "heuristic",
        ),
        *("legend", "elevation", "slopes", "tiled", "ldtk", "terrain", "profiles", "levels"),
        "text",
        *("headings", "export", "lint", "division", "mesh"),
    }
    level = schema["$defs"]["LevelTable"]
    assert set(schema["properties"]) - set(level["properties"]) == {"sources", "output", "levels"}
    assert schema["properties"]["connectivity"]["enum"] == [4, 8]
    for table in [schema, *schema["$defs"].values()]:
        assert table["additionalProperties"] is False
    for name in ("legend", "profiles", "levels"):
        assert schema["properties"][name]["additionalProperties"] is False
    assert schema["properties"]["profiles"]["minProperties"] == 1
    assert "null" not in json.dumps(schema)


DOCS = page("recipe.md")
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", DOCS, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_of_the_documentation_is_a_recipe(recipe, example):
    recipe(example)


def test_the_documentation_names_every_key():
    schema = recipe_schema()
    tables = [schema, *schema["$defs"].values()]
    keys = {key for table in tables for key in table["properties"]}
    assert {key for key in keys if not re.search(rf"`\[?{key}[`.\]]", DOCS)} == set()
