"""Next hops on changed levels are those of the rule, whoever is asked, and how."""

import random
from pathlib import Path

import pytest

from bake.runtime import open_asset
from tests.support.open_levels import drawn_level
from tests.support.rule import NOWHERE, rule_now
from tests.support.stored import stored_asset

LEVELS = ["bastion.json", "colony.json", "marsh.png", "oneway.json", "roads.json", "village.json"]


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
            rule, rng = rule_now(level, profile), random.Random(source)
            places, nav = level._current.places, level.profile(profile)
            for goal in rng.choices(sorted(rule.arcs), k=5):
                for start in rng.choices(sorted(rule.arcs), k=40):
                    hop = nav.next_hop(places.place_at(start), places.place_at(goal))
                    asked = NOWHERE if hop is None else places.location(hop)
                    assert rule.hop(start, goal) == asked
                    assert start == goal or asked == NOWHERE or asked in rule.hops(start, goal)
