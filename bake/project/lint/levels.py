"""This module checks the levels that a build would bake, on the worlds it would use."""

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
from bake.project.lint.findings import RULES, Finding, Rule, severity_of
from bake.project.lint.gravity import looks_like_platformer
from bake.project.lint.ignored import LeftOver, idle_entries, ignored, remarked, without_off
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
    """Find what is likely wrong with levels and their recipe.

    Args:
        tasks: the levels.
        recipe: the recipe, whose keys are checked as well.
        every_profile: whether the tasks have all of their recipes' profiles.
        whole: whether these are all levels of the project, so that an entry of its legends that
            they do not need is needed by none.

    Returns:
        The findings, level by level, by rule, then by profile; those about classes come last. A
        level that cannot be baked at all has one finding for every mistake, and no others.
    """
    found: list[Finding] = []
    drawn: dict[str, Level] = {}
    read: list[LeftOver] = []
    for task in tasks:
        try:
            if is_puzzle(task.source):
                load_kind("puzzle", task.source).read(task.source, task.recipe.memory_budget)
                continue
            level = read_level(task)
            drawn[task.name] = level
            read.append(LeftOver.of(task, level))
            found += without_off(ignored(read[-1]))
            world = read_world(level, task.recipe, strict_links=False)
        except BakeError as error:
            found += _mistakes(task, error)
            continue
        linter = LevelLinter(world, task.recipe.lint, every_profile=every_profile)
        mine = [*linter.findings(), *linter.straight(task)]
        found += sorted(mine, key=lambda each: (RULES.index(each.rule), each.profile or ""))
    found += without_off(idle_entries(recipe, tasks, read, whole=whole))
    found += without_off(_recipe_keys(recipe, drawn))
    return sorted(found, key=lambda each: each.rule == "classes")


def surprises(tasks: Sequence[Task]) -> list[Finding]:
    """Return what designers of a first recipe would not expect, by the levels as they are read.

    That is what does not count in a level, and a level that looks as if it were seen from the side.

    Raises:
        BakeError: a level cannot be read.
    """
    found: list[Finding] = []
    for task in tasks:
        level, chosen = read_level(task), task.recipe.lint
        found += ignored(LeftOver.of(task, level))
        if isinstance(level, GridLevel):
            profiles = agent_profiles(level, task.recipe)
            movers = [profile.mover(level.terrains) for profile in profiles]
            found += _from_the_side(level, movers, chosen)
    return without_off(found)


def _from_the_side(
    level: GridLevel, movers: Iterable[Mover], chosen: Mapping[str, Severity]
) -> Iterator[Finding]:
    """Find out whether a level looks like one in which agents fall."""
    is_open = np.zeros(len(level.terrains), dtype=np.bool_)
    for mover in movers:
        is_open |= ~np.isnan(mover.cost)
    if looks_like_platformer(level, is_open[level.terrain]):
        told = (
            "the level looks like one of a platformer, but agents do not fall here: open air is "
            "walked through; draw the places to stand on as terrain of their own, and jumps as "
            "links"
        )
        yield remarked("gravity", chosen, str(level.source), level.name, Remark(None, told))


def _mistakes(task: Task, error: BakeError) -> Iterator[Finding]:
    problems = error.problems if isinstance(error, BakeErrors) else (error,)
    for problem in problems:
        expected = problem.expected and f"expected {problem.expected}"
        told = "; ".join(filter(None, (problem.found, expected, problem.remedy)))
        file = str(problem.file or task.source)
        yield Finding("level", "error", file, task.name, problem.place, None, None, 0, told)


def _recipe_keys(recipe: Recipe, levels: dict[str, Level]) -> Iterator[Finding]:
    """Find recipe keys that became terrain by accident."""
    if recipe.file is None:
        return
    chosen, file = recipe.defaults.lint, str(recipe.file)
    terrains = {name for level in levels.values() for name in level.terrains}
    for name in sorted(set(recipe.defaults.terrain) & SETTING_NAMES - terrains):
        told = f"{name} is taken for the name of a terrain; write it above the first [table]"
        yield remarked("recipe", chosen, file, "", Remark(f"[terrain] {name}", told))


