"""Only rules that a level looks up make its asset stale, and all of these do."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from bake.baking import Task, reasons_to_bake, reasons_to_export
from bake.baking.sources import find_tasks
from bake.core.level import MAX_TERRAINS, TerrainRule
from bake.levels import TextReading
from bake.project.recipe import (
    LevelRecipe,
    ProfileRecipe,
    UsedNames,
    load_recipe,
    read_used,
    write_used,
)
from bake.store.header import read_header
from tests.support.baked import rows, write_grid
from tests.support.projects import run, statuses
from tests.support.tampering import sign_body

CHANGED = ["the recipe changed"]
CLEAR = (9, 9, 9, 0)
#: Colors of pixels, which legends name, or the built-in legend does.
PIXELS = {
    "#000000": (0, 0, 0, 255),
    "#ffffff": (255, 255, 255, 255),
    "#10a020": (16, 160, 32, 255),
    "#2030c0": (32, 48, 192, 255),
    "#30509080": (48, 80, 144, 128),
    "#09090900": CLEAR,
}
RULES = """
[legend]
"#10a020" = "grass"
"#2030c0" = "water"
"#7f7f7f" = "grass"
[text.legend]
"~" = "water"
"," = "grass"
"@" = "mud"
[text.spots]
"@" = "spawn"
[terrain]
grass = 2
water = "blocked"
mud = 3
lava = 3
"""


def write_image(path: Path, *lines: str) -> None:
    """Write a PNG; a letter is a pixel: black, white, grass, water, or clear."""
    colours = dict(zip("#.gw~", [*list(PIXELS.values())[:4], CLEAR], strict=True))
    pixels = [[colours[letter] for letter in line] for line in lines]
    Image.fromarray(np.array(pixels, dtype=np.uint8)).save(path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A recipe and levels that are up to date; each level looks up other rules."""
    levels = tmp_path / "levels_src"
    levels.mkdir()
    write_image(levels / "lawn.png", ".g.", ".#.")
    write_image(levels / "pond.png", ".w.", "~..")
    write_grid(levels / "tiles.json", rows("..#", "..."))
    (levels / "cave.txt").write_text("..~\n.~.\n")
    (levels / "hut.csv").write_text("@,#\n.,#\n")
    (levels / "yard.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
        '<rect width="9" height="9" fill="#10a020"/><rect x="3" y="3" width="2" height="2"/></svg>'
    )
    (tmp_path / "bake.toml").write_text(RULES)
    assert set(statuses(run(tasks_of(tmp_path))).values()) == {"baked"}
    assert stale(tmp_path) == []
    return tmp_path


def tasks_of(project: Path) -> list[Task]:
    return find_tasks(load_recipe(project / "bake.toml"), (), None)


def stale(project: Path) -> list[str]:
    return [task.name for task in tasks_of(project) if reasons_to_bake(task)]


EDITS = [
    ("another terrain", '"#2030c0" = "water"', '"#2030c0" = "mud"', ["pond"]),
    ("another terrain twice", '"#10a020" = "grass"', '"#10a020" = "mud"', ["lawn", "yard"]),
    ("an entry that no level has", '"#7f7f7f" = "grass"', "", []),
    ("an entry more", "[legend]", '[legend]\n"#000001" = "water"', []),
    ("an entry for black", "[legend]", '[legend]\n"#000000" = "mud"', ["lawn", "pond", "yard"]),
    ("an entry for clear", "[legend]", '[legend]\n"#09090900" = "mud"', ["lawn", "pond", "yard"]),
    ("a removed entry", '"#2030c0" = "water"', "", ["pond"]),
    ("another terrain of a character", '"~" = "water"', '"~" = "mud"', ["cave"]),
    ("another terrain of a value", '"@" = "mud"', '"@" = "grass"', ["hut"]),
    ("a character that no level has", '"," = "grass"', "", []),
    ("a character more", "[text.legend]", '[text.legend]\n"!" = "mud"', []),
    ("an entry for blanks", "[text.legend]", '[text.legend]\n" " = "mud"', ["cave", "hut"]),
    ("an entry for walls", "[text.legend]", '[text.legend]\n"#" = "mud"', ["cave", "hut"]),
    ("another spot", '"@" = "spawn"', '"@" = "exit"', ["hut"]),
    ("a spot on water", "[text.spots]", '[text.spots]\n"~" = "ford"', ["cave"]),
    ("a spot of no level", "[text.spots]", '[text.spots]\n"!" = "ford"', []),
    ("a cost", "grass = 2", "grass = 4", ["lawn", "yard"]),
    ("a cost of nothing", "lava = 3", "", []),
    ("a new cost", "[terrain]", "[terrain]\nice = 9", []),
    ("a cost beside a built-in one", "[terrain]", "[terrain]\nvoid = 9", ["pond"]),
    (
        "a cost of all",
        "[terrain]",
        "[terrain]\nfloor = 9",
        ["cave", "hut", "lawn", "pond", "tiles"],
    ),
    (
        "a profile",
        "mud = 3",
        "mud = 3\n[profiles.walker.terrain]",
        ["cave", "hut", "lawn", "pond", "tiles", "yard"],
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "expected"), EDITS, ids=[each[0] for each in EDITS])
def test_what_an_edit_makes_stale(
    project: Path, name: str, old: str, new: str, expected: list[str]
) -> None:
    assert old in RULES
    (project / "bake.toml").write_text(RULES.replace(old, new, 1))
    assert stale(project) == expected
    before = {task.name: task.asset.read_bytes() for task in tasks_of(project)}
    outcomes = run(tasks_of(project), force=True)
    for task in tasks_of(project):
        if task.name not in expected:
            assert outcomes[task.name].status == "baked"
            assert task.asset.read_bytes() == before[task.name]


