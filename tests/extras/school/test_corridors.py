"""Planning over clusters: by hand, beside networkx, and beside shortest paths."""

import itertools
import math
from pathlib import Path

import networkx as nx
import pytest

from bake.core import extras
from bake.core.graph import Graph
from bake.extras.school import cluster_cost, corridors, plan_clusters
from bake.play import Navigator, open_asset
from bake.search.point.space import SearchSpace
from levelbake.errors import MissingTableError, QueryError
from tests.support.baked import bake, recipe_for, rows, write_grid
from tests.support.command import bake as command
from tests.support.strategies import random_grid

pytestmark = [
    pytest.mark.note(105, "networkx inside these clusters"),
    pytest.mark.note(106, "the pathological rooms, by hand"),
]

PRICES = ("minimum", "maximin", "average")
TABLES = ("components", "next_hops", "cluster_distances")

#: Six rooms of four by four. The one in the middle of the upper row winds, the lower ones are open.
#: Notes of the field call such cases pathological: every price leads through the winding room.
WINDING = (
    ".....#......",
    ".....#.#....",
    ".......#....",
    "....####....",
    "............",
    "............",
    "............",
    "............",
)


def opened(folder: Path, grid: list[list[str]], **recipe: object) -> Navigator:
    rules = recipe_for(cluster_size=4, tables=TABLES, **recipe)
    return open_asset(bake(write_grid(folder / "rooms.json", grid), rules)).profile()


def test_every_price_can_mislead(tmp_path: Path) -> None:
    nav = opened(tmp_path, rows(*WINDING), connectivity=4)
    start, goal = (3, 3), (8, 3)
    rooms = [nav.search.cluster(cell) for cell in ((0, 0), (4, 0), (8, 0))]
    assert nav.distance(start, goal) == 7
    for price in PRICES:
        found = plan_clusters(nav, start, goal, price)
        assert found is not None
        assert found[0] == rooms
        through = nav.search(start, goal, "clusters", price=price)
        # (3, 2), along the lower end of the winding room, up, over (7, 0), and down again.
        assert (through.cost, through.bound) == (11, math.inf)
        assert through.generated > through.expanded
        assert through.path is not None
        assert (4, 2) in through.path
        assert (7, 0) in through.path
    assert plan_clusters(nav, start, goal, "minimum") == (rooms, 2)  # One step across each border.


def test_hpa_is_not_misled(tmp_path: Path) -> None:
    """It plans between crossings, so it sees the way below that every price of clusters misses."""
    rules = recipe_for(cluster_size=4, tables=(*TABLES, "hierarchy"), connectivity=4)
    nav = open_asset(bake(write_grid(tmp_path / "rooms.json", rows(*WINDING)), rules)).profile()
    assert nav.search((3, 3), (8, 3), "clusters", price="minimum").cost == 11
    assert nav.search((3, 3), (8, 3), "hpa").cost == nav.distance((3, 3), (8, 3)) == 7
    cells = [(x, y) for y in range(8) for x in range(12) if nav.can_stand((x, y))]
    longer = {
        (start, goal): nav.search(start, goal, "hpa").cost - nav.distance(start, goal)
        for start in cells[::3]
        for goal in cells[::2]
        if nav.search(start, goal, "hpa").cost != nav.distance(start, goal)
    }
    # Of 1,320 pairs, these have a plan that leaves a bend which smoothing does not see.
    assert longer == {((10, 0), (0, 3)): 2, ((0, 2), (9, 1)): 2, ((0, 2), (11, 1)): 2}


def test_only_the_average_minds_the_mud(tmp_path: Path) -> None:
    """Steps across the borders of a muddy room are cheap, and the longest ways lie everywhere."""
    grid = rows("....mmmm....", "....mmmm....", "....mmmm....", "....mmmm....", *["." * 12] * 4)
    nav = opened(tmp_path, grid, connectivity=4)
    start, goal = (0, 3), (11, 3)
    assert nav.distance(start, goal) == 13  # One down, eleven across, one up.
    assert plan_clusters(nav, start, goal, "minimum") == ([0, 1, 2], 2 + 2)
    assert nav.search(start, goal, "clusters", price="minimum").cost == 19
    # From a far corner of the first room 3 + 2, of the mud 9 + 2; around they are 3 + 1 each.
    assert cluster_cost(nav, 0, 1, "maximin") + cluster_cost(nav, 1, 2, "maximin") == 5 + 11
    assert [cluster_cost(nav, a, b, "maximin") for a, b in ((0, 3), (3, 4), (4, 5))] == [4, 4, 4]
    planned = plan_clusters(nav, start, goal, "average")
    assert planned is not None
    assert planned[0] == [0, 3, 4, 5, 2]
    assert nav.search(start, goal, "clusters", price="average").cost == 13


