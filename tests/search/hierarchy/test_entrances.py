"""Entrances between clusters: drawn by hand, and beside a slow search for them."""

from collections.abc import Sequence

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.graph import Graph
from bake.search.hierarchy.entrances import MIDDLE_ALONE, Crossings, find_crossings
from tests.support.baked import GROUND, rows
from tests.support.oracles import Cell, Ground, Lattice, square_arcs
from tests.support.strategies import ArcList, arc_lists, grids
from tests.support.worlds import COST_RULES

pytestmark = pytest.mark.note(121, "a slow search for entrances")

Pairs = dict[tuple[int, int], int]


def crossings(
    label: Sequence[int],
    arcs: Sequence[tuple[int, int]],
    cells: Sequence[Cell] | None,
    *,
    ticks: Sequence[int] | None = None,
    square: bool = True,
    spacing: int | None,
) -> Crossings:
    ends = np.array(arcs, dtype=np.int64).reshape(-1, 2)
    graph, order = Graph.from_arcs(len(label), ends[:, 0], ends[:, 1])
    weight = np.ones(len(order)) if ticks is None else np.array(ticks)[order]
    tail, of_node = graph.tail(), np.array(label, dtype=np.int32)
    arc = np.flatnonzero(of_node[tail] != of_node[graph.head]).astype(np.int32)
    at = None if cells is None else np.array(cells, dtype=np.int32).reshape(-1, 2)
    return find_crossings(
        graph.first_out,
        graph.head,
        weight.astype(np.int32),
        of_node,
        (tail[arc], arc),
        at=at,
        square=square,
        spacing=spacing,
    )


