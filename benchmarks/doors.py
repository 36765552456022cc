"""Benchmark frames of a game whose agents query one step each while a door opens and closes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.processors import processors
from bake.play import open_asset
from bake.project.recipe import load_recipe
from benchmarks import child
from benchmarks.bench import Bench
from benchmarks.section import Section

ROOT = Path(__file__).resolve().parents[1]

#: Levels of the project, and the profile that walks.
LEVELS = {"keep.png": "default", "bastion.json": "guard"}

AGENTS = 300
#: Frames between two changes of the door.
TURN = 50
FRAME_MS = 1000 / 60

#: Programs: the package, the calls at the loading screen, and whether kernels are in the cache.
PROGRAMS = {
    "reader": ("levelbake", "", False),
    "`bake.play`, nothing compiled": ("bake.play", "", False),
    "`bake.play`, kernels in the cache": ("bake.play", "", True),
    "`bake.play` after `warm_up`": ("bake.play", "level.warm_up('table', 'update')", True),
}

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
cells = sorted(map(tuple, nav.places()))
near = [cell for cell in cells if nav.reachable(cells[0], cell) and nav.reachable(cell, cells[0])]
here, goals = dice.choices(near, k=agents), dice.choices(near, k=agents)
passed = Counter(cell for pair in zip(here, goals) for cell in nav.path(*pair)[1:-1])
door = next(cell for cell, _ in passed.most_common() if cell not in goals)
near.remove(door)
walls, closings = [], []
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
    time.sleep(max(0, begun + seconds - time.perf_counter()))
print(json.dumps({"walls": walls, "cpu": closings, "places": here}))
"""


def run(bench: Bench, section: Section) -> None:
    """Run each program in a process of its own; all must move every agent the same."""
    frames = bench.either(6, 2) * TURN
    rows = []
    for source, profile in LEVELS.items():
        asset = bench.scratch / f"{Path(source).stem}-doors.h5"
        recipe = load_recipe(ROOT / "bake.toml").for_level(Path(source).stem, source)
        task = Task(ROOT / "levels_src" / source, asset, recipe)
        bake_level(task, processors(), lambda stage, done: None)
        with open_asset(asset) as level:
            level.warm_up("table", "update")
        found = {}
        for name, (package, warm, is_compiled) in PROGRAMS.items():
            bench.tell(f"{source}: {name}")
            cache = {} if is_compiled else {"BAKE_CACHE_DIR": str(bench.scratch / "nothing")}
            found[name] = _played(asset, profile, package, warm, frames, cache)
        assert len({str(each["places"]) for each in found.values()}) == 1, "agents moved otherwise"
        for name, each in found.items():
            walls, closings = (
                [1000 * seconds for seconds in each[key]] for key in ("walls", "cpu")
            )
            late = sum(wall > FRAME_MS for wall in walls)
            first, *later = closings
            cells = (
                f"{late}",
                f"{max(walls):.0f}",
                f"{first:.0f}",
                f"{max(later, default=first):.0f}",
            )
            rows.append((f"{Path(source).stem}: {name}", *cells))
        worst = {name: sum(each["cpu"]) for name, each in found.items()}
        share = worst["`bake.play`, nothing compiled"] / worst["reader"]
        section.at_most(f"{source}: closings, nothing compiled / reader", share, 1.3, "")
    section.text(
        f"{AGENTS} agents ask for one next hop each in every frame, {frames} frames, 60 a second. "
        f"The cell that most of their first paths lead through closes and opens every {TURN} "
        "frames. A frame is late if it takes more than 16.7 ms. A closing is the frame of the "
        "update: milliseconds of processor time in the game's thread. The first closing also loads "
        "what updates need. Every agent is at the same place after all four programs."
    )
    columns = ("level and program", "late frames", "worst, ms", "first closing", "later closings")
    section.table(columns, rows)


def _played(
    asset: Path, profile: str, package: str, warm: str, frames: int, cache: dict[str, str]
) -> dict[str, Any]:
    """Return the seconds of all frames and closings, and the final positions of the agents."""
    numbers = map(str, (AGENTS, frames, TURN, FRAME_MS))
    done = subprocess.run(
        [sys.executable, "-c", _GAME, package, str(asset), profile, warm, *numbers],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=child.environment({**cache, "BAKE_COMPILE": ""}),
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found
