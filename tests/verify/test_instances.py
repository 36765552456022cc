"""The proof of next hops by instances refuses what is wrong, and names it."""

import json
from collections.abc import Callable
from pathlib import Path

import h5py
import pytest

from bake.asset import Asset
from bake.errors import CorruptAssetError
from bake.recipe import LevelRecipe
from bake.verify.instances import prove_folded
from bake.verify.profile import Profile
from tests.support.baked import bake
from tests.support.tampering import edited, proved

OWN = "/profiles/default"


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    """Three houses of one kind, in which there is only one way, and mud at its end."""
    source = tmp_path / "town.json"
    rows = ["#####", "#.m.#", "###.."]
    document = {
        "format": "bake-tiles",
        "version": 1,
        "terrains": {"floor": 1, "mud": 3, "wall": "blocked"},
        "legend": {".": "floor", "m": "mud", "#": "wall"},
        "connectivity": 4,
        "rows": ["." * 14] * 7,
        "prototypes": {"house": {"rows": rows}},
        "instances": [
            {"of": "house", "at": [0, 0]},
            {"of": "house", "at": [6, 1], "turned": 90},
            {"of": "house", "at": [9, 2], "mirrored": True},
        ],
    }
    source.write_text(json.dumps(document))
    return bake(source, LevelRecipe(storage="instances", tables=("next_hops",)))


def test_what_is_baked_is_proved(asset: Path) -> None:
    assert proved(asset).pairs > 0


def put(path: str, place: object, value: int) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        column = file[path][()]
        column[place] = value
        file[path][...] = column

    return change


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (put("/instances/at", (0, 0), 1), "interior_cell is not where one can stand"),
        (put("/instances/at", (0, 0), 11), "an instance leaves the level"),
        (put("/instances/at", (0, 0), 4), "two instances share a cell"),
        (put("/instances/turn", 0, 6), "interior_cell is not where one can stand"),
        (put("/instances/turn", 0, 9), "an instance is turned in no known way"),
        (put("/instances/prototype", 0, 1), "an instance is of no prototype"),
        (put("/prototypes/size", (0, 0), 0), "a prototype has no cells"),
        (put(f"{OWN}/instance_interior", 1, 1), "an interior is that of no instance"),
        (put(f"{OWN}/instance_interior", slice(None), -1), "an interior is that of no instance"),
        (put(f"{OWN}/instance_interior", 1, -1), "folded_parent and the rows differ in number"),
        (put(f"{OWN}/interior_cell", (0, 0), 2), "interior_cell is not where one can stand"),
        (put(f"{OWN}/interior_first", 0, 1), "interiors contradict each other"),
        (put(f"{OWN}/folded_parent", 0, 0), "leads round in a circle"),
        (put(f"{OWN}/folded_difference", 1, 1), "folded_away holds what is no distance"),
    ],
)
def test_what_is_wrong_is_named(
    asset: Path, change: Callable[[h5py.File], None], wrong: str
) -> None:
    with edited(asset) as file:
        change(file)
    with pytest.raises(CorruptAssetError, match=wrong):
        proved(asset)


def test_instances_that_are_not_alike(asset: Path) -> None:
    """One wall of the second house is cheaper to pass than that of the first."""
    with edited(asset) as file:
        cell = file["/world/cell"][()].tolist()
        node, other = cell.index([7, 2]), cell.index([7, 3])
        first, head = file["/world/first_out"][()], file["/world/head"][()]
        weight = file[f"{OWN}/weight"][()]
        arcs = range(first[node], first[node + 1])
        (arc,) = [arc for arc in arcs if head[arc] == other]
        weight[arc] += 1
        file[f"{OWN}/weight"][...] = weight
    with Asset(asset) as opened, pytest.raises(CorruptAssetError, match="are not alike"):
        prove_folded(Profile(opened, "default"))
