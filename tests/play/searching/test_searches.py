"""Searches through the reader: every kind of level, every method, and mistakes."""

import math
import random
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest

from bake.play import LevelAsset, Navigator, SearchResult, open_asset
from bake.play.searching.methods import METHODS
from bake.project.recipe import LevelRecipe
from bake.search.point.space import SearchSpace
from levelbake.errors import QueryError
from tests.support.baked import GROUND, bake, recipe_for, rows, write_graph, write_grid
from tests.support.command import BLOCKER

pytestmark = [
    pytest.mark.note(9, "distances on every kind of level"),
    pytest.mark.note(51, "every kind of level"),
    pytest.mark.note(83, "the places that are evaluated"),
]

EXACT = ("dijkstra", "astar", "bidirectional", "bidirectional_astar")
HOPLESS = ("components",)
OPEN_CORNERS = recipe_for(connectivity=8, corner_cutting="always")


def random_grid(seed: int, size: int = 9) -> list[list[str]]:
    rng = random.Random(seed)
    names = tuple(GROUND)
    return [rng.choices(names, (8, 2, 2, 1, 1, 3), k=size) for _ in range(size)]


def check(nav: Navigator, start: object, goal: object, heuristics: tuple[str, ...]) -> None:
    """Every method finds a path, or that there is none, and keeps what it promises."""
    best = nav.distance(start, goal)

    def ask(method: str, **settings: object) -> SearchResult:
        found = nav.search(start, goal, method, **settings)
        assert found.method == method
        if math.isinf(best):
            assert (found.path, found.cost) == (None, math.inf)
            return found
        assert found.path is not None
        assert (found.path[0], found.path[-1]) == (start, goal)
        steps = sum(nav.distance(a, b) <= 0 for a, b in pairwise(found.path))
        assert steps == 0
        assert nav.length(found.path) == pytest.approx(found.cost, rel=1e-4)
        assert best <= found.cost
        assert not best or found.cost <= best * found.bound * (1 + 1e-9) + 1e-3
        return found

    for method in EXACT:
        found = ask(method)
        assert (found.bound, found.cost) == (1, best)
        assert found.admissible is True
        assert found.consistent is (found.heuristic != "maximum")
    assert ask("table").expanded == 0
    assert ask("greedy").bound == math.inf
    assert ask("weighted", weight=2.5).bound == 2.5
    for heuristic in heuristics:
        found = ask("astar", heuristic=heuristic)
        assert found.heuristic == heuristic
        assert found.cost == best or not found.admissible
    assert ask("astar", queue="heap").cost == best


