"""The proof accepts what is right and nothing else, even where the digest has been put right."""

import random
from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.asset.verify import Proof, verify_asset
from bake.errors import CorruptAssetError, NotAnAssetError
from bake.graph import BLOCKED
from tests.asset.signing import edited
from tests.oracles import Ground, arcs_of, optimal_slots
from tests.runtime.baked import (
    GROUND,
    LETTERS,
    bake,
    profile_for,
    recipe_for,
    rows,
    write_graph,
    write_grid,
)
from tests.strategies import FAMILIES, seeded

#: A ledge is stepped onto from floor alone, so there is no way back from the road behind it.
DRAWN = rows("..v==~", ".#v==~", "..v==#")
EVERY = ("components", "next_hops", "distances")


def proved(path: Path, profile: str | None = None) -> Proof:
    return verify_asset(path, profile, lambda done: None)


def table(path: Path, name: str) -> np.ndarray:
    with h5py.File(path) as file:
        return file[f"/profiles/default/{name}"][()]


def store(path: Path, name: str, array: np.ndarray) -> None:
    with edited(path) as file:
        file[f"/profiles/default/{name}"][...] = array


def optimal(path: Path) -> dict[tuple[int, int], list[int]]:
    """Slots that begin a shortest path, by (row, row), as plain Python finds them."""
    with h5py.File(path) as file:
        first = file["/world/first_out"][()].tolist()
        head = file["/world/head"][()].tolist()
    weight = table(path, "weight").tolist()
    nodes = np.flatnonzero(table(path, "component") >= 0).tolist()
    usable = {
        node: [arc for arc in range(first[node], first[node + 1]) if weight[arc] != BLOCKED]
        for node in nodes
    }
    arcs = arcs_of(
        nodes, [(node, head[arc], weight[arc]) for node in nodes for arc in usable[node]]
    )
    return {
        (row, goal_row): [
            usable[node][place] - first[node] for place in optimal_slots(arcs, node, goal)
        ]
        for row, node in enumerate(nodes)
        for goal_row, goal in enumerate(nodes)
    }


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    return bake(write_grid(tmp_path / "grid.json", DRAWN), recipe_for(tables=EVERY))


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
    path = bake(write_grid(tmp_path / "grid.json", DRAWN), recipe_for(profiles=profiles))
    each = [proved(path, name) for name in "abc"]
    assert each[1] == Proof(0, 0, 0)
    assert proved(path).pairs == sum(proof.pairs for proof in each)


@pytest.mark.parametrize("distances", [False, True])
def test_every_hop_that_is_not_optimal_is_found_and_every_tie_is_accepted(
    tmp_path: Path, distances: bool
) -> None:
    tables = EVERY if distances else EVERY[:2]
    path = bake(write_grid(tmp_path / "grid.json", DRAWN), recipe_for(tables=tables))
    right, hop = optimal(path), table(path, "hop")
    rng = random.Random(5)
    accepted = 0
    for _ in range(250):
        pair = (rng.randrange(len(hop)), rng.randrange(len(hop)))
        slot = rng.choice([*range(9), 255])
        changed = hop.copy()
        changed[pair] = slot
        store(path, "hop", changed)
        best = right[pair]
        if slot in best or (slot == 255 and not best):
            proved(path)
            accepted += slot != hop[pair]
        else:
            with pytest.raises(CorruptAssetError, match="profile 'default'"):
                proved(path)
    assert accepted


@pytest.mark.parametrize("hops", [False, True])
def test_every_wrong_distance_is_found(tmp_path: Path, hops: bool) -> None:
    tables = EVERY if hops else ("components", "distances")
    path = bake(write_grid(tmp_path / "grid.json", DRAWN), recipe_for(tables=tables))
    distance = table(path, "distance")
    rng = random.Random(6)
    for _ in range(150):
        pair = (rng.randrange(len(distance)), rng.randrange(len(distance)))
        changed = distance.copy()
        wrong = [0, 1, 27720, int(BLOCKED), int(distance[pair]) // 2, int(distance.min()) + 7]
        changed[pair] = rng.choice([each for each in wrong if each != distance[pair]])
        store(path, "distance", changed)
        with pytest.raises(CorruptAssetError, match="profile 'default'"):
            proved(path)


def test_wrong_components_are_found(asset: Path) -> None:
    component = table(asset, "component")
    for place in range(len(component)):
        for wrong in {0, 1, int(component.max()) + 1, -1} - {int(component[place])}:
            changed = component.copy()
            changed[place] = wrong
            store(asset, "component", changed)
            with pytest.raises(CorruptAssetError):
                proved(asset)


def test_every_wrong_bit_of_the_closure_is_found(asset: Path) -> None:
    reach = table(asset, "reach")
    for label in range(len(reach)):
        for other in range(len(reach)):
            changed = reach.copy()
            changed[label, other >> 3] ^= 128 >> (other & 7)
            store(asset, "reach", changed)
            with pytest.raises(CorruptAssetError):
                proved(asset)


def test_bytes_that_do_not_match_the_digest(asset: Path) -> None:
    data = bytearray(asset.read_bytes())
    data[-1] ^= 1
    asset.write_bytes(data)
    with pytest.raises(CorruptAssetError, match="digest"):
        proved(asset)
    asset.write_bytes(b"text")
    with pytest.raises(NotAnAssetError):
        proved(asset)
