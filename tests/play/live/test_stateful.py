"""Random sequences of batches on random worlds; after each everything is held against the truth.

A rebake stands in as plain Python and numpy here: arcs by the oracles of worlds, all distances by
Floyd and Warshall. ``BAKE_UPDATE_STEPS=100000 pytest tests/play/live/test_stateful.py -s`` runs
longer, and says how many batches it came to.
"""

import copy
import math
import os
import random
import tempfile
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bake.core.arrays import Int64Array
from bake.play import LevelAsset, Navigator, open_asset
from bake.play.live import exact
from bake.play.searching.heuristics import heuristic_for
from bake.play.snapshot import Snapshot
from bake.search.contraction import update
from tests.support.live_model import GraphModel, GridModel
from tests.support.oracles import TICKS
from tests.support.rebuilt import check_hierarchy
from tests.support.rule import NOWHERE, all_hops
from tests.support.strategies import FAMILIES, random_grid, seeded

pytestmark = [
    pytest.mark.note(13, "plain Python after every batch"),
    pytest.mark.note(14, "plain Python after every batch"),
    pytest.mark.note(118, "plain Python after every batch"),
]

#: Batches in all, about: in CI, or as the environment says.
STEPS = int(os.environ.get("BAKE_UPDATE_STEPS", "1000"))
#: Batches of one world, and worlds.
LENGTH, WORLDS = 50, 24

NO_WAY = np.int64(2**60)
Square = Int64Array

#: What was done, for whoever runs it by hand.
done = {"batches": 0, "transitions": 0}


