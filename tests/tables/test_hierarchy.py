"""How layers are stacked: which clusters join, where that ends, and which arcs there are."""

import numpy as np
import pytest

from bake.errors import BudgetError
from bake.tables import hierarchy as stacking
from bake.tables.all_pairs import working_bytes
from bake.tables.clusters import Clusters, clusters
from bake.tables.hierarchy import Hierarchy, hierarchy
from tests.support.baked import GROUND, rows
from tests.support.compare import subgraph
from tests.support.oracles import Lattice
from tests.support.strategies import Arc
from tests.support.worlds import part_of, world_of


def stacked(found: Clusters, *, levels: int | None = None, budget: int = 2**30) -> Hierarchy:
    return hierarchy(
        found, None, square=True, spacing=1, levels=levels, keep_paths=True,
        budget=budget,
    )  # fmt: skip


def field(width: int, height: int, size: int) -> Clusters:
    """Clusters of open ground."""
    sub, cell = part_of(world_of(Lattice(rows(*["." * width] * height), GROUND), 4))
    return clusters(sub, size=size, cell=cell)


def arcs_in(layer: stacking.Layer) -> list[Arc]:
    tail = np.repeat(np.arange(len(layer.node)), np.diff(layer.first_out))
    return list(zip(tail.tolist(), *layer.arcs.T.tolist(), strict=True))


def test_clusters_join_two_by_two_in_either_direction() -> None:
    found = stacked(field(12, 8, 2), levels=9)
    assert found.clusters == (24, 6, 2)
    first = np.arange(24)
    assert found.parents[0].tolist() == (first % 6 // 2 + first // 6 // 2 * 3).tolist()
    assert found.parents[1].tolist() == [0, 0, 1, 0, 0, 1]


@pytest.mark.parametrize("levels", [None, 1, 2, 9])
def test_no_layer_without_transitions(levels: int | None) -> None:
    assert stacked(field(4, 2, 2), levels=levels).clusters == (2,)


def test_asked_for_layers_are_there_even_where_they_help_little() -> None:
    ground = field(12, 8, 2)
    assert stacked(ground).clusters == (24,)
    assert [len(stacked(ground, levels=count).layers) for count in (1, 2, 3)] == [1, 2, 3]


def test_unasked_layers_end_where_one_is_hardly_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    ground = field(12, 8, 2)
    monkeypatch.setattr(stacking, "TOP_TRANSITIONS", 0)
    sizes = [len(layer.node) for layer in stacked(ground, levels=2).layers]
    for worthwhile, layers in ((sizes[1] / sizes[0], True), (sizes[1] / sizes[0] - 0.01, False)):
        monkeypatch.setattr(stacking, "WORTHWHILE", worthwhile)
        assert (len(stacked(ground).layers) > 1) is layers
        assert len(stacked(ground, levels=2).layers) == 2


def test_of_parallel_arcs_the_cheapest_is_kept_once() -> None:
    arcs = [(0, 1, 1), (1, 0, 1), (1, 2, 9), (1, 2, 4), (1, 2, 7), (2, 3, 1), (3, 2, 1)]
    label = np.array([0, 0, 1, 1], dtype=np.int32)
    tile = np.array([[0, 0], [1, 0]], dtype=np.int32)
    layer = stacked(Clusters(subgraph(4, arcs), label, 2, tile)).layers[0]
    assert layer.node.tolist() == [1, 2]
    assert arcs_in(layer) == [(0, 1, 4)]


def test_the_last_layer_has_a_table_where_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    ground = field(6, 4, 2)
    count = len(stacked(ground).layers[-1].node)
    whole = stacked(ground)
    assert whole.top_distance is not None
    assert whole.top_distance.shape == (count, count)
    monkeypatch.setattr(stacking, "MOST_TOP", count)
    assert stacked(ground).top_distance is not None
    monkeypatch.setattr(stacking, "MOST_TOP", count - 1)
    left_out = stacked(ground)
    assert left_out.top_hop is None
    assert left_out.top_distance is None


def test_a_table_beyond_the_budget_is_left_out_and_no_reason_to_fail() -> None:
    ground = field(6, 4, 2)
    top = stacked(ground).layers[-1]
    sub = subgraph(len(top.node), arcs_in(top))
    needed = working_bytes(sub, 1, "dijkstra", hops=True, distances=True)
    assert stacked(ground, budget=needed).top_distance is not None
    without = stacked(ground, budget=needed - 1)
    assert without.top_hop is None
    assert without.top_distance is None


def test_distances_inside_clusters_are_refused_beyond_the_budget() -> None:
    ground = field(8, 8, 4)
    each = np.bincount(ground.label[stacked(ground).layers[0].node]).astype(int)
    needed = 5 * int((each**2).sum())
    with pytest.raises(BudgetError, match="distances between the transitions of clusters"):
        stacked(ground, budget=needed - 1)
    assert len(stacked(ground, budget=needed, levels=1).layers) == 1
