"""One batch of targets: the call everything else stands on."""

import numpy as np
import pytest

from bake.core.errors import CostError
from bake.core.graph import INFINITY, MAX_WEIGHT
from bake.search.all_pairs.batch import LANES, BatchSearch
from tests.support.compare import weighted
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, seeded


@pytest.mark.parametrize("family", FAMILIES)
def test_any_targets_in_any_order(family: object) -> None:
    """Targets need not be near each other, nor in order, for the distances to be right."""
    n, arcs = seeded(family, 11, 60)
    search = BatchSearch.build(*weighted(n, arcs))
    backward = arcs_of(range(n), [(head, tail, weight) for tail, head, weight in arcs])
    targets = np.random.default_rng(1).permutation(n)[: min(n, LANES)].astype(np.int32)
    dist = search.distances_to(targets, search.scratch())
    assert dist.shape == (n, LANES)
    for lane, target in enumerate(targets.tolist()):
        expected = distances_from(backward, target)
        assert dist[:, lane].tolist() == [expected.get(node, INFINITY) for node in range(n)]
    assert (dist[:, len(targets) :] == INFINITY).all()


def test_scratch_memory_can_be_used_again() -> None:
    n, arcs = seeded(FAMILIES[0], 12, 60)
    search = BatchSearch.build(*weighted(n, arcs))
    used = search.scratch()
    search.distances_to(np.arange(min(n, LANES), dtype=np.int32), used)
    targets = np.array([n - 1, 0], dtype=np.int32)
    again = search.distances_to(targets, used).copy()
    assert np.array_equal(again, search.distances_to(targets, search.scratch()))


def test_distances_at_the_end_of_the_scale() -> None:
    """A path may end just below the limit, never above it."""
    below = INFINITY - MAX_WEIGHT - 1 - MAX_WEIGHT // 2
    search = BatchSearch.build(*weighted(3, [(0, 1, MAX_WEIGHT), (1, 2, 1)]))
    with pytest.raises(CostError, match="ticks"):
        search.distances_to(np.array([2], dtype=np.int32), search.scratch())
    search = BatchSearch.build(*weighted(3, [(0, 1, MAX_WEIGHT // 2), (1, 2, below // 2)]))
    dist = search.distances_to(np.array([2], dtype=np.int32), search.scratch())
    assert dist[0, 0] == MAX_WEIGHT // 2 + below // 2
