"""What every reader answers on levels that are small enough to price by hand."""

from __future__ import annotations

import json
from pathlib import Path

from bake.export.columns import columns_of
from bake.export.export import export_asset
from bake.project.recipe import LevelRecipe
from bake.store import Asset
from bake.store.flat.write import write_flat
from tests.support.baked import bake, recipe_for, rows, write_grid
from tests.support.oracles import TICKS
from tests.support.readers import Runner


def exported(source: Path, recipe: LevelRecipe) -> str:
    """Bake a level, and return the command that loads its flat file."""
    flat = source.with_suffix(".bake")
    with Asset(bake(source, recipe)) as asset:
        export_asset(asset, flat)
    return f"load {flat}"


def test_without_next_hops(runner: Runner, tmp_path: Path) -> None:
    """A corridor of three cells, and one behind a wall."""
    source = write_grid(tmp_path / "corridor.json", rows("...#."))
    asked = ["hop 0 2", "hop 2 2", "ticks 0 2", "path 0 2", "reach 0 2", "hop 0 4", "reach 0 4"]
    asked += ["hops_to 2", "block 1", "hop 0 2", "fresh", "hop 0 2"]
    right = [
        "1",
        "2",
        str(2 * TICKS),
        "0 1 2",
        "1",
        "-1",
        "0",
        "1 2 2 -1 -1",
        "ok",
        "-1",
        "ok",
        "1",
    ]
    load = exported(source, recipe_for(tables=("components",)))
    assert runner.ask([load, *asked]) == ["ok", *right]


def test_slopes_of_graphs_count_after_updates(runner: Runner, tmp_path: Path) -> None:
    """A hill of 1 unit costs 1.5 units up and 0.25 down; 2 units are too steep to climb."""
    nodes = [{"id": name, "z": z, "terrain": "floor"} for name, z in (("a", 0), ("b", 1), ("c", 3))]
    edges = [{"source": a, "target": b, "weight": 2} for a, b in ("ab", "bc")]
    source = tmp_path / "hill.json"
    document = {
        "directed": False,
        "multigraph": False,
        "graph": {"terrains": {"floor": 1, "mud": 3}},
        "nodes": nodes,
        "edges": edges,
    }
    source.write_text(json.dumps(document), encoding="utf-8")
    slopes = {"up": 1.5, "down": 0.25, "climb": 1.0}
    asked = ["ticks 0 1", "ticks 1 0", "ticks 2 1", "reach 1 2", "terrain 1 1"]
    right = [str(round(units * TICKS)) for units in (3.5, 2.25, 2.5)] + ["0", "ok"]
    asked += ["ticks 0 1", "ticks 1 0", "ticks 2 1", "reach 1 2"]
    right += [str(round(units * TICKS)) for units in (5.5, 4.25, 4.5)] + ["0"]
    load = exported(source, LevelRecipe(slopes=slopes))
    assert runner.ask([load, *asked]) == ["ok", *right]


def test_cells_as_nodes_do_not_change(runner: Runner, tmp_path: Path) -> None:
    """An obstacle would close the diagonal beside it, of which the file says nothing."""
    grid, heights = rows("..", ".."), [[0.0, 0.5], [0.0, 0.5]]
    source = write_grid(tmp_path / "slope.json", grid, elevation=heights)
    load = exported(source, recipe_for(slopes={"up": 1.0}, connectivity=8))
    asked = [load, "hop 0 3", "patch", "block 1", "terrain 1 0", "price 0 1 9", "open 1", "hop 0 3"]
    told = runner.ask(asked)
    assert [told[1], told[-1]] == ["3", "3"]
    assert all("cells are nodes" in each for each in told[3:-1]), told
    assert runner.ask([load, f"apply {told[2]}", "hop 0 3"]) == ["ok", "ok", "3"]


def test_labels_in_part(runner: Runner, tmp_path: Path) -> None:
    """Exports once held the tree of labels without the labels, which no reader needs."""
    source = write_grid(tmp_path / "tree.json", rows("...."))
    flat = tmp_path / "tree.bake"
    with Asset(bake(source, recipe_for(distance_storage="labels"))) as asset:
        columns = columns_of(asset, asset.profiles, ())
        (profile,) = {key[0] for key in columns if key[1] == "row_at"}
        columns[profile, "label_parent"] = asset.read("/profiles/default/label_parent")
        write_flat(flat, columns, asset.header.bake_revision, asset.header.fingerprint())
    assert (profile, "label_away") not in columns
    assert runner.ask([f"load {flat}", "hop 0 3", "ticks 0 3"]) == ["ok", "1", str(3 * TICKS)]
