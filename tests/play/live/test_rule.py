"""Next hops on changed levels are those of the rule, whoever is asked, how, and after what.

One level after the other is changed at random, and asked in every way there is: one pair and many,
in order and in reverse, by paths and by all hops to a goal; by the hierarchy and by fields, warmed
up or not, after other questions, after changes that were taken back, after the same changes in
another order, late, and from a flat file.
"""

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.play import LevelAsset, Navigator, open_asset
from bake.play.live import exact
from bake.search.live import next_hops
from tests.support.open_levels import drawn_level
from tests.support.rule import NOWHERE, Rule, directions, rule_now
from tests.support.stored import stored_asset, stored_pair

#: Floors, links and agents of two sizes; hexagons; headings; one-way steps and components; graphs;
#: slopes.
LEVELS = [
    *("bastion.json", "colony.json", "depot.json", "manor.tmx", "marsh.png"),
    *("oneway.json", "ridge.json", "roads.json", "valley.tmj"),
]

#: Pairs of locations, and the next hop of each; or the path.
Pairs = list[tuple[int, int]]
Batch = dict[str, Any]


def test_the_baked_hop_goes_first_and_then_the_lowest_direction(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "....", "....", "....", connectivity=4) as (level, _):
        rule = rule_now(level, level.profiles[0])
        width = level.width
        # East of south of the start there are several shortest paths; east is direction 0.
        assert rule.hops(0, 2 * width + 3) == [1, width]
        rule._baked = lambda start, goal: width
        assert rule.hop(0, 2 * width + 3) == width
        rule._baked = lambda start, goal: NOWHERE
        assert rule.hop(0, 2 * width + 3) == 1
        assert rule.path(0, width + 1) == [0, 1, width + 1]
        assert (rule.hop(5, 5), rule.path(5, 5)) == (5, [5])


@pytest.mark.parametrize("source", LEVELS)
def test_as_baked_the_rule_says_what_the_asset_holds(source: str) -> None:
    with open_asset(stored_asset(source)) as level:
        for profile in level.profiles:
            rule, asked = rule_now(level, profile), Asked(level, profile)
            pairs = drawn_pairs(rule.arcs, random.Random(source), 5, 40)
            assert asked.each(pairs) == [rule.hop(*pair) for pair in pairs]
            for (start, goal), hop in zip(pairs, asked.each(pairs), strict=True):
                assert start == goal or hop == NOWHERE or hop in rule.hops(start, goal)


def test_steps_have_directions(tmp_path: Path) -> None:
    """The labels of steps are the directions of flat files."""
    for source in LEVELS:
        with open_asset(stored_asset(source)) as level:
            rules = level._current.writer.rules
            if rules.lattice is None:
                continue
            steps = np.flatnonzero(rules.link < 0)
            ends = rules.location_of_node[[rules.tail[steps], rules.places.head[steps]]]
            steps, ends = steps[ends[0] != ends[1]], ends[:, ends[0] != ends[1]]
            assert (rules.label[steps] + 8 == directions(level, *ends)).all()


class Asked:
    """A level in locations."""

    def __init__(self, level: LevelAsset, profile: str) -> None:
        self.nav: Navigator = level.profile(profile)
        self._places = level._current.places

    def place(self, location: int) -> Any:
        return self._places.place_at(location)

    def location(self, place: Any) -> int:
        if place is None or (isinstance(place, list) and place[0] < 0):
            return NOWHERE
        return self._places.location(tuple(place) if isinstance(place, list) else place)

    def each(self, pairs: Pairs) -> list[int]:
        hop = self.nav.next_hop
        return [self.location(hop(*map(self.place, pair))) for pair in pairs]

    def batch(self, pairs: Pairs) -> list[int]:
        starts, goals = ([self.place(pair[end]) for pair in pairs] for end in (0, 1))
        return [self.location(place) for place in self.nav.next_hops(starts, goals).tolist()]

    def reversed(self, pairs: Pairs) -> list[int]:
        return self.batch(pairs[::-1])[::-1]

    def all_hops(self, pairs: Pairs) -> list[int]:
        told = {}
        for goal in {goal for _, goal in pairs}:
            hops = self.nav.hops_to(self.place(goal))
            flat = hops.tolist() if hops.ndim == 1 else hops.reshape(-1, hops.shape[-1]).tolist()
            told[goal] = flat
        return [self.location(told[goal][start]) for start, goal in pairs]

    def path(self, pairs: Pairs) -> list[list[int]]:
        found = [self.nav.path(*map(self.place, pair)) for pair in pairs]
        return [[self.location(place) for place in path or []] for path in found]

    def paths(self, pairs: Pairs) -> list[list[int]]:
        starts, goals = ([self.place(pair[end]) for pair in pairs] for end in (0, 1))
        first, flat = self.nav.paths(starts, goals)
        places = [self.location(place) for place in flat.tolist()]
        return [places[first[at] : first[at + 1]] for at in range(len(pairs))]


