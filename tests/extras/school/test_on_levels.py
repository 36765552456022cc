"""The school's methods on levels, beside exact distances, fewest steps, and what was given up."""

from __future__ import annotations

import math
import random
from pathlib import Path

import networkx as nx
import pytest

from bake.core import extras
from bake.extras.school import on_levels
from bake.play import open_asset
from levelbake.errors import QueryError
from tests.support.baked import bake, write_graph
from tests.support.command import bake as command
from tests.support.command import misuse
from tests.support.open_levels import drawn_level

pytestmark = [
    pytest.mark.note(28, "exact distances, and the dropped bound"),
    pytest.mark.note(44, "networkx: the fewest steps"),
]


def random_lines(seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["".join(rng.choices(".m#", (60, 12, 28), k=9)) for _ in range(7)]


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_bounds_hold(tmp_path: Path, seed: int) -> None:
    """The less room there is, the more a path may cost, and never more than its bound."""
    with drawn_level(tmp_path, *random_lines(seed)) as (_, nav):
        places = nav.places()
        rng = random.Random(seed)
        proven, longer, gave_up = 0, 0, []
        for _ in range(10):
            start, goal = rng.sample(places, 2)
            best = nav.distance(start, goal)
            for method, room in (
                *(("beam", {"width": width}) for width in (1, 2, 5, 1000)),
                *(("sma", {"memory": memory}) for memory in (9, 25, 1000)),
            ):
                try:
                    found = nav.search(start, goal, method, **room)
                except QueryError as error:
                    gave_up.append((max(room.values()), "gave up after" in str(error)))
                    continue
                assert (found.path is None) == math.isinf(best)
                if found.path is None:
                    continue
                assert nav.length(found.path) == pytest.approx(found.cost, rel=1e-4)
                assert best <= found.cost <= best * found.bound * (1 + 1e-9)
                assert found.generated >= len(found.path) - 1
                assert found.bound == 1 or 1000 not in room.values()
                proven += found.bound == 1
                longer += found.cost > best
        assert proven >= 10
        assert longer
        assert all(room < 1000 and told for room, told in gave_up)


def test_fewest_steps(tmp_path: Path) -> None:
    """Steps against networkx; no path costs less than the bound allows, and some do cost less."""
    ratios = list[float]()
    for seed in range(3):
        with drawn_level(tmp_path, *random_lines(seed)) as (_, nav):
            places = nav.places()
            steps = nx.DiGraph((a, b) for a in places for b, _ in nav.neighbors(a))
            steps.add_nodes_from(places)
            rng = random.Random(seed)
            for _ in range(30):
                start, goal = rng.sample(places, 2)
                best = nav.distance(start, goal)
                for method in ("bfs", "dfs"):
                    found = nav.search(start, goal, method)
                    assert (found.path is None) == math.isinf(best)
                    assert (found.heuristic, found.method) == (None, method)
                    if found.path is None:
                        continue
                    assert nav.length(found.path) == pytest.approx(found.cost, rel=1e-4)
                    assert best <= found.cost <= best * found.bound * (1 + 1e-9)
                    if method == "bfs":
                        fewest = nx.shortest_path_length(steps, start, goal)
                        assert len(found.path) - 1 == fewest
                        assert found.bound < math.inf
                        ratios.append(found.cost / best)
                    else:
                        assert found.bound == math.inf
    assert max(ratios) > 1


def test_what_was_looked_at(tmp_path: Path) -> None:
    """The fill of breadth first search is all that lies within as many steps as the goal."""
    with drawn_level(tmp_path, "......", ".####.", "......") as (_, nav):
        found = nav.search((0, 0), (3, 0), "bfs", looked_at=True)
        assert found.looked_at is not None
        cells = dict(found.looked_at)
        assert {(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (0, 2)} <= cells.keys()
        assert (5, 2) not in cells
        assert cells[3, 0] == found.cost == 3
        assert nav.search((0, 0), (3, 0), "sma", memory=20, looked_at=True).looked_at == ()


def test_deepening_by_steps(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "...", "m#.", "...") as (_, nav):
        found = nav.search((0, 0), (2, 2), "iddfs")
        assert found.path == nav.search((0, 0), (2, 2), "bfs").path
        assert nav.search((1, 0), (1, 0), "iddfs").bound == 1


def test_deepening_finds_shortest_paths(tmp_path: Path) -> None:
    rng = random.Random(3)
    edges = [(*rng.sample(range(14), 2), rng.randint(1, 5)) for _ in range(24)]
    with open_asset(bake(write_graph(tmp_path / "g.json", range(14), edges))) as level:
        nav = level.profile()
        for start in range(14):
            for goal in range(14):
                found = nav.search(start, goal, "ida")
                assert (found.cost, found.bound) == (nav.distance(start, goal), 1)
                assert nav.path(start, goal, "ida") == found.path


def test_a_heuristic_of_ones_own_proves_nothing(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "....", "....") as (_, nav):
        found = nav.search((0, 0), (3, 1), "beam", lambda place: 0, width=100)
        assert (found.cost, found.bound) == (nav.distance((0, 0), (3, 1)), math.inf)
        assert (found.heuristic, found.admissible) == ("given", None)


def test_it_gives_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with drawn_level(tmp_path, "......", "......", "......") as (_, nav):
        monkeypatch.setattr(on_levels, "MOST_EXPANDED", 4)
        with pytest.raises(QueryError, match=r"'ida' gave up.*'astar'"):
            nav.search((0, 0), (5, 2), "ida", "null")
        assert nav.search((0, 0), (3, 0), "ida").cost == 3


def test_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with drawn_level(tmp_path, "...") as (_, nav):
        ends = (0, 0), (2, 0)
        for method, options, said in (
            ("beam", {}, "'beam' needs a width"),
            ("sma", {"memory": 1}, "memory is 1; expected a whole number from 2 on"),
            ("ida", {"width": 3}, "'ida' takes no width"),
            ("bfs", {"heuristic": "octile"}, "'bfs' uses no heuristic"),
            ("dfs", {"memory": 9}, "'dfs' takes no memory"),
            ("iddfs", {"weight": 2}, "'iddfs' takes no weight"),
            ("beam", {"width": 3, "price": "average"}, "'beam' takes no price"),
            ("astar", {"width": 3}, "'astar' takes no width; leave width out"),
            ("clusters", {"width": 3}, "'clusters' takes no width"),
        ):
            for ask in (nav.search, nav.path):
                with pytest.raises(QueryError, match=said):
                    ask(*ends, method, **options)
        monkeypatch.setattr(extras, "registered", dict)
        with pytest.raises(QueryError, match=r"no method 'sma'.*pip install"):
            nav.search(*ends, "sma", memory=9)


def test_the_command_line(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "......", ".####.", "......") as (_, nav):
        best = nav.distance((0, 1), (5, 1))
    (asset,) = tmp_path.rglob("*.h5")
    ask = ("path", asset, "0,1", "5,1", "--method")
    done = command(*ask, "bfs", "--json")
    assert (done.data["steps"], done.data["heuristic"]) == (7, None)
    assert command(*ask, "dfs").out.splitlines()[-1].endswith("not proven to be a shortest path")
    for options in (("beam", "--width", "50"), ("ida",), ("sma", "--memory", "60")):
        done = command(*ask, *options)
        assert ", admissible: no path costs less" in done.out
        assert command(*ask, *options, "--json").data["cost"] == pytest.approx(best)
    misuse(command(*ask, "beam"), "'beam'", "--width")
    misuse(command(*ask, "astar", "--width", "3"), "--width", "beam")
