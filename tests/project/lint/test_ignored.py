"""What is drawn or written to no effect: told by lint, and by build after baking."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.support import ldtk_projects as ldtk
from tests.support.command import bake
from tests.support.tiled_maps import layer, objects, thing, tmx, write

WALL = objects(thing(1, "wall", (0, 0), width=16, height=16))
FLOOR = layer([[1, 1, 1]])
COSTS = '[terrain]\nfloor = 1\nwall = "blocked"\ngrass = 1\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "levels_src").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def level(project: Path, name: str, *parts: str) -> None:
    write(project / "levels_src", tmx(*parts, width=3, height=1), name)


def recipe(project: Path, text: str) -> None:
    (project / "bake.toml").write_text(text + COSTS)


def told(*arguments: str) -> list[tuple[str, str, str]]:
    """Rule, level and place of the findings that matter here."""
    done = bake(*arguments, "--json")
    return [
        (each["rule"], each["level"], each["place"])
        for each in done.data["findings"]
        if each["rule"] in ("ignored", "legend")
    ]


def test_drawings_that_mean_nothing(project: Path) -> None:
    level(project, "a.tmx", FLOOR, WALL)
    recipe(project, "")
    found = [("ignored", "a", 'layer "Things"')]
    assert told("lint") == found
    assert told("build") == found
    assert told("build") == []  # it is up to date, so nobody read it
    done = bake("build", "--force")
    assert done.code == 0
    assert 'levels_src/a.tmx: layer "Things": warning [ignored] all of its objects' in done.err
    assert "ignored" not in done.out


def test_severities_hold_for_builds_too(project: Path) -> None:
    level(project, "a.tmx", FLOOR, WALL)
    recipe(project, '[lint]\nignored = "off"\n')
    assert told("build") == []
    recipe(project, '[lint]\nignored = "error"\n')
    assert bake("lint").code == 1
    done = bake("build", "--force")
    assert done.code == 0
    assert "error [ignored]" in done.err


def test_entries_count_for_all_levels_of_the_project(project: Path) -> None:
    level(project, "a.tmx", FLOOR, WALL)
    level(project, "b.tmx", FLOOR)
    recipe(project, '[tiled.legend]\n"object:wall" = "wall"\n"object:wal" = "wall"\n')
    found = [("legend", "", '[tiled.legend] "object:wal"')]
    assert told("lint") == found
    assert told("build", "--force") == found
    # One level alone proves nothing, be it named or the only one that is stale.
    assert told("lint", "levels_src/b.tmx") == []
    assert told("build", "--force", "levels_src/b.tmx") == []
    level(project, "b.tmx", layer([[1, 1, 2]]))
    assert told("build") == []
    text = bake("lint").out
    assert (
        'bake.toml: [tiled.legend] "object:wal": warning [legend] nothing in any of 2 levels '
        "matches this entry, so it makes no wall" in text
    )


def test_entries_of_one_level(project: Path) -> None:
    level(project, "a.tmx", FLOOR, WALL)
    level(project, "b.tmx", FLOOR)
    text = '[levels.{}.tiled.legend]\n"object:wall" = "wall"\n'
    recipe(project, text.format("a"))
    assert told("lint") == []
    recipe(project, text.format("b"))
    found = ("legend", "b", '[levels.b.tiled.legend] "object:wall"')
    assert found in told("lint")
    assert found in told("build", "--force", "levels_src/b.tmx")
    # An entry of the project that a level replaces is judged by the levels that keep it.
    recipe(
        project,
        '[tiled.legend]\n"object:wall" = "grass"\n' + text.format("a"),
    )
    assert told("lint") == [("legend", "", '[tiled.legend] "object:wall"')]


def test_a_level_that_cannot_be_read_might_need_any_entry(project: Path) -> None:
    level(project, "a.tmx", FLOOR)
    (project / "levels_src" / "b.tmx").write_text("<map")
    recipe(project, '[tiled.legend]\n"object:wall" = "wall"\n')
    assert told("lint") == []


def test_colours_that_no_image_has(project: Path) -> None:
    pixels = np.array([[[255, 255, 255, 255], [1, 2, 3, 255], [9, 9, 9, 128]]], dtype=np.uint8)
    Image.fromarray(pixels).save(project / "levels_src" / "a.png")
    legend = (
        '"#010203" = "grass"\n"#010204" = "grass"\n"#09090980" = "wall"\n"#09090981" = "wall"\n'
    )
    recipe(project, f'[legend]\n{legend}"#00000000" = "wall"\n')
    assert told("lint") == [
        ("legend", "", f'[legend] "{colour}"') for colour in ("#00000000", "#010204", "#09090981")
    ]


def test_entries_for_ldtk(project: Path) -> None:
    text = json.dumps(ldtk.project(ldtk.level("One", ldtk.int_grid("..#", ".~."))))
    (project / "levels_src" / "a.ldtk").write_text(text)
    recipe(project, '[ldtk.legend]\n"value:water" = "grass"\n"entity:Hero" = "spawn"\n')
    places = [place for _, _, place in told("lint")]
    assert '[ldtk.legend] "entity:Hero"' in places


def test_entries_for_a_file_of_several_levels_and_for_one_of_them(project: Path) -> None:
    levels = (ldtk.level(name, ldtk.int_grid("..#", ".~.")) for name in ("One", "Two"))
    (project / "levels_src" / "a.ldtk").write_text(json.dumps(ldtk.project(*levels)))
    recipe(
        project,
        '[ldtk]\nworld = "each"\n'
        '[ldtk.legend]\n"value:water" = "grass"\n"value:walls" = "wall"\n"entity:Cow" = "spawn"\n'
        '[levels.a.ldtk.legend]\n"entity:Elk" = "spawn"\n"entity:Cat" = "spawn"\n'
        '[levels.a-One.ldtk.legend]\n"entity:Cat" = "exit"\n"entity:Dog" = "spawn"\n'
        '[levels.a-Two.ldtk.legend]\n"entity:Dog" = "spawn"\n',
    )
    assert sorted(told("lint")) == [
        ("legend", "", '[ldtk.legend] "entity:Cow"'),
        ("legend", "", '[levels.a.ldtk.legend] "entity:Elk"'),
        ("legend", "a-One", '[levels.a-One.ldtk.legend] "entity:Cat"'),
        ("legend", "a-One", '[levels.a-One.ldtk.legend] "entity:Dog"'),
        ("legend", "a-Two", '[levels.a-Two.ldtk.legend] "entity:Dog"'),
        ("legend", "a-Two", '[levels.a.ldtk.legend] "entity:Cat"'),
    ]


def test_lines_can_be_pasted_whatever_is_in_their_names(project: Path) -> None:
    level(project, "cave 2.1.tmx", FLOOR)
    table, entry = '[levels."cave 2.1".tiled.legend]', r'"object:a \"b\""'
    recipe(project, f'{table}\n{entry} = "wall"\n')
    assert ("legend", "cave 2.1", f"{table} {entry}") in told("lint")
