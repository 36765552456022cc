"""Records go into columns and come back."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.store.columns.things import (
    DOOR_STATES,
    DOORS,
    INSTANCES,
    LINKS,
    PROTOTYPES,
    REGIONS,
    SPOTS,
)
from bake.store.records import Columns, Packed, Records, grid_frame, pack, unpack

FRAME = grid_frame(("floor", "wall", "water"), 5)

NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5)
CELLS = st.tuples(st.integers(0, 4), st.integers(0, 3))
TERRAINS = st.sampled_from(FRAME.terrains)
PROFILES = st.none() | st.lists(NAMES.filter(bool), min_size=1, max_size=3).map(tuple)
IDS = st.none() | NAMES.filter(bool)
COUNTS = st.integers(1, 9)

KINDS: dict[str, tuple[Records, dict[str, st.SearchStrategy[Any]]]] = {
    "link": (
        LINKS,
        {
            "name": NAMES,
            "id": IDS,
            "kind": NAMES,
            "start": CELLS,
            "goal": CELLS,
            "cost": st.floats(0.001, 1000),
            "both_ways": st.booleans(),
            "profiles": PROFILES,
            "via": st.lists(CELLS, max_size=3).map(tuple),
            "over": st.sets(TERRAINS).map(
                lambda own: tuple(each for each in FRAME.terrains if each in own)
            ),
        },
    ),
    "region": (REGIONS, {"name": NAMES, "id": IDS, "cells": st.lists(CELLS, min_size=1)}),
    "spot": (
        SPOTS,
        {"name": NAMES, "id": IDS, "kind": NAMES, "cell": CELLS, "profiles": PROFILES},
    ),
    "door state": (DOOR_STATES, {"name": NAMES, "terrain": st.lists(TERRAINS).map(tuple)}),
    "prototype": (PROTOTYPES, {"name": NAMES, "width": COUNTS, "height": COUNTS}),
    "instance": (
        INSTANCES,
        {"prototype": st.integers(0, 9), "at": CELLS, "turn": st.integers(0, 7)},
    ),
}


def plain(**attributes: Any) -> dict[str, Any]:
    """Return a record with lists in place of arrays, so that it can be compared."""
    return {
        name: [tuple(cell) for cell in value.tolist()] if isinstance(value, np.ndarray) else value
        for name, value in attributes.items()
    }


def read(records: Records, columns: Columns) -> list[dict[str, Any]]:
    return list(unpack(records, Packed(columns), FRAME, plain))


def written(records: Records, said: Sequence[dict[str, Any]]) -> Columns:
    return pack(records, [SimpleNamespace(**each) for each in said], FRAME)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_records_come_back(kind: str, data: st.DataObject) -> None:
    records, attributes = KINDS[kind]
    said = data.draw(st.lists(st.fixed_dictionaries(attributes), max_size=4))
    columns = written(records, said)
    assert read(records, columns) == said
    assert records.exist_in(Packed(columns)) == bool(said)


def test_columns_by_hand() -> None:
    """What readers of other languages are told."""
    link = {"name": "lift", "id": None, "kind": "stairs", "start": (1, 0), "goal": (4, 3)}
    link |= {"cost": 2.5, "both_ways": True, "profiles": ("cat", "ox")}
    plain_link = {**link, "profiles": None, "via": (), "over": ()}
    found = written(LINKS, [plain_link, {**link, "via": ((2, 1), (3, 1)), "over": ("wall",)}])
    assert {path: array.tolist() for path, array in found.items()} == {
        "/link_name": [b"lift", b"lift"],
        "/link_kind": [b"stairs", b"stairs"],
        "/link_start": [1, 1],
        "/link_goal": [19, 19],
        "/link_cost": [2.5, 2.5],
        "/link_both_ways": [1, 1],
        "/link_first_profile": [0, 0, 2],
        "/link_profile": [b"cat", b"ox"],
        "/link_first_via": [0, 0, 2],
        "/link_via": [7, 8],
        "/link_over": [[0, 0, 0], [0, 1, 0]],
    }


def test_no_columns_without_records() -> None:
    assert written(LINKS, []) == {}
    assert read(LINKS, {}) == []


def test_doors_say_how_many_states_are_theirs() -> None:
    said = {"name": "gate", "id": "7", "cells": np.array([(0, 0), (1, 0)]), "state": 1}
    found = written(DOORS, [{**said, "states": ("open", "shut")}, {**said, "states": ("up",)}])
    assert found["/door_first_state"].tolist() == [0, 2, 3]
    assert [each["states"] for each in read(DOORS, found)] == [slice(0, 2), slice(2, 3)]
