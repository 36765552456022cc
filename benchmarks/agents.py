"""Benchmark agents that explore an unknown level: steps, expansions, time and memory by method."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bake.extras.crowds.agent import Agent
from bake.extras.crowds.belief import Belief
from bake.extras.school import RealTimeAgent
from bake.extras.school.skirting import Walk, bounce, crash_and_turn, trace_obstacles
from bake.levels.movingai import read_scenario
from bake.play import Navigator, open_asset
from benchmarks.bench import Bench
from benchmarks.levels import scenario_file
from benchmarks.section import Section

FULL = ("arena", "lak303d", "den520d", "brc202d")
QUICK = ("arena", "lak303d")
PROBLEMS = 6

#: The range of sight of agents in columns and rows, through walls.
RADIUS = 8

#: After this many steps an agent counts as lost.
MOST_STEPS = 4000
QUICK_STEPS = 400

#: One plan in this many steps is compared with a search from scratch.
CHECKED = 25

#: Methods with their lookahead, if any, and their labels.
METHODS = (
    ("dstar_lite", 0, "D* Lite"),
    ("moving_target", 0, "Moving Target D* Lite"),
    ("astar", 0, "A*, anew each time"),
    ("lrta_star", 1, "LRTA*, k = 1"),
    ("lrta_star", 4, "LRTA*, k = 4"),
    ("rta_star", 1, "RTA*, k = 1"),
    ("rta_star", 4, "RTA*, k = 4"),
)

Cell = tuple[int, int]
Ends = tuple[Cell, Cell]


@dataclass
class Told:
    """The results of one method on one map.

    Attributes:
        arrived: how many agents did.
        longer: of those, how long they walked, in shortest paths.
        steps, expanded: in all.
        seconds: of each step, looking included.
        bytes: of the belief and the plan, at most.
    """

    arrived: int = 0
    longer: list[float] = field(default_factory=list)
    steps: int = 0
    expanded: int = 0
    seconds: list[float] = field(default_factory=list)
    bytes: int = 0


def run(bench: Bench, section: Section) -> None:
    """Measure every method on every map."""
    names = bench.choose(section, FULL, QUICK)
    problems, most = bench.either((PROBLEMS, MOST_STEPS), (2, QUICK_STEPS))
    section.text(
        f"{problems} problems a map, evenly spread over its scenario file. Agents know nothing of "
        f"the level at first, believe that every cell is free, and see {RADIUS} columns and rows "
        "around them, walls or not. A *step* is one look, one plan and one move. *Longer* is what "
        "was walked, in shortest paths of who knows the level, of those agents who arrived within "
        f"{most:,} steps. *Memory* is the belief, which allies share, and one plan. Every "
        f"step was a step of the level; one plan in {CHECKED} of the methods that plan whole ways "
        "was compared with a search from scratch over the same belief. The table answers for who "
        "knows the level, and the old ways see the next cell alone. *Hunting*: the hunter "
        "knows the level, and its target makes one step to its two; each plan was compared "
        "with the shortest distance."
    )
    rows: list[tuple[str, ...]] = []
    for name in names:
        bench.tell(name)
        with open_asset(bench.baked(name).asset) as level:
            rows += _measure(bench, level.profile(), name, _problems(name, problems), most)
    section.table(
        (
            *("map, method", "arrived", "longer, median", "worst", "expanded a step"),
            *("µs a step, median", "95 %", "most", "memory, KiB"),
        ),
        rows,
    )


def _hunts(
    bench: Bench, nav: Navigator, name: str, problems: list[Ends], most: int
) -> list[tuple[str, ...]]:
    """Measure each method on a moving target, which walks to the next goal on a known level."""
    belief = Belief(nav)
    belief.observe_all()
    rows = []
    for method, title in (
        ("moving_target", "Moving Target D* Lite"),
        ("dstar_lite", "D* Lite, begun anew"),
        ("astar", "A*, anew each time"),
    ):
        bench.tell(f"{name}, hunting by {title}")
        told = Told()
        for (start, goal), (_, onward) in zip(problems, problems[1:] + problems[:1], strict=True):
            flight = nav.path(goal, onward) or [goal]
            agent = Agent(belief, start, goal, method)
            while not agent.arrived and agent.steps < most:
                # The hunted one makes a step while the hunter makes two.
                target = flight[min(agent.steps // 2, len(flight) - 1)]
                here = agent.place
                begun = time.perf_counter()
                agent.goal = target
                cost = agent.cost()
                agent.step()
                told.seconds.append(time.perf_counter() - begun)
                assert math.isclose(cost, nav.distance(here, target), abs_tol=1e-9), title
            told.steps += agent.steps
            told.expanded += agent.expanded
            told.bytes = max(told.bytes, agent.nbytes)
            told.arrived += agent.arrived
        rows.append(_row(f"{name}, hunting, {title}", len(problems), told))
    return rows


def _problems(name: str, count: int) -> list[Ends]:
    scenario = read_scenario(scenario_file(name))
    apart = np.flatnonzero(scenario.optimal > 0)
    chosen = apart[np.linspace(0, len(apart) - 1, min(count, len(apart))).astype(int)]
    starts, goals = scenario.start[chosen].tolist(), scenario.goal[chosen].tolist()
    return [(tuple(a), tuple(b)) for a, b in zip(starts, goals, strict=True)]


def _measure(
    bench: Bench, nav: Navigator, name: str, problems: list[Ends], most: int
) -> list[tuple[str, ...]]:
    rows = [_row(f"{name}, table", len(problems), _looked_up(nav, problems))]
    _compile(nav, problems[0])
    for method, lookahead, title in METHODS:
        bench.tell(f"{name}, {title}")
        told = Told()
        for ends in problems:
            _trip(nav, ends, method, lookahead, most, told)
        rows.append(_row(f"{name}, {title}", len(problems), told))
    old: tuple[tuple[str, Callable[[Cell, Cell], Walk]], ...] = (
        ("tracing", lambda a, b: trace_obstacles(nav, a, b, most_steps=most)),
        (
            "tracing in sight",
            lambda a, b: trace_obstacles(nav, a, b, sight=True, most_steps=most),
        ),
        ("bouncing", lambda a, b: bounce(nav, a, b, most_steps=most)),
        ("crash and turn", lambda a, b: crash_and_turn(nav, a, b, most_steps=most)),
    )
    rows += _hunts(bench, nav, name, problems, most)
    for title, walk in old:
        rows.append(_row(f"{name}, {title}", len(problems), _walked(nav, problems, walk)))
    return rows


def _compile(nav: Navigator, ends: Ends) -> None:
    """Compile or load every kernel before timing."""
    for method, lookahead, _ in METHODS:
        agent = _placed(Belief(nav), ends, method, lookahead)
        for _ in range(3):
            agent.observe(agent.belief.around(agent.place, RADIUS))
            agent.step()
            agent.cost()


def _placed(belief: Belief, ends: Ends, method: str, lookahead: int) -> Agent:
    if lookahead:
        return RealTimeAgent(belief, *ends, method, lookahead=lookahead)
    return Agent(belief, *ends, method)


def _trip(nav: Navigator, ends: Ends, method: str, lookahead: int, most: int, told: Told) -> None:
    belief = Belief(nav)
    agent = _placed(belief, ends, method, lookahead)
    way = [ends[0]]
    while not agent.arrived and agent.steps < most:
        here = belief.places.location(agent.place)
        if agent.steps % CHECKED == 0 and not method.endswith("rta_star"):
            expanded = agent.expanded
            fresh = Agent(belief, agent.place, ends[1], "astar")
            assert agent.cost() == fresh.cost(), f"{method} from {agent.place} to {ends[1]}"
            told.expanded -= agent.expanded - expanded
        begun = time.perf_counter()
        belief.see(belief.locations_around(here, RADIUS))
        stepped = agent.step()
        told.seconds.append(time.perf_counter() - begun)
        assert stepped is not None, f"{method} gave up from {ends[0]} to {ends[1]}"
        way.append(stepped)
    assert nav.still_valid(way), f"{method} walked through a wall"
    assert math.isclose(nav.length(way), agent.walked, rel_tol=1e-6)
    told.steps += agent.steps
    told.expanded += agent.expanded
    told.bytes = max(told.bytes, agent.nbytes)
    if agent.arrived:
        told.arrived += 1
        told.longer.append(agent.walked / nav.distance(*ends))


def _looked_up(nav: Navigator, problems: list[Ends]) -> Told:
    told = Told()
    for start, goal in problems:
        here = start
        walked = [here]
        while here != goal:
            begun = time.perf_counter()
            here = nav.next_hop(here, goal)
            told.seconds.append(time.perf_counter() - begun)
            walked.append(here)
        told.arrived += 1
        told.longer.append(nav.length(walked) / nav.distance(start, goal))
        told.steps += len(walked) - 1
    assert max(told.longer) < 1 + 1e-6
    return told


def _walked(nav: Navigator, problems: list[Ends], walk: Callable[[Cell, Cell], Walk]) -> Told:
    told = Told()
    for start, goal in problems:
        begun = time.perf_counter()
        found = walk(start, goal)
        steps = len(found.path) - 1
        told.seconds.append((time.perf_counter() - begun) / max(1, steps))
        assert nav.still_valid(found.path)
        told.steps += steps
        if found.arrived:
            told.arrived += 1
            told.longer.append(nav.length(found.path) / nav.distance(start, goal))
    return told


def _row(title: str, problems: int, told: Told) -> tuple[str, ...]:
    times = np.array(told.seconds) * 1e6
    longer = np.array(told.longer)
    return (
        title,
        f"{told.arrived} of {problems}",
        f"{np.median(longer):.2f}" if len(longer) else "",
        f"{longer.max():.2f}" if len(longer) else "",
        f"{told.expanded / max(1, told.steps):,.1f}" if told.expanded else "",
        f"{np.median(times):,.1f}",
        f"{np.percentile(times, 95):,.1f}",
        f"{times.max():,.0f}",
        f"{told.bytes / 1024:,.0f}" if told.bytes else "",
    )
