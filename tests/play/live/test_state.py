"""Differences to the baked graph, beside a plain dictionary of what every arc costs."""

import random

import numpy as np
import pytest

from bake.core.arrays import Int32Array
from bake.play.live import state
from bake.play.live.state import ArcKey, Differences


def columns(arcs: list[ArcKey]) -> tuple[Int32Array, Int32Array, Int32Array]:
    tail, head, label = np.array(arcs, dtype=np.int32).reshape(-1, 3).T.copy()
    return tail, head, label


def check(found: Differences, baked: dict[ArcKey, int], now: dict[ArcKey, int]) -> None:
    wanted = {arc: (baked[arc], now[arc]) for arc in baked if baked[arc] != now[arc]}
    assert found.all() == wanted
    assert len(found) == len(wanted)
    assert bool(found) == bool(wanted)
    arcs = [*baked, (99, 99, 0)]
    ticks = np.array([*baked.values(), 7], dtype=np.int32)
    found.fill(*columns(arcs), ticks)
    assert ticks.tolist() == [*now.values(), 7]


@pytest.mark.parametrize("together", [1, 4, 64])
@pytest.mark.parametrize("seed", range(4))
def test_differences(seed: int, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "_TOGETHER", together)
    rng = random.Random(seed)
    every = [(a, b, c) for a in range(4) for b in range(4) for c in (-1, 3)]
    baked = {arc: rng.randint(1, 3) for arc in every}
    now, found = dict(baked), Differences()
    versions = [(found, dict(now))]
    for _ in range(60):
        some = rng.sample(every, rng.choice([1, 2, 9]))
        if rng.random() < 0.1:
            some = every
        back = rng.random() < 0.3
        after = {arc: baked[arc] if back else rng.randint(1, 3) for arc in some}
        changed = [arc for arc in some if after[arc] != now[arc]]
        old, new = (np.array([of[arc] for arc in changed], dtype=np.int32) for of in (now, after))
        found = found.edited(*columns(changed), old, new)
        now.update(after)
        check(found, baked, now)
        versions.append((found, dict(now)))
    for version, then in versions:
        check(version, baked, then)
