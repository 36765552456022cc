"""Layers keep the distances of what they are built on, and follow changes to the last arc."""

import random
from itertools import pairwise

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.arrays import UInt8Array
from bake.search.hierarchy.layer import Layer
from bake.search.hierarchy.layer_builder import Base, Before, Joined, Kept, build_layer
from tests.support.clustered import SHUT, divided, graph_in_rows, networkx_graph
from tests.support.strategies import Arc, ArcList, arc_lists


def base_of(label: list[int], arcs: list[Arc]) -> Base:
    graph, members = divided(label, arcs)
    return Base(graph, members, np.array(label, dtype=np.int32))


def ends_of_crossings(label: list[int], arcs: list[Arc]) -> UInt8Array:
    chosen = np.zeros(len(label), dtype=np.uint8)
    for tail, head, _ in arcs:
        if label[tail] != label[head]:
            chosen[[tail, head]] = 1
    return chosen


def arcs_of_layer(layer: Layer) -> list[Arc]:
    tails = np.repeat(np.arange(len(layer.node)), np.diff(layer.first_out))
    return list(zip(tails.tolist(), *layer.arcs.T.tolist(), strict=True))


def distances(nodes: int, arcs: list[Arc]) -> dict[int, dict[int, int]]:
    return dict(networkx.all_pairs_dijkstra_path_length(networkx_graph(nodes, arcs)))


def numbered(label: list[int]) -> list[int]:
    """The same with clusters numbered without gaps."""
    used = sorted(set(label))
    return [used.index(one) for one in label]


labels = st.lists(st.integers(0, 3), min_size=12, max_size=12)


@given(graph=arc_lists(largest=12, heaviest=60), label=labels)
def test_distances_between_transitions_stay(graph: ArcList, label: list[int]) -> None:
    n, arcs = graph
    label = numbered(label[:n])
    layer, kept, fresh = build_layer(base_of(label, arcs), ends_of_crossings(label, arcs), None)
    assert layer.node.tolist() == sorted(
        np.flatnonzero(ends_of_crossings(label, arcs)).tolist(),
        key=lambda node: (label[node], node),
    )
    assert layer.row is layer.node
    assert fresh.tolist() == list(range(max(label) + 1))
    assert (kept.before < 0).all()
    assert not kept.same.any()
    below, own = distances(n, arcs), distances(len(layer.node), arcs_of_layer(layer))
    for a, start in enumerate(layer.node.tolist()):
        assert layer.index[start] == a
        for b, goal in enumerate(layer.node.tolist()):
            assert own[a].get(b) == below[start].get(goal)
    for a in range(len(layer.node)):
        heads = layer.arcs[layer.first_out[a] : layer.first_out[a + 1], 0].tolist()
        assert heads == sorted(set(heads) - {a})


@given(graph=arc_lists(largest=12, heaviest=60), label=labels)
def test_so_they_do_where_clusters_are_joined(graph: ArcList, label: list[int]) -> None:
    n, arcs = graph
    label = numbered(label[:n])
    first, _, _ = build_layer(base_of(label, arcs), ends_of_crossings(label, arcs), None)
    # Clusters lie in a row, so two by two are joined if an arc leads from one to the other.
    tile = np.array([[number, 0] for number in range(max(label) + 1)], dtype=np.int32)
    joined = Joined.of(first, tile)
    if joined is None:
        return
    between = {(label[a], label[b]) for a, b, _ in arcs}
    for one in range(0, max(label), 2):
        met = bool(between & {(one, one + 1), (one + 1, one)})
        assert (joined.parent[one] == joined.parent[one + 1]) == met
    second, _, _ = build_layer(joined.base, joined.chosen, first.row)
    assert second.row.tolist() == first.row[second.node].tolist()
    below, own = distances(n, arcs), distances(len(second.node), arcs_of_layer(second))
    for a, start in enumerate(second.row.tolist()):
        for b, goal in enumerate(second.row.tolist()):
            assert own[a].get(b) == below[start].get(goal)


def same(one: Layer, other: Layer) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("index", "node", "row", "first_transition", "first_out", "arcs", "flow")
    )