def test_rules_of_profiles(project: Path) -> None:
    """A profile's own rule concerns the levels that have or declare its terrain."""
    walker = "\n[profiles.walker]\n"
    (project / "bake.toml").write_text(RULES + walker)
    run(tasks_of(project))
    (project / "bake.toml").write_text(RULES + walker + "terrain = { water = 1, lava = 2 }\n")
    assert stale(project) == ["cave", "pond", "tiles"]


def test_an_asset_that_states_other_rules_than_its_header(project: Path) -> None:
    """A header of another recipe is stale, whatever the body states."""
    task = tasks_of(project)[0]
    sign_body(task.asset, read_header(task.asset)._replace(recipe="0" * 64))
    assert reasons_to_bake(task) == CHANGED


def test_an_asset_whose_rules_cannot_be_read(project: Path) -> None:
    """It is reported as damaged and baked again."""
    task = tasks_of(project)[0]
    block = read_header(task.asset).block
    whole = task.asset.read_bytes()
    task.asset.write_bytes(whole[:block] + bytes(len(whole) - block))
    (reason,) = reasons_to_bake(task)
    assert "damaged" in reason
    assert statuses(run([task])) == {task.name: "baked"}
    assert task.asset.read_bytes() == whole


def test_flat_files_and_fingerprints_outlive_edits_of_other_rules(project: Path) -> None:
    """What is bound to an asset, such as its flat file and its patches, stays bound to it."""
    flat = "[export]\nflat = true\n"
    (project / "bake.toml").write_text(RULES + flat)
    run(tasks_of(project), force=True)
    before = {task.name: read_header(task.asset).fingerprint() for task in tasks_of(project)}
    (project / "bake.toml").write_text(RULES.replace("lava = 3", "lava = 4") + flat)
    assert [task.name for task in tasks_of(project) if reasons_to_export(task)] == []
    run(tasks_of(project), force=True)
    assert before == {
        task.name: read_header(task.asset).fingerprint() for task in tasks_of(project)
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "1",
        '{"legend":1,"terrain":{}}',
        '{"legend":{}}',
        '{"legend":{},"terrain":{},"text":{}}',
        '{"legend":{},"terrain":{},"text":[]}',
        "[" * 10**5,
    ],
)
def test_texts_that_state_no_rules(text: str) -> None:
    assert read_used(text) is None


def test_used_names_are_read_again() -> None:
    symbols = frozenset({"~", "@"})
    used = UsedNames(frozenset({"#10a020"}), frozenset({"grass", "floor"}), symbols)
    recipe = LevelRecipe(
        legend={"#10a020": "grass", "#2030c0": "water"},
        text=TextReading({"~": "water", ",": "grass"}, {"@": "spawn", "<": "exit"}),
        terrain={"mud": TerrainRule(3)},
    )
    assert read_used(write_used(recipe, used)) == used


