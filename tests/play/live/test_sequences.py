"""Random sequences of batches on random levels: after each, answers are those of a fresh bake."""

import os
import random
from pathlib import Path

import pytest

from bake.play import open_asset
from bake.play.live import exact
from tests.support.live_model import (
    GraphModel,
    GridModel,
    check,
    check_level,
    check_shut,
    grid_model,
)
from tests.support.strategies import FAMILIES, seeded
from tests.support.uncompiled import without_compiler

pytestmark = pytest.mark.note(54, "a fresh bake after each batch")

#: What a sweep is thought to take: nothing, what it does take, and more than anything else, so
#: that both fields and single queries answer for every kind of pair.
SWEEP_NS = [0.0, exact.SWEEP_NS, 1e9]

TABLES = [
    None,
    ("components", "next_hops"),
    ("components",),
    ("components", "next_hops", "distances"),
    ("components", "distances"),
]


#: How often everything is run; more of it is by hand.
SEEDS = int(os.environ.get("BAKE_UPDATE_SEEDS", "6"))


def run(model: GridModel | GraphModel, asset: Path, seed: int, batches: int) -> None:
    rng = random.Random(f"batches {seed}")
    with pytest.MonkeyPatch.context() as patch, open_asset(asset) as level:
        patch.setattr(exact, "SWEEP_NS", SWEEP_NS[seed % 3])
        patch.setattr(exact, "PATIENCE", (0, 5)[seed % 2])
        navs = [level.profile(name) for name in level.profiles]
        for nav in navs:
            check(nav, model.places(nav.name), model.steps(nav.name), rng)
        for _ in range(batches):
            batch = model.change(rng, rng.choice([1, 1, 1, 2, 5]))
            level.update(**batch)
            repaired = rng.choice([None, 0, 0, "all"])
            if repaired is not None:
                left = level.repair(None if repaired == "all" else 0)
                assert left == 0 or repaired == 0
            for nav in navs:
                check(nav, model.places(nav.name), model.steps(nav.name), rng)
                if isinstance(model, GridModel):
                    check_shut(nav, model)
        check_level(level, model, rng)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_square_levels(tmp_path: Path, seed: int) -> None:
    model = grid_model(seed)
    asset = model.baked(
        tmp_path,
        tables=TABLES[seed % 5],
        distance_storage=("auto", "labels")[seed // 3 % 2],
    )
    run(model, asset, seed, 8)


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_compiler(monkeypatch)
    for tables in (None, ("components",)):
        model = grid_model(3)
        run(model, model.baked(tmp_path, tables=tables, distance_storage="labels"), 3, 3)


@pytest.mark.parametrize("layout", ["odd-r", "even-r", "odd-q", "even-q"])
def test_hexagonal_levels(tmp_path: Path, layout: str) -> None:
    seed = len(layout) + ord(layout[-1])
    model = grid_model(seed, layout)
    run(model, model.baked(tmp_path), seed, 5)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(max(1, SEEDS // 6)))
def test_graphs(tmp_path: Path, family: object, seed: int) -> None:
    n, arcs = seeded(family, seed + 100, 14)
    edges = [(a, b, ticks / 27720) for a, b, ticks in arcs]
    model = GraphModel(list(range(n)), edges)
    mixed = seed + n
    tables = TABLES[mixed % 5]
    asset = model.baked(tmp_path, tables=tables, distance_storage="labels")
    run(model, asset, mixed, 8)