@given(
    graph=arc_lists(largest=12, heaviest=60),
    other=arc_lists(largest=12, heaviest=60),
    label=labels,
    data=st.data(),
)
def test_what_a_change_leaves_is_taken_over(
    graph: ArcList, other: ArcList, label: list[int], data: st.DataObject
) -> None:
    """A layer is built anew, and after the change; to the last arc and slot they are alike."""
    n, arcs = graph
    label = numbered(label[:n])
    tails = data.draw(st.sets(st.integers(0, n - 1)))
    after = [arc for arc in arcs if arc[0] not in tails]
    after += [arc for arc in other[1] if arc[0] in tails and arc[1] < n]
    changed = sorted(
        {end for arc in set(arcs) ^ set(after) for end in arc[:2]}
        | {node for node in range(n) if out_of(node, arcs) != out_of(node, after)}
    )

    old, _, _ = build_layer(base_of(label, arcs), ends_of_crossings(label, arcs), None)
    origin = np.arange(max(label) + 1, dtype=np.int32)
    origin[[label[node] for node in changed]] = -1
    before = Before(old, np.array(changed, dtype=np.int32), origin)
    base, chosen = base_of(label, after), ends_of_crossings(label, after)
    layer, kept, fresh = build_layer(base, chosen, None, before=before, bits=old.bits)
    anew, _, _ = build_layer(base, chosen, None)
    assert same(layer, anew)
    # A cluster is searched again if anything in it, or its transitions, are different.
    apart = ends_of_crossings(label, arcs) != chosen
    expected = {label[node] for node in [*changed, *np.flatnonzero(apart).tolist()]}
    assert set(fresh.tolist()) == expected
    check_kept(kept, layer, old)