@lru_cache(maxsize=WORLDS)
def world(seed: int) -> tuple[GridModel | GraphModel, bytes]:
    """A level and its asset, with every table there is."""
    rng = random.Random(f"world {seed}")
    if seed % 3 == 2:
        n, arcs = seeded(FAMILIES[seed // 3 % len(FAMILIES)], seed, 40)
        edges = [(a, b, ticks / TICKS) for a, b, ticks in arcs]
        model: GridModel | GraphModel = GraphModel(list(range(n)), edges)
        if seed % 2:
            model.positions = {at: (rng.uniform(0, 9), rng.uniform(0, 9)) for at in range(n)}
    else:
        layout = rng.choice(["odd-r", "even-r", "odd-q", "even-q"]) if seed % 6 == 4 else None
        grid = random_grid(seed, rng.randint(6, 10), rng.randint(4, 9), rng.choice([0.1, 0.3]))
        model = GridModel(
            grid,
            rng.choice([4, 8]),
            rng.choice(["never", "one_free", "always"]),
            rng.choice(["mean", "entered"]),
            layout,
        )
    tables = ("components", "next_hops", "hierarchy", "cluster_distances", "heuristic")
    with tempfile.TemporaryDirectory() as folder:
        asset = model.baked(
            Path(folder),
            tables=tables,
            cluster_size=4,
            spacing=rng.choice([1, 2, 8]),
            levels=rng.choice([1, 2, 3, 4]),
            keep_paths=rng.random() < 0.8,
            heuristic_bytes=rng.choice([12, 40]),
        )
        return model, asset.read_bytes()


class Changes(RuleBasedStateMachine):
    """A level, and what it must be."""

    @initialize(
        seed=st.integers(0, WORLDS - 1),
        sweep_ns=st.sampled_from([0.0, exact.SWEEP_NS, 1e9]),
        patience=st.sampled_from([0, 20]),
        touched=st.sampled_from([1, 2, 5, 20, update.MOST_TOUCHED]),
    )
    def begin(self, seed: int, sweep_ns: float, patience: int, touched: int) -> None:
        model, asset = world(seed)
        self.model = copy.deepcopy(model)
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "level.h5"
        path.write_bytes(asset)
        self.patch = pytest.MonkeyPatch()
        # Fields answer for all pairs, for those they suit, or for none where there is a choice.
        self.patch.setattr(exact, "SWEEP_NS", sweep_ns)
        self.patch.setattr(exact, "PATIENCE", patience)
        self.patch.setattr(update, "MOST_TOUCHED", touched)
        self.level: LevelAsset = open_asset(path)
        self.navs = [self.level.profile(name) for name in self.level.profiles]
        self.changed = False

    def teardown(self) -> None:
        if hasattr(self, "level"):
            self.level.close()
            self.patch.undo()
            self.folder.cleanup()

    @rule(seed=st.integers(0, 2**32), size=st.sampled_from([1, 1, 1, 2, 5, 20]))
    def update(self, seed: int, size: int) -> None:
        batch = self.model.change(random.Random(seed), size)
        reports = self.level.update(**batch)
        assert set(reports) == set(self.level.profiles)
        self.changed = True
        done["batches"] += 1

    @rule(seed=st.integers(0, 2**32))
    def update_twice(self, seed: int) -> None:
        # Clusters are made when asked for: here from two batches at once.
        self.update(seed, 1)
        self.update(seed + 1, 1)

    @rule(seed=st.integers(0, 2**32), price=st.sampled_from([None, 0.5, math.inf, math.inf]))
    def price_steps(self, seed: int, price: float | None) -> None:
        # Closed both ways, a step parts entrances without a cell of the other cluster changing.
        rng = random.Random(seed)
        steps = sorted(self.model.steps(self.level.profiles[-1]))
        drawn = rng.sample(steps, min(3, len(steps))) if price else sorted(self.model.prices)
        there_and_back = {way for a, b in drawn for way in ((a, b), (b, a)) if way in steps}
        arcs = dict.fromkeys(there_and_back if price else drawn, price)
        self.model.take_arcs(arcs)
        self.level.update(arcs=arcs)
        self.changed = True
        done["batches"] += 1

    @rule()
    def repair(self) -> None:
        assert self.level.repair(None) == 0

    @rule()
    def save_and_load(self) -> None:
        path = Path(self.folder.name) / "level.patch"
        self.level.save_patch(path)
        self.level.apply_patch(path)
        self.changed = True

    @invariant()
    def all_is_true(self) -> None:
        if not hasattr(self, "level") or not self.changed:
            return
        check(self.navs[done["batches"] % len(self.navs)], self.model)


def check(nav: Navigator, model: GridModel | GraphModel) -> None:
    places = model.places(nav.name)
    if not places:
        return
    number = {place: at for at, place in enumerate(places)}
    weight = np.full((len(places), len(places)), NO_WAY)
    for (a, b), ticks in model.steps(nav.name).items():
        at = number[a], number[b]
        weight[at] = min(weight[at], ticks)
    dist = weight.copy()
    np.fill_diagonal(dist, 0)
    for via in range(len(places)):
        np.minimum(dist, dist[:, via, None] + dist[None, via], out=dist)
    dist[dist >= NO_WAY] = NO_WAY
    check_pairs(nav, places, number, weight, dist)
    now = nav._now
    done["transitions"] += check_hierarchy(now)
    rng = random.Random(len(places))
    goals = [rng.randrange(len(places)) for _ in range(2)]
    check_bounds(nav, now, places, dist, goals)
    for goal in goals:
        check_searches(nav, places, number, weight, dist, rng.randrange(len(places)), goal)


def check_pairs(
    nav: Navigator, places: list[object], number: dict[object, int], weight: Square, dist: Square
) -> None:
    count = len(places)
    every = np.array(places, dtype=None if isinstance(places[0], tuple) else object)
    starts, goals = np.repeat(every, count, axis=0), np.concatenate([every] * count)
    told = nav.distances(starts, goals).reshape(count, count)
    assert (told == np.where(dist == NO_WAY, math.inf, dist / TICKS)).all()
    hops = nav.next_hops(starts, goals)
    step = np.array(
        [number.get(tuple(hop) if isinstance(hop, list) else hop, -1) for hop in hops.tolist()]
    ).reshape(count, count)
    row, column = np.indices((count, count))
    assert ((step < 0) == (dist == NO_WAY)).all()
    moves = (row != column) & (step >= 0)
    assert (step[row == column] == np.arange(count)).all()
    assert (weight[row, step][moves] + dist[step, column][moves] == dist[moves]).all()
    check_rule(nav, places, step, dist)


def check_rule(nav: Navigator, places: list[object], step: Square, dist: Square) -> None:
    """Of several shortest paths the same one is taken whoever is asked, in whatever order."""
    at = nav._current.places.location
    location, rng = np.array([at(place) for place in places]), random.Random(len(places))
    hops = all_hops(nav, nav.name, location, np.where(dist == NO_WAY, -1, dist))
    assert (np.append(location, NOWHERE)[step] == hops).all()
    place_at = dict(zip(location.tolist(), places, strict=True))
    number = {here: at for at, here in enumerate(location.tolist())}
    pairs = [(rng.choice(places), rng.choice(places)) for _ in range(40)]
    first, flat = nav.paths(*zip(*pairs, strict=True))
    for pair, (start, goal) in enumerate(pairs):
        here, there = at(start), at(goal)
        way = [here] if hops[number[here], number[there]] != NOWHERE else []
        while way and way[-1] != there:
            way.append(int(hops[number[way[-1]], number[there]]))
        path = [place_at[each] for each in way]
        assert nav.path(start, goal) == (path or None)
        assert nav.next_hop(start, goal) == (path[min(1, len(path) - 1)] if path else None)
        part = flat[first[pair] : first[pair + 1]].tolist()
        assert [tuple(each) if isinstance(each, list) else each for each in part] == path


def check_bounds(
    nav: Navigator, now: Snapshot, places: list[object], dist: Square, goals: list[int]
) -> None:
    """Heuristics are admissible, and distances between clusters exact."""
    searches = now.searches
    rows = np.array([now.rows.row(place) for place in places])
    cluster = np.array([nav.search.cluster(place) for place in places])
    for goal in goals:
        for name in ("maximum", "landmark", "cluster", None):
            estimate = heuristic_for(searches, name, int(rows[goal]))
            told = searches.space.estimates(estimate, int(rows[goal]))[rows]
            assert (told <= dist[:, goal]).all(), name
            assert estimate.admissible
        own = cluster == cluster[goal]
        least = dist[:, own].min(axis=1)
        for other in range(int(cluster.max()) + 1):
            ticks = least[cluster == other].min()
            wanted = math.inf if ticks == NO_WAY else ticks / TICKS
            assert nav.search.cluster_distance(other, int(cluster[goal])) == wanted


def check_searches(
    nav: Navigator,
    places: list[object],
    number: dict[object, int],
    weight: Square,
    dist: Square,
    start: int,
    goal: int,
) -> None:
    """A* is exact; HPA* finds a way where there is one, as good as its layers allow."""
    ends = places[start], places[goal]
    ticks = dist[start, goal]
    found = nav.search(*ends)
    assert found.cost == (math.inf if ticks == NO_WAY else ticks / TICKS)
    now = nav._now
    path = nav.path(*ends, "hpa")
    walked = nav.search.walk(*ends)
    if ticks == NO_WAY:
        assert path is None
        assert walked is None
        return
    assert path is not None
    assert walked is not None
    # On graphs every arc between clusters is kept.
    exact = not now.version.places.is_grid
    for way in (path, [ends[0], *walked]):
        at = [number[place] for place in way]
        assert (at[0], at[-1]) == (start, goal)
        cost = sum(int(weight[step]) for step in pairwise(at))
        assert cost == ticks if exact else cost >= ticks
    _first, flat = nav.paths([ends[0]], [ends[1]], "hpa")
    many = [tuple(each) if isinstance(each, list) else each for each in flat.tolist()]
    assert many == path
    hierarchy = now.searches.hierarchy
    rows = [now.rows.row(place) for place in ends]
    guided = hierarchy.find(*rows)
    layers = copy.copy(hierarchy.tables)
    none = np.zeros((len(layers.stack.landmark), 0), dtype=np.int32)
    layers.stack = layers.stack._replace(landmark=none)
    blind = copy.copy(hierarchy)
    blind.tables, blind._memory = layers, []
    assert blind.find(*rows).ticks == guided.ticks


TestChanges = Changes.TestCase
TestChanges.settings = settings(
    max_examples=max(1, STEPS // LENGTH),
    stateful_step_count=LENGTH,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)


@pytest.fixture(autouse=True, scope="module")
def _told() -> object:
    yield
    print(f"\n{done['batches']} batches, {done['transitions']} transitions compared")