def drawn_pairs(standing: Iterable[int], rng: random.Random, goals: int, starts: int) -> Pairs:
    """Starts by turns of the goals: what is known of one is used after others were asked."""
    places = sorted(standing)
    some = rng.sample(places, min(goals, len(places)))
    return [(rng.choice(places), goal) for _ in range(starts) for goal in some]


def drawn_edits(level: LevelAsset, profile: str, rng: random.Random, new: bool) -> list[Batch]:
    """Changes at places of their own, so that their order does not matter."""
    asked, rule = Asked(level, profile), rule_now(level, profile)
    writer = level._current.writer
    standing = sorted(rule.arcs)
    drawn = rng.sample(standing, min(len(standing) // 3, 24))
    edits: list[Batch] = [{"blocked": [asked.place(at)]} for at in drawn[: len(drawn) // 3]]
    for at in drawn[len(drawn) // 3 : 2 * len(drawn) // 3]:
        if rule.arcs[at]:
            head = rng.choice(rule.arcs[at])[0]
            price = rng.choice([0.5, 3.0, float("inf")])
            edits.append({"arcs": {(asked.place(at), asked.place(head)): price}})
    if level.is_grid:
        everywhere = set(range(writer.rules.location_count)) - set(standing)
        shut = rng.sample(sorted(everywhere), min(len(everywhere), 12))
        if level._current.places.headings is None:
            edits += [{"opened": [asked.place(at)]} for at in shut]
        names = [
            name for name, can in zip(writer.rules.terrains, writer._passable, strict=True) if can
        ]
        edits += [
            {"terrain": {asked.place(at): rng.choice(names)}}
            for at in drawn[2 * len(drawn) // 3 :]
            if level._current.places.headings is None
        ]
    if new:
        joined = {(a, b) for a, out in rule.arcs.items() for b, _ in out}
        for _ in range(6):
            a, b = rng.sample(standing, 2)
            if (a, b) not in joined:
                edits.append({"arcs": {(asked.place(a), asked.place(b)): 1.0}})
                # Two of them that are worth the same lead to places that nothing else tells apart.
                edits += [
                    {"arcs": {(asked.place(a), asked.place(c)): 1.0}}
                    for c, _ in rule.arcs[b][:2]
                    if c != a and (a, c) not in joined
                ]
    rng.shuffle(edits)
    return edits


def merged(edits: list[Batch], size: int = 8) -> list[Batch]:
    """The same changes in fewer batches."""
    batches: list[Batch] = []
    for begin in range(0, len(edits), size):
        batch: Batch = {}
        for what, change in (item for edit in edits[begin : begin + size] for item in edit.items()):
            if isinstance(change, dict):
                batch[what] = batch.get(what, {}) | change
            else:
                batch[what] = batch.get(what, []) + change
        batches.append(batch)
    return batches


@contextmanager
def fields_alone() -> Iterator[None]:
    """Let no hierarchy answer, as where nothing is compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(next_hops, "is_compiled", lambda: False)
        yield


@contextmanager
def sweeps() -> Iterator[None]:
    """Let the hierarchy make fields for whoever asks for many pairs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "SWEEP_NS", 0.0)
        yield


@contextmanager
def as_usual() -> Iterator[None]:
    yield


def changed(edits: list[Batch], level: LevelAsset) -> None:
    for edit in edits:
        level.update(**edit)


def undone(edits: list[Batch], level: LevelAsset) -> None:
    """Make some of the changes, go back to the bake, and make all of them."""
    with tempfile.TemporaryDirectory() as folder:
        level.save_patch(Path(folder) / "none")
        changed(edits[::2], level)
        level.apply_patch(Path(folder) / "none")
    changed(edits, level)


def reordered(edits: list[Batch], level: LevelAsset) -> None:
    changed(edits[::-1], level)


def asked_before(edits: list[Batch], level: LevelAsset) -> None:
    changed(edits, level)
    for profile in level.profiles:
        asked, rng = Asked(level, profile), random.Random(5)
        standing = [asked.location(place) for place in asked.nav.places()]
        asked.each(drawn_pairs(standing, rng, 7, 20))
        asked.paths(drawn_pairs(standing, rng, 3, 20))


def warmed(edits: list[Batch], level: LevelAsset) -> None:
    level.warm_up()
    changed(edits, level)
    level.repair(None)


CASES: dict[str, tuple[Callable[[list[Batch], LevelAsset], None], Any]] = {
    "as usual": (changed, as_usual),
    "fields alone": (changed, fields_alone),
    "sweeps": (changed, sweeps),
    "undone": (undone, as_usual),
    "undone, fields alone": (undone, fields_alone),
    "another order": (reordered, as_usual),
    "another order, fields alone": (reordered, fields_alone),
    "asked before": (asked_before, as_usual),
    "warmed up": (warmed, as_usual),
}


def answers(rule: Rule, pairs: Pairs) -> tuple[list[int], list[list[int]]]:
    """Return the next hops and the paths."""
    return [rule.hop(*pair) for pair in pairs], [rule.path(*pair) for pair in pairs]


def check(
    told: Asked, pairs: Pairs, wanted: tuple[list[int], list[list[int]]], what: object
) -> None:
    """Ask in every way; what is asked first is drawn, as it is answered from nothing."""
    hops, paths = wanted
    questions = [(told.each, hops), (told.batch, hops), (told.reversed, hops)]
    questions += [(told.all_hops, hops), (told.path, paths), (told.paths, paths)]
    random.Random(str(what)).shuffle(questions)
    for ask, right in questions:
        assert ask(pairs) == right, (what, ask)


@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize("source", LEVELS)
def test_all_ways_to_ask_say_the_same(source: str, new: bool) -> None:
    """Each case comes with new arcs on every other level, and without them on the rest."""
    pair, rng = stored_pair(source), random.Random(f"{source} {new}")
    with open_asset(pair.asset) as level:
        edits = drawn_edits(level, rng.choice(level.profiles), rng, new)
        changed(merged(edits), level)
        rules = {profile: rule_now(level, profile) for profile in level.profiles}
    pairs = {profile: drawn_pairs(rules[profile].arcs, rng, 3, 8) for profile in rules}
    wanted = {profile: answers(rules[profile], pairs[profile]) for profile in rules}
    for case in list(CASES)[(LEVELS.index(source) + new) % 2 :: 2]:
        prepare, context = CASES[case]
        with open_asset(pair.asset) as level, context():
            prepare(edits if case == "as usual" else merged(edits), level)
            for profile in rules:
                check(
                    Asked(level, profile), pairs[profile], wanted[profile], (source, case, profile)
                )
    with open_asset(pair.flat) as level:
        # Flat files of cells as nodes do not hold the rules of their steps, and know no new arcs.
        if not new and level.is_grid == open_asset(pair.asset).is_grid:
            changed(edits, level)
            for profile in rules:
                check(Asked(level, profile), pairs[profile], wanted[profile], (source, profile))


@pytest.mark.parametrize("source", LEVELS)
def test_whoever_is_late_hears_of_the_level_as_it_was(source: str) -> None:
    with open_asset(stored_asset(source)) as level:
        rng = random.Random(source)
        edits = drawn_edits(level, level.profiles[0], rng, False)
        changed(edits[::2], level)
        rule, told = rule_now(level, level.profiles[0]), Asked(level, level.profiles[0])
        late = told.nav._now
        changed(edits[1::2], level)
        pairs = drawn_pairs(rule.arcs, rng, 3, 10)
        rows = [[late.rows.row(told.place(at)) for at in pair] for pair in pairs]
        starts, goals = np.array(rows, dtype=np.int32).T.copy()
        at = late.version.location
        wanted = [rule.hop(*pair) for pair in pairs]
        told_now = [
            int(at[row]) if row >= 0 else NOWHERE for row in late.engine.hops(starts, goals)
        ]
        assert told_now == wanted
        first, path = late.engine.ways(starts, goals)
        for place, pair in enumerate(pairs):
            assert at[path[first[place] : first[place + 1]]].tolist() == rule.path(*pair)
