"""Warming up: nothing that agents call is loaded or compiled for the first time afterwards."""

from pathlib import Path

from bake.core.kernels.cache import cache_folder
from tests.support import counted
from tests.support.baked import bake_grid, rows
from tests.support.open_levels import TABLES

PROGRAM = """
import sys
from bake.extras.crowds.agent import Agent
from bake.extras.crowds.belief import Belief
from bake.extras.crowds.crowd import Crowd
from bake.extras.crowds.plans import METHODS
from bake.extras.crowds.warm import warm_up
from bake.core.kernels import jit
from bake.play import open_asset

with open_asset(sys.argv[2]) as level:
    warm_up(level)
    late = []
    make = jit.Kernel._load_compiled
    jit.Kernel._load_compiled = lambda self: late.append(self.__name__) or make(self)
    nav = level.profile()
    belief = Belief(nav)
    for method in METHODS:
        agent = Agent(belief, (0, 0), (4, 2), method)
        while not agent.arrived:
            agent.observe(belief.around(agent.place, 1))
            agent.step()
    crowd = Crowd(level)
    crowd.add((0, 0), (4, 2))
    crowd.add((4, 2), (0, 0))
    for _ in range(12):
        crowd.plan()
        crowd.step()
    queue = nav.search.requests()
    queue.add((0, 0), (4, 2))
    while len(queue):
        queue.run()
    print(late)
"""


def test_nothing_is_loaded_late(tmp_path: Path) -> None:
    path = str(bake_grid(tmp_path, rows(".....", ".#.#.", "....."), None, tables=TABLES))
    assert counted.python(PROGRAM, cache_folder().parent, [path]) == "[]"
