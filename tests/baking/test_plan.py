"""What `bake plan` foretells, against what then lies in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bake.baking import find_tasks
from bake.baking.plan import ClusterPlan, Plan, plan_level
from bake.baking.sources import Task
from bake.core.errors import BudgetError
from bake.project.recipe import load_recipe
from bake.show.report import in_time
from bake.store import Asset
from bake.store.schema import TABLES
from bake.tables.run_writer import target_ranges
from levelbake.columns import profile_path
from tests.support.command import bake
from tests.support.stored import stored_asset

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
    return plan_level(task, 1), stored_asset(task.source)


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
        assert plan.nodes == len(asset.graph.place)
        assert plan.arcs == asset.graph.taken(asset.profiles)
    assert {table.table for table in plan.tables} == {
        "components",
        "next_hops",
        "cut_heights",
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


def test_workers_share_out_the_ranges_of_targets(tmp_path: Path) -> None:
    """The keep has 5,203 places, so two ranges: eight workers are no faster than two."""
    task = task_of("keep", tmp_path)
    assert plan_level(task, 1).cluster is None
    for workers, at_once in ((1, 1), (2, 2), (8, 2)):
        plan = plan_level(task, 1, workers)
        (hops,) = (table for table in plan.tables if table.table == "next_hops")
        assert hops.ranges == len(target_ranges(plan.nodes)) == 2
        assert 0 < hops.work <= hops.seconds
        assert plan.cluster is not None
        saved = plan.seconds - plan.cluster.seconds
        assert saved == pytest.approx(hops.work - hops.work / at_once)
        assert plan.cluster.workers == workers
        assert plan.cluster.memory > hops.worker_memory > 4 * 64 * plan.nodes


def test_a_small_level_has_nothing_to_share_out(tmp_path: Path) -> None:
    plan = plan_level(task_of("oneway", tmp_path), 2, 16)
    assert plan.cluster == ClusterPlan(16, plan.seconds, 0)


def test_the_table_has_a_line_for_workers(tmp_path: Path) -> None:
    told = bake(
        "plan", ROOT / "levels_src" / "keep.png", "--workers", "2", "--recipe", ROOT / "bake.toml"
    )
    assert told.code == 0, told.err
    (line,) = (line for line in told.out.splitlines() if "workers" in line)
    assert line.split()[:2] == ["2", "workers"]
    assert line.rstrip().endswith("MiB each")


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0.0, "0.00 s"), (99.0, "99.00 s"), (150.0, "2.5 min"), (28_800.0, "8.0 h")],
)
def test_long_times_are_in_minutes_and_hours(seconds: float, written: str) -> None:
    assert in_time(seconds) == written
