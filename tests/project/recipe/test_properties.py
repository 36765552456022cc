"""Recipes of every kind: read alike however they are written, and never anything but BakeError."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.errors import BakeErrors, RecipeError
from bake.project.recipe import LevelRecipe, load_recipe
from levelbake.errors import BakeError
from tests.support.toml_text import write_toml

TABLE_NAMES = [
    *("components", "next_hops", "distances", "clusters", "hierarchy"),
    *("cluster_distances", "heuristic"),
]

names = st.sampled_from(["a", "tall grass", "Wasser", "größe", 'quo"te', "back\\slash", "x.y"])
costs = st.one_of(
    st.integers(1, 1_000_000),
    st.floats(0, 1e6, exclude_min=True),
    st.just("blocked"),
)
rules = costs | st.builds(
    lambda cost, ways: {"cost": cost} | ({} if ways is None or cost == "blocked" else ways),
    costs,
    st.none() | st.fixed_dictionaries({"enter_from": st.lists(names, unique=True)}),
)
terrains = st.dictionaries(names, rules, max_size=4)
colours = st.sampled_from(["#abc", "#3A7d44", "#00000080", "#12345600", "#FFF", "#fedCBAff"])
level_keys = {
    "connectivity": st.sampled_from([4, 8]),
    "corner_cutting": st.sampled_from(["never", "one_free", "always"]),
    "cost_rule": st.sampled_from(["mean", "entered"]),
    "ticks_per_unit": st.integers(1, 2**24),
    "memory_budget": st.integers(2**20, 2**63 - 1) | st.sampled_from(["1 MiB", "2.5 GB"]),
    "tables": st.just("auto") | st.lists(st.sampled_from(TABLE_NAMES), unique=True, min_size=1),
    "next_hops": st.fixed_dictionaries(
        {},
        optional={
            "algorithm": st.sampled_from(["auto", "dijkstra", "floyd_warshall"]),
        },
    ),
    "distances": st.fixed_dictionaries(
        {}, optional={"storage": st.sampled_from(["auto", "labels"])}
    ),
    "clusters": st.fixed_dictionaries(
        {}, optional={"size": st.integers(4, 1024), "regions": st.booleans()}
    ),
    "hierarchy": st.fixed_dictionaries(
        {},
        optional={
            "mode": st.sampled_from(["hpa", "none"]),
            "spacing": st.integers(1, 1024),
            "levels": st.integers(1, 16),
            "keep_paths": st.booleans(),
        },
    ),
    "heuristic": st.fixed_dictionaries(
        {},
        optional={
            "kind": st.sampled_from(["auto", "landmark"]),
            "bytes_per_node": st.integers(8, 256),
        },
    ),
    "legend": st.dictionaries(colours, names, max_size=4),
    "terrain": terrains,
    "profiles": st.dictionaries(
        st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,5}", fullmatch=True),
        st.fixed_dictionaries({}, optional={"terrain": terrains}),
        min_size=1,
        max_size=3,
    ),
}
level_names = st.sampled_from(["keep", "den 2", "a.b", "ünter"])
recipes = st.fixed_dictionaries(
    {},
    optional={
        **level_keys,
        "sources": st.lists(
            st.sampled_from(["levels_src/*", "**/*.png", "./a", "[!b]?.map"]),
            unique=True,
            min_size=1,
        ),
        "output": st.sampled_from(["baked", "/tmp/out", "../out"]),
        "levels": st.dictionaries(
            level_names, st.fixed_dictionaries({}, optional=level_keys), max_size=3
        ),
    },
)
randoms = st.randoms(use_true_random=False)


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("recipe") / "bake.toml"


def load(file: Path, text: str):
    file.write_text(text, encoding="utf-8", newline="")
    return load_recipe(file)


def meaning(project: dict, level: dict) -> dict:
    """What `canonical` must say, worked out from the data itself."""

    def rule(written):
        table = written if isinstance(written, dict) else {"cost": written}
        ways = table.get("enter_from")
        return {
            "cost": None if table["cost"] == "blocked" else float(table["cost"]),
            "enter_from": None if ways is None else sorted(ways),
        }

    def ruled(terrain):
        return {name: rule(written) for name, written in terrain.items()}

    def full(colour):
        digits = colour[1:].lower()
        digits = "".join(d + d for d in digits) if len(digits) == 3 else digits
        return "#" + (digits[:-2] if len(digits) == 8 and digits.endswith("ff") else digits)

    def legend(table):
        return {full(colour): name for colour, name in table.get("legend", {}).items()}

    flat = {**project, **level}
    tables = flat.get("tables", "auto")
    distances, clusters, hierarchy, heuristic = (
        {**project.get(name, {}), **level.get(name, {})}
        for name in ("distances", "clusters", "hierarchy", "heuristic")
    )
    chosen = distances.get("storage", "auto")
    planned = "hierarchy" in tables and hierarchy.get("mode") != "none"
    alone = "cluster_distances" in tables and not planned
    return {
        **({} if chosen == "auto" else {"distances": {"storage": chosen}}),
        "connectivity": flat.get("connectivity"),
        "corner_cutting": flat.get("corner_cutting"),
        "cost_rule": flat.get("cost_rule"),
        "ticks_per_unit": flat.get("ticks_per_unit", 27720),
        "tables": None if tables == "auto" else sorted(tables),
        "clusters": {"size": 8 if alone else 32, "regions": False, **clusters},
        "hierarchy": {
            **{"mode": "hpa", "spacing": 8, "keep_paths": True, **hierarchy},
            "levels": hierarchy.get("levels", 1),
        },
        "heuristic": {"kind": "auto", "bytes_per_node": 20, **heuristic},
        "legend": {**legend(project), **legend(level)},
        "terrain": ruled({**project.get("terrain", {}), **level.get("terrain", {})}),
        "profiles": {
            name: ruled(profile.get("terrain", {}))
            for name, profile in flat.get("profiles", {"default": {}}).items()
        },
    }


@given(recipes, randoms)
def test_a_recipe_means_what_it_says(file, data, rng: random.Random):
    recipe = load(file, write_toml(data, rng))
    assert recipe.sources == tuple(data.get("sources", ["levels_src/*"]))
    assert recipe.output == data.get("output", "baked")
    assert json.loads(recipe.for_level("none of these").canonical()) == meaning(data, {})
    assert set(recipe.levels) == set(data.get("levels", {}))
    for name, level in data.get("levels", {}).items():
        assert json.loads(recipe.for_level(name).canonical()) == meaning(data, level)


@given(recipes, randoms, randoms)
def test_two_writings_of_a_recipe_are_equal(file, data, rng, other_rng):
    one, other = load(file, write_toml(data, rng)), load(file, write_toml(data, other_rng))
    assert one == other
    assert str(one) == str(other)  # orders included
    assert one.defaults.canonical() == other.defaults.canonical()


def check_told(error: BakeError) -> None:
    """Each mistake is a RecipeError that names its place in one printable line."""
    for problem in error.problems if isinstance(error, BakeErrors) else [error]:
        assert type(problem) is RecipeError
        assert problem.place is not None
        assert problem.place.startswith("line ")
        assert problem.expected is not None or "not TOML" in problem.found
        assert str(problem).isprintable()


keys = st.sampled_from(
    ["sources", "levels", "profiles", "terrain", "legend", "cost", "enter_from", "[key]", "#FFF"]
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
junk = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(),
        st.floats(),
        st.dates(),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
        st.sampled_from(["auto", "blocked", "2 GiB", "never", 4, 8, 1]),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


def spoil(data: dict, value: object, rng: random.Random) -> None:
    """Put a value somewhere it may not belong."""
    table = data
    while inner := [item for item in table.values() if isinstance(item, dict)]:
        if rng.random() < 0.3:
            break
        table = rng.choice(inner)
    key = rng.choice([*table, *level_keys, "levels", "junk"])
    table[key] = value


@given(recipes, st.lists(junk, min_size=1, max_size=4), randoms)
def test_junk_is_told_as_bake_errors(file, data, values, rng):
    for value in values:
        spoil(data, value, rng)
    try:
        recipe = load(file, write_toml(data, rng))
    except BakeError as error:
        check_told(error)
    else:
        assert isinstance(json.loads(recipe.defaults.canonical()), dict)


@given(st.dictionaries(keys, junk, max_size=5), randoms)
def test_tables_of_nothing_but_junk_are_told_as_bake_errors(file, data, rng):
    try:
        load(file, write_toml(data, rng))
    except BakeError as error:
        check_told(error)


@given(recipes, randoms, st.text(max_size=3), st.integers(0, 5))
def test_damaged_text_is_told_as_bake_errors(file, data, rng, inserted, dropped):
    text = write_toml(data, rng)
    at = rng.randint(0, len(text))
    raw = (text[:at] + inserted + text[at + dropped :]).encode("utf-8", "surrogatepass")
    file.write_bytes(raw)
    try:
        load_recipe(file)
    except BakeError as error:
        check_told(error)


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda t: t.encode("utf-8", "replace")))
def test_any_bytes_are_told_as_bake_errors(file, raw):
    file.write_bytes(raw)
    try:
        recipe = load_recipe(file)
    except BakeError as error:
        check_told(error)
    else:
        assert recipe.defaults == LevelRecipe()
