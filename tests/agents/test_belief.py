"""What a side believes, arc by arc, against what is there and what was seen."""

import math
import random
from pathlib import Path

import numpy as np
import pytest

from bake.agents.belief import Belief
from bake.graph import BLOCKED
from bake.play import Navigator, open_asset
from levelbake.errors import BlockedCellError, OutsideMapError, QueryError
from tests.support.baked import bake, write_graph
from tests.support.open_levels import drawn_level
from tests.support.oracles import TICKS, Cell

ROOM = ("......", ".m##..", ".m.#..", "...#..", "......")


def believed(belief: Belief) -> dict[tuple[object, object], float]:
    """Units of every arc that is believed to be open, by its places."""
    place, arcs = belief.places.place_at, belief.arcs
    tails, heads, ticks = arcs.tails().tolist(), arcs.head.tolist(), arcs.weight.tolist()
    return {
        (place(tail), place(head)): weight / TICKS
        for tail, head, weight in zip(tails, heads, ticks, strict=True)
        if weight != BLOCKED
    }


def true_steps(nav: Navigator) -> dict[tuple[object, object], float]:
    """Units of every step there is, found by asking for the length of each."""
    steps = {}
    places = nav.places()
    for a in places:
        for b in places:
            if a != b and nav.still_valid([a, b]):
                steps[a, b] = nav.length([a, b])
    return steps


def around(a: object, b: object) -> float:
    (x, y), (to_x, to_y) = a, b  # type: ignore[misc]
    return math.hypot(to_x - x, to_y - y)


def test_nothing_seen(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *ROOM) as (_, nav):
        hopeful = believed(Belief(nav))
        # Six by five cells: straight neighbours, and two diagonals in each square of four.
        assert len(hopeful) == 2 * (5 * 5 + 6 * 4 + 2 * 5 * 4)
        assert all(
            math.isclose(units, around(*ends), abs_tol=1e-4) for ends, units in hopeful.items()
        )
        assert believed(Belief(nav, "pessimistic")) == {}
        dear = believed(Belief(nav, 2.5))
        assert hopeful.keys() == dear.keys()
        assert all(math.isclose(dear[ends], 2.5 * around(*ends), abs_tol=1e-4) for ends in dear)


@pytest.mark.parametrize("unknown", ["optimistic", "pessimistic", 2.0])
@pytest.mark.parametrize("hex_layout", [None, "odd-r", "even-q"])
def test_what_was_seen(tmp_path: Path, unknown: str | float, hex_layout: str | None) -> None:
    """Arcs between places that were seen, and to seen walls, are as they are; others as guessed."""
    rng = random.Random(str(hex_layout))
    with drawn_level(tmp_path, *ROOM, hex_layout=hex_layout) as (_, nav):
        belief = Belief(nav, unknown)
        guessed, true = believed(belief), true_steps(nav)
        cells = [(x, y) for y in range(5) for x in range(6)]
        stands = {cell for cell in cells if nav.can_stand(cell)}
        seen: set[Cell] = set()
        rng.shuffle(cells)
        for first in range(0, 30, 6):
            belief.observe(cells[first : first + 6])
            seen |= set(cells[first : first + 6])
            expected = {}
            for ends in {*guessed, *true}:
                a, b = ends
                if (a in seen and b in seen) or any(c in seen and c not in stands for c in ends):
                    units = true.get(ends)
                else:
                    units = guessed.get(ends)
                if units is not None:
                    expected[ends] = units
            found = believed(belief)
            assert found.keys() == expected.keys()
            assert all(math.isclose(found[e], expected[e], abs_tol=1e-4) for e in found)
            assert {c for c in cells if belief.seen(c)} == seen
            assert {(x, y) for y, x in np.argwhere(belief.seen_everywhere()).tolist()} == seen
        assert found.keys() == true.keys()
        assert belief.observe_all() == 0


def test_optimists_never_think_too_much(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "=..", ".m=", "..#", connectivity=4) as (_, nav):
        hopeful = believed(Belief(nav))
        assert all(hopeful[ends] <= units for ends, units in true_steps(nav).items())
        assert all(around(*ends) == 1 for ends in hopeful)


