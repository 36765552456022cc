"""Random batches on random levels; after each the reader is held against plain Python.

The arcs are those of the oracles, the distances Dijkstra's, and of several shortest paths the rule
says which (decision 74).
"""

import copy
import math
import random
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from levelbake import hops, toward
from levelbake.level import open_level
from tests.support.live_model import GraphModel, GridModel, grid_model
from tests.support.oracles import TICKS
from tests.support.reader_rule import check
from tests.support.strategies import FAMILIES, seeded

WORLDS, LENGTH = 12, 10
LAYOUTS = ("odd-r", "even-r", "odd-q", "even-q")
#: What worlds are baked with, in turns: next hops alone, distances as well, or neither of the two.
TABLES = (("next_hops",), ("next_hops", "distances"), ("components",), ("next_hops", "distances"))


@lru_cache(maxsize=WORLDS)
def world(seed: int) -> tuple[GridModel | GraphModel, bytes]:
    """A level and its asset."""
    model: GridModel | GraphModel
    if seed % 3 == 2:
        n, arcs = seeded(FAMILIES[seed // 3 % len(FAMILIES)], seed, 30)
        edges = [(a, b, ticks / TICKS) for a, b, ticks in arcs]
        model = GraphModel(list(range(n)), edges)
    else:
        model = grid_model(seed, LAYOUTS[seed // 2 % 4] if seed % 4 == 1 else None)
    with tempfile.TemporaryDirectory() as folder:
        asset = model.baked(Path(folder), tables=TABLES[seed % len(TABLES)])
        return model, asset.read_bytes()


class Changing(RuleBasedStateMachine):
    """A level, and what it must be."""

    @initialize(
        seed=st.integers(0, WORLDS - 1),
        portals=st.sampled_from([0, 3, toward.MOST_PORTALS]),
        goals=st.sampled_from([2, toward.MOST_GOALS]),
        kept=st.sampled_from([1, toward.MOST_KEPT]),
        few=st.sampled_from([0, 4, 1000]),
        portion=st.sampled_from([1, 7, 2**16]),
    )
    def begin(self, seed: int, portals: int, goals: int, kept: int, few: int, portion: int) -> None:
        self.baked_model, asset = world(seed)
        self.model = copy.deepcopy(self.baked_model)
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        (self.path / "level.h5").write_bytes(asset)
        self.limits = pytest.MonkeyPatch()
        self.limits.setattr(toward, "MOST_PORTALS", portals)
        self.limits.setattr(toward, "MOST_GOALS", goals)
        self.limits.setattr(toward, "MOST_KEPT", kept)
        self.limits.setattr(toward, "_FEW", few)
        self.limits.setattr(hops, "_PORTION", portion)
        self.level = open_level(self.path / "level.h5")
        self.navs = [self.level.profile(name) for name in self.level.profiles]
        self.baked = [nav.frozen() for nav in self.navs]
        self.token, self.rng = 0, random.Random(seed)

    def teardown(self) -> None:
        if hasattr(self, "level"):
            self.level.close()
            self.limits.undo()
            self.folder.cleanup()

    @rule(seed=st.integers(0, 2**32), size=st.sampled_from([1, 1, 1, 2, 5, 20]))
    def update(self, seed: int, size: int) -> None:
        stood = [set(nav.places()) for nav in self.navs]
        batch = self.model.change(random.Random(seed), size, new=False)
        reports = self.level.update(**without_links(batch))
        for nav, before in zip(self.navs, stood, strict=True):
            report, after = reports[nav.name], set(nav.places())
            assert set(report.opened) == after - before
            assert set(report.closed) == before - after

    @rule(seed=st.integers(0, 2**32), price=st.sampled_from([None, 0.25, math.inf]))
    def price_steps(self, seed: int, price: float | None) -> None:
        steps = sorted(self.model.steps(self.navs[-1].name))
        drawn = random.Random(seed).sample(steps, min(3, len(steps)))
        arcs = dict.fromkeys(drawn if price else sorted(self.model.prices), price)
        self.model.take_arcs(arcs)
        self.level.update(arcs=cast("Any", arcs))

    @rule()
    def reset(self) -> None:
        reports = self.level.reset()
        self.model = copy.deepcopy(self.baked_model)
        assert not self.level.changed
        assert all(report.as_baked for report in reports.values())

    @rule(seed=st.integers(0, 2**32))
    def save_and_load(self, seed: int) -> None:
        frozen = [nav.frozen() for nav in self.navs]
        self.level.save_patch(self.path / "patch")
        other = copy.deepcopy(self.model).change(random.Random(seed), 5, new=False)
        self.level.update(**without_links(other))
        for nav, then in zip(self.navs, frozen, strict=True):
            check(self.level, self.model, then, self.baked[self.navs.index(nav)], self.rng)
        self.level.apply_patch(self.path / "patch")

    @invariant()
    def all_is_true(self) -> None:
        if hasattr(self, "level"):
            for nav, baked in zip(self.navs, self.baked, strict=True):
                check(self.level, self.model, nav, baked, self.rng)


def without_links(batch: dict[str, object]) -> dict[str, Any]:
    """A batch of a model as the reader takes it."""
    return {name: said for name, said in batch.items() if name != "links"}


Changing.TestCase.settings = settings(
    max_examples=12,
    stateful_step_count=LENGTH,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
TestChanging = Changing.TestCase