@pytest.mark.parametrize("seed", range(6))
def test_square_levels(seed: int, tmp_path: Path) -> None:
    recipe = recipe_for(
        connectivity=(4, 8)[seed % 2],
        corner_cutting=("never", "one_free", "always")[seed % 3],
        cost_rule=("mean", "entered")[seed // 3],
    )
    with open_asset(bake(write_grid(tmp_path / "drawn.json", random_grid(seed)), recipe)) as level:
        nav = level.profile()
        cells = [nav.nearest((x, y)) for x in range(0, 9, 3) for y in range(0, 9, 4)]
        for start in cells:
            for goal in cells[::2]:
                check(nav, start, goal, ("null", "manhattan", "octile", "chebyshev", "euclidean"))
        found = nav.search(cells[0], cells[-1])
        assert found.heuristic == ("manhattan", "octile")[seed % 2]


@pytest.mark.parametrize("layout", ["odd-r", "even-r", "odd-q", "even-q"])
def test_hexagonal_levels(layout: str, tmp_path: Path) -> None:
    source = write_grid(tmp_path / "drawn.json", random_grid(3), layout)
    with open_asset(bake(source, recipe_for())) as level:
        nav = level.profile()
        cells = [nav.nearest((x, y)) for x in range(0, 9, 4) for y in range(0, 9, 4)]
        for start in cells:
            for goal in cells:
                check(nav, start, goal, ("null", "hex", "euclidean"))
        assert nav.search(cells[0], cells[-1]).heuristic == "hex"
        with pytest.raises(QueryError, match=r"'octile'.*square grid"):
            nav.search(cells[0], cells[-1], heuristic="octile")


def test_graphs_with_and_without_positions(tmp_path: Path) -> None:
    rng = random.Random(8)
    nodes = list(range(30))
    edges = [(*rng.sample(nodes, 2), rng.randint(1, 90) / 2) for _ in range(80)]
    where = {node: (rng.uniform(-5, 5), rng.uniform(0, 100)) for node in nodes}
    for name, positions in (("bare", None), ("placed", where)):
        source = write_graph(tmp_path / f"{name}.json", nodes, edges, positions=positions)
        with open_asset(bake(source)) as level:
            nav = level.profile()
            known = ("null",)
            if positions is not None:
                known = ("null", "manhattan", "octile", "chebyshev", "euclidean")
            for start in nodes[::5]:
                for goal in nodes[::4]:
                    check(nav, start, goal, known)
            if positions is None:
                assert nav.search(0, 9).heuristic == "null"
                with pytest.raises(QueryError, match="needs positions"):
                    nav.search(0, 9, heuristic="euclidean")


def small(tmp_path: Path, recipe: LevelRecipe | None = None) -> LevelAsset:
    source = write_grid(tmp_path / "small.json", rows("....", ".##.", "...."))
    return open_asset(bake(source, recipe or OPEN_CORNERS))


def test_an_inadmissible_choice_is_told(tmp_path: Path) -> None:
    nav = small(tmp_path).profile()
    found = nav.search((0, 0), (3, 2), heuristic="manhattan")
    assert (found.admissible, found.consistent, found.bound) == (False, False, math.inf)
    with pytest.raises(QueryError, match=r"'manhattan'.*both ends"):
        nav.search((0, 0), (3, 2), "bidirectional_astar", "manhattan")


@pytest.mark.parametrize("method", ["astar", "weighted", "greedy"])
def test_ones_own_heuristic_is_asked_of_the_places_met(tmp_path: Path, method: str) -> None:
    """Each place once, of a level of which the search meets a corner."""
    source = write_grid(tmp_path / "wide.json", random_grid(5, 30))
    with open_asset(bake(source, recipe_for(connectivity=8))) as level:
        nav = level.profile()
        start, goal = nav.nearest((3, 3)), nav.nearest((8, 5))
        asked: list[object] = []

        def h(place: tuple[int, int]) -> float:
            asked.append(place)
            return max(abs(place[0] - goal[0]), abs(place[1] - goal[1]))

        found = nav.search(start, goal, method, h, looked_at=True)
        assert found.looked_at is not None
        assert sorted(asked) == sorted(place for place, _ in found.looked_at)
        assert len(asked) < len(nav.places()) / 2
        assert dict(found.looked_at)[goal] == pytest.approx(found.cost)
        assert method == "greedy" or found.cost == nav.distance(start, goal)
        assert found.expanded <= len(asked) <= found.generated + 1


def test_ones_own_heuristic(tmp_path: Path) -> None:
    nav = small(tmp_path).profile()
    best = nav.distance((0, 1), (3, 1))
    exact = nav.search((0, 1), (3, 1), heuristic=lambda cell: nav.distance(cell, (3, 1)))
    assert (exact.cost, exact.heuristic, exact.bound) == (best, "given", math.inf)
    assert exact.admissible is exact.consistent is None
    jumpy = nav.search((0, 1), (3, 1), heuristic=lambda cell: float(cell == (0, 0)) * 2.5)
    assert (jumpy.cost, jumpy.admissible, jumpy.consistent) == (best, None, None)
    raised = nav.search((0, 1), (3, 1), heuristic=lambda cell: 1)
    assert (raised.cost, raised.admissible, raised.consistent) == (best, False, None)
    beyond = nav.search((0, 1), (3, 1), heuristic=lambda cell: 9 * (cell != (3, 1)))
    assert (beyond.admissible, beyond.consistent, beyond.bound) == (False, False, math.inf)
    with pytest.raises(QueryError, match=r"says nothing of \(0, 1\)"):
        nav.search((0, 1), (3, 1), heuristic={(3, 1): 0.0})
    for wrong in (-1, math.nan, math.inf, 1e9, "far", None):
        with pytest.raises(QueryError, match="the heuristic says"):
            nav.search((0, 1), (3, 1), heuristic=lambda cell, wrong=wrong: wrong)
    with pytest.raises(QueryError, match="cannot guide"):
        nav.search((0, 1), (3, 1), "bidirectional_astar", lambda cell: 0)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "magic"}, "no method 'magic'"),
        ({"method": None}, "no method None"),
        ({"heuristic": "guess"}, "no heuristic 'guess'"),
        ({"heuristic": "hex"}, "'hex' is for"),
        ({"heuristic": 7}, "the heuristic says"),
        ({"method": "table", "heuristic": "octile"}, "'table' uses no heuristic"),
        ({"method": "dijkstra", "heuristic": "octile"}, "'dijkstra' uses no heuristic"),
        ({"method": "bidirectional", "heuristic": "octile"}, "uses no heuristic"),
        ({"queue": "stack"}, "no queue 'stack'"),
        ({"method": "weighted", "weight": -0.5}, "weight is -0.5; expected 0 to 1000"),
        ({"method": "weighted", "weight": math.nan}, "weight is nan"),
        ({"method": "weighted", "weight": "two"}, "weight is 'two'"),
    ],
)
def test_mistakes(settings: dict[str, object], said: str, tmp_path: Path) -> None:
    nav = small(tmp_path).profile()
    with pytest.raises(QueryError) as caught:
        nav.search((0, 0), (3, 2), **settings)
    assert said in str(caught.value)


