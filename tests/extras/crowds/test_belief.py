"""What a side believes, arc by arc, against what is there and what was seen."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

from bake.core.graph import BLOCKED
from bake.extras.crowds.belief import Belief
from bake.play import Navigator, open_asset
from bake.project.recipe import ProfileRecipe
from levelbake.errors import BlockedCellError, OutsideMapError, QueryError
from tests.support.baked import (
    GROUND,
    bake,
    bake_grid,
    recipe_for,
    rows,
    rules_of,
    write_graph,
    write_grid,
)
from tests.support.open_levels import TABLES, drawn_level
from tests.support.oracles import TICKS, Cell

pytestmark = pytest.mark.note(55, "the belief, arc by arc")

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


def is_shut(ends: tuple[Cell, Cell], walls: set[Cell], most: int) -> bool:
    """Whether a step passes more walls diagonally than it may."""
    (x, y), (to_x, to_y) = ends
    return abs(to_x - x) == abs(to_y - y) == 1 and len({(x, to_y), (to_x, y)} & walls) > most


@pytest.mark.parametrize("unknown", ["optimistic", "pessimistic", 2.0])
@pytest.mark.parametrize(
    ("hex_layout", "cutting"),
    [(None, "never"), (None, "one_free"), (None, "always"), ("odd-r", ""), ("even-q", "")],
)
def test_what_was_seen(
    tmp_path: Path, unknown: str | float, hex_layout: str | None, cutting: str
) -> None:
    """Arcs between places that were seen, and to seen walls, are as they are; others as guessed.

    Diagonals past walls that were seen are closed, by as many of them as the rule of corners says.
    """
    rng = random.Random(str(hex_layout))
    settings = {} if hex_layout else {"corner_cutting": cutting}
    most = {"never": 0, "one_free": 1}.get(cutting, 2)
    with drawn_level(tmp_path, *ROOM, hex_layout=hex_layout, **settings) as (_, nav):
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
                elif is_shut(ends, seen - stands, most):
                    units = None
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
    """A ladder between floors is believed in once one of its ends was seen."""
    from tests.support.tower import baked_tower

    with open_asset(baked_tower(tmp_path)) as level:
        nav = level.profile(level.profiles[0])
        belief = Belief(nav)
        jumps = {
            ends: units for ends, units in true_steps(nav).items() if ends not in believed(belief)
        }
        assert jumps
        for (a, b), units in jumps.items():
            belief = Belief(nav)
            belief.observe([(a, b)[len(jumps) % 2]])
            assert math.isclose(believed(belief)[a, b], units, abs_tol=1e-4)


def test_stairs_may_be_anywhere(tmp_path: Path) -> None:
    """Of stairs one thinks that they cost no more than the cheapest do, until one has looked."""
    from tests.support.tower import baked_tower

    with open_asset(baked_tower(tmp_path)) as level:
        nav = level.profile("walker")
        cells = [(x, y) for y in range(5) for x in range(9)]
        cheapest = min(
            units
            for (a, b), units in true_steps(nav).items()
            if a[2] != b[2]  # type: ignore[index]
        )
        for unknown, expected in (("optimistic", min(1, cheapest)), (2.5, 2.5)):
            belief = Belief(nav, unknown)
            stairs = {
                ends: units
                for ends, units in believed(belief).items()
                if ends[0][2] != ends[1][2]  # type: ignore[index]
            }
            assert stairs.keys() == {
                ((x, y, floor), (x, y, 1 - floor)) for x, y in cells for floor in (0, 1)
            }
            assert {round(units, 3) for units in stairs.values()} == {expected}
            belief.observe([(4, 4, 0)])
            assert ((4, 4, 0), (4, 4, 1)) not in believed(belief)
            assert ((4, 4, 1), (4, 4, 0)) not in believed(belief)
        assert believed(Belief(nav, "pessimistic")) == {}


def test_links_between_neighbours_are_links(tmp_path: Path) -> None:
    """Where steps lead in four directions, or in six, a link aslant is one that nobody guesses."""
    for layout in (None, "odd-r"):
        source = write_grid(tmp_path / f"{layout}.json", rows("...", "..."), layout)
        document = json.loads(source.read_text("utf-8"))
        ends = ([0, 0], [1, 1]) if layout is None else ([0, 0], [2, 1])
        document["links"] = [{"name": "vault", "from": ends[0], "to": ends[1]}]
        source.write_text(json.dumps(document), "utf-8")
        settings = {} if layout else {"connectivity": 4}
        with open_asset(bake(source, recipe_for(tables=TABLES, **settings))) as level:
            belief = Belief(level.profile())
            vault = tuple(map(tuple, ends))
            assert vault not in believed(belief)
            belief.observe([vault[1]])
            assert vault in believed(belief)


def test_changes_are_seen_when_they_are_looked_at(tmp_path: Path) -> None:
    with drawn_level(tmp_path, *ROOM) as (_, nav):
        belief = Belief(nav)
        belief.observe_all()
        before = believed(belief)
        nav.update(blocked=[(0, 0)], opened=[(2, 1)])
        assert believed(belief) == before
        assert belief.observe([(5, 4)]) == 0
        assert belief.observe([(0, 0)]) == 8
        assert not any((0, 0) in ends for ends in believed(belief))
        assert ((1, 0), (0, 1)) not in believed(belief)
        assert not belief.changes[-1].cheaper
        assert belief.observe([(2, 1)]) > 0
        assert belief.changes[-1].cheaper
        belief.observe_all()
        found, true = believed(belief), true_steps(nav)
        assert found.keys() == true.keys()


@pytest.mark.parametrize("cutting", ["never", "one_free"])
def test_what_was_seen_again(tmp_path: Path, cutting: str) -> None:
    """Who sees the same places again believes what somebody does who sees nothing but them now."""
    rng = random.Random(cutting)
    with drawn_level(tmp_path, *ROOM, corner_cutting=cutting) as (_, nav):
        cells = [(x, y) for y in range(5) for x in range(6)]
        for _ in range(12):
            looked = rng.sample(cells, 9)
            belief = Belief(nav)
            belief.observe(looked)
            for cell in rng.sample(cells, 5):
                standing = nav.can_stand(cell)
                nav.update(**{"blocked" if standing else "opened": [cell]})
            belief.observe(looked)
            fresh = Belief(nav)
            fresh.observe(looked)
            assert believed(belief) == believed(fresh)


def seen_by_sampling(here: Cell, walls: set[Cell], cells: list[Cell], hexagons: bool) -> set[Cell]:
    """What is in sight, by points along lines that are moved aside a little."""

    def middle(cell: Cell) -> np.ndarray:
        x, y = cell
        # Hexagons in rows, of which odd ones are shoved on.
        return np.array((x + 0.5 * (y % 2), y * math.sqrt(0.75)) if hexagons else (x, y))

    middles = cKDTree([middle(cell) for cell in cells])
    open_ones = set()
    for cell in cells:
        way = middle(cell) - middle(here)
        for side in (0.02, -0.02):  # No line passes a corner of a small level as near as that.
            aside = np.array([-way[1], way[0]]) * side / max(1, np.hypot(*way))
            along = np.linspace(0, 1, 2 + int(100 * np.hypot(*way)))[:, None]
            points = middle(here) + aside + along * way
            nearest = middles.query(points)[1]
            if not {cells[each] for each in set(nearest.tolist())} & walls:
                open_ones.add(cell)
    reach = 1.01 if hexagons else 1.5
    touched = {
        wall
        for wall in walls
        if any(np.linalg.norm(middle(wall) - middle(cell)) < reach for cell in open_ones)
    }
    return open_ones | touched


@pytest.mark.parametrize("hexagons", [False, True])
def test_what_is_in_sight(tmp_path: Path, hexagons: bool) -> None:
    rng = random.Random(3)
    for _ in range(3):
        lines = ["".join(rng.choices(".#", (75, 25), k=8)) for _ in range(7)]
        cells = [(x, y) for y in range(7) for x in range(8)]
        walls = {(x, y) for x, y in cells if lines[y][x] == "#"}
        layout = "odd-r" if hexagons else None
        with drawn_level(tmp_path, *lines, hex_layout=layout) as (_, nav):
            belief = Belief(nav)
            for here in rng.sample(sorted(set(cells) - walls), 3):
                everything = seen_by_sampling(here, walls, cells, hexagons)
                assert set(belief.in_sight(here, 16)) == everything
                mx, my = here
                for radius in (0, 1, 3):
                    seen = set(belief.in_sight(here, radius))
                    assert here in seen
                    assert seen <= everything
                    if not hexagons:
                        near = {
                            (x, y)
                            for x, y in everything - walls
                            if (x - mx) ** 2 + (y - my) ** 2 <= radius**2
                        }
                        assert seen - walls == near
            nav.update(blocked=[here])
            assert belief.in_sight(here, 5) == [here]
        for radius in (-1, 33, 1.5):
            with pytest.raises(QueryError, match=r"radius is .*whole number"):
                belief.in_sight((0, 0), radius)  # type: ignore[arg-type]


def test_a_large_agent_sees_past_where_it_fits(tmp_path: Path) -> None:
    """Walls are what it cannot cover, not where it cannot stand."""
    golem = ProfileRecipe("golem", rules_of(GROUND), size=2)
    drawing = rows("........", "........", "....#...", "........", "........")
    with open_asset(bake_grid(tmp_path, drawing, profiles=(golem,))) as level:
        belief = Belief(level.profile())
        seen = set(belief.in_sight((0, 0), 7))
        assert (7, 0) in seen
        assert (4, 2) in seen
        assert not level.profile().can_stand((3, 1))
        assert (3, 1) in seen
        assert (7, 3) not in seen


def test_sight_along_roads(tmp_path: Path) -> None:
    """On graphs one sees along arcs that lead straight on, and says so where there are no lines."""
    positions = {"a": (0.0, 0.0), "b": (2.0, 0.0), "c": (4.0, 0.0), "d": (2.0, 2.0)}
    edges = [("a", "b", 2), ("b", "c", 2), ("b", "d", 2)]
    for given in (positions, None):
        asset = bake(write_graph(tmp_path / "roads.json", list("abcd"), edges, positions=given))
        with open_asset(asset) as level:
            belief = Belief(level.profile())
            if given is None:
                with pytest.raises(QueryError, match="no positions"):
                    belief.in_sight("a", 3)
                continue
            assert belief.in_sight("a", 3) == ["a", "b"]
            assert belief.in_sight("a", 9) == ["a", "b", "c"]


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
            with pytest.raises(QueryError, match="'pessimistic'"):
                Belief(nav, unknown)  # type: ignore[arg-type]
        belief = Belief(nav)
        with pytest.raises(OutsideMapError, match=r"\(9, 0\) lies outside"):
            belief.observe([(0, 0), (9, 0)])
        assert not belief.seen((0, 0))
        with pytest.raises(QueryError, match="places is"):
            belief.observe([(0.5, 1)])  # type: ignore[list-item]
        with pytest.raises(BlockedCellError):
            belief.standing((2, 1))
