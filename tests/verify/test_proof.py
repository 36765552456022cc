"""The proof accepts what is right and nothing else, even where the digest has been put right."""

import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from bake.baking import Task, build
from bake.play import open_asset
from bake.project.recipe import LevelRecipe
from bake.store import Asset
from bake.verify import Proof, verify_asset
from levelbake.errors import BakeError, CorruptAssetError, NotAnAssetError
from tests.support.baked import (
    GROUND,
    LETTERS,
    bake,
    bake_grid,
    cells_of_nodes,
    profile_for,
    recipe_for,
    rows,
    write_graph,
    write_grid,
)
from tests.support.levels import shared_level
from tests.support.oracles import Ground
from tests.support.projects import silent
from tests.support.runs import from_bytes, runs_in
from tests.support.strategies import FAMILIES, seeded
from tests.support.tampering import (
    MORE,
    hop_table,
    optimal,
    proved,
    proved_with,
    store,
    table,
    written_hops,
)

#: A ledge is stepped onto from floor alone, so there is no way back from the road behind it.
DRAWN = rows("..v==~", ".#v==~", "..v==#")
EVERY = ("components", "next_hops", "distances")


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    return bake_grid(tmp_path, DRAWN, tables=EVERY)


def test_what_was_baked_is_right(tmp_path: Path, asset: Path) -> None:
    nodes = len(table(asset, "component"))
    count = int(table(asset, "component").max()) + 1
    assert count > 1
    assert proved(asset) == Proof(nodes**2, nodes**2, count)
    for place, family in enumerate(FAMILIES):
        n, arcs = seeded(family, 61, 40)
        names = [f"n{node}" for node in range(n)]
        edges = [(names[a], names[b], w % 900 + 1) for a, b, w in arcs]
        source = write_graph(tmp_path / f"g{place}.json", names, edges)
        assert proved(bake(source)).pairs == n**2


@pytest.mark.parametrize("tables", [("components",), ("next_hops",), ("distances",), EVERY])
def test_whatever_tables_there_are(tmp_path: Path, tables: tuple[str, ...]) -> None:
    source = write_grid(tmp_path / "grid.json", DRAWN)
    proof = proved(bake(source, recipe_for(tables=tables)))
    assert (proof.pairs > 0) == ("next_hops" in tables)
    assert (proof.distances > 0) == ("distances" in tables)
    assert proof.components > 1


def test_profiles(tmp_path: Path) -> None:
    nowhere = dict.fromkeys(LETTERS, Ground(None))
    profiles = tuple(
        profile_for(name, ground)
        for name, ground in (("a", GROUND), ("b", nowhere), ("c", nowhere | {"road": Ground(1)}))
    )
    path = bake_grid(tmp_path, DRAWN, profiles=profiles)
    each = [proved(path, name) for name in "abc"]
    assert each[1] == Proof(0, 0, 0)
    assert proved(path).pairs == sum(proof.pairs for proof in each)


@pytest.mark.parametrize("distances", [False, True])
def test_every_hop_that_is_not_optimal_is_found_and_every_tie_is_accepted(
    tmp_path: Path, distances: bool
) -> None:
    tables = EVERY if distances else EVERY[:2]
    path = bake_grid(tmp_path, DRAWN, tables=tables)
    right, hop = optimal(path), hop_table(path)
    tied = [pair for pair, best in right.items() if len(best) > 1]
    rng = random.Random(5)
    accepted = 0
    proved(path)
    with Asset(path) as asset:
        for turn in range(60 * MORE):
            pair = (rng.randrange(len(hop)), rng.randrange(len(hop)))
            slot = rng.choice([*range(9), 255])
            if turn % 4 == 0:
                pair = rng.choice(tied)
                slot = rng.choice(sorted(right[pair]))
            changed = hop.copy()
            changed[pair] = slot
            best = right[pair]
            # Of the row itself, and where components say there is no path, runs say nothing.
            if slot in best or not best:
                proved_with(asset, written_hops(changed))
                accepted += slot in best and slot != hop[pair]
            else:
                with pytest.raises(CorruptAssetError, match="profile 'default'"):
                    proved_with(asset, written_hops(changed))
    assert accepted


