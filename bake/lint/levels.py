"""This module checks the levels that a build would bake, on the worlds it would use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from bake.arrays import Int32Array
from bake.errors import BakeErrors
from bake.graph import Graph, Subgraph, usable_subgraph
from bake.kinds import kind_of
from bake.level import GraphLevel, GridLevel, Level, Link, Remark, Spot
from bake.levels import is_puzzle
from bake.lint.findings import RULES, Finding, Rule, severity_of
from bake.lint.gravity import looks_like_platformer
from bake.lint.ignored import LeftOver, idle_entries, ignored, remarked, without_off
from bake.lint.ways import SpawnOrExit, Ways, check_profile, opened_graph
from bake.movement import under_footprint
from bake.pipeline.level import (
    agent_profiles,
    division_of,
    read_drawn,
    read_level,
    read_world,
)
from bake.pipeline.sources import Task
from bake.recipe import SETTING_NAMES, Recipe, Severity
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
        The findings, level by level, by rule, then by profile. A level that cannot be baked at all
        has one finding for every mistake, and no others.
    """
    found: list[Finding] = []
    drawn: dict[str, Level] = {}
    read: list[LeftOver] = []
    for task in tasks:
        try:
            if is_puzzle(task.source):
                kind_of("puzzle", task.source).read(task.source, task.recipe.memory_budget)
                continue
            level = read_level(task)
            drawn[task.name] = level
            read.append(LeftOver.of(task, level))
            found += without_off(ignored(read[-1]))
            world = read_world(level, task.recipe, strict_links=False)
        except BakeError as error:
            found += _mistakes(task, error)
            continue
        linter = LevelLinter(world, task.recipe.lint)
        if not every_profile:
            linter.unknown_profiles_are_fine = True
        mine = [*linter.findings(), *linter.straight(task)]
        found += sorted(mine, key=lambda each: (RULES.index(each.rule), each.profile or ""))
    found += without_off(idle_entries(recipe, tasks, read, whole=whole))
    return found + without_off(_recipe_keys(recipe, drawn))


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
        told = "; ".join(
            part
            for part in (
                problem.found,
                problem.expected and f"expected {problem.expected}",
                problem.remedy,
            )
            if part
        )
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
        unknown_profiles_are_fine: whether links may name profiles that the world does not have.
    """

    def __init__(self, world: World, chosen: Mapping[str, Severity]) -> None:
        self.world = world
        self.chosen = chosen
        self.unknown_profiles_are_fine = False
        level = world.level
        self._floor_height = level.floor_height if isinstance(level, GridLevel) else None

    def findings(self) -> Iterator[Finding]:
        """Yield all findings except those whose severity is "off"."""
        for found in self._all():
            if found.severity != "off":
                yield found

    def straight(self, task: Task) -> Iterator[Finding]:
        """Yield findings about straight lines, for which the level is needed as it was drawn."""
        level = self.world.level
        if not isinstance(level, GraphLevel) or not level.areas:
            return
        if severity_of("straight", self.chosen) == "off":
            return
        from bake.lint.straight import blocked_lines

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
        rows, level = self._floor_height, self.world.level
        if rows is None or not isinstance(level, GridLevel) or rows == level.height:
            return (x, y)
        return (x, y % rows, y // rows)

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
        level, cell = self.world.level, self.world.cell
        if not self.world.doors or cell is None or not isinstance(level, GridLevel):
            return sub.graph
        near = near_doors(level, self.world.doors, self.world.movers[profile].size)
        assert near is not None
        at_door = near[cell[:, 1] * level.width + cell[:, 0]]
        metric = self.world.metrics[profile]
        return opened_graph(self.world.graph, metric, sub, at_door)

    def _places(self, kind: str, profile: str, sub: Subgraph) -> list[SpawnOrExit]:
        level, cell = self.world.level, self.world.cell
        if not isinstance(level, GridLevel) or cell is None:
            return []
        row_at = np.full(level.terrain.shape, -1, dtype=np.int32)
        at = cell[sub.node]
        row_at[at[:, 1], at[:, 0]] = np.arange(len(at), dtype=np.int32)
        found = []
        for spot in level.things.spots:
            if spot.kind == kind and (spot.profiles is None or profile in spot.profiles):
                x, y = spot.cell
                own = spot.profiles is not None or self._for_nobody(spot)
                found.append(SpawnOrExit(spot.name, int(row_at[y, x]), own))
        return found

    def _for_nobody(self, spot: Spot) -> bool:
        """Tell whether a spot lies where no profile can stand."""
        cell = self.world.cell
        if cell is None:
            return False
        here = np.flatnonzero((cell == spot.cell).all(axis=1))
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
        used = np.zeros(len(level.terrains), dtype=np.bool_)
        used[np.unique(level.terrain)] = True
        for door in self.world.doors:
            used[np.unique(door.terrain)] = True
        for code in np.flatnonzero(~used).tolist():
            yield self._finding(
                "terrain", f"terrain {level.terrains[code]!r} is named, but no cell has it"
            )

    # -- links ------------------------------------------------------------------------------------

    def _links(self) -> Iterator[Finding]:
        level, cell = self.world.level, self.world.cell
        if not isinstance(level, GridLevel) or cell is None or not level.things.links:
            return
        dead = {link.name for link in self.world.dead_links}
        node_at = np.full(level.terrain.shape, -1, dtype=np.int32)
        node_at[cell[:, 1], cell[:, 0]] = np.arange(len(cell), dtype=np.int32)
        known = set(self.world.movers)
        for link in level.things.links:
            ends = np.array([link.start, link.goal])
            unknown = sorted(set(link.profiles or ()) - known)
            if unknown and not self.unknown_profiles_are_fine:
                yield self._finding(
                    "links",
                    f"link {link.name!r} is for {', '.join(map(repr, unknown))}, which is no "
                    "profile of this level",
                    place=link.place,
                    cells=ends[:1],
                    count=1,
                )
            takers = [each for each in self.world.movers if each in (link.profiles or known)]
            if unknown and not takers:
                continue
            if link.name in dead or not any(self._takes(link, each, node_at) for each in takers):
                yield self._finding(
                    "links",
                    f"link {link.name!r} leads from {self._spoken(*link.start)} to "
                    f"{self._spoken(*link.goal)}, but nobody it is for can stand at both",
                    place=link.place,
                    cells=ends[:1],
                    count=1,
                )

    def _takes(self, link: Link, profile: str, node_at: Int32Array) -> bool:
        """Tell whether a profile can stand at both ends, or could if a door were open."""
        doors = [door.cells for door in self.world.doors]
        size = self.world.movers[profile].size
        for x, y in (link.start, link.goal):
            node = int(node_at[y, x])
            near_door = any(
                ((cells >= (x, y)) & (cells < (x + size, y + size))).all(axis=1).any()
                for cells in doors
            )
            if node < 0 or not (self.world.metrics[profile].passable[node] or near_door):
                return False
        return True
