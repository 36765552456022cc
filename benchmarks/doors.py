"""Frames of a game whose agents ask for one step each while a door opens and closes."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEVELS = ("keep", "bastion")

AGENTS = 300
FRAMES = 300
#: Frames between two changes of the door.
TURN = 50
FRAME_MS = 1000 / 60

#: Each kind of program: its name, the package, the calls at its loading screen, and whether
#: compiled kernels are in its cache.
KINDS = (
    ("reader", "levelbake", "", False),
    ("`bake.play`, nothing compiled", "bake.play", "", False),
    ("`bake.play`, kernels in the cache", "bake.play", "", True),
    ("`bake.play` after `warm_up`", "bake.play", "level.warm_up('table', 'update')", True),
)

#: A game loop at 60 frames a second. The door is the cell that most first paths lead through.
_GAME = """
import importlib, json, random, sys, time
from collections import Counter
package, asset, profile, warm, agents, frames, turn, ms = sys.argv[1:]
agents, frames, turn, seconds = int(agents), int(frames), int(turn), float(ms) / 1000
module = importlib.import_module(package)
level = (module.open_level if package == "levelbake" else module.open_asset)(asset)
exec(warm)
nav, dice = level.profile(profile), random.Random(1)
cells = [(x, y) for y in range(level.height) for x in range(level.width) if nav.can_stand((x, y))]
near = [cell for cell in cells if nav.reachable(cells[0], cell) and nav.reachable(cell, cells[0])]
here, goals = dice.choices(near, k=agents), dice.choices(near, k=agents)
passed = Counter(cell for pair in zip(here, goals) for cell in nav.path(*pair)[1:-1])
door = next(cell for cell, _ in passed.most_common() if cell not in goals)
near.remove(door)
walls, closings, answers = [], [], []
for frame in range(frames):
    begun, worked = time.perf_counter(), time.thread_time()
    closed = frame // turn % 2 == 0
    if frame % turn == 0:
        level.update(**{"blocked" if closed else "opened": [door]})
    for agent, goal in enumerate(goals):
        if here[agent] == goal:
            goals[agent] = goal = dice.choice(near)
        if here[agent] != door or not closed:
            here[agent] = nav.next_hop(here[agent], goal) or here[agent]
    if closed and frame % turn == 0:
        closings.append(time.thread_time() - worked)
    walls.append(time.perf_counter() - begun)
    answers.append(here[:])
    time.sleep(max(0, begun + seconds - time.perf_counter()))
print(json.dumps({"walls": walls, "closings": closings, "answers": answers[-1]}))
"""
