"""What is remembered is true, and the oldest may be forgotten."""

import random
from itertools import pairwise

import numpy as np
import pytest

from bake.search.live import hop_memory
from bake.search.live.hop_memory import HopMemory


@pytest.mark.parametrize("slots", [8, 64, 2**16])
def test_nothing_else_is_recalled(slots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hop_memory, "SLOTS", slots)
    memory, truth, rng = HopMemory(), {}, random.Random(slots)
    for _ in range(60):
        rows, goals, path, first = [], [], [], [0]
        for _ in range(rng.randint(1, 5)):
            rows.append(rng.randrange(30))
            goals.append(rng.randrange(2**31 - 1))
            way = [rows[-1], *rng.sample(range(30, 2000), rng.randint(0, 6))]
            if rng.random() < 0.3:
                truth[rows[-1], goals[-1]] = -1
                way = []
            truth.update({(a, goals[-1]): b for a, b in pairwise(way)})
            path += way
            first.append(len(path))
        ends = np.array(rows, dtype=np.int32), np.array(goals, dtype=np.int32)
        memory.remember(*ends, np.array(first), np.array(path, dtype=np.int32))
        assert memory.count <= slots // 2
        pairs = np.array(list(truth), dtype=np.int32)
        ahead, unknown = memory.recall(pairs[:, 0].copy(), pairs[:, 1].copy())
        known = np.setdiff1d(np.arange(len(pairs)), unknown)
        for at in known.tolist():
            pair = tuple(pairs[at].tolist())
            assert ahead[at] == truth[pair] == memory.recall_one(*pair)
        for at in unknown.tolist():
            assert memory.recall_one(*pairs[at].tolist()) is None
        if slots == 2**16:
            assert not len(unknown)
    memory.clear()
    assert len(memory.recall(*ends)[1]) == len(rows)