@pytest.mark.parametrize(("terrains", "whole"), [(MAX_TERRAINS - 3, False), (MAX_TERRAINS, True)])
def test_a_legend_of_too_many_terrains_counts_as_a_whole(terrains: int, whole: bool) -> None:
    """No level can be read by it, so an asset of a shorter one is not up to date."""
    legend = {f"#{number:06x}": f"t{number}" for number in range(1, terrains + 1)}
    used = UsedNames(frozenset(), frozenset())
    stated = read_used(write_used(LevelRecipe(legend=legend), used))
    assert stated is not None
    assert bool(stated.colours) is whole


def test_numbers_and_colours_do_not_depend_on_other_entries(tmp_path: Path) -> None:
    """Terrains are numbered by colors that the image has, and drawn in one of these."""
    from bake.levels.image import read_image

    write_image(tmp_path / "a.png", "wg", "..")
    legend = {"#10a020": "grass", "#2030c0": "water"}
    level = read_image(tmp_path / "a.png", legend)
    assert level.terrains == ("grass", "water", "floor")
    other = read_image(tmp_path / "a.png", {"#000001": "water", **legend, "#fffffe": "grass"})
    assert (other.terrains, other.colours) == (level.terrains, level.colours)
    assert np.array_equal(other.terrain, level.terrain)


# -- edits at random -------------------------------------------------------------------------------

COLOURS = [*PIXELS, "#7f7f7f", "#000001"]
TERRAINS = ["floor", "wall", "void", "grass", "water", "mud"]
_legends = st.dictionaries(st.sampled_from(COLOURS), st.sampled_from(TERRAINS), max_size=6)
_rules = st.builds(
    TerrainRule,
    st.sampled_from([1.0, 2.0]),
    st.none() | st.sets(st.sampled_from(TERRAINS), min_size=1).map(tuple),
) | st.just(TerrainRule(None))
_tables = st.dictionaries(st.sampled_from(TERRAINS), _rules, max_size=3)
#: An entry of a table, which an edit writes; None = it removes the entry.
_edits = st.tuples(
    st.just("legend"), st.sampled_from(COLOURS), st.none() | st.sampled_from(TERRAINS)
) | st.tuples(
    st.sampled_from(["terrain", "profile"]), st.sampled_from(TERRAINS), st.none() | _rules
)
Table = dict[str, object]


def edited(table: Mapping[str, object], key: str, value: object) -> Table:
    """A table with one entry changed, in the order in which recipes hold it."""
    changed = {**table, key: value}
    return {name: each for name, each in sorted(changed.items()) if each is not None}


def drawn_recipe(tables: Mapping[str, Table]) -> LevelRecipe:
    profiles = (ProfileRecipe("a"), ProfileRecipe("b", tables["profile"]))
    return LevelRecipe(
        legend=tables["legend"],
        terrain=tables["terrain"],
        profiles=profiles,
        tables=("components",),
    )


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(list(PIXELS)), min_size=2, max_size=6),
    _legends,
    _tables,
    _tables,
    _edits,
    st.booleans(),
)
def test_a_fresh_asset_is_what_a_bake_would_write(
    pixels: list[str],
    legend: Table,
    terrain: Table,
    profile: Table,
    edit: tuple[str, str, object],
    all_priced: bool,
) -> None:
    # Without these, most levels would have a color or a terrain that nothing names.
    names = dict.fromkeys(["#10a020", "#2030c0", "#30509080"], "grass")
    costs = {name: TerrainRule(1.0) for name in TERRAINS[0 if all_priced else 3 :]}
    tables: dict[str, Table] = {
        "legend": dict(sorted({**names, **legend}.items())),
        "terrain": dict(sorted({**costs, **terrain}.items())),
        "profile": dict(sorted(profile.items())),
    }
    table, key, value = edit
    with TemporaryDirectory() as folder:
        source = Path(folder, "level.png")
        Image.fromarray(np.array([[PIXELS[each] for each in pixels]], dtype=np.uint8)).save(source)
        task = Task(source, source.with_suffix(".h5"), drawn_recipe(tables))
        if statuses(run([task])) != {"level": "baked"}:
            return
        assert reasons_to_bake(task) == []
        tables[table] = edited(tables[table], key, value)
        later = replace(task, recipe=drawn_recipe(tables))
        if reasons_to_bake(later):
            return
        before = task.asset.read_bytes()
        assert statuses(run([later], force=True)) == {"level": "baked"}
        assert task.asset.read_bytes() == before
