"""Landmarks, how they are lowered, and the search they guide, beside networkx."""

from itertools import pairwise

import networkx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bake.search.hierarchy import landmarks
from bake.search.hierarchy.bundles import ASTRAY, BEFORE
from bake.search.hierarchy.landmarks import (
    NONE,
    farthest_landmarks,
    lowered_landmarks,
)
from tests.support.clustered import first_layer, graph_in_rows, memory, networkx_graph
from tests.support.inner import as_kernels_call
from tests.support.strategies import Arc, ArcList, arc_lists

search_transitions = as_kernels_call(landmarks.search_transitions)

FAR = 2**31 - 1

#: A street of five crossings, both ways, and two crossings apart from it.
STREET = [(0, 1, 3), (1, 2, 1), (2, 3, 1), (3, 4, 2), (5, 6, 50)]
STREET = [*STREET, *((head, tail, ticks) for tail, head, ticks in STREET)]
GROUP = np.array([0, 0, 0, 0, 0, 1, 1], dtype=np.int32)


@pytest.mark.parametrize(("count", "marks"), [(1, 1), (2, 2), (3, 3), (9, 5)])
def test_landmarks_lie_apart_in_every_part(count: int, marks: int) -> None:
    """4 is farthest from 0, then 0 is; 1 and 2 are then 3 from both, 1 is the first of them.

    The two crossings apart take turns, as far as they go: then the first of them is it again.
    """
    found = farthest_landmarks(*graph_in_rows(7, STREET), GROUP, count)
    graph = networkx_graph(7, STREET)
    expected = list(zip([4, 0, 1, 3, 2], [6, 5, 5, 5, 5], strict=True))[:marks]
    for column, both in enumerate(expected):
        far = networkx.multi_source_dijkstra_path_length(graph, set(both))
        assert found[:, column].tolist() == [far[node] for node in range(7)]
    # There are no more landmarks than the largest part has nodes, each lies at 0 of its own.
    assert found.shape == (7, len(expected))


def test_parts_of_one_node_have_a_landmark() -> None:
    group = np.array([2, 0, 1], dtype=np.int32)
    assert farthest_landmarks(*graph_in_rows(3, []), group, 4).tolist() == [[0], [0], [0]]


def test_a_landmark_says_where_no_way_leads() -> None:
    """Arcs lead from 0 to 1 and 2, and from nowhere to 0: 1 is the first that is farthest."""
    arcs = [(0, 1, 3), (0, 2, 3)]
    found = farthest_landmarks(*graph_in_rows(3, arcs), np.zeros(3, dtype=np.int32), 2)
    assert found.tolist() == [[FAR], [0], [FAR]]


def test_no_landmarks_without_nodes_or_unasked() -> None:
    empty = np.zeros(0, dtype=np.int32)
    assert farthest_landmarks(*graph_in_rows(0, []), empty, 4).shape == (0, 0)
    assert farthest_landmarks(*graph_in_rows(7, STREET), GROUP, 0).shape == (7, 0)


