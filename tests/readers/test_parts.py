"""Every reader opens every export, whatever tables the asset has and whatever parts are written."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bake.export.columns import PARTS, parts_of
from bake.export.export import compare_with_asset, export_asset
from bake.play import open_asset
from bake.project.recipe import ProfileRecipe
from bake.show.viewer.contents import shown_level
from bake.store import Asset
from levelbake.errors import MissingTableError, OutputError
from levelbake.file import LEVEL, FlatFile
from tests.support.baked import GROUND, bake, recipe_for, rows, rules_of, write_graph, write_grid
from tests.support.command import bake as command
from tests.support.readers import Runner

#: Tables of assets, and whether each has distances and a hierarchy.
TABLES: dict[str, tuple[tuple[str, ...] | None, bool, bool]] = {
    "auto": (None, False, True),
    "labels": (("components", "next_hops", "distances"), True, False),
    "labels alone": (("distances",), True, False),
    "no tables": ((), False, False),
    "everything": (
        ("components", "next_hops", "distances", "clusters", "hierarchy", "heuristic"),
        True,
        True,
    ),
}

GRID = rows("....#...", ".mm.#.m.", "...v...~", "##......", "....==..")
#: One of each entity that a level can hold.
ENTITIES: dict[str, object] = {
    "links": [{"name": "rope", "from": [0, 0], "to": [7, 0], "both_ways": True, "id": "8"}],
    "regions": [{"name": "pond", "rect": [6, 2, 2, 1]}],
    "spots": [{"name": "start", "kind": "spawn", "at": [1, 4]}],
    "doors": [
        {
            "name": "gate",
            "cells": [[3, 2]],
            "states": {"open": "floor", "shut": "wall"},
            "state": "open",
        }
    ],
}

#: Groups of columns: where the first one is, all of them are.
GROUPS = (
    ("centre", "step"),
    ("link_from", "link_to", "link_ticks", "link_number", "link_name", "link_kind", "link_start"),
    ("price_from", "price_to", "price_ticks", "price_units"),
    ("region_name", "region_first_cell", "region_cell"),
    ("spot_name", "spot_kind", "spot_at", "spot_first_profile", "spot_profile"),
    ("door_name", "door_first_cell", "door_cell", "door_first_state", "door_state", "door_terrain"),
    ("first_run", "run_start", "run_move"),
    ("greedy_kind", "greedy_move", "first_run"),
    ("label_parent", "label_top", "first_label", "label_away"),
    ("layer_nodes", "layer_clusters", "layer_bits", "layer_parent", "layer_node", "layer_degree"),
    ("layer_nodes", "layer_head", "layer_weight", "layer_field", "cluster"),
)


@dataclass(frozen=True)
class Export:
    """A flat file, and the asset that it was exported from."""

    asset: Path
    flat: Path


def write_assets(folder: Path) -> Iterator[tuple[Path, str]]:
    """Bake each kind of level with each choice of tables; yield assets and names of choices."""
    slope = (ProfileRecipe("walker", rules_of(GROUND), slopes={"up": 1.5, "climb": 1.0}),)
    heights = [[(x * y) % 3 / 2 for x in range(8)] for y in range(5)]
    graph = [("mill", "ford", 3.5), ("ford", "mill", 3.5), ("ford", "inn", 4.0)]
    places = {"mill": (0.0, 0.0), "ford": (3.0, 1.0), "inn": (5.0, 5.0)}
    for i, (name, (tables, _, _)) in enumerate(TABLES.items()):
        mode = "hpa" if tables is None or "hierarchy" in tables else "none"
        recipe = recipe_for(tables=tables, hierarchy=mode)
        hills = recipe_for(tables=tables, hierarchy=mode, profiles=slope)
        yield bake(write_grid(folder / f"yard-{i}.json", GRID, None, **ENTITIES), recipe), name
        yield bake(write_grid(folder / f"comb-{i}.json", GRID, "odd-q"), recipe), name
        yield bake(write_graph(folder / f"road-{i}.json", list(places), graph), recipe), name
        sloped = write_grid(folder / f"hill-{i}.json", GRID, None, elevation=heights)
        yield bake(sloped, hills), name


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> list[Export]:
    """Each choice of parts that can be exported; the others are rejected by name."""
    exported = []
    for asset, name in write_assets(tmp_path_factory.mktemp("parts")):
        _, has_distances, has_hierarchy = TABLES[name]
        there = {"distances": has_distances, "hierarchy": has_hierarchy}
        cells_are_nodes = asset.stem.startswith("hill")
        every = itertools.chain(*(itertools.combinations(PARTS, n) for n in range(3)))
        with Asset(asset) as opened:
            for parts in every:
                flat = asset.with_name(f"{asset.stem}-{'-'.join(parts) or 'plain'}.bake")
                if cells_are_nodes and "hierarchy" in parts:
                    with pytest.raises(OutputError, match="hierarchy"):
                        export_asset(opened, flat, None, parts)
                elif not all(there[part] for part in parts):
                    with pytest.raises(MissingTableError, match="holds no"):
                        export_asset(opened, flat, None, parts)
                else:
                    export_asset(opened, flat, None, parts)
                    assert parts_of(column for _, column in FlatFile(flat).entries) == parts
                    exported.append(Export(asset, flat))
                assert flat.exists() == (bool(exported) and exported[-1].flat == flat)
    assert len(exported) == 41
    return exported


def test_groups_of_columns_are_whole(exports: list[Export]) -> None:
    for export in exports:
        file = FlatFile(export.flat)
        for profile in range(LEVEL, len(file.profiles())):
            names = {name for own, name in file.entries if own == profile}
            for first, *rest in GROUPS:
                assert first not in names or names >= set(rest), (export.flat.name, first)
                if first in ("label_parent", "first_run"):
                    assert first in names or not names & set(rest), (export.flat.name, first)


def test_every_export_opens(runner: Runner, exports: list[Export]) -> None:
    questions, answers = [], []
    for export in exports:
        questions += [f"load {export.flat}", "profile 0"]
        answers += ["ok", "ok"]
        tables = {"first_run", "label_away"} & {name for _, name in FlatFile(export.flat).entries}
        with open_asset(export.flat) as level:
            nav, columns = level.profile(), level._columns()
            start, goal = columns.location[[0, -1]].tolist()
            ends = columns.places.place_at(start), columns.places.place_at(goal)
            questions.append(f"reach {start} {goal}")
            answers.append(str(int(nav.reachable(*ends))))
            if tables:
                units = nav.distance(*ends)
                ticks = -1 if units == math.inf else round(units * columns.places.ticks_per_unit)
                questions.append(f"ticks {start} {goal}")
                answers.append(str(ticks))
    for question, answer, expected in zip(questions, runner.ask(questions), answers, strict=True):
        assert answer == expected, question


def test_the_page_gets_a_whole_file(exports: list[Export], tmp_path: Path) -> None:
    for asset in dict.fromkeys(export.asset for export in exports):
        (tmp_path / "page.bake").write_bytes(shown_level(asset).flat)
        names = {name for _, name in FlatFile(tmp_path / "page.bake").entries}
        assert not any(name.startswith(PARTS["distances"]) for name in names)


def test_a_part_with_missing_columns_is_exported_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier versions wrote label_parent into every flat file of a level with labels."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "levels_src").mkdir()
    write_grid(tmp_path / "levels_src" / "yard.json", GRID)
    (tmp_path / "bake.toml").write_text('[distances]\nstorage = "labels"\n[export]\nflat = true\n')
    assert command("build", "--jobs", "1").code == 0
    flat = tmp_path / "baked" / "yard.bake"
    sound = flat.read_bytes()
    assert compare_with_asset(flat)
    with Asset(flat.with_suffix(".h5")) as asset, monkeypatch.context() as old:
        old.setitem(PARTS, "distances", ("no column",))
        export_asset(asset, flat)
    assert "label_parent" in {name for _, name in FlatFile(flat).entries}
    checked = command("check")
    assert checked.code == 1
    assert "its flat file holds" in checked.out
    assert command("build", "--jobs", "1").code == 0
    assert flat.read_bytes() == sound