def test_path_takes_a_method_too(tmp_path: Path) -> None:
    nav = small(tmp_path, replace(OPEN_CORNERS, tables=HOPLESS)).profile()
    assert len(nav.path((0, 1), (3, 1), "astar") or ()) == 4
    assert len(nav.path((0, 1), (3, 1), method="dijkstra") or ()) == 4
    for untold in ({}, {"method": "table"}):
        assert len(nav.path((0, 1), (3, 1), **untold) or ()) == 4
    found = nav.search((0, 1), (3, 1), "table")
    assert (found.cost, found.bound) == (nav.search((0, 1), (3, 1)).cost, 1)
    with pytest.raises(QueryError, match="uses no heuristic"):
        nav.path((0, 1), (3, 1), heuristic="octile")


def test_already_there_and_no_way(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "two.json", rows("..#..", "..#.."))
    with open_asset(bake(source, recipe_for())) as level:
        nav = level.profile()
        for method in METHODS:
            found = nav.search((1, 1), (1, 1), method)
            assert (found.path, found.cost) == ([(1, 1)], 0)
            found = nav.search((1, 1), (4, 0), method)
            assert (found.path, found.cost, found.expanded) == (None, math.inf, 0)


@pytest.mark.parametrize("method", ["astar", "dijkstra", "bidirectional", "greedy", "weighted"])
def test_a_path_too_long_to_count_is_no_missing_path(method: str, tmp_path: Path) -> None:
    """Labels hold 2**31 - 2 ticks; beyond them lies an error, not `None`, and no endless loop."""
    arcs = [(node, node + 1, 2.0**29 - 1) for node in range(11)]
    source = write_graph(tmp_path / "long.json", list(range(12)), arcs, directed=False)
    with open_asset(bake(source, LevelRecipe(ticks_per_unit=1, tables=HOPLESS))) as level:
        nav = level.profile()
        for goal in range(12):
            if goal <= 4:
                assert nav.search(0, goal, method).cost == goal * (2**29 - 1)
                continue
            with pytest.raises(QueryError, match="costs more than 2,147,483,646 ticks"):
                nav.path(0, goal, method)