def test_wrong_components_are_found(asset: Path) -> None:
    component = table(asset, "component")
    for place in range(len(component)):
        for wrong in {0, 1, int(component.max()) + 1} - {int(component[place])}:
            changed = component.copy()
            changed[place] = wrong
            store(asset, "component", changed)
            with pytest.raises(CorruptAssetError):
                proved(asset)


def test_every_wrong_bit_of_the_closure_is_found(asset: Path) -> None:
    reach = table(asset, "reach")
    with Asset(asset) as whole:
        for label in range(len(reach)):
            for other in range(len(reach)):
                changed = reach.copy()
                changed[label, other >> 3] ^= 128 >> (other & 7)
                with pytest.raises(CorruptAssetError):
                    proved_with(whole, {"reach": changed})


def test_bytes_that_do_not_match_the_digest(asset: Path) -> None:
    data = bytearray(asset.read_bytes())
    data[-1] ^= 1
    asset.write_bytes(data)
    with pytest.raises(CorruptAssetError, match="digest"):
        proved(asset)
    asset.write_bytes(b"text")
    with pytest.raises(NotAnAssetError):
        proved(asset)


def test_one_wrong_entry_among_millions_is_found_and_named(tmp_path: Path) -> None:
    """A single symbol of a real map's runs, for a single target, with digests that all fit."""
    source = shared_level("movingai/den312d.map")
    path = tmp_path / "den312d.h5"
    task = Task(source, path, LevelRecipe(tables=("components", "next_hops")))
    assert [each.status for each in build([task], jobs=1, force=True, report=silent)] == ["baked"]
    assert proved(path).pairs > 5_000_000
    with Asset(path) as opened:
        first, head, cell = opened.graph.first_out, opened.graph.head, cells_of_nodes(opened)
    node = np.flatnonzero(table(path, "component") >= 0)
    symbol = table(path, "run_move")
    count, start = map(np.array, runs_in(from_bytes(table(path, "run_length").tolist())))
    row = np.repeat(np.arange(len(count)), count)
    single = np.flatnonzero((np.diff(start) == 1) & (np.diff(row) == 0) & (start[:-1] != row[:-1]))
    rng = random.Random(8)
    with open_asset(path) as level:
        nav = level.profile()
        while True:  # until a slot was drawn that leads away
            place = rng.choice(single.tolist())
            here, goal = (tuple(cell[node[each]].tolist()) for each in (row[place], start[place]))
            slot = rng.randrange(int(np.diff(first)[node[row[place]]]))
            ahead = tuple(cell[head[first[node[row[place]]] + slot]].tolist())
            if nav.distance(ahead, goal) >= nav.distance(here, goal):
                break
    symbol[place] = slot
    store(path, "run_move", symbol)
    with pytest.raises(CorruptAssetError, match=re.escape(f" to {goal}: ")):
        proved(path)


def test_a_sample_of_targets(tmp_path: Path, asset: Path) -> None:
    """Each target drawn is proved as ever; one wrong target is found when it is among them."""
    rows = len(hop_table(asset))
    assert verify_asset(asset, None, lambda done: None, sample=5).pairs == 5 * rows
    assert verify_asset(asset, None, lambda done: None, sample=10**6) == proved(asset)
    hop = hop_table(asset)
    hop[:, 3] = 255
    found = 0
    with Asset(asset) as whole:
        for _ in range(40):
            try:
                proved_with(whole, written_hops(hop), sample=rows // 2)
            except CorruptAssetError:
                found += 1
    assert 5 < found < 35


def test_without_scipy(asset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(BakeError) as caught:
        verify_asset(asset, None, lambda done: None)
    assert "levelbake[verify]" in str(caught.value)
