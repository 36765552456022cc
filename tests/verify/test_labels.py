"""The proof of distance labels: what it accepts answers right, and what is baked is accepted."""

import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from bake.core.graph import BLOCKED
from bake.play import open_asset
from bake.project.recipe import LevelRecipe
from bake.store import Asset
from levelbake.errors import CorruptAssetError
from tests.support.baked import bake, recipe_for, rows, write_graph, write_grid
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, seeded
from tests.support.tampering import MORE, accepted, accepted_with, edited, proved, store, table
from tests.support.tower import baked_tower

ALONE = ("distances",)
BESIDE = ("components", "next_hops", "distances")
LABELS = {"distance_storage": "labels"}

#: Walls, mud, and a ledge that is stepped onto from floor alone, so there is no way back.
DRAWN = rows("..v==.", ".#v==m", "..v=#m")
NAMES = ("label_parent", "label_difference", "label_away", "label_toward")

Columns = dict[str, np.ndarray]


@pytest.fixture(params=["one way", "both ways"])
def asset(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    grid = DRAWN if request.param == "one way" else rows("...m.", ".#m#.", "....#")
    path = bake(write_grid(tmp_path / "drawn.json", grid), recipe_for(tables=ALONE, **LABELS))
    assert has_toward(path) == (request.param == "one way")
    return path


def has_toward(path: Path) -> bool:
    try:
        return len(table(path, "label_toward")) > 0
    except KeyError:
        return False


def truth(path: Path) -> list[float]:
    """Ticks between all pairs of rows of the asset's own graph, by plain Python."""
    with Asset(path) as asset:
        first, head = asset.graph.first_out.tolist(), asset.graph.head.tolist()
    weight = table(path, "weight").tolist()
    nodes = np.flatnonzero(table(path, "component") >= 0).tolist()
    arcs = arcs_of(
        nodes,
        [
            (node, head[arc], weight[arc])
            for node in nodes
            for arc in range(first[node], first[node + 1])
            if weight[arc] != BLOCKED
        ],
    )
    found = [distances_from(arcs, node) for node in nodes]
    return [one.get(goal, math.inf) for one in found for goal in nodes]


def answers(path: Path) -> list[float]:
    """Ticks between all pairs of rows, as the asset answers."""
    with open_asset(path) as level:
        nav = level.profile()
        engine, rows = nav._now.engine, nav._now.version.row_count
        start, goal = np.divmod(np.arange(rows**2), rows)
        return engine.all_ticks(start.astype(np.int32), goal.astype(np.int32)).tolist()


def test_what_is_baked_is_right(tmp_path: Path) -> None:
    for place, family in enumerate(FAMILIES):
        n, arcs = seeded(family, 63, 60)
        source = write_graph(
            tmp_path / f"g{place}.json", range(n), [(a, b, w % 90 + 1) for a, b, w in arcs]
        )
        for tables in (ALONE, BESIDE):
            proof = proved(bake(source, LevelRecipe(tables=tables, **LABELS)))
            assert (proof.pairs, proof.distances) == (n * n * (tables == BESIDE), n * n)
    proof = proved(baked_tower(tmp_path, tables=ALONE, **LABELS))
    assert proof.distances > 1000


def single_changes(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Every entry of every column, changed to each other value it could have."""
    for name in NAMES:
        if name == "label_toward" and not has_toward(path):
            continue
        old = table(path, name)
        kinds = len(table(path, "label_difference"))
        for place in range(len(old)):
            at = int(old[place])
            values = {
                "label_parent": range(-1, len(old)),
                "label_difference": (at - 1, at + 1, -at, 0, 2 * at),
            }.get(name, range(kinds + 1))
            for value in values:
                if value != at and -(2**31) <= value < 2**31:
                    new = old.copy()
                    new[place] = value
                    yield name, new


def test_no_single_change_that_matters_is_accepted(asset: Path) -> None:
    right = truth(asset)
    assert answers(asset) == right
    assert accepted(asset)
    changes = [{name: new} for name, new in single_changes(asset)]
    tried = random.Random(5).sample(changes, min(50 * MORE, len(changes)))
    assert len(harmless(asset, tried, right)) < len(tried) / 4


def harmless(path: Path, changes: list[Columns], right: list[float]) -> list[Columns]:
    """The changes that the proof accepts, with each of which all answers are right."""
    with Asset(path) as asset:
        found = [columns for columns in changes if accepted_with(asset, columns)]
    whole = path.read_bytes()
    for columns in found:
        for name, array in columns.items():
            store(path, name, array)
        assert accepted(path)
        assert answers(path) == right, list(columns)
        path.write_bytes(whole)
    return found


def test_no_change_of_the_whole_that_matters_is_accepted(asset: Path) -> None:
    """Entries that agree with each other: twice as long, swapped, from another order."""
    rng, changes = np.random.default_rng(2), list[Columns]()
    for turn in range(24):
        names = [*rng.permutation(NAMES)[: 1 + turn % 2]]
        there = [name for name in names if name != "label_toward" or has_toward(asset)]
        old = {name: table(asset, name) for name in there}
        changes.append(
            {
                name: rng.permutation(old[name]) if turn % 3 else old[name][::-1].copy()
                for name in old
            }
        )
    assert len(harmless(asset, changes, truth(asset))) < 12
    store(asset, "label_difference", 2 * table(asset, "label_difference"))
    with pytest.raises(CorruptAssetError, match="is not the distance"):
        proved(asset)


def test_labels_of_other_costs(tmp_path: Path) -> None:
    """Right labels, but of a corridor where every step costs three times as much."""
    recipe = recipe_for(tables=ALONE, **LABELS)
    path, other = (
        bake(write_grid(tmp_path / f"{name}.json", rows(cells)), recipe)
        for name, cells in (("floor", "......"), ("mud", "mmmmmm"))
    )
    for name in NAMES[:3]:
        store(path, name, table(other, name))
    with pytest.raises(CorruptAssetError, match="is not the distance"):
        proved(path)


def test_one_direction_told_for_both(tmp_path: Path) -> None:
    """Without label_toward both directions are said to be equal, and here they are not."""
    source = write_grid(tmp_path / "drawn.json", DRAWN)
    path = bake(source, recipe_for(tables=ALONE, **LABELS))
    with edited(path) as file:
        del file["/profiles/default/label_toward"]
    with pytest.raises(CorruptAssetError, match="is not the distance"):
        proved(path)


@pytest.mark.parametrize(
    ("name", "make", "told"),
    [
        ("label_parent", lambda old: old * 0 + 1, "cycle"),
        ("label_parent", lambda old: old * 0 + 1000, "label_parent has 1000, not 0 to"),
        ("label_parent", lambda old: old * 0 - 1, "does not fit label_parent"),
        ("label_away", lambda old: old * 0 + 250, "label_away has 250, not 0 to"),
        ("label_away", lambda old: old * 0, "is not the distance"),
        ("label_difference", lambda old: -old, "not a distance"),
    ],
)
def test_columns_that_make_no_labels(
    name: str, make: Callable[[np.ndarray], np.ndarray], told: str, asset: Path
) -> None:
    old = table(asset, name)
    store(asset, name, make(old.astype(np.int64)).astype(old.dtype))
    with pytest.raises(CorruptAssetError, match=told):
        proved(asset)