def test_answers_without_a_table_say_when_a_path_is_too_long(tmp_path: Path) -> None:
    arcs = [(node, node + 1, 2.0**29 - 1) for node in range(4)]
    source = write_graph(tmp_path / "long.json", list(range(6)), arcs, directed=False)
    with open_asset(bake(source, LevelRecipe(ticks_per_unit=1, tables=HOPLESS))) as level:
        nav = level.profile()
        asked = [
            lambda goal: nav.next_hop(0, goal),
            lambda goal: nav.distance(0, goal),
            lambda goal: nav.path(0, goal),
            lambda goal: nav.next_hops([0], [goal])[0],
            lambda goal: nav.distances([0], [goal])[0],
            lambda goal: len(nav.paths([0], [goal])[1]),
        ]
        for _ in range(2):
            assert [ask(2) for ask in asked] == [1, 2**30 - 2, [0, 1, 2], 1, 2**30 - 2, 3]
            assert [ask(5) for ask in asked] == [None, math.inf, None, None, math.inf, 0]
            for ask in asked:
                with pytest.raises(QueryError, match="costs 1,073,741,824 ticks or more"):
                    ask(3)
            # A level that was changed back is as it was.
            level.update(arcs={(0, 1): 1})
            level.update(arcs={(0, 1): None})


def test_warming_up(tmp_path: Path) -> None:
    with small(tmp_path) as level:
        level.warm_up()
        nav = level.profile()
        nav.warm_up(*METHODS)
        assert nav.next_hop((0, 0), (1, 0)) == (1, 0)
        with pytest.raises(QueryError, match="no method"):
            nav.warm_up("magic")
    with small(tmp_path, recipe_for(tables=HOPLESS)) as level:
        level.warm_up()
        assert "_followed" not in vars(level.profile()._now.engine)
        level.profile().warm_up("table")
        assert "_followed" in vars(level.profile()._now.engine)
    with open_asset(bake(write_graph(tmp_path / "one.json", "a", []))) as level:
        level.warm_up(*METHODS)
    labels = recipe_for(tables=("distances",), distance_storage="labels")
    for methods, ready in (((), True), (("astar",), False)):
        with small(tmp_path, labels) as level:
            level.warm_up(*methods)
            assert ("labels" in vars(level._columns())) == ready


def test_threads_share_a_navigator(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "wide.json", random_grid(5, 40))
    with open_asset(bake(source, recipe_for(connectivity=8))) as level:
        nav = level.profile()
        ends = [nav.nearest((x, 40 - x)) for x in range(0, 40, 4)]
        pairs = [(a, b) for a in ends for b in ends]
        expected = [nav.distance(a, b) for a, b in pairs]
        costs: list[list[float]] = [[] for _ in range(4)]

        def work(into: list[float]) -> None:
            into += [nav.search(a, b).cost for a, b in pairs]

        threads = [Thread(target=work, args=(into,)) for into in costs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert costs == [expected] * 4


SHIPPED = """
from bake.play import open_asset
from bake.play.searching.methods import METHODS

with open_asset(sys.argv[1]) as level:
    nav = level.profile()
    nav.warm_up()
    for method in METHODS:
        found = nav.search((0, 0), (3, 2), method)
        assert found.path[-1] == (3, 2), method
        assert found.cost == 5 or method == "greedy"
    assert nav.plane.smooth(nav.path((0, 0), (3, 0))) == [(0, 0), (3, 0)]
assert "numba" not in sys.modules
print("ok")
"""


def test_searches_work_where_nothing_else_is_installed(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "small.json", rows("....", ".##.", "...."))
    asset = bake(source, recipe_for())
    code = ["-W", "error", "-c", BLOCKER + SHIPPED]
    done = subprocess.run(
        [sys.executable, *code, str(asset)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "ok"


def test_a_heuristic_of_one_pair_looks_at_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_grid(tmp_path / "room.json", rows(*["." * 8] * 8))
    with open_asset(bake(source, recipe_for(connectivity=8, tables=HOPLESS))) as level:
        nav = level.profile()
        wanted = {
            name: nav.search.estimate((1, 1), (6, 3), name) for name in ("octile", "euclidean")
        }
        monkeypatch.setattr(SearchSpace, "estimates", None)
        for name, units in {**wanted, None: wanted["octile"], "null": 0}.items():
            assert nav.search.estimate((1, 1), (6, 3), name) == units
        assert wanted["octile"] == pytest.approx(3 + 2 * math.sqrt(2), rel=1e-4)
        asked = []
        assert nav.search.estimate((1, 1), (6, 3), lambda place: asked.append(place) or 2.5) == 2.5
        assert asked == [(1, 1)]
        with pytest.raises(QueryError, match="says nothing of \\(1, 1\\)"):
            nav.search.estimate((1, 1), (6, 3), {})