class LevelLinter:
    """All checks of one level.

    Attributes:
        world: the level's world, built without links that lead into walls.
        chosen: severities the recipe gives, by rule.
        every_profile: whether the world has all profiles, so that links may name no others.
    """

    def __init__(
        self, world: World, chosen: Mapping[str, Severity], *, every_profile: bool = True
    ) -> None:
        self.world, self.chosen, self.every_profile = world, chosen, every_profile

    def findings(self) -> list[Finding]:
        """Return all findings except those whose severity is "off"."""
        return without_off(self._all())

    @cached_property
    def _location(self) -> Int64Array:
        """Return (n) int64, the cell of each node of a grid in reading order; none on graphs."""
        level, cell = self.world.level, self.world.cell
        if not isinstance(level, GridLevel) or cell is None:
            return np.empty(0, dtype=np.int64)
        return cell[:, 1] * np.int64(level.width) + cell[:, 0]

    def _at_door(self, profile: str) -> BoolArray | None:
        """Return (cells) bool, where a profile covers a cell of a door; None without doors."""
        level, size = self.world.level, self.world.movers[profile].size
        return near_doors(level, self.world.doors, size) if isinstance(level, GridLevel) else None

    def straight(self, task: Task) -> Iterator[Finding]:
        """Yield findings about straight lines, for which the level is needed as it was drawn."""
        level = self.world.level
        if not isinstance(level, GraphLevel) or not level.areas:
            return
        if severity_of("straight", self.chosen) == "off":
            return
        from bake.project.lint.straight import blocked_lines

        drawn = read_drawn(task)
        by_point = division_of(drawn, task.recipe) != "mesh"
        profiles = agent_profiles(drawn, task.recipe)
        for found in blocked_lines(drawn, level, profiles, by_point=by_point):
            line = self._finding(
                "straight", found.message, profile=found.profile, count=found.lines
            )
            yield replace(line, cell=level.node_names[found.node])

    def _all(self) -> Iterator[Finding]:
        yield from self._links()
        yield from self._unused_terrain()
        if isinstance(self.world.level, GridLevel):
            movers = self.world.movers.values()
            yield from _from_the_side(self.world.level, movers, self.chosen)
        for profile, mover in self.world.movers.items():
            yield from self._ways(profile)
            if mover.size > 1:
                yield from self._narrow(profile, mover)

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
            cell = self._spoken(int(cells[first, 0]), int(cells[first, 1]))
            count = count or len(cells)
        elif node is not None and self.world.node_names is not None:
            cell = self.world.node_names[node]
        level = self.world.level
        severity = severity_of(rule, self.chosen)
        return Finding(
            rule, severity, str(level.source), level.name, place, profile, cell, count, message
        )

    def _spoken(self, x: int, y: int) -> tuple[int, ...]:
        level = self.world.level
        if not isinstance(level, GridLevel):
            return (x, y)
        rows = level.floor_height or level.height
        return (x, y) if rows == level.height else (x, y % rows, y // rows)

    # -- ways -------------------------------------------------------------------------------------

    def _ways(self, profile: str) -> Iterator[Finding]:
        sub = usable_subgraph(self.world.graph, self.world.metrics[profile])
        ways = Ways(
            sub.graph,
            self._opened(profile, sub),
            self._places("spawn", profile, sub),
            self._places("exit", profile, sub),
        )
        for found in check_profile(ways):
            node = sub.node[found.rows]
            cell = self.world.cell
            yield self._finding(
                found.rule,
                found.message,
                profile=profile,
                cells=None if cell is None else cell[node],
                node=int(node[0]) if len(node) else None,
                count=len(node),
            )

    def _opened(self, profile: str, sub: Subgraph) -> Graph:
        """Return the profile's graph as if all doors stood open.

        Places at doors where the profile cannot stand come after its rows.
        """
        at_door = self._at_door(profile)
        if at_door is None:
            return sub.graph
        metric = self.world.metrics[profile]
        return opened_graph(self.world.graph, metric, sub, at_door[self._location])

    def _places(self, kind: str, profile: str, sub: Subgraph) -> list[SpawnOrExit]:
        level = self.world.level
        if not isinstance(level, GridLevel):
            return []
        row_at = positions(self._location[sub.node], level.terrain.size)
        found = []
        for spot in level.things.spots:
            if spot.kind == kind and (spot.profiles is None or profile in spot.profiles):
                at = spot.cell[0] + spot.cell[1] * level.width
                own = spot.profiles is not None or self._for_nobody(at)
                found.append(SpawnOrExit(spot.name, int(row_at[at]), own))
        return found

    def _for_nobody(self, location: int) -> bool:
        """Tell whether no profile can stand on a cell."""
        here = self._location == location
        return not any(metric.passable[here].any() for metric in self.world.metrics.values())

    # -- cells ------------------------------------------------------------------------------------

    def _narrow(self, profile: str, mover: Mover) -> Iterator[Finding]:
        """Find cells a large agent could cross if there were room for the rest of its footprint."""
        level = self.world.level
        if not isinstance(level, GridLevel):
            return
        passable = ~np.isnan(mover.cost)[level.terrain]
        rows = level.floor_height
        fits = under_footprint(passable, mover.size, np.logical_and, False, rows)
        # The arrays are turned round, so that anchors spread over the cells below them.
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

    def _unused_terrain(self) -> Iterator[Finding]:
        level = self.world.level
        if not isinstance(level, GridLevel):
            return
        drawn = [level.terrain, *(door.terrain for door in self.world.doors)]
        used = {code for terrain in drawn for code in np.unique(terrain).tolist()}
        for code, name in enumerate(level.terrains):
            if code not in used:
                yield self._finding("terrain", f"terrain {name!r} is named, but no cell has it")

    # -- links ------------------------------------------------------------------------------------

    def _links(self) -> Iterator[Finding]:
        level = self.world.level
        if not isinstance(level, GridLevel) or not level.things.links:
            return
        dead = {link.name for link in self.world.dead_links}
        stands = {profile: self._may_stand(profile, level) for profile in self.world.movers}
        for link in level.things.links:
            unknown = sorted(set(link.profiles or ()) - set(stands))
            takers = [each for each in stands if each in (link.profiles or stands)]
            told = []
            if unknown and self.every_profile:
                names = ", ".join(map(repr, unknown))
                told.append(f"is for {names}, which is no profile of this level")
            (x, y), (goal_x, goal_y) = link.start, link.goal
            taken = any(stands[each][y, x] and stands[each][goal_y, goal_x] for each in takers)
            if (takers or not unknown) and (link.name in dead or not taken):
                ends = f"from {self._spoken(x, y)} to {self._spoken(goal_x, goal_y)}"
                told.append(f"leads {ends}, but nobody it is for can stand at both")
            for what in told:
                yield self._finding(
                    "links",
                    f"link {link.name!r} {what}",
                    place=link.place,
                    cells=np.array([link.start]),
                )

    def _may_stand(self, profile: str, level: GridLevel) -> BoolArray:
        """Return (height, width) bool, where a profile can stand, or could if a door were open."""
        can = self.world.metrics[profile].passable
        if (at_door := self._at_door(profile)) is not None:
            can = can | at_door[self._location]
        found = np.zeros(level.terrain.shape, dtype=np.bool_)
        found.reshape(-1)[self._location[can]] = True
        return found
