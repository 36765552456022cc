"""Profiles that move alike share their tables, in the bake and in the file."""

from pathlib import Path
from unittest import mock

import numpy as np

from bake.baking import level as pipeline_level
from bake.play import open_asset
from bake.show.report import inspect_asset
from bake.store import Asset
from bake.verify import verify_asset
from tests.support.baked import GROUND, bake, profile_for, recipe_for, rows, write_grid
from tests.support.oracles import Ground

GRID = rows("..m..~", ".#m#.~", "......")
OTHER_ROAD = {**GROUND, "road": Ground(9)}  # no cell of the level is road
SLOW = {**GROUND, "mud": Ground(7)}
THREE = (profile_for("a", GROUND), profile_for("b", OTHER_ROAD), profile_for("c", SLOW))


def test_equal_tables_are_searched_and_stored_once(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "alike.json", GRID)
    with mock.patch.object(
        pipeline_level, "profile_tables", wraps=pipeline_level.profile_tables
    ) as searched:
        path = bake(source, recipe_for(profiles=THREE, tables=("next_hops", "distances")))
    assert [call.args[0] for call in searched.call_args_list] == ["a", "c"]
    with Asset(path) as asset:
        for name in ("run_length", "run_move", "label_away"):
            assert asset.is_same(f"/profiles/a/{name}", f"/profiles/b/{name}")
            same = np.array_equal(
                asset.read(f"/profiles/a/{name}"), asset.read(f"/profiles/c/{name}")
            )
            assert asset.is_same(f"/profiles/a/{name}", f"/profiles/c/{name}") == same
        weights = [asset.graph.weight(name) for name in "abc"]
        assert np.array_equal(weights[0], weights[1])
        assert not np.array_equal(weights[0], weights[2])
        costs = [asset.read(f"/profiles/{name}/cost").tolist() for name in "ab"]
        assert costs[0] != costs[1]
    verify_asset(path, None, lambda _: None)
    told = inspect_asset(path, None)["profiles"]
    hops = {
        name: one.get("same_as")
        for name in "abc"
        for one in told[name]["tables"]
        if one["table"] == "next_hops"
    }
    assert hops == {"a": None, "b": "a", "c": None}


def test_each_answers_as_if_baked_alone(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "alike.json", GRID)
    together = bake(source, recipe_for(profiles=THREE)).read_bytes()
    both = tmp_path / "both.h5"
    both.write_bytes(together)
    for profile in THREE:
        alone = bake(source, recipe_for(profiles=(profile,)))
        with open_asset(both) as one, open_asset(alone) as other:
            nav, expected = one.profile(profile.name), other.profile(profile.name)
            assert (nav.distances_to((4, 2)) == expected.distances_to((4, 2))).all()
            assert nav.next_hop((0, 0), (4, 0)) == expected.next_hop((0, 0), (4, 0))
    assert bake(source, recipe_for(profiles=THREE)).read_bytes() == together