@pytest.mark.parametrize("seed", range(12))
def test_against_networkx_and_shortest_paths(tmp_path: Path, seed: int) -> None:
    nav = opened(tmp_path, random_grid(seed, 14, 11))
    cells = [(x, y) for y in range(11) for x in range(14) if nav.can_stand((x, y))]
    count = 1 + max(nav.search.cluster(cell) for cell in cells)
    cells = cells[seed % 5 :: 5]
    for price in PRICES:
        graph = nx.DiGraph()
        graph.add_nodes_from(range(count))
        for a in range(count):
            for b in range(count):
                if cluster_cost(nav, a, b, price) < math.inf:
                    graph.add_edge(a, b, weight=cluster_cost(nav, a, b, price))
        for start in cells[::3]:
            for goal in cells[::4]:
                planned = plan_clusters(nav, start, goal, price)
                ends = nav.search.cluster(start), nav.search.cluster(goal)
                if planned is None:
                    assert not nx.has_path(graph, *ends)
                    assert nav.distance(start, goal) == math.inf
                else:
                    assert (planned[0][0], planned[0][-1]) == ends
                    best = nx.dijkstra_path_length(graph, *ends)
                    assert planned[1] == pytest.approx(best, abs=1e-3)
                found = nav.search(start, goal, "clusters", price=price)
                assert (found.path is None) == (nav.distance(start, goal) == math.inf)
                if found.path is not None:
                    assert (found.path[0], found.path[-1]) == (start, goal)
                    assert found.cost >= nav.distance(start, goal)
                    assert found.cost == pytest.approx(nav.length(found.path), abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_a_path_is_the_shortest_inside_the_clusters_of_its_plan(tmp_path: Path, seed: int) -> None:
    nav = opened(tmp_path, random_grid(seed, 20, 16))
    cells = [(x, y) for y in range(16) for x in range(20) if nav.can_stand((x, y))]
    steps = nx.DiGraph()
    for a in cells:
        for b in itertools.product(*(range(each - 1, each + 2) for each in a)):
            if nav.can_stand(b) and nav.next_hop(a, b) == b != a:
                steps.add_edge(a, b, weight=nav.distance(a, b))
    inside = 0
    for start, goal in itertools.product(cells[seed::31], cells[::23]):
        plan = plan_clusters(nav, start, goal)
        if plan is None:
            continue
        room = steps.subgraph([cell for cell in cells if nav.search.cluster(cell) in plan[0]])
        if nx.has_path(room, start, goal):
            best = nx.dijkstra_path_length(room, start, goal)
            assert nav.search(start, goal, "clusters").cost == pytest.approx(best, rel=1e-6)
            inside += 1
    assert inside > 10


def test_only_the_clusters_of_the_plan_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However large the level is: what lies in no cluster of the plan takes no time."""
    nav = opened(tmp_path, rows(*["." * 40] * 40), connectivity=4)
    nav.search((0, 0), (39, 39), "clusters")
    laid_out = []
    monkeypatch.setattr(Graph, "tail", None)  # It lists all arcs.
    monkeypatch.setattr(
        *(corridors, "SearchSpace"),
        lambda graph, weight: laid_out.append(graph.node_count) or SearchSpace(graph, weight),
    )
    assert nav.search((1, 1), (2, 1), "clusters").cost == 1
    assert nav.search((3, 3), (4, 3), "clusters").cost == 1
    assert laid_out == [16, 32]


def test_plans_follow_changes(tmp_path: Path) -> None:
    nav = opened(tmp_path, rows(*WINDING), connectivity=4)
    nav.update(blocked=[(7, 0)])  # The winding room is a dead end now.
    for price in PRICES:
        assert nav.search((3, 3), (8, 3), "clusters", price=price).cost == 7
    nav.update(blocked=[(x, 4) for x in range(12)])
    assert plan_clusters(nav, (3, 3), (8, 3)) is None
    assert nav.search((3, 3), (8, 3), "clusters").path is None


def test_what_does_not_go_together(tmp_path: Path) -> None:
    nav = opened(tmp_path, rows(*WINDING))
    with pytest.raises(QueryError, match=r"no price 'least'.*minimum"):
        plan_clusters(nav, (3, 3), (8, 3), "least")
    with pytest.raises(QueryError, match="no price 'least'"):
        nav.search((3, 3), (8, 3), "clusters", price="least")
    with pytest.raises(QueryError, match="'astar' takes no price"):
        nav.search((3, 3), (8, 3), "astar", price="minimum")
    with pytest.raises(QueryError, match="'clusters' uses no heuristic"):
        nav.search((3, 3), (8, 3), "clusters", "octile")
    rules = recipe_for(tables=("components", "next_hops"))
    bare = open_asset(bake(write_grid(tmp_path / "bare.json", rows(*WINDING)), rules)).profile()
    with pytest.raises(MissingTableError):
        bare.search((3, 3), (8, 3), "clusters")


def test_without_extras_the_method_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nav = opened(tmp_path, rows(*WINDING))
    monkeypatch.setattr(extras, "registered", dict)
    with pytest.raises(QueryError, match=r"no method 'clusters'; .*pip install"):
        nav.search((3, 3), (8, 3), "clusters")
    with pytest.raises(QueryError, match="no cluster 99"):
        cluster_cost(nav, 0, 99)


def test_the_command_line_knows_the_method(tmp_path: Path) -> None:
    opened(tmp_path, rows(*WINDING), connectivity=4)
    (asset,) = tmp_path.rglob("*.h5")
    done = command("path", asset, "3,3", "8,3", "--method", "clusters", "--json")
    assert (done.code, done.data["cost"]) == (0, 11)
    done = command("eval", asset, "--method", "clusters", "--pairs", "9", "--json")
    assert (done.code, done.data["problems"]) == (0, 9)
    drawn = tmp_path / "ways.png"
    done = command(
        *("render", asset, "-o", drawn, "--show", "search", "--path", "3,3", "8,3"),
        *("--method", "clusters"),
    )
    assert (done.code, done.errors) == (0, [])
    assert drawn.exists()
