"""What the reader must answer on a level that changes, by models and the rule in plain Python."""

import math
import random
from typing import Any

from levelbake.level import Level
from levelbake.profile import Profile
from tests.support.live_model import GraphModel, GridModel
from tests.support.oracles import TICKS
from tests.support.rule import IN_COLUMNS, IN_ROWS, NOWHERE, SQUARES, Arcs, Rule

Model = GridModel | GraphModel


def rule_of(level: Level, model: Model, baked: Profile) -> Rule:
    """The rule for one profile on the level that a model is of.

    Args:
        level: says where places lie, and in which order a graph's arcs are.
        model: the level as it is now.
        baked: answers as the level was baked.
    """
    at = level._places.location
    arcs: Arcs = {at(place): [] for place in model.places(baked.name)}
    steps = model.steps(baked.name).items()
    for (tail, head), ticks in sorted(steps, key=lambda step: order(level, model, *step[0])):
        arcs[at(tail)].append((at(head), ticks))

    def hop(start: int, goal: int) -> int:
        ends = level._places.place_at(start), level._places.place_at(goal)
        if not all(map(baked.can_stand, ends)) or not baked._newest().hops.has_hops:
            return NOWHERE
        found = baked.next_hop(*ends)
        return NOWHERE if found is None else at(found)

    return Rule(arcs, hop)


def order(level: Level, model: Model, tail: Any, head: Any) -> int:
    """The place of an arc among those that leave its tail."""
    if isinstance(model, GraphModel):
        at = level._places.location
        return min(level._arcs.between(at(tail), at(head)))
    (x, y), (to_x, to_y) = tail, head
    layout = model.hex_layout
    if layout is None:
        steps = SQUARES
    else:
        line, shoved = (y if layout.endswith("r") else x), layout.startswith("odd")
        steps = (IN_ROWS if layout.endswith("r") else IN_COLUMNS)[(line % 2 == 1) == shoved]
    return steps.index((to_x - x, to_y - y))


def check(level: Level, model: Model, nav: Profile, baked: Profile, rng: random.Random) -> None:
    """Some pairs one by one, and some goals from everywhere, in any order."""
    rule, at = rule_of(level, model, baked), level._places.location
    places = sorted(model.places(nav.name))
    assert sorted(nav.places()) == places
    if not places:
        return
    units = {}
    for goal in rng.sample(places, min(4, len(places))):
        left = rule.ticks_to(at(goal))
        for start in places:
            ticks = left.get(at(start))
            units[start, goal] = math.inf if ticks is None else ticks / TICKS
    pairs = list(units)
    rng.shuffle(pairs)
    if rng.random() < 0.5:
        check_many(level, rule, nav, units, pairs)
    for start, goal in pairs[:60]:
        hops = [level._places.place_at(each) for each in rule.path(at(start), at(goal))]
        assert nav.distance(start, goal) == units[start, goal], (start, goal)
        assert nav.path(start, goal) == (hops or None), (start, goal)
        assert nav.next_hop(start, goal) == (hops[min(1, len(hops) - 1)] if hops else None)
        assert nav.reachable(start, goal) is bool(hops)
        assert not hops or (nav.length(hops) == units[start, goal] and nav.still_valid(hops))
    check_many(level, rule, nav, units, pairs)


def check_many(
    level: Level, rule: Rule, nav: Profile, units: dict[Any, float], pairs: list[Any]
) -> None:
    """The same pairs in one call."""
    at, place_at = level._places.location, level._places.place_at
    starts, goals = [a for a, _ in pairs], [b for _, b in pairs]
    hops = [rule.hop(at(a), at(b)) for a, b in pairs]
    nowhere = (-1, -1) if level.is_grid else None
    wanted = [nowhere if hop < 0 else place_at(hop) for hop in hops]
    told = nav.next_hops(starts, goals).tolist()
    assert [tuple(each) if level.is_grid else each for each in told] == wanted
    assert nav.distances(starts, goals).tolist() == [units[pair] for pair in pairs]
    first, flat = nav.paths(starts[:20], goals[:20])
    for i, (a, b) in enumerate(pairs[:20]):
        part = [
            tuple(each) if level.is_grid else each
            for each in flat[first[i] : first[i + 1]].tolist()
        ]
        assert part == [place_at(each) for each in rule.path(at(a), at(b))]
    goal = goals[0]
    field, left = nav.hops_to(goal), nav.distances_to(goal)
    for start in {a for a, b in pairs if b == goal}:
        hop, ticks = rule.hop(at(start), at(goal)), rule.ticks_to(at(goal)).get(at(start))
        cell = start[::-1] if level.is_grid else at(start)
        found = tuple(field[cell].tolist()) if level.is_grid else field[cell]
        assert found == (nowhere if hop < 0 else place_at(hop))
        assert left[cell] == (math.inf if ticks is None else ticks / TICKS)
