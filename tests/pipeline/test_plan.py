"""What `bake plan` foretells, against what then lies in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bake.asset import Asset
from bake.asset.schema import TABLES, profile_path
from bake.errors import BudgetError
from bake.pipeline import find_tasks
from bake.pipeline.level import bake_level
from bake.pipeline.plan import Plan, plan_level
from bake.pipeline.sources import Task
from bake.recipe import load_recipe

ROOT = Path(__file__).resolve().parent.parent.parent

#: Levels of every kind: image, hexagons, several profiles, one-way streets, a dense small table.
LEVELS = ("caves", "island", "keep", "marsh", "oneway", "roads", "undercroft")


def task_of(name: str, output: Path) -> Task:
    tasks = find_tasks(load_recipe(ROOT / "bake.toml"), [], output)
    return next(task for task in tasks if task.name == name)


def stored(asset: Asset, profile: str, table: str) -> int:
    for known, _, columns in TABLES:
        paths = [profile_path(profile, one) for one in columns]
        if known == table and all(asset.has(path) for path in paths):
            return sum(asset.stored_bytes(path) for path in paths)
    raise AssertionError(f"{table} is planned, but not baked")


def both(name: str, output: Path) -> tuple[Plan, Path]:
    task = task_of(name, output)
    plan = plan_level(task, 1)
    bake_level(task, 1, lambda stage, done: None)
    return plan, task.asset


@pytest.mark.parametrize("name", LEVELS)
def test_bytes_within_a_factor_of_two(name: str, tmp_path: Path) -> None:
    plan, path = both(name, tmp_path)
    assert path.stat().st_size / 2 <= plan.bytes <= path.stat().st_size * 2
    with Asset(path) as asset:
        for table in plan.tables:
            if table.table != "components":
                real = stored(asset, table.profile, table.table)
                assert real / 2 <= table.bytes <= real * 2, (table, real)


def test_every_table_is_planned(tmp_path: Path) -> None:
    plan, path = both("marsh", tmp_path)
    with Asset(path) as asset:
        assert {table.profile for table in plan.tables} == set(asset.profiles)
        assert plan.nodes == asset.shape("/world/cell")[0]
        assert plan.arcs == asset.shape("/world/head")[0]
    assert {table.table for table in plan.tables} == {
        "components",
        "next_hops",
        "clusters",
        "hierarchy",
        "cluster_distances",
    }
    assert "heuristic" in {table.table for table in both("keep", tmp_path)[0].tables}


def test_nothing_is_baked(tmp_path: Path) -> None:
    plan_level(task_of("roads", tmp_path / "out"), 1)
    assert not (tmp_path / "out").exists()


def test_a_level_too_large_is_refused_as_the_bake_would(tmp_path: Path) -> None:
    (tmp_path / "bake.toml").write_text('memory_budget = "1 MiB"\n')
    rows = ["." * 80] * 80
    (tmp_path / "big.map").write_text(
        "type octile\nheight 80\nwidth 80\nmap\n" + "\n".join(rows) + "\n"
    )
    recipe = load_recipe(tmp_path / "bake.toml")
    (task,) = find_tasks(recipe, [tmp_path / "big.map"], tmp_path)
    with pytest.raises(BudgetError, match="6,400 nodes"):
        plan_level(task, 1)