def drawn(
    *lines: str,
    width: int,
    spacing: int | None,
    connectivity: int = 8,
    square: bool = True,
    ground: dict[str, Ground] = GROUND,
) -> tuple[Crossings, list[Cell]]:
    """Of a lattice whose clusters are as wide as that."""
    lattice = Lattice(rows(*lines), ground, cost_rule="entered")
    cells = lattice.cells()
    number = {cell: node for node, cell in enumerate(cells)}
    steps = square_arcs(lattice, connectivity)
    arcs, ticks = [(number[a], number[b]) for a, b in steps], list(steps.values())
    label = [x // width for x, _ in cells]
    return crossings(label, arcs, cells, ticks=ticks, square=square, spacing=spacing), cells


def chosen_rows(found: Crossings, cells: list[Cell]) -> list[int]:
    """Where in its column the near side of each transition lies."""
    return sorted(cells[node][1] for node in found.near[found.chosen].tolist())


def entrance_count(found: Crossings) -> int:
    return int(found.entrance.max(initial=-1)) + 1


@pytest.mark.parametrize(
    ("height", "spacing", "expected"),
    [
        (1, 8, [0]),
        (2, 8, [0]),
        (3, 8, [1]),  # in the middle
        (4, 8, [0, 3]),  # at both ends
        (5, 8, [0, 4]),
        (6, 8, [0, 3, 5]),
        (9, 8, [0, 4, 8]),  # up to five lie half as far apart
        (18, 8, [0, 5, 9, 13, 17]),
        (33, 8, [0, 8, 16, 24, 32]),
        (34, 8, [0, 7, 14, 20, 27, 33]),
        (9, 4, [0, 2, 4, 6, 8]),
        (12, 1, list(range(12))),
        (9, 1, list(range(9))),
    ],
)
def test_one_entrance_along_an_open_border(height: int, spacing: int, expected: list[int]) -> None:
    found, cells = drawn(*["...."] * height, width=2, spacing=spacing)
    assert entrance_count(found) == 1
    assert len(found.near) == height
    assert (found.ways == 3).all()
    assert sorted(found.depth.tolist()) == list(range(height))
    assert chosen_rows(found, cells) == expected


#: Four columns by the second and third; each row is of one terrain.
@pytest.mark.parametrize(
    ("column", "spacing", "expected"),
    [
        # The road, both ends, and of the row that none of these replaces the next one but one.
        ("...=.....", 8, [0, 3, 5, 8]),
        # Every floor cell is so near a road that none needs a transition.
        ("=..=..=", 8, [0, 3, 6]),
        # Mud is three times as dear: nobody goes into it for a crossing beside the road.
        ("=mmmmmmmm", 8, [0, 2, 5, 8]),
        ("m=m", 8, [1]),
        ("mm.", 8, [0, 2]),
        ("mmmm", 8, [0, 3]),  # even ground
        # Every crossing that no other replaces at no cost at all.
        ("...=.....", 1, list(range(9))),
        ("...=.....", 2, list(range(9))),
        ("...=.....", 3, [0, 3, 5, 8]),
        ("...=.....", 1024, [0, 3, 8]),
    ],
)
def test_transitions_lie_where_crossing_is_cheap(
    column: str, spacing: int, expected: list[int]
) -> None:
    found, cells = drawn(*[letter * 4 for letter in column], width=2, spacing=spacing)
    assert entrance_count(found) == 1
    assert chosen_rows(found, cells) == expected


@pytest.mark.parametrize(("road", "expected"), [(0.5, [0, 2, 5, 8]), (0.8, [0, 4, 8])])
def test_costs_that_hardly_differ_are_even_ground(road: float, expected: list[int]) -> None:
    """Steps from floor to road and back are 1.8 where floor costs 1 and the road 0.8."""
    ground = {**GROUND, "road": Ground(road)}
    found, cells = drawn(*["...."] * 5, "====", *["...."] * 3, width=2, spacing=8, ground=ground)
    assert chosen_rows(found, cells) == expected


def test_dear_ground_beside_a_border_decides_as_well() -> None:
    """Crossing costs the same in every row, but a step aside costs three on the far side."""
    found, cells = drawn(*["..mm"] * 9, width=2, spacing=8)
    assert chosen_rows(found, cells) == list(range(9))
    assert chosen_rows(*drawn(*["...."] * 9, width=2, spacing=8)) == [0, 4, 8]


def test_a_road_across_a_corner_of_dear_ground_keeps_its_diagonal_step() -> None:
    """Two straight steps lead over mud; a diagonal one along the road costs a seventh of that."""
    lines = ["=mmm", "m=mm", "mm=m", "mmm="]
    found, cells = drawn(*lines, width=2, spacing=8)
    chosen = {
        (cells[near], cells[far])
        for near, far in zip(
            found.near[found.chosen].tolist(), found.far[found.chosen].tolist(), strict=True
        )
    }
    assert ((1, 1), (2, 2)) in chosen
    assert ((1, 1), (2, 2)) not in {
        (cells[near], cells[far])
        for near, far in zip(found.near.tolist(), found.far.tolist(), strict=True)
        if cells[near][1] == cells[far][1]
    }
    even, _ = drawn("....", "....", "....", "....", width=2, spacing=8)
    assert len(even.near) == 4


def test_a_wall_makes_two_entrances() -> None:
    found, cells = drawn("....", "....", "..#.", "....", width=2, spacing=8)
    by_row = {cells[node][1]: int(found.entrance[i]) for i, node in enumerate(found.near)}
    assert by_row == {0: 0, 1: 0, 3: 1}
    assert chosen_rows(found, cells) == [0, 3]


def test_a_step_one_way_is_no_part_of_an_entrance_both_ways() -> None:
    # From the road a ledge may not be entered, but left for it.
    found, cells = drawn("....", ".=v.", "....", width=2, spacing=8, connectivity=4)
    ways = {cells[node][1]: int(found.ways[i]) for i, node in enumerate(found.near)}
    assert ways == {0: 3, 1: 2, 2: 3}
    assert entrance_count(found) == 3
    assert chosen_rows(found, cells) == [0, 1, 2]


def test_diagonal_steps_need_no_transition_where_two_straight_ones_do() -> None:
    lines = ["....", "...."]
    assert len(drawn(*lines, width=2, spacing=8)[0].near) == 2
    assert len(drawn(*lines, width=2, spacing=8, square=False)[0].near) == 4
    assert len(drawn(*lines, width=2, spacing=None)[0].near) == 4


def test_of_crossings_beside_each_other_one_is_chosen() -> None:
    """Two nodes on either side, each joined with every other: three crossings are a step away."""
    arcs = [(a, b) for a in range(4) for b in range(4) if a != b]
    found = crossings([0, 0, 1, 1], arcs, None, spacing=8)
    assert sorted(found.depth.tolist()) == [0, 1, 1, 1]
    assert found.chosen.sum() == 1
    # Those that are not beside each other are chosen both: 1 and 2, 4 and 5 are not joined.
    pairs = [(0, 1), (0, 2), (3, 4), (3, 5), (0, 3), (1, 4), (2, 5)]
    arcs = [arc for a, b in pairs for arc in ((a, b), (b, a))]
    found = crossings([0, 0, 0, 1, 1, 1], arcs, None, spacing=8)
    assert entrance_count(found) == 1
    assert sorted(found.depth.tolist()) == [0, 1, 2]


def test_without_spacing_every_crossing_is_a_transition() -> None:
    found, _ = drawn("....", "....", "....", width=2, spacing=None)
    assert found.chosen.all()
    assert found.entrance.tolist() == list(range(len(found.near)))


def test_no_border_no_entrance() -> None:
    found = crossings([0, 0], [(0, 1), (1, 0)], None, spacing=3)
    assert (len(found.near), entrance_count(found)) == (0, 0)
    assert entrance_count(crossings([], [], None, spacing=None)) == 0


# -- beside a slow search -------------------------------------------------------------------------


def check(
    found: Crossings,
    label: Sequence[int],
    arcs: dict[tuple[int, int], int],
    pairs: Pairs,
    cells: list[Cell] | None,
    spacing: int,
) -> None:
    """What a search for connected sets of crossings finds.

    Args:
        arcs: the ticks of every arc.
        pairs: bits of the ways by (near, far).
    """
    near, far = found.near.tolist(), found.far.tolist()
    listed = list(zip(near, far, strict=True))
    assert listed == sorted(pairs)
    assert found.ways.tolist() == [pairs[pair] for pair in listed]

    def joined(a: int, b: int) -> bool:
        return a == b or ((a, b) in arcs and (b, a) in arcs)

    along = networkx.Graph()
    along.add_nodes_from(range(len(listed)))
    for i, (u, v) in enumerate(listed):
        for j, (x, y) in enumerate(listed[:i]):
            alike = label[u] == label[x] and label[v] == label[y] and pairs[u, v] == pairs[x, y]
            if alike and joined(u, x) and joined(v, y):
                along.add_edge(i, j)
    parts = sorted(networkx.connected_components(along), key=min)
    expected = {pair: number for number, part in enumerate(parts) for pair in part}
    assert found.entrance.tolist() == [expected[i] for i in range(len(listed))]
    for part in parts:
        entrance = along.subgraph(part)
        priced(entrance, listed, arcs, pairs)
        if is_even(entrance, listed, arcs, cells):
            check_entrance(found, entrance, listed, joined)
        else:
            check_prices(found, entrance, spacing)


def priced(entrance, listed, arcs, pairs) -> None:
    """Give each crossing its price and each step along the entrance its cost, there and back."""
    for i in entrance:
        u, v = listed[i]
        ways = [arcs[way] for way in ((u, v), (v, u)) if way in arcs]
        entrance.nodes[i]["price"] = sum(ways) * 2 // len(ways)
    for i, j in entrance.edges:
        sides = [each for each in zip(listed[i], listed[j], strict=True) if each[0] != each[1]]
        entrance.edges[i, j]["sides"] = [(a, b, arcs[a, b] + arcs[b, a]) for a, b in sides]
        entrance.edges[i, j]["weight"] = sum(arcs[a, b] + arcs[b, a] for a, b in sides)


def levels_at(i, entrance, listed, cells) -> list[int]:
    """What the steps at a crossing cost there and back, diagonal ones as straight ones."""
    steps = [(*listed[i], entrance.nodes[i]["price"])]
    steps += [side for j in entrance[i] for side in entrance.edges[i, j]["sides"]]
    told = []
    for a, b, ticks in steps:
        slanted = cells is not None and all(x != y for x, y in zip(cells[a], cells[b], strict=True))
        told.append(ticks * 29 // 41 if slanted else ticks)
    return told


def is_even(entrance, listed, arcs, cells) -> bool:
    told = []
    for i in entrance:
        here = levels_at(i, entrance, listed, cells)
        entrance.nodes[i]["least"] = min(here)
        told += here
    return 4 * (max(told) - 2) <= 5 * min(told)


def check_prices(found, entrance, spacing: int) -> None:
    """No crossing is without a transition over which the detour is short, and none is needless."""
    price = dict(entrance.nodes(data="price"))
    depths = sorted({int(found.depth[i]) for i in entrance})
    length = depths[-1] + 1
    close = min(5, -(-(length - 1) // max(1, spacing // 2)) + 1)
    parts = max(close, -(-(length - 1) // spacing) + 1) if length >= MIDDLE_ALONE else 1
    gap = -(-(length - 1) // (parts - 1)) if parts > 1 else 1
    chosen = {i for i in entrance if found.chosen[i]}

    def most(i: int) -> int:
        share = gap if price[i] > 2 * min(price.values()) else 2 * gap
        share = min(max(share, 8), 4 * (spacing - 1))
        return price[i] + share * entrance.nodes[i]["least"] // 4

    far = dict(networkx.all_pairs_dijkstra_path_length(entrance))
    for i in entrance:
        assert min(far[i][j] + price[j] for j in chosen) <= most(i)
    # The first one, the cheapest, has at most some that cost the same before it.
    assert min(price[i] for i in chosen) <= min(price.values()) * 5 / 4
    if spacing == 1:
        for i in set(entrance) - chosen:
            assert min(far[i][j] + price[j] for j in chosen) <= price[i]


def check_entrance(found, along, listed, joined) -> None:
    (end,) = [pair for pair in along if found.depth[pair] == 0]
    steps = networkx.single_source_shortest_path_length(along, end)
    assert {pair: int(found.depth[pair]) for pair in along} == steps
    # An end: the farthest from the first pair.
    from_first = networkx.single_source_shortest_path_length(along, min(along))
    assert from_first[end] == max(from_first.values())
    chosen = [pair for pair in along if found.chosen[pair]]
    depths = sorted({steps[pair] for pair in chosen})
    last = max(steps.values())
    if last + 1 < MIDDLE_ALONE:
        assert depths == [(last + 1) // 2]
    else:
        assert (depths[0], depths[-1]) == (0, last)
    for depth in depths:
        level = [pair for pair in along if steps[pair] == depth]
        beside = {
            pair
            for pair in level
            for other in level
            if other != pair
            and found.chosen[other]
            and any(joined(listed[pair][side], listed[other][side]) for side in (0, 1))
        }
        # Of crossings beside each other one is enough, and one there must be.
        assert all(found.chosen[pair] != (pair in beside) for pair in level)


def gaps(found: Crossings) -> int:
    """The most steps between transitions that follow each other along an entrance."""
    widest = 0
    for entrance in range(entrance_count(found)):
        mine = (found.entrance == entrance) & found.chosen
        widest = max(widest, int(np.diff(np.unique(found.depth[mine])).max(initial=0)))
    return widest


@given(graph=arc_lists(largest=9), data=st.data())
def test_any_graph(graph: ArcList, data: st.DataObject) -> None:
    n, weighed = graph
    label = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    spacing = data.draw(st.integers(1, 4))
    arcs = [(a, b) for a, b, _ in weighed]
    pairs: Pairs = {}
    for a, b in arcs:
        if label[a] < label[b]:
            pairs[a, b] = pairs.get((a, b), 0) | 1
        elif label[a] > label[b]:
            pairs[b, a] = pairs.get((b, a), 0) | 2
    found = crossings(label, arcs, None, spacing=spacing)
    check(found, label, dict.fromkeys(arcs, 1), pairs, None, spacing)
    assert gaps(found) <= spacing


@given(
    grid=grids(largest=8),
    connectivity=st.sampled_from([4, 8]),
    width=st.integers(1, 4),
    spacing=st.integers(1, 9),
    even=st.booleans(),
    cost_rule=st.sampled_from(COST_RULES),
)
def test_any_lattice(
    grid: list[list[str]], connectivity: int, width: int, spacing: int, even: bool, cost_rule: str
) -> None:
    ground = {
        name: Ground(each.cost and 1, each.enter_from) if even else each
        for name, each in GROUND.items()
    }
    lattice = Lattice(grid, ground, cost_rule=cost_rule)
    cells = lattice.cells()
    number = {cell: node for node, cell in enumerate(cells)}
    steps = square_arcs(lattice, connectivity)
    label = [(y // width) * 9 + x // width for x, y in cells]
    of_cell = dict(zip(cells, label, strict=True))
    pairs: Pairs = {}
    for a, b in steps:
        if of_cell[a] == of_cell[b]:
            continue
        corners = ((a[0], b[1]), (b[0], a[1]))
        slanted = a[0] != b[0] and a[1] != b[1]
        if slanted and any(
            (a, c) in steps and (c, b) in steps and steps[a, c] + steps[c, b] <= 2 * steps[a, b]
            for c in corners
        ):
            continue
        low, high, bit = (a, b, 1) if of_cell[a] < of_cell[b] else (b, a, 2)
        pair = number[low], number[high]
        pairs[pair] = pairs.get(pair, 0) | bit
    arcs = {(number[a], number[b]): ticks for (a, b), ticks in steps.items()}
    ticks = list(arcs.values())
    found = crossings(label, list(arcs), cells, ticks=ticks, spacing=spacing)
    check(found, label, arcs, pairs, cells, spacing)
    if even:
        assert gaps(found) <= spacing
