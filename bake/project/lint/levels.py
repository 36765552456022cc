"""Check levels on the worlds that a build would use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bake.baking.level import (
    agent_profiles,
    division_of,
    read_drawn,
    read_level,
    read_world,
)
from bake.baking.sources import Task
from bake.core.arrays import BoolArray, Int64Array
from bake.core.errors import BakeErrors
from bake.core.extras import load_kind
from bake.core.graph import Graph, Subgraph, positions, usable_subgraph
from bake.core.level import GraphLevel, GridLevel, Level, Remark
from bake.core.movement import under_footprint
from bake.levels import is_puzzle
from bake.project.lint.findings import RULES, Finding, Rule, find_severity
from bake.project.lint.gravity import looks_like_platformer
from bake.project.lint.ignored import (
    LeftOver,
    idle_entries,
    ignored_parts,
    remark_finding,
    remove_disabled,
)
from bake.project.lint.ways import SpawnOrExit, Ways, check_profile, opened_graph
from bake.project.recipe import SETTING_NAMES, Recipe, Severity
from bake.worlds import World
from bake.worlds.doors import near_doors
from levelbake.errors import BakeError
from levelbake.steps import Mover

Cells = npt.NDArray[np.integer]


def lint(
    tasks: Sequence[Task], recipe: Recipe, *, every_profile: bool = True, whole: bool = True
) -> list[Finding]:
    """Return the likely mistakes in levels and their recipe.

    Args:
        tasks: the levels.
        recipe: the recipe, whose keys are checked as well.
        every_profile: whether the tasks have all profiles of their recipes.
        whole: whether the tasks are all levels of the project, so that unused entries of its
            legends can be reported.

    Returns:
        The findings by level, rule and profile; those about classes come last. A level that cannot
        be baked has a finding for each error, and no others.
    """
    findings: list[Finding] = []
    drawn: dict[str, Level] = {}
    read: list[LeftOver] = []
    for task in tasks:
        try:
            if is_puzzle(task.source):
                load_kind("puzzle", task.source).read(task.source, task.recipe.memory_budget)
                continue
            level = read_level(task)
            drawn[task.name] = level
            read.append(LeftOver.from_level(task, level))
            findings += remove_disabled(ignored_parts(read[-1]))
            world = read_world(level, task.recipe, strict_links=False)
        except BakeError as error:
            findings += _mistakes(task, error)
            continue
        linter = LevelLinter(world, task.recipe.lint, every_profile=every_profile)
        level_findings = [*linter.findings(), *linter.straight(task)]
        findings += sorted(
            level_findings, key=lambda finding: (RULES.index(finding.rule), finding.profile or "")
        )
    findings += remove_disabled(idle_entries(recipe, tasks, read, whole=whole))
    findings += remove_disabled(_recipe_keys(recipe, drawn))
    return sorted(findings, key=lambda finding: finding.rule == "classes")


def surprises(tasks: Sequence[Task]) -> list[Finding]:
    """Return findings for a first recipe: ignored parts of levels, and levels of platformers.

    Raises:
        BakeError: a level cannot be read.
    """
    findings: list[Finding] = []
    for task in tasks:
        level, chosen = read_level(task), task.recipe.lint
        findings += ignored_parts(LeftOver.from_level(task, level))
        if isinstance(level, GridLevel):
            profiles = agent_profiles(level, task.recipe)
            movers = [profile.mover(level.terrains) for profile in profiles]
            findings += _check_gravity(level, movers, chosen)
    return remove_disabled(findings)


def _check_gravity(
    level: GridLevel, movers: Iterable[Mover], chosen: Mapping[str, Severity]
) -> Iterator[Finding]:
    """Yield a finding if a level looks like a level of a platformer."""
    is_open = np.zeros(len(level.terrains), dtype=np.bool_)
    for mover in movers:
        is_open |= ~np.isnan(mover.cost)
    if looks_like_platformer(level, is_open[level.terrain]):
        message = (
            "the level looks like one of a platformer, but agents do not fall: they walk through "
            "open air; draw the cells to stand on as a terrain of their own, and jumps as links"
        )
        yield remark_finding(
            "gravity", chosen, str(level.source), level.name, Remark(None, message)
        )


def _mistakes(task: Task, error: BakeError) -> Iterator[Finding]:
    problems = error.problems if isinstance(error, BakeErrors) else (error,)
    for problem in problems:
        expected = problem.expected and f"expected {problem.expected}"
        message = "; ".join(filter(None, (problem.found, expected, problem.remedy)))
        file = str(problem.file or task.source)
        yield Finding("level", "error", file, task.name, problem.place, None, None, 0, message)


def _recipe_keys(recipe: Recipe, levels: dict[str, Level]) -> Iterator[Finding]:
    """Yield a finding for each key of the recipe that became a terrain by accident."""
    if recipe.file is None:
        return
    chosen, file = recipe.defaults.lint, str(recipe.file)
    terrains = {name for level in levels.values() for name in level.terrains}
    for name in sorted(set(recipe.defaults.terrain) & SETTING_NAMES - terrains):
        message = f"{name} is read as the name of a terrain; write it above the first [table]"
        yield remark_finding("recipe", chosen, file, "", Remark(f"[terrain] {name}", message))


class LevelLinter:
    """Runs all checks on one level.

    Attributes:
        world: the world of the level, without links that end inside walls.
        chosen: severities in the recipe, by rule.
        every_profile: whether the world has all profiles, so that links must not name others.
    """

    def __init__(
        self, world: World, chosen: Mapping[str, Severity], *, every_profile: bool = True
    ) -> None:
        self.world, self.chosen, self.every_profile = world, chosen, every_profile

    def findings(self) -> list[Finding]:
        """Return all findings except those whose severity is "off"."""
        return remove_disabled(self._run_checks())

    @cached_property
    def _location(self) -> Int64Array:
        """The cell index of each node of a grid in reading order, (n) int64; empty on graphs."""
        level, cell = self.world.level, self.world.cell
        if not isinstance(level, GridLevel) or cell is None:
            return np.empty(0, dtype=np.int64)
        return cell[:, 1] * np.int64(level.width) + cell[:, 0]

    def _at_door(self, profile: str) -> BoolArray | None:
        """Return a bool mask of cells at which a profile covers a door, or None without doors."""
        level, size = self.world.level, self.world.movers[profile].size
        return near_doors(level, self.world.doors, size) if isinstance(level, GridLevel) else None

    def straight(self, task: Task) -> Iterator[Finding]:
        """Yield findings about straight lines through walls on a divided level."""
        level = self.world.level
        if not isinstance(level, GraphLevel) or not level.areas:
            return
        if find_severity("straight", self.chosen) == "off":
            return
        from bake.project.lint.straight import blocked_lines

        drawn = read_drawn(task)
        by_point = division_of(drawn, task.recipe) != "mesh"
        profiles = agent_profiles(drawn, task.recipe)
        for blocked in blocked_lines(drawn, level, profiles, by_point=by_point):
            line = self._finding(
                "straight", blocked.message, profile=blocked.profile, count=blocked.lines
            )
            yield replace(line, cell=level.node_names[blocked.node])

    def _run_checks(self) -> Iterator[Finding]:
        yield from self._check_links()
        yield from self._check_terrain()
        if isinstance(self.world.level, GridLevel):
            movers = self.world.movers.values()
            yield from _check_gravity(self.world.level, movers, self.chosen)
        for profile, mover in self.world.movers.items():
            yield from self._check_connectivity(profile)
            if mover.size > 1:
                yield from self._check_narrow(profile, mover)

    def _finding(
        self,
        rule: Rule,
        message: str,
        *,
        place: str | None = None,
        profile: str | None = None,
        cells: Cells | None = None,
        node: int | None = None,
        count: int = 0,
    ) -> Finding:
        cell: tuple[int, ...] | str | int | None = None
        if cells is not None and len(cells):
            first = np.lexsort((cells[:, 0], cells[:, 1]))[0]
            cell = self._format_cell(int(cells[first, 0]), int(cells[first, 1]))
            count = count or len(cells)
        elif node is not None and self.world.node_names is not None:
            cell = self.world.node_names[node]
        level = self.world.level
        severity = find_severity(rule, self.chosen)
        return Finding(
            rule, severity, str(level.source), level.name, place, profile, cell, count, message
        )

    def _format_cell(self, x: int, y: int) -> tuple[int, ...]:
        level = self.world.level
        if not isinstance(level, GridLevel):
            return (x, y)
        rows = level.floor_height or level.height
        return (x, y) if rows == level.height else (x, y % rows, y // rows)

    # -- connectivity -----------------------------------------------------------------------------

    def _check_connectivity(self, profile: str) -> Iterator[Finding]:
        sub = usable_subgraph(self.world.graph, self.world.metrics[profile])
        ways = Ways(
            sub.graph,
            self._open_doors(profile, sub),
            self._list_spots("spawn", profile, sub),
            self._list_spots("exit", profile, sub),
        )
        for problem in check_profile(ways):
            node = sub.node[problem.rows]
            cell = self.world.cell
            yield self._finding(
                problem.rule,
                problem.message,
                profile=profile,
                cells=None if cell is None else cell[node],
                node=int(node[0]) if len(node) else None,
                count=len(node),
            )

    def _open_doors(self, profile: str, sub: Subgraph) -> Graph:
        """Return the graph of a profile with all doors open.

        Nodes at doors that are closed to the profile come after its rows.
        """
        at_door = self._at_door(profile)
        if at_door is None:
            return sub.graph
        metric = self.world.metrics[profile]
        return opened_graph(self.world.graph, metric, sub, at_door[self._location])

    def _list_spots(self, kind: str, profile: str, sub: Subgraph) -> list[SpawnOrExit]:
        level = self.world.level
        if not isinstance(level, GridLevel):
            return []
        row_at = positions(self._location[sub.node], level.terrain.size)
        spots = []
        for spot in level.things.spots:
            if spot.kind == kind and (spot.profiles is None or profile in spot.profiles):
                location = spot.cell[0] + spot.cell[1] * level.width
                is_due = spot.profiles is not None or self._is_blocked(location)
                spots.append(SpawnOrExit(spot.name, int(row_at[location]), is_due))
        return spots

    def _is_blocked(self, location: int) -> bool:
        """Return whether no profile can stand on a cell."""
        at_cell = self._location == location
        return not any(metric.passable[at_cell].any() for metric in self.world.metrics.values())

    # -- cells ------------------------------------------------------------------------------------

    def _check_narrow(self, profile: str, mover: Mover) -> Iterator[Finding]:
        """Yield a finding for passable cells that are too narrow for a large footprint."""
        level = self.world.level
        if not isinstance(level, GridLevel):
            return
        passable = ~np.isnan(mover.cost)[level.terrain]
        rows = level.floor_height
        fits = under_footprint(passable, mover.size, np.logical_and, False, rows)
        # Reverse the arrays, so that anchors spread over the cells of their footprints.
        covered = under_footprint(
            np.ascontiguousarray(fits[::-1, ::-1]), mover.size, np.logical_or, False, rows
        )[::-1, ::-1]
        tight = passable & ~covered
        if tight.any():
            y, x = np.nonzero(tight)
            yield self._finding(
                "narrow",
                f"{len(x):,} cells are too narrow for {mover.size} x {mover.size} cells",
                profile=profile,
                cells=np.stack([x, y], axis=1),
            )

    def _check_terrain(self) -> Iterator[Finding]:
        level = self.world.level
        if not isinstance(level, GridLevel):
            return
        drawn = [level.terrain, *(door.terrain for door in self.world.doors)]
        used = {code for terrain in drawn for code in np.unique(terrain).tolist()}
        for code, name in enumerate(level.terrains):
            if code not in used:
                yield self._finding("terrain", f"terrain {name!r} is named, but no cell has it")

    # -- links ------------------------------------------------------------------------------------

    def _check_links(self) -> Iterator[Finding]:
        level = self.world.level
        if not isinstance(level, GridLevel) or not level.things.links:
            return
        dead = {link.name for link in self.world.dead_links}
        stands = {profile: self._standable(profile, level) for profile in self.world.movers}
        for link in level.things.links:
            unknown = sorted(set(link.profiles or ()) - set(stands))
            takers = [profile for profile in stands if profile in (link.profiles or stands)]
            problems = []
            if unknown and self.every_profile:
                names = ", ".join(map(repr, unknown))
                problems.append(f"is for {names}, which is not a profile of this level")
            (x, y), (goal_x, goal_y) = link.start, link.goal
            taken = any(
                stands[profile][y, x] and stands[profile][goal_y, goal_x] for profile in takers
            )
            if (takers or not unknown) and (link.name in dead or not taken):
                ends = f"from {self._format_cell(x, y)} to {self._format_cell(goal_x, goal_y)}"
                problems.append(f"leads {ends}, but none of its profiles can stand at both")
            for problem in problems:
                yield self._finding(
                    "links",
                    f"link {link.name!r} {problem}",
                    place=link.place,
                    cells=np.array([link.start]),
                )

    def _standable(self, profile: str, level: GridLevel) -> BoolArray:
        """Return a (height, width) bool mask of cells where a profile can stand with doors open."""
        stands = self.world.metrics[profile].passable
        if (at_door := self._at_door(profile)) is not None:
            stands = stands | at_door[self._location]
        mask = np.zeros(level.terrain.shape, dtype=np.bool_)
        mask.reshape(-1)[self._location[stands]] = True
        return mask
