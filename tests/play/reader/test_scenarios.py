"""Every problem of real scenarios at its optimal length, with no recipe at all."""

import math
from pathlib import Path

import pytest

from bake.levels.movingai import read_scenario
from bake.play import open_asset
from tests.support.baked import bake
from tests.support.levels import shared_level

TOLERANCE = 1e-4
#: Scenario files write lengths with six significant digits: 103.28427 stands there as 103.284.
DIGITS = 6


def tolerance(optimal: float) -> float:
    """What a right length may be off by: the tolerance, and what the file itself rounds away."""
    last_digit = 10.0 ** (math.floor(math.log10(optimal)) - DIGITS + 1) if optimal else 0.0
    return TOLERANCE + last_digit / 2


@pytest.mark.parametrize("name", ["lak110d", "arena", "den312d", "lak303d"])
def test_every_problem_is_solved_at_its_optimal_length(name: str, tmp_path: Path) -> None:
    source = tmp_path / f"{name}.map"
    source.write_bytes(shared_level(f"movingai/{name}.map").read_bytes())
    scenario = read_scenario(shared_level(f"movingai/{name}.map.scen"))
    asset = bake(source, threads=2)
    try:
        with open_asset(asset) as level:
            nav = level.profile()
            assert (scenario.size == [level.width, level.height]).all()
            problems = zip(
                map(tuple, scenario.start.tolist()),
                map(tuple, scenario.goal.tolist()),
                scenario.optimal.tolist(),
                strict=True,
            )
            for start, goal, optimal in problems:
                path = nav.path(start, goal)
                assert path is not None
                assert (path[0], path[-1]) == (start, goal)
                assert abs(nav.length(path) - optimal) <= tolerance(optimal)
                assert math.isclose(nav.distance(start, goal), nav.length(path), rel_tol=1e-8)
                assert nav.reachable(start, goal)
            hops = nav.next_hops(scenario.start, scenario.goal)
            for start, goal, hop in zip(
                scenario.start.tolist(), scenario.goal.tolist(), hops.tolist(), strict=True
            ):
                assert nav.next_hop(tuple(start), tuple(goal)) == tuple(hop)
    finally:
        asset.unlink()  # one of them takes 200 MB