class Street:
    """A lattice of 8 x 6 nodes in clusters of four, with one-way steps and steps that change."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        cells = [(x, y) for y in range(6) for x in range(8)]
        self.label = [x // 2 + 4 * (y // 2) for x, y in cells]
        self.arcs = {
            (a, b): self.rng.choice([1, 1, 2, 9])
            for a, (x, y) in enumerate(cells)
            for b, (u, v) in enumerate(cells)
            if abs(x - u) + abs(y - v) == 1 and self.rng.random() < 0.8
        }
        self.left_out: set[int] = set()

    def change(self) -> set[int]:
        """Change a few steps, and perhaps what is left out; the ends of the steps."""
        ends = set()
        for step in self.rng.sample(sorted(self.arcs), self.rng.randrange(4)):
            self.arcs[step] = self.rng.choice([SHUT, 1, 2, 9])
            ends |= {*step}
        self.left_out ^= {self.rng.randrange(48) for _ in range(self.rng.randrange(3))}
        return ends

    def base(self) -> tuple[Base, UInt8Array]:
        arcs = [(a, b, w) for (a, b), w in self.arcs.items()]
        chosen = ends_of_crossings(self.label, [arc for arc in arcs if arc[2] != SHUT])
        chosen[list(self.left_out)] = 0
        return base_of(self.label, arcs), chosen


@pytest.mark.parametrize("seed", range(12))
def test_a_layer_follows_one_change_after_another(seed: int) -> None:
    """With transitions that come and go, and parts of clusters that nothing joins."""
    street = Street(seed)
    old: Layer | None = None
    for _ in range(12):
        changed = sorted(street.change())
        origin = np.arange(12, dtype=np.int32)
        origin[[street.label[node] for node in changed]] = -1
        before = None if old is None else Before(old, np.array(changed, dtype=np.int32), origin)
        base, chosen = street.base()
        layer, kept, _ = build_layer(base, chosen, None, before=before)
        assert same(layer, build_layer(base, chosen, None)[0])
        if old is not None:
            check_kept(kept, layer, old)
        old = layer


def out_of(node: int, arcs: list[Arc]) -> list[Arc]:
    return [arc for arc in arcs if arc[0] == node]


def check_kept(kept: Kept, layer: Layer, old: Layer) -> None:
    """What is told of the transitions: which they were, and whether their arcs lead to the same."""
    arcs, then = arcs_of_layer(layer), arcs_of_layer(old)
    for node, was in enumerate(kept.before.tolist()):
        if was >= 0:
            assert layer.row[node] == old.row[was]
        now = [(kept.before[head], ticks) for tail, head, ticks in arcs if tail == node]
        once = [(head, ticks) for tail, head, ticks in then if tail == was]
        assert kept.same[node] == (was >= 0 and now == once)


def test_nothing_changes_nothing() -> None:
    label, arcs = [0, 0, 1, 1], [(0, 1, 3), (1, 2, 4), (2, 3, 5), (3, 2, 5), (2, 1, 4)]
    base, chosen = base_of(label, arcs), ends_of_crossings(label, arcs)
    old, _, _ = build_layer(base, chosen, None)
    before = Before(old, np.zeros(0, dtype=np.int32), np.arange(2, dtype=np.int32))
    layer, kept, fresh = build_layer(base, chosen, None, before=before, bits=old.bits)
    assert same(layer, old)
    assert kept.before.tolist() == list(range(len(layer.node)))
    assert kept.same.all()
    assert len(fresh) == 0


def test_an_arc_that_leads_elsewhere_is_another_one() -> None:
    """Three transitions, one a cluster; at the same price 0 leads to 2 instead of 1."""
    label, rest = [0, 1, 2], [(1, 2, 5), (2, 1, 5), (1, 0, 5)]
    old, _, _ = build_layer(base_of(label, [(0, 1, 5), *rest]), np.ones(3, dtype=np.uint8), None)
    origin = np.array([-1, 1, -1], dtype=np.int32)
    before = Before(old, np.array([0, 2], dtype=np.int32), origin)
    layer, kept, _ = build_layer(
        base_of(label, [(0, 2, 5), *rest]), np.ones(3, dtype=np.uint8), None,
        before=before, bits=old.bits,
    )  # fmt: skip
    assert kept.before.tolist() == [0, 1, 2]
    assert kept.same.tolist() == [False, True, True]
    assert layer.arcs[0].tolist() == [2, 5]


def test_flow_fields_are_left_out_beyond_the_limit() -> None:
    label, arcs = [0, 0, 0, 1], [(0, 1, 3), (1, 2, 4), (2, 3, 5)]
    base, chosen = base_of(label, arcs), ends_of_crossings(label, arcs)
    # Two transitions, of clusters of three nodes and of one: two bytes and one.
    for limit, bits, size in ((None, 4, 3), (3, 4, 3), (2, 0, 0), (-1, 0, 0)):
        layer, _, _ = build_layer(base, chosen, None, flow_limit=limit)
        assert (layer.bits, len(layer.flow)) == (bits, size)
        assert arcs_of_layer(layer) == [(0, 1, 5)]


def test_bits_grow_where_a_node_gets_more_arcs_than_slots_can_tell() -> None:
    label = [0, 0, 1]
    few: list[Arc] = [(0, 1, 3), (1, 2, 4)]
    many: list[Arc] = [(0, 1, 9)] * 15 + few
    old, _, _ = build_layer(base_of(label, few), ends_of_crossings(label, few), None)
    before = Before(old, np.array([0, 1], dtype=np.int32), np.array([-1, 1], dtype=np.int32))
    layer, _, fresh = build_layer(
        base_of(label, many), ends_of_crossings(label, many), None,
        before=before, bits=old.bits,
    )  # fmt: skip
    assert (old.bits, layer.bits) == (4, 8)
    assert fresh.tolist() == [0, 1]
    assert layer.flow[0] == 15


def test_layers_come_back_from_what_is_stored() -> None:
    label, arcs = [0, 0, 0, 1], [(0, 1, 3), (1, 2, 4), (2, 3, 5), (3, 1, 5)]
    layer, _, _ = build_layer(base_of(label, arcs), ends_of_crossings(label, arcs), None)
    held, size = np.bincount(layer.below_cluster[layer.node]), np.bincount(layer.below_cluster)
    more = np.append(layer.flow, np.uint8(99))
    stored = Layer.stored(
        layer.below_cluster, held, size, layer.node, layer.row, np.diff(layer.first_out),
        layer.arcs, layer.bits, more,
    )  # fmt: skip
    assert same(stored, layer)
    assert stored.cluster_data.tolist() == layer.cluster_data.tolist()
    assert stored.flow_size == len(layer.flow)
    first_out, arc = graph_in_rows(len(layer.node), arcs_of_layer(layer))
    spans = [list(span) for span in pairwise(first_out.tolist())]
    assert layer.graph().node[:, 2:].tolist() == spans
    assert arc.tolist() == layer.arcs.tolist()
