"""What a bake decides: whose costs count, which tables are made, and in which form."""

from itertools import pairwise
from pathlib import Path

import pytest

from bake.baking import Task
from bake.core.errors import BudgetError, CostError
from bake.core.level import TerrainRule
from bake.play import open_asset
from bake.store.schema import COLUMNS
from tests.support.baked import rows, write_graph, write_grid
from tests.support.projects import run, statuses, task_for

pytestmark = pytest.mark.note(102, "costs of two profiles, by hand")


def test_a_profile_stands_above_the_recipe_and_the_recipe_above_the_level(tmp_path: Path) -> None:
    import json

    from bake.project.recipe import LevelRecipe, ProfileRecipe

    source = tmp_path / "three.json"
    document = {
        "format": "bake-tiles",
        "version": 1,
        "grid": "square",
        "terrains": {"a": {"cost": 2}, "b": {"cost": 2}, "c": {"cost": 2}},
        "legend": {"a": "a", "b": "b", "c": "c"},
        "rows": ["aa", "bb", "cc"],
    }
    source.write_text(json.dumps(document))
    recipe = LevelRecipe(
        terrain={"b": TerrainRule(3), "c": TerrainRule(3)},
        profiles=(ProfileRecipe("p", {"c": TerrainRule(5)}), ProfileRecipe("q")),
    )
    task = Task(source, tmp_path / "three.h5", recipe)
    assert statuses(run([task])) == {"three": "baked"}
    with open_asset(task.asset) as level:
        for profile, costs in (("p", [2, 3, 5]), ("q", [2, 3, 3])):
            nav = level.profile(profile)
            assert [nav.distance((0, y), (1, y)) for y in range(3)] == costs


LAYERS = [c.path.rpartition("/")[2] for c in COLUMNS if "/layer_" in c.path]
RUNS = ["run_length", "run_move", "cut_height"]
LABELS = ["label_parent", "label_difference", "label_away"]
BETWEEN = ["cluster_distance"]


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        (None, {*RUNS, "cluster", *LAYERS, *BETWEEN}),
        (("cluster_distances",), {"cluster", *BETWEEN}),
        (("heuristic",), {"pivot_distance"}),
        (("clusters",), {"cluster"}),
        (("hierarchy",), {"cluster", *LAYERS}),
        (("components",), set()),
        (("next_hops",), {*RUNS}),
        (("distances",), {*LABELS}),
        (("components", "next_hops", "distances"), {*RUNS, *LABELS}),
    ],
)
def test_tables_that_were_asked_for(
    tmp_path: Path, tables: tuple[str, ...] | None, expected: set[str]
) -> None:
    from bake.store import Asset

    task = task_for(write_grid(tmp_path / "keep.json", rows("..", "..")), tables=tables)
    run([task])
    with Asset(task.asset) as asset:
        names = {path.rsplit("/", 1)[1] for path in asset.columns() if "/profiles/" in path}
    assert names - {"cost"} == expected


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, set()),
        ({"distance_storage": "labels"}, set(LABELS)),
        ({"tables": ("distances",)}, set(LABELS)),
        ({"tables": ("distances",), "distance_storage": "labels"}, set(LABELS)),
        ({"tables": ("next_hops",), "distance_storage": "labels"}, set()),
    ],
)
@pytest.mark.parametrize("side", [1, 9])
def test_distances_are_kept_where_they_are_asked_for(
    tmp_path: Path, side: int, settings: dict[str, object], expected: set[str]
) -> None:
    from bake.store import Asset

    task = task_for(write_grid(tmp_path / "room.json", [["floor"] * side] * side), **settings)
    run([task])
    with Asset(task.asset) as asset:
        names = {path.rsplit("/", 1)[1] for path in asset.columns() if "/profiles/" in path}
    assert {name for name in names if name.startswith(("label", "distance"))} == expected


def test_labels_that_do_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bake.baking.profile.stored_labels", lambda *given, **more: None)
    source = write_grid(tmp_path / "room.json", [["floor"] * 9] * 9)
    outcome = run([task_for(source, tables=("distances",), memory_budget=2**20)])["room"]
    assert isinstance(outcome.error, BudgetError)
    assert "at most 1.0 MiB" in str(outcome.error)
    assert "raise memory_budget" in str(outcome.error)


def test_labels_of_distances_off_the_scale(tmp_path: Path) -> None:
    """Nothing looks at every pair where labels are made alone, so their sums must fit."""
    settings = {"distance_storage": "labels"}
    for count, alone, with_hops in ((2, True, True), (5, False, True), (9, False, False)):
        nodes = list(range(count))
        edges = [(a, b, 5_000.0) for a, b in pairwise(nodes)]
        source = write_graph(tmp_path / f"chain{count}.json", nodes, edges, directed=False)
        for tables, fits in ((("distances",), alone), (("next_hops", "distances"), with_hops)):
            outcome = run([task_for(source, tables=tables, **settings)], force=True)[source.stem]
            if fits:
                assert outcome.error is None
                with open_asset(source.with_suffix(".h5")) as level:
                    nav = level.profile()
                    assert nav.distance(0, count - 1) == 5_000 * (count - 1)
            else:
                assert isinstance(outcome.error, CostError)
                assert " reach " in str(outcome.error)
                assert "lower ticks_per_unit" in str(outcome.error)