def test_the_heuristic_holds_for_whatever_may_be_seen(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *ROOM) as (_, nav):
        for unknown in ("optimistic", "pessimistic", 0.25, 4.0):
            belief = Belief(nav, unknown)
            assert belief.estimate.consistent
            for _ in range(2):
                h = belief.estimate
                cells = h.at
                for (a, b), units in believed(belief).items():
                    (x, y), (to_x, to_y) = (
                        cells[belief.places.location(c)].tolist() for c in (a, b)
                    )
                    dx, dy = abs(x - to_x), abs(y - to_y)
                    ticks = h.straight * max(dx, dy) + h.extra * min(dx, dy)
                    assert ticks <= round(units * TICKS)
                belief.observe_all()


def test_graphs(tmp_path: Path) -> None:
    """On a graph its arcs are known and their prices are not."""
    positions = {"a": (0.0, 0.0), "b": (3.0, 4.0), "c": (6.0, 8.0), "d": (0.0, 8.0)}
    edges = [("a", "b", 10), ("b", "c", 5), ("b", "c", 7), ("c", "d", 60), ("d", "a", 8)]
    for given in (positions, None):
        asset = bake(write_graph(tmp_path / "roads.json", list("abcd"), edges, positions=given))
        with open_asset(asset) as level:
            nav = level.profile()
            belief = Belief(nav)
            hopeful = believed(belief)
            if given is None:
                assert set(hopeful.values()) == {5.0}
            else:  # The cheapest arc costs a unit for each unit of length.
                assert {ends: round(units, 3) for ends, units in hopeful.items()} == {
                    ("a", "b"): 5,
                    ("b", "c"): 5,
                    ("c", "d"): 6,
                    ("d", "a"): 8,
                }
            belief.observe(["b", "c"])
            assert believed(belief)["b", "c"] == 5
            assert ("c", "b") not in believed(belief)
            belief.observe_all()
            assert believed(belief) == true_steps(nav)


def test_links_are_no_guess(tmp_path: Path) -> None:
    """A ladder between floors is believed in once both of its ends were seen."""
    from tests.support.tower import baked_tower

    with open_asset(baked_tower(tmp_path)) as level:
        nav = level.profile(level.profiles[0])
        belief = Belief(nav)
        jumps = {
            ends: units for ends, units in true_steps(nav).items() if ends not in believed(belief)
        }
        assert jumps
        for (a, b), units in jumps.items():
            belief.observe([a])
            belief.observe([b])
            assert math.isclose(believed(belief)[a, b], units, abs_tol=1e-4)


def test_changes_are_seen_when_they_are_looked_at(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *ROOM) as (_, nav):
        belief = Belief(nav)
        belief.observe_all()
        before = believed(belief)
        nav.update(blocked=[(0, 0)], opened=[(2, 1)])
        assert believed(belief) == before
        assert belief.observe([(5, 4)]) == 0
        assert belief.observe([(0, 0)]) == 6
        assert not any((0, 0) in ends for ends in believed(belief))
        assert not belief.changes[-1].cheaper
        assert belief.observe([(2, 1)]) > 0
        assert belief.changes[-1].cheaper
        # The diagonals past both cells lie between cells that were not looked at again.
        belief.observe_all()
        found, true = believed(belief), true_steps(nav)
        assert found.keys() == true.keys()


def test_cheaper_ground_than_anybody_could_foresee(tmp_path: Path) -> None:
    """A heuristic that would be too much now is made anew, and plans with it."""
    with drawn_level(tmp_path, "....", "....") as (_, nav):
        belief = Belief(nav)
        assert belief.epoch == 0
        nav.update(terrain={(x, 0): "road" for x in range(4)})
        belief.observe_all()
        assert belief.epoch == 1
        assert belief.estimate.straight == TICKS // 2


def test_places_around(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *ROOM) as (_, nav):
        belief = Belief(nav)
        assert set(belief.around((0, 4), 1)) == {(0, 3), (1, 3), (0, 4), (1, 4)}
        assert len(belief.around((2, 2), 9)) == 30
        assert belief.around((2, 2), 0) == [(2, 2)]


def test_mistakes(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *ROOM) as (_, nav):
        for unknown in ("hopeful", 0, -1, math.nan, 1e9, True, None):
            with pytest.raises(QueryError, match="or 'pessimistic', or a price above 0"):
                Belief(nav, unknown)  # type: ignore[arg-type]
        belief = Belief(nav)
        with pytest.raises(OutsideMapError, match=r"cell \(9, 0\) lies outside the level"):
            belief.observe([(0, 0), (9, 0)])
        assert not belief.seen((0, 0))
        with pytest.raises(QueryError, match="places is"):
            belief.observe([(0.5, 1)])  # type: ignore[list-item]
        with pytest.raises(BlockedCellError):
            belief.standing((2, 1))
