"""Files that give several levels: names, recipes, staleness, each level by itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from bake.baking import Task, find_tasks, judge, reasons_to_bake
from bake.baking.plan import plan_level
from bake.core.errors import BakeErrors, LevelError, RecipeError
from bake.play import open_asset
from bake.project.recipe import load_recipe
from tests.support.ldtk_projects import int_grid, level, project, write
from tests.support.projects import run, statuses

EACH = '[ldtk]\nworld = "each"\n'


def tasks_in(folder: Path, recipe: str = EACH) -> dict[str, Task]:
    (folder / "bake.toml").write_text(recipe + "[terrain]\nwater = 2\nmud = 3\n", encoding="utf-8")
    tasks = find_tasks(load_recipe(folder / "bake.toml"), [], None)
    assert [task.name for task in tasks] == sorted(task.name for task in tasks)
    return {task.name: task for task in tasks}


def three() -> list[dict[str, Any]]:
    return [level(name, int_grid("..#", "..."), at=(3 * x, 0)) for x, name in enumerate("ABC")]


def external(folder: Path) -> dict[str, Any]:
    """A project whose levels lie in files of their own."""
    levels = three()
    for each in levels:
        write(folder / "isle" / f"{each['identifier']}.ldtkl", dict(each))
        each |= {
            "layerInstances": None,
            "externalRelPath": f"isle/{each['identifier']}.ldtkl",
        }
    return project(*levels)


def test_one_asset_each(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three()))
    tasks = tasks_in(tmp_path)
    assert {name: task.asset.name for name, task in tasks.items()} == {
        "isle-A": "isle-A.h5",
        "isle-B": "isle-B.h5",
        "isle-C": "isle-C.h5",
    }
    outcomes = run(list(tasks.values()))
    assert statuses(outcomes) == dict.fromkeys(tasks, "baked")
    for name, task in tasks.items():
        assert reasons_to_bake(task) == []
        with open_asset(task.asset) as asset:
            assert asset.name == name
        assert plan_level(task, 1).level == name


def test_levels_in_several_processes(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three()))
    tasks = tasks_in(tmp_path)
    assert set(statuses(run(list(tasks.values()), jobs=2)).values()) == {"baked"}


def test_joined_unless_the_recipe_says_otherwise(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three()))
    assert list(tasks_in(tmp_path, "")) == ["isle"]


def test_worlds_are_in_the_names(tmp_path: Path) -> None:
    worlds = [
        {"identifier": name, "worldLayout": "Free", "levels": three()} for name in ("East", "West")
    ]
    write(tmp_path / "levels_src" / "isle.ldtk", project(worlds=worlds))
    assert list(tasks_in(tmp_path, "")) == ["isle-East", "isle-West"]
    assert list(tasks_in(tmp_path)) == [
        f"isle-{world}-{name}" for world in ("East", "West") for name in "ABC"
    ]


def test_tables_of_the_file_and_of_the_level(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three()))
    tasks = tasks_in(
        tmp_path,
        '[levels.isle]\nconnectivity = 4\n[levels.isle.ldtk]\nworld = "each"\n'
        '[levels.isle-B]\ncost_rule = "entered"\n',
    )
    assert {name: (t.recipe.connectivity, t.recipe.cost_rule) for name, t in tasks.items()} == {
        "isle-A": (4, None),
        "isle-B": (4, "entered"),
        "isle-C": (4, None),
    }


def test_a_table_for_no_level(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three()))
    with pytest.raises(RecipeError, match=r"\[levels.isle-D\].*did you mean isle-"):
        tasks_in(tmp_path, EACH + "[levels.isle-D]\n")


def test_names_that_collide(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three()))
    write(tmp_path / "levels_src" / "isle-b.json", {})
    with pytest.raises(LevelError, match=r"same isle-B.h5 as .*isle-b.json"):
        tasks_in(tmp_path)


def test_names_no_file_may_have(tmp_path: Path) -> None:
    levels = three()
    levels[0]["identifier"], levels[1]["identifier"] = "../A", "A:B"
    write(tmp_path / "levels_src" / "isle.ldtk", project(*levels))
    with pytest.raises(BakeErrors) as caught:
        tasks_in(tmp_path)
    assert len(caught.value.problems) == 2
    assert "rename the level" in str(caught.value)


def test_a_damaged_source_stops_no_other(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three()))
    (tmp_path / "levels_src" / "broken.ldtk").write_text("{", encoding="utf-8")
    tasks = tasks_in(tmp_path, EACH + "[levels.broken-A]\n")
    outcomes = run(list(tasks.values()))
    assert statuses(outcomes) == {
        "broken": "failed",
        "isle-A": "baked",
        "isle-B": "baked",
        "isle-C": "baked",
    }
    assert "not JSON" in str(outcomes["broken"].error)


def test_a_level_file_concerns_its_own_level(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", external(tmp_path / "levels_src"))
    tasks = tasks_in(tmp_path)
    run(list(tasks.values()))
    file = tmp_path / "levels_src" / "isle" / "B.ldtkl"
    file.write_text(file.read_text() + "\n")
    assert {name: reasons for task, reasons in judge(tasks.values()) for name in [task.name]} == {
        "isle-A": [],
        "isle-B": ["isle/B.ldtkl changed"],
        "isle-C": [],
    }
    file.unlink()
    assert reasons_to_bake(tasks["isle-B"]) == [
        "isle/B.ldtkl cannot be read: No such file or directory"
    ]
    assert "is missing" in str(run(list(tasks.values()))["isle-B"].error)


def test_the_project_file_concerns_all(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three()))
    tasks = tasks_in(tmp_path)
    run(list(tasks.values()))
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three(), note=1))
    assert [reasons for _, reasons in judge(tasks.values())] == [["isle.ldtk changed"]] * 3


def test_how_projects_are_read_concerns_projects_alone(tmp_path: Path) -> None:
    write(tmp_path / "levels_src" / "isle.ldtk", project(*three()))
    (tmp_path / "levels_src" / "plain.map").write_text(
        "type octile\nheight 1\nwidth 2\nmap\n..\n", encoding="utf-8"
    )
    run(list(tasks_in(tmp_path, "").values()))
    changed = '[ldtk]\nempty = "mud"\nallow_outside = true\n'
    assert {t.name: reasons for t, reasons in judge(tasks_in(tmp_path, changed).values())} == {
        "isle": ["the recipe changed"],
        "plain": [],
    }
    outside = "[ldtk]\nallow_outside = true\n"
    assert not any(reasons for _, reasons in judge(tasks_in(tmp_path, outside).values()))


def test_the_file_of_a_hundred_levels_is_read_once_to_name_and_once_to_judge_them(
    tmp_path: Path,
) -> None:
    levels = [level(f"L{x}", int_grid("..#", "..."), at=(3 * x, 0)) for x in range(100)]
    source = tmp_path / "levels_src" / "isle.ldtk"
    write(source, project(*levels))
    tasks = tasks_in(tmp_path)
    for task in tasks.values():
        task.asset.parent.mkdir(exist_ok=True)
    first = run([tasks["isle-L0"]])["isle-L0"].task.asset.read_bytes()
    for task in tasks.values():
        task.asset.write_bytes(first)
    opened = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal opened
        opened += event == "open" and str(arguments[0]) == str(source)

    sys.addaudithook(count)  # It stays, and counts for nobody after this test.
    assert not any(reasons for _, reasons in judge(tasks_in(tmp_path).values()))
    assert opened == 2