@given(graph=arc_lists(largest=9, heaviest=60), data=st.data())
def test_bounds_are_lowered_as_far_as_it_takes(graph: ArcList, data: st.DataObject) -> None:
    n, arcs = graph
    before = networkx_graph(n, arcs)
    marks = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3))
    far = [networkx.single_source_dijkstra_path_length(before, mark) for mark in marks]
    old = np.array([[each.get(node, FAR) for each in far] for node in range(n)], dtype=np.int32)
    # Other arcs leave some nodes, some nodes are gone, one may be new, and numbers are others.
    tails = data.draw(st.sets(st.integers(0, n - 1)))
    gone = data.draw(st.sets(st.integers(0, n - 1), max_size=2))
    fresh = data.draw(arc_lists(largest=n, heaviest=60))[1]
    kept = [node for node in range(n) if node not in gone]
    came = [*data.draw(st.permutations(kept)), *([-1] * data.draw(st.integers(0, 1)))]
    number = {node: place for place, node in enumerate(came) if node >= 0}
    other = [arc for arc in arcs if arc[0] not in tails]
    other += [arc for arc in fresh if arc[0] in tails]
    made: list[Arc] = [
        (number[a], number[b], w) for a, b, w in other if a in number and b in number
    ]
    if -1 in came and kept:
        made.append((len(came) - 1, 0, 5))
        made.append((0, len(came) - 1, 7))
    assume(came)
    same = [
        node >= 0
        and sorted((number[b], w) for a, b, w in arcs if a == node and b in number)
        == sorted((b, w) for a, b, w in made if a == place)
        for place, node in enumerate(came)
    ]
    found = lowered_landmarks(
        *graph_in_rows(len(came), made),
        np.array(came, dtype=np.int32),
        np.array(same, dtype=np.bool_),
        old,
    )
    for mark in range(len(marks)):
        # The least there can be: from a node beside them all, as far from each as its bound.
        after = networkx_graph(len(came), made)
        for place, node in enumerate(came):
            if node >= 0 and old[node, mark] != FAR:
                after.add_edge("beside", place, weight=int(old[node, mark]))
        after.add_node("beside")
        least = networkx.single_source_dijkstra_path_length(after, "beside")
        assert found[:, mark].tolist() == [least.get(place, FAR) for place in range(len(came))]


# -- the search -----------------------------------------------------------------------------------


