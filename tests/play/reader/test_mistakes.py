"""Wrong arguments: each its own error, one clear line, never another answer."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.play import (
    AssetError,
    BlockedCellError,
    MissingTableError,
    Navigator,
    OutsideMapError,
    QueryError,
    UnknownNodeError,
    UnknownProfileError,
    open_asset,
)
from tests.support.baked import (
    GROUND,
    bake,
    bake_grid,
    profile_for,
    recipe_for,
    rows,
    write_graph,
    write_grid,
)

DRAWN = rows(
    "....#.",
    ".##.#.",
    "....#.",
)
WALL = (1, 1)
FREE = (0, 0)
#: Walkable, but walled off from the rest.
APART = (5, 1)
DRAWN_CELLS = [
    (x, y) for y, row in enumerate(DRAWN) for x, name in enumerate(row) if name != "wall"
]

Ask = Callable[[Navigator, Any, Any], object]
PAIRWISE: list[Ask] = [
    lambda nav, a, b: nav.next_hop(a, b),
    lambda nav, a, b: nav.distance(a, b),
    lambda nav, a, b: nav.reachable(a, b),
    lambda nav, a, b: nav.path(a, b),
]
MANY: Ask = lambda nav, a, b: nav.next_hops([FREE, a], [FREE, b])  # noqa: E731


@pytest.fixture(scope="module")
def grid_asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = write_grid(tmp_path_factory.mktemp("grid") / "drawn.json", DRAWN)
    return bake(source, recipe_for())


@pytest.fixture(scope="module")
def graph_asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("graph") / "roads.json"
    return bake(write_graph(source, ["inn", "mill", "ford"], [("inn", "mill", 1.0)]))


@pytest.fixture(params=[False, True], ids=["fresh", "used"])
def nav(grid_asset: Path, request: pytest.FixtureRequest) -> Iterator[Navigator]:
    """A navigator, and one that has answered before: the fast way must be as careful."""
    with open_asset(grid_asset) as level:
        navigator = level.profile()
        if request.param:
            navigator.next_hop((0, 0), (3, 2))
        yield navigator


@pytest.fixture(params=[False, True], ids=["fresh", "used"])
def roads(graph_asset: Path, request: pytest.FixtureRequest) -> Iterator[Navigator]:
    with open_asset(graph_asset) as level:
        navigator = level.profile()
        if request.param:
            navigator.next_hop("inn", "mill")
        yield navigator


def refused(nav: Navigator, ask: Ask, a: object, b: object) -> QueryError:
    with pytest.raises(QueryError) as caught:
        ask(nav, a, b)
    assert "\n" not in str(caught.value)
    return caught.value


OUTSIDE = [(-1, 0), (0, -1), (6, 0), (0, 3), (-6, 1), (2, -3), (10**6, 10**6), (-1, 3), (6, -1)]


@pytest.mark.parametrize("ask", [*PAIRWISE, MANY])
@pytest.mark.parametrize("cell", OUTSIDE)
def test_outside(nav: Navigator, ask: Ask, cell: tuple[int, int]) -> None:
    """Negative coordinates never count from the other end."""
    for a, b in ((cell, FREE), (FREE, cell), (cell, cell)):
        error = refused(nav, ask, a, b)
        assert isinstance(error, OutsideMapError)
        assert f"({cell[0]}, {cell[1]})" in str(error)
        assert "y from 0 to 2" in str(error)


@pytest.mark.parametrize("ask", PAIRWISE)
@pytest.mark.parametrize("number", [2**31, 2**32, 2**63, 2**64, 10**40, -(2**63)])
def test_far_outside(nav: Navigator, ask: Ask, number: int) -> None:
    for cell in ((number, 0), (0, number), (number, number)):
        assert isinstance(refused(nav, ask, cell, FREE), OutsideMapError)
        assert isinstance(refused(nav, ask, FREE, cell), OutsideMapError)


@pytest.mark.parametrize("number", [2**31, 2**32 + 1, 2**62, -(2**32), 10**40])
def test_far_outside_in_one_call(nav: Navigator, number: int) -> None:
    for cell in ((number, 0), (0, number)):
        refused(nav, MANY, cell, FREE)


@pytest.mark.parametrize("ask", [*PAIRWISE, MANY])
def test_on_a_wall(nav: Navigator, ask: Ask) -> None:
    for a, b in ((WALL, FREE), (FREE, WALL), (WALL, WALL)):
        error = refused(nav, ask, a, b)
        assert isinstance(error, BlockedCellError)
        assert "(1, 1)" in str(error)
        assert "nearest()" in str(error)


NO_CELLS = [
    None,
    5,
    "ab",
    "1,2",
    (),
    (1,),
    (1, 2, 3),
    (0.0, 0),
    (0, 0.5),
    (math.nan, 0),
    (0, math.inf),
    ("0", "0"),
    (None, 0),
    ((0, 0), 0),
    {"x": 0, "y": 0},
    np.array([0.0, 0.0]),
    np.zeros((2, 2), dtype=int),
    (1 + 0j, 0),
]


@pytest.mark.parametrize("ask", PAIRWISE)
@pytest.mark.parametrize("thing", NO_CELLS, ids=lambda thing: ascii(thing).replace("\n", ""))
def test_no_cell(nav: Navigator, ask: Ask, thing: object) -> None:
    refused(nav, ask, thing, FREE)
    refused(nav, ask, FREE, thing)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.uint64]
)
def test_numpy_numbers_are_numbers(nav: Navigator, dtype: type) -> None:
    start, goal = np.array([[3, 2], [0, 1]], dtype=dtype)
    assert nav.next_hop(tuple(start), tuple(goal)) == nav.next_hop((3, 2), (0, 1))
    assert nav.next_hop(start, goal) == nav.next_hop((3, 2), (0, 1))
    assert nav.distance(start, goal) == nav.distance((3, 2), (0, 1))
    assert nav.next_hops(start[None], goal[None]).tolist() == [list(nav.next_hop((3, 2), (0, 1)))]


@pytest.mark.parametrize(
    ("dtype", "width", "height"),
    [(np.int8, 30, 20), (np.uint8, 30, 20), (np.int16, 300, 200), (np.uint16, 400, 200)],
)
def test_narrow_numbers_do_not_wrap_round(
    tmp_path: Path, dtype: type, width: int, height: int
) -> None:
    """y * width does not fit the coordinates' own type, and where it would wrap to is floor."""
    last = height - 1
    wrapped = int(np.array(last * width).astype(dtype)) % (width * height)
    floors = {0, last, wrapped // width, wrapped // width + 1}
    grid = [["floor"] * (width if y in floors else 1) for y in range(height)]
    grid = [row + ["wall"] * (width - len(row)) for row in grid]
    with open_asset(bake_grid(tmp_path, grid, name="comb")) as level:
        nav = level.profile()
        for start, goal in (((4, last), (7, 0)), ((5, last), (9, last)), ((9, 0), (3, last))):
            expected = nav.next_hop(start, goal)
            assert isinstance(expected, tuple)
            a, b = np.array(start, dtype=dtype), np.array(goal, dtype=dtype)
            assert nav.path(a, b) == nav.path(start, goal)
            assert nav.next_hops(a[None], b[None]).tolist() == [list(expected)]
            assert nav.next_hop(tuple(a), tuple(b)) == expected
            assert nav.next_hop(a, b) == expected


def test_narrow_numbers_on_a_wide_level(tmp_path: Path) -> None:
    """The width itself does not fit a byte."""
    grid = [["floor"] * 300 for _ in range(3)]
    with open_asset(bake_grid(tmp_path, grid, name="wide")) as level:
        nav = level.profile()
        nav.next_hop((0, 0), (1, 1))
        start, goal = np.array([[5, 2], [200, 1]], dtype=np.uint8)
        assert nav.next_hop(start, goal) == nav.next_hop((5, 2), (200, 1))


WRONG_ARRAYS = [
    [1, 2],
    [[1, 2, 3]],
    [[0.0, 0.0]],
    [["0", "0"]],
    [[None, None]],
    [[[0, 0]]],
    [[0, 0], [1]],
    5,
    "ab",
    None,
    np.array([[True, False]]),
]


@pytest.mark.parametrize("array", WRONG_ARRAYS, ids=repr)
def test_no_cells(nav: Navigator, array: Any) -> None:
    for a, b in ((array, [FREE]), ([FREE], array)):
        with pytest.raises(QueryError) as caught:
            nav.next_hops(a, b)
        assert "\n" not in str(caught.value)
        assert "starts" in str(caught.value) or "goals" in str(caught.value)


def test_as_many_starts_as_goals(nav: Navigator, roads: Navigator) -> None:
    with pytest.raises(QueryError, match="2 starts for 1 goals"):
        nav.next_hops([FREE, FREE], [FREE])
    with pytest.raises(QueryError, match="1 starts for 2 goals"):
        roads.next_hops(["inn"], ["inn", "mill"])


def test_none_at_all(nav: Navigator, roads: Navigator) -> None:
    assert nav.next_hops([], []).shape == (0, 2)
    assert nav.next_hops(np.empty((0, 2), dtype=int), np.empty((0, 2), dtype=int)).shape == (0, 2)
    assert roads.next_hops([], []).shape == (0,)


def test_the_first_wrong_place_is_named(nav: Navigator) -> None:
    with pytest.raises(BlockedCellError, match=r"\(1, 1\)"):
        nav.next_hops([FREE, FREE, WALL, (2, 1)], [FREE] * 4)
    with pytest.raises(OutsideMapError, match=r"\(9, 9\)"):
        nav.next_hops([FREE, (9, 9), (10, 10)], [FREE] * 3)


def test_unreachable_is_a_value(nav: Navigator) -> None:
    assert nav.next_hop(FREE, APART) is None
    assert nav.path(FREE, APART) is None
    assert nav.distance(FREE, APART) == math.inf
    assert nav.reachable(FREE, APART) is False
    assert nav.next_hops([FREE, FREE, APART], [APART, FREE, APART]).tolist() == [
        [-1, -1],
        [*FREE],
        [*APART],
    ]


@pytest.mark.parametrize("ask", PAIRWISE)
@pytest.mark.parametrize("name", ["pub", "", "Inn", 0, 1.5, None, True, ("inn",), ["inn"], (0, 0)])
def test_unknown_node(roads: Navigator, ask: Ask, name: object) -> None:
    for a, b in ((name, "inn"), ("inn", name)):
        error = refused(roads, ask, a, b)
        assert isinstance(error, UnknownNodeError)
        assert repr(name) in str(error)


def test_unknown_nodes(roads: Navigator) -> None:
    with pytest.raises(UnknownNodeError, match="'pub'"):
        roads.next_hops(["inn", "pub"], ["inn", "inn"])
    for wrong in ("inn", [["inn"]], None):
        with pytest.raises(QueryError):
            roads.next_hops(wrong, wrong)
    assert roads.next_hops(np.array(["inn", "mill"]), np.array(["mill", "inn"])).tolist() == [
        "mill",
        None,
    ]


def test_whole_numbers_as_names(tmp_path: Path) -> None:
    with open_asset(bake(write_graph(tmp_path / "g.json", [10, -3], [(10, -3, 2.0)]))) as level:
        nav = level.profile()
        assert nav.next_hop(10, -3) == -3
        assert nav.next_hop(np.int64(10), np.int16(-3)) == -3
        assert nav.next_hops(np.array([10, -3]), np.array([-3, 10])).tolist() == [-3, None]
        for wrong in ("10", True, 0, 11):
            with pytest.raises(UnknownNodeError):
                nav.next_hop(wrong, 10)


@pytest.mark.parametrize(
    "point",
    [
        None,
        5,
        (),
        (1,),
        (1, 2, 3),
        (math.nan, 0),
        (0, math.inf),
        ("a", "b"),
        "ab",
        (10**400, 0),
        [[0, 0, 0]],
        [[0, math.nan]],
        [(0, 0), 1],
        np.zeros((2, 2, 2)),
        np.array([["a", "b"]]),
    ],
    ids=lambda point: repr(point)[:20],
)
def test_no_point(nav: Navigator, point: Any) -> None:
    with pytest.raises(QueryError, match="two finite numbers"):
        nav.nearest(point)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("x", [1e9, 1e150, 1e300])
def test_nearest_from_far_away(nav: Navigator, x: float) -> None:
    """Any finite point has an answer, without complaint; it is exact as far as floats tell."""
    assert nav.nearest((x, 1)) in DRAWN_CELLS
    assert nav.nearest((-x, -x)) in DRAWN_CELLS
    if x == 1e9:
        assert nav.nearest((x, 1))[0] == 5


def test_nearest_without_positions(roads: Navigator) -> None:
    with pytest.raises(QueryError, match="this graph has none"):
        roads.nearest((0, 0))


def test_a_path_that_jumps(nav: Navigator, roads: Navigator) -> None:
    assert nav.length([]) == nav.length([FREE]) == 0
    assert nav.length([FREE, (1, 0), (2, 0)]) == 2
    with pytest.raises(QueryError, match=r"from \(0, 0\) to \(2, 0\)"):
        nav.length([FREE, (2, 0)])
    with pytest.raises(BlockedCellError):
        nav.length([FREE, WALL])
    assert roads.length(["inn", "mill"]) == 1
    with pytest.raises(QueryError, match="from 'mill' to 'inn'"):
        roads.length(["mill", "inn"])


def test_profiles(tmp_path: Path, grid_asset: Path) -> None:
    with open_asset(grid_asset) as level:
        assert level.profiles == ("default",)
        assert level.profile().name == level.profile("default").name == "default"
        for wrong in ("walker", "", "Default", 5, ("default",)):
            with pytest.raises(UnknownProfileError, match="'default'") as caught:
                level.profile(wrong)
            assert repr(wrong) in str(caught.value)
    two = (profile_for("boat", GROUND), profile_for("walker", GROUND))
    asset = bake_grid(tmp_path, DRAWN, name="two", profiles=two)
    with open_asset(asset) as level, pytest.raises(UnknownProfileError) as caught:
        level.profile()
    assert "expected 'boat' or 'walker'" in str(caught.value)


@pytest.mark.parametrize("tables", [("components",), ("components", "distances")])
def test_missing_tables(tmp_path: Path, tables: tuple[str, ...]) -> None:
    source = write_grid(tmp_path / "drawn.json", DRAWN)
    with open_asset(bake(source, recipe_for(tables=tables))) as level:
        nav = level.profile()
        for ask, missing in (
            (lambda: nav.path(FREE, (3, 2), "hpa"), "hierarchy"),
            (lambda: nav.search.walk(FREE, (3, 2)), "hierarchy"),
            (lambda: nav.search.estimate(FREE, (3, 2), "maximum"), "heuristic"),
        ):
            with pytest.raises(MissingTableError) as caught:
                ask()
            assert missing in str(caught.value)
            assert "bake.toml" in str(caught.value)
        assert nav.distance(FREE, (3, 0)) == 3
        assert nav.distance(FREE, APART) == math.inf
        assert nav.next_hop(FREE, (3, 0)) == (1, 0)
        assert nav.next_hop(FREE, APART) is None
        assert nav.path(FREE, (3, 0)) == [(0, 0), (1, 0), (2, 0), (3, 0)]
        assert nav.next_hops([FREE], [APART]).tolist() == [[-1, -1]]
        assert nav.reachable(FREE, (3, 2))
        assert not nav.reachable(FREE, APART)
        assert nav.nearest(level.to_point(WALL)) == (1, 0)


def test_closed(grid_asset: Path) -> None:
    with open_asset(grid_asset) as level:
        used = level.profile()
        answer = used.next_hop(FREE, (3, 2))
    with open_asset(grid_asset) as other:
        unused = other.profile()
    for ask in (
        lambda: unused.next_hop(FREE, (3, 2)),
        lambda: unused.distance(FREE, (3, 2)),
        lambda: unused.next_hops([FREE], [FREE]),
        lambda: level.profile(),
    ):
        with pytest.raises(AssetError, match="closed"):
            ask()
    assert used.next_hop(FREE, (3, 2)) == answer
    level.close()  # again is no mistake


def test_two_at_once(grid_asset: Path) -> None:
    with open_asset(grid_asset) as one, open_asset(str(grid_asset)) as other:
        assert one.profile().next_hop(FREE, (3, 2)) == other.profile().next_hop(FREE, (3, 2))


def test_the_recipe_travels_along(grid_asset: Path) -> None:
    from bake.store import Asset

    with Asset(grid_asset) as asset:
        assert json.loads(asset.text("recipe") or "")["profiles"] == {"default": {}}
