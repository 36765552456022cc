"""`bake verify`: a right asset is proved right, and each thing made wrong in it is found.

Every wrong asset here carries a digest that fits, so that the proof itself has to find it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bake.core.arrays import AnyArray
from bake.store import Asset
from tests.support.command import bake, mistake
from tests.support.tampering import (
    change_attribute,
    change_column,
    change_header,
    change_hop,
    hop_table,
)

NO_PATH = 2**31 - 1

#: 4-connected, so that most pairs have several shortest paths and most moves are legal and worse.
HALL = "type octile\nheight 5\nwidth 6\nmap\n......\n.@..@.\n......\n..@...\n......\n"


@pytest.fixture(params=["with distances", "without distances"])
def hall(request: pytest.FixtureRequest, bare: Path) -> Path:
    (bare / "hall.map").write_text(HALL)
    wanted = '["components", "next_hops"' + (
        ', "distances"]' if request.param == "with distances" else "]"
    )
    (bare / "bake.toml").write_text(f"connectivity = 4\ntables = {wanted}\n")
    assert bake("build", "hall.map", "--jobs", "1").code == 0
    return bare / "baked" / "hall.h5"


class Routes:
    """What stored next hops say, followed step by step."""

    def __init__(self, asset: Path, profile: str = "default") -> None:
        with Asset(asset) as file:
            self.first_out = file.graph.first_out
            self.head = file.graph.head
            self.weight = file.graph.weight(profile)
        self.hop = hop_table(asset, profile)
        self.rows = len(self.hop)  # every node is a row in the levels used here
        assert len(self.first_out) == self.rows + 1
        self.none = 255

    def after(self, row: int, slot: int) -> int:
        return int(self.head[self.first_out[row] + slot])

    def length(self, row: int, goal: int) -> int:
        total = 0
        while row != goal:
            arc = int(self.first_out[row]) + int(self.hop[row, goal])
            total += int(self.weight[arc])
            row = int(self.head[arc])
        return total

    def other_moves(self) -> Iterator[tuple[int, int, int, bool, int]]:
        """Every other legal move: row, goal, slot, whether it loops, by how much it is longer."""
        for row in range(self.rows):
            for goal in range(self.rows):
                if row == goal or self.hop[row, goal] == self.none:
                    continue
                for slot in range(int(self.first_out[row + 1] - self.first_out[row])):
                    arc = int(self.first_out[row]) + slot
                    if slot == self.hop[row, goal] or self.weight[arc] == NO_PATH:
                        continue
                    at, loops = self.after(row, slot), False
                    while at != goal and not loops:
                        at = self.after(at, int(self.hop[at, goal]))
                        loops = at == row
                    ahead = int(self.weight[arc]) + self.length(self.after(row, slot), goal)
                    yield row, goal, slot, loops, ahead - self.length(row, goal)


def test_right(project: Path) -> None:
    done = bake("verify", "baked")
    assert done.code == 0
    told = [line.split(": ")[1] for line in done.out.splitlines()]
    pairs = 6 * 6 + 22 * 22
    yard = 13 + 9 + 4
    # Bounds of every pair of clusters; most levels here are one.
    assert told == [
        f"{n:,} pairs proved optimal, {bounds} bounds verified"
        for n, bounds in ((pairs, 2), (25, 1), (25, 4), (yard * yard, 9))
    ]


def test_a_sample(project: Path) -> None:
    done = bake("verify", "baked/fen.h5", "--sample", "4")
    assert done.code == 0
    first, second = done.out.splitlines()
    assert (
        first == f"{Path('baked/fen.h5')}: {4 * 6 + 4 * 22} pairs proved optimal, 2 bounds verified"
    )
    assert second.startswith("4 random targets of each profile ")
    assert "with probability 0.96" in second


def test_right_as_json(project: Path) -> None:
    done = bake("verify", "baked/fen.h5", "baked/ways.h5", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.data == {
        "right": True,
        "sample": None,
        "assets": [
            {
                "asset": "baked/fen.h5",
                "right": True,
                "pairs": 6 * 6 + 22 * 22,
                "distances": 0,
                "components": 2,
                "bounds": 2,
                "entries": 0,
            },
            {
                "asset": "baked/ways.h5",
                "right": True,
                "pairs": 25,
                "distances": 0,
                "components": 4,
                "bounds": 4,
                "entries": 0,
            },
        ],
    }


def test_one_profile(project: Path) -> None:
    done = bake("verify", "baked/fen.h5", "--profile", "boat", "--json")
    assert done.data["assets"][0]["pairs"] == 36
    mistake(bake("verify", "baked/fen.h5", "--profile", "cart"), "no profile 'cart'")


def test_only_components(project: Path) -> None:
    (project / "bake.toml").write_text('tables = ["components"]\n')
    assert bake("build", "levels_src/yard.map", "--jobs", "1").code == 0
    done = bake("verify", "baked/yard.h5", "--json")
    assert done.data["assets"][0]["components"] == 3
    assert done.data["assets"][0]["pairs"] == 0


def test_only_distances(project: Path) -> None:
    (project / "bake.toml").write_text('tables = ["distances"]\n')
    assert bake("build", "levels_src/five.json", "--jobs", "1").code == 0
    asset = project / "baked" / "five.h5"
    assert bake("verify", asset, "--json").data["assets"][0]["distances"] == 25

    def edit(array: AnyArray) -> None:
        array[-1] += 1

    change_column(asset, "/profiles/default/label_difference", edit)
    mistake(bake("verify", asset), "a label is not the distance")


def test_a_longer_move(hall: Path) -> None:
    row, goal, slot, _, _ = next(
        move for move in Routes(hall).other_moves() if not move[3] and move[4] > 0
    )
    change_hop(hall, row, goal, slot)
    mistake(bake("verify", hall), "hall.h5: wrong: profile 'default'")


def test_every_longer_move_is_found_where_hops_stand_alone(bare: Path) -> None:
    (bare / "lane.map").write_text("type octile\nheight 2\nwidth 3\nmap\n...\n...\n")
    (bare / "bake.toml").write_text('connectivity = 4\ntables = ["next_hops"]\n')
    assert bake("build", "lane.map", "--jobs", "1").code == 0
    asset = bare / "baked" / "lane.h5"
    right = asset.read_bytes()
    tried = 0
    for row, goal, slot, loops, longer in Routes(asset).other_moves():
        asset.write_bytes(right)
        change_hop(asset, row, goal, slot)
        done = bake("verify", asset)
        if longer == 0:
            assert done.code == 0, "another shortest path is as right"
            continue
        mistake(done, "do not lead to their goal" if loops else "there is a shorter path")
        tried += 1
    assert tried > 20


def test_a_looping_move(hall: Path) -> None:
    row, goal, slot, _, _ = next(move for move in Routes(hall).other_moves() if move[3])
    change_hop(hall, row, goal, slot)
    mistake(bake("verify", hall), "hops do not lead to their goal")


def test_a_tied_move_is_right_too(hall: Path) -> None:
    row, goal, slot, _, longer = next(move for move in Routes(hall).other_moves() if move[4] == 0)
    assert longer == 0
    change_hop(hall, row, goal, slot)
    assert bake("verify", hall).code == 0


def test_no_hop_where_there_is_a_path(hall: Path) -> None:
    change_hop(hall, 0, 5, 255)
    assert bake("verify", hall).code == 1


def test_a_hop_that_is_no_arc(hall: Path) -> None:
    change_hop(hall, 0, 5, 7)
    mistake(bake("verify", hall), "a hop is no arc")


def test_a_hop_another_profile_may_take(project: Path) -> None:
    asset = project / "baked" / "fen.h5"
    with Asset(asset) as file:
        weight = file.graph.weight("boat")
        first_out = file.graph.first_out
        row_node = np.flatnonzero(file.graph.component("boat") >= 0)
    row, slot = next(
        (row, arc - int(first_out[node]))
        for row, node in enumerate(row_node)
        for arc in range(first_out[node], first_out[node + 1])
        if weight[arc] == NO_PATH
    )
    goal = (row + 1) % len(row_node)
    change_hop(asset, row, goal, slot, "boat")
    mistake(bake("verify", asset), "profile 'boat'", "an arc the profile may not")


def test_a_detour_is_named(project: Path) -> None:
    """A to D by way of E, 3.5 instead of 3."""
    asset = project / "baked" / "five.h5"
    with Asset(asset) as file:
        names = [bytes(name).decode() for name in file.read("/node_name")]
        first_out, head = file.graph.first_out, file.graph.head
    a, d, e = (names.index(name) for name in "ADE")
    change_hop(asset, a, d, head[first_out[a] : first_out[a + 1]].tolist().index(e))
    mistake(bake("verify", asset), "from A to D: there is a shorter path")


def test_a_component(project: Path) -> None:
    asset = project / "baked" / "yard.h5"

    def edit(array: AnyArray) -> None:
        array[np.flatnonzero(array == 0)[-1]] = 1

    change_column(asset, "/profiles/default/component", edit)
    mistake(bake("verify", asset), "components are not the connected ones")


def test_components_joined(project: Path) -> None:
    asset = project / "baked" / "yard.h5"

    def edit(array: AnyArray) -> None:
        array[array == 2] = 1

    change_column(asset, "/profiles/default/component", edit)
    mistake(bake("verify", asset), "components are not the connected ones")


def test_a_component_count(project: Path) -> None:
    asset = project / "baked" / "yard.h5"
    change_attribute(asset, "/profiles/default", "component_count", 4)
    mistake(bake("verify", asset), "component_count is wrong")


def test_reachability(project: Path) -> None:
    asset = project / "baked" / "ways.h5"

    def edit(array: AnyArray) -> None:
        array[0, 0] ^= 0b0001_0000

    change_column(asset, "/profiles/default/reach", edit)
    mistake(bake("verify", asset), "wrong: profile 'default': from ")


def test_a_weight(project: Path) -> None:
    asset = project / "baked" / "five.h5"

    def edit(array: AnyArray) -> None:
        array[0] -= 1

    change_column(asset, "/profiles/default/weight", edit)
    mistake(bake("verify", asset), "profile 'default'")


def test_an_arc_into_nowhere(project: Path) -> None:
    asset = project / "baked" / "five.h5"

    def edit(array: AnyArray) -> None:
        array[3] = 5

    change_column(asset, "/head", edit)
    mistake(bake("verify", asset), "damaged: column /head has 5, not 0 to 4")


def test_any_flipped_byte(project: Path) -> None:
    asset = project / "baked" / "five.h5"
    right = asset.read_bytes()
    block = 512
    for place in np.linspace(block, len(right) - 1, 40).astype(int):
        wrong = bytearray(right)
        wrong[place] ^= 0x10
        asset.write_bytes(wrong)
        done = bake("verify", asset)
        mistake(done, "five.h5")
        assert "damaged" in done.err or "do not match the digest" in done.err


def test_a_digest_that_does_not_fit(project: Path) -> None:
    asset = project / "baked" / "five.h5"
    change_header(asset, body="0" * 64)
    mistake(bake("verify", asset), "its bytes do not match the digest in its header")


def test_one_wrong_asset_does_not_hide_the_others(project: Path) -> None:
    change_header(project / "baked" / "five.h5", body="0" * 64)
    done = bake("verify", "baked", "--json")
    assert done.code == 1
    assert done.data["right"] is False
    assert [asset["right"] for asset in done.data["assets"]] == [True, False, True, True]
    assert [done.data["assets"][1]["error"]] == done.errors
    assert len(bake("verify", "baked").out.splitlines()) == 3


def test_a_folder_without_assets(project: Path) -> None:
    mistake(bake("verify", "levels_src"), "levels_src", "no asset in this folder")