def _as_distances(ends: dict[int, int], graph: networkx.DiGraph) -> dict[int, int]:
    """Lengthen ways to a place outside a graph until none of two is a short cut between nodes.

    Distances of a goal from transitions, both ways alike, are never one; bounds rest on that. Nor
    does a goal join nodes between which no way leads, so those apart from the first are left out.
    """
    lacking = 0
    joined = networkx.node_connected_component(graph.to_undirected(), min(ends)) if ends else ()
    ends = {node: ticks for node, ticks in ends.items() if node in joined}
    for node, ticks in ends.items():
        away = networkx.single_source_dijkstra_path_length(graph, node)
        for other, more in ends.items():
            lacking = max(lacking, away.get(other, 0) - ticks - more)
    return {node: ticks + (lacking + 1) // 2 for node, ticks in ends.items()}


@given(
    graph=arc_lists(largest=10, heaviest=60),
    both=st.booleans(),
    marks=st.integers(0, 3),
    data=st.data(),
)
def test_the_cheapest_way_is_found(
    graph: ArcList, both: bool, marks: int, data: st.DataObject
) -> None:
    n, arcs = graph
    if both:
        arcs = list({frozenset(arc[:2]): arc for arc in arcs}.values())
        arcs = [*arcs, *((head, tail, ticks) for tail, head, ticks in arcs)]
    away = st.dictionaries(st.integers(0, n - 1), st.integers(0, 40), max_size=3)
    starts, goals = data.draw(away), data.draw(away)
    known = data.draw(st.sampled_from([NONE, NONE, 5, 50]))
    group = np.zeros(n, dtype=np.int32)
    landmark = farthest_landmarks(*graph_in_rows(n, arcs), group, marks)
    if first_layer(n, arcs, landmark).two_way:
        goals = _as_distances(goals, networkx_graph(n, arcs))
    stack, used = first_layer(n, arcs, landmark), memory(n, n, landmark.shape[1])
    for side, ends in enumerate((starts, goals)):
        for place, (node, ticks) in enumerate(ends.items()):
            used.ends[side, place] = node, ticks

    whole = networkx_graph(n, arcs)
    whole.add_nodes_from(["start", "goal"])
    whole.add_weighted_edges_from(("start", node, ticks) for node, ticks in starts.items())
    whole.add_weighted_edges_from((node, "goal", ticks) for node, ticks in goals.items())
    far = networkx.single_source_dijkstra_path_length(whole, "start")
    shortest = min(far.get("goal", NONE), known)
    for _ in range(2):  # what the first search left behind must not matter
        cost, last, count = search_transitions(stack, used, len(starts), len(goals), known)
        assert cost == shortest
        assert (last >= 0) == (far.get("goal", NONE) < known)
        assert len(set(used.expanded[:count].tolist())) == count <= n
        if last < 0:
            continue
        way = ["goal", last]
        while used.state[way[-1], BEFORE] >= 0:
            way.append(int(used.state[way[-1], BEFORE]))
        steps = pairwise([*reversed(way)])
        ticks = sum(whole.edges[step]["weight"] for step in steps)
        assert starts[way[-1]] + ticks == shortest


def test_landmarks_spare_what_leads_away_from_the_goal() -> None:
    """On a street, with the goal two crossings on: what lies behind is not looked at."""
    arcs = [(node, node + 1, 10) for node in range(8)]
    arcs = [*arcs, *((head, tail, ticks) for tail, head, ticks in arcs)]
    looked_at = {}
    for marks in (0, 2):
        landmark = farthest_landmarks(*graph_in_rows(9, arcs), np.zeros(9, dtype=np.int32), marks)
        used = memory(9, 9, marks)
        used.ends[0, 0], used.ends[1, 0] = (4, 0), (6, 0)
        cost, last, count = search_transitions(first_layer(9, arcs, landmark), used, 1, 1, NONE)
        assert (cost, last) == (20, 6)
        looked_at[marks] = sorted(used.expanded[:count].tolist())
    assert looked_at[2] == [4, 5, 6]
    assert set(looked_at[0]) > {4, 5, 6}


def test_a_landmark_says_nothing_of_the_way_back_where_arcs_lead_one_way() -> None:
    arcs = [(0, 1, 1), (0, 2, 50), (2, 1, 1)]
    landmark = np.array([[0], [1], [50]], dtype=np.int32)
    used = memory(3, 3, 1)
    used.ends[0, 0], used.ends[1, 0] = (2, 0), (1, 0)
    assert search_transitions(first_layer(3, arcs, landmark), used, 1, 1, 30)[:2] == (1, 1)


def test_of_several_goals_the_nearest_bounds_the_way() -> None:
    arcs = [(node, node + 1, 10) for node in range(8)]
    arcs = [*arcs, *((head, tail, ticks) for tail, head, ticks in arcs)]
    landmark = np.arange(0, 90, 10, dtype=np.int32)[:, None]
    stack, used = first_layer(9, arcs, landmark), memory(9, 9, 1)
    used.ends[0, 0], used.ends[1, :2] = (4, 0), [(6, 0), (8, 0)]
    assert search_transitions(stack, used, 1, 2, 30)[:2] == (20, 6)


def test_the_search_ends_where_nothing_cheaper_is_left() -> None:
    arcs = [(node, node + 1, 10) for node in range(8)]
    stack, used = first_layer(9, arcs, np.zeros((9, 0), dtype=np.int32)), memory(9, 9)
    used.ends[0, :2], used.ends[1, 0] = [(4, 0), (0, 25)], (6, 0)
    cost, last, count = search_transitions(stack, used, 2, 1, NONE)
    assert (cost, last, used.expanded[:count].tolist()) == (20, 6, [4, 5, 6])


def test_wrong_landmarks_are_told_before_a_buffer_ends() -> None:
    arcs = [(node, node + 1, 10) for node in range(8)]
    stack = first_layer(9, arcs, np.zeros((9, 0), dtype=np.int32))
    used = memory(9, 9)
    used.ends[0, 0], used.ends[1, 0] = (0, 0), (8, 0)
    short = used._replace(expanded=np.zeros(8, dtype=np.int32))
    assert search_transitions(stack, short, 1, 1, NONE)[2] == ASTRAY
    assert search_transitions(stack, used, 1, 1, NONE) == (80, 8, 9)
    wide = first_layer(9, [(0, head, head) for head in range(1, 9)], stack.landmark)
    narrow = used._replace(heap=np.zeros((7, 2), dtype=np.int64))
    assert search_transitions(wide, narrow, 1, 1, NONE)[2] == ASTRAY
