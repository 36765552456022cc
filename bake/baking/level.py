"""Bake one level: read it, build its world, compute its tables, write its asset."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bake.baking.checkpoint import Checkpoint
from bake.baking.compiling import enter_fit
from bake.baking.contents import (
    as_another,
    first_alike,
    shared_contents,
    things_contents,
    together,
    update_contents,
)
from bake.baking.lattice import (
    check_lattice_fits,
    follows_from_cells,
    lattice_world_contents,
)
from bake.baking.profile import Report, choose, profile_tables
from bake.baking.sources import Task
from bake.baking.staleness import recipe_digest, source_digests, stated_recipe
from bake.core.arrays import BoolArray
from bake.core.errors import BudgetError, CostError, LevelError, in_units, over_budget
from bake.core.graph import BLOCKED
from bake.core.level import (
    Division,
    Drawn,
    GeometryLevel,
    GraphLevel,
    GridLevel,
    Level,
    Remark,
    Rules,
    upright,
)
from bake.levels import load
from bake.levels.elevation import raised
from bake.project.recipe import RECIPE_NAME, LevelRecipe
from bake.store import header_for
from bake.store.partial import make_folder
from bake.store.write import Contents, write_asset
from bake.tables.all_pairs import ChosenAlgorithm, choose_algorithm
from bake.tables.range_search import Executor, KeptRanges
from bake.worlds import (
    AgentProfile,
    LatticeWorld,
    World,
    build_lattice_world,
    build_world,
    divided,
    for_areas,
)
from bake.worlds.headings import headed
from levelbake.file import Header
from levelbake.steps import Connectivity, MovementRules, SlopeRule

#: Peak memory of building a world, for each node and each arc; measured on lattices of 4 million
#: cells.
NODE_BYTES = 60
ARC_BYTES = 105

#: A function from a profile's number and name to the storage of finished ranges of its table.
KeptOf = Callable[[int, str], KeptRanges]

#: A function that returns an asset's contents from the same arguments as `world_contents`.
Make = Callable[[World, LevelRecipe, str, int, Report, Checkpoint], list[Contents]]


@dataclass(frozen=True)
class BakedLevel:
    """The result of baking a level."""

    #: nodes, arcs: size of the level's graph
    nodes: int
    arcs: int
    profiles: tuple[str, ...]  #: names of the profiles
    bytes: int  #: size of the asset
    seconds: float  #: wall time
    taken_up: float  #: fraction of the searched pairs that came from a checkpoint
    notes: tuple[str, ...]  #: messages about the checkpoint and the compiler
    remarks: tuple[Remark, ...] = ()  #: parts of the level file that were ignored
    #: entries of the recipe's legend that match nothing in the level
    unmatched: tuple[str, ...] = ()
    #: the algorithm that found each profile's next hops, by profile; empty without next hops
    algorithms: Mapping[str, ChosenAlgorithm] = field(default_factory=dict)


@dataclass(frozen=True)
class Prepared:
    """A level that is ready to bake."""

    level: Level
    header: Header  #: of its asset
    stated: str  #: the rules in effect, as the asset stores them
    #: its graph and weights; a large level that needs no list of arcs is a LatticeWorld
    world: World | LatticeWorld


def bake_level(task: Task, threads: int, report: Report, make: Make | None = None) -> BakedLevel:
    """Bake one level and write its asset.

    Args:
        task: the level, its recipe and the path of its asset.
        threads: the number of threads, which does not change the asset.
        report: called with the stage and the fraction of it that is done.
        make: computes the contents instead of :func:`world_contents`.

    Raises:
        BakeError: a mistake that the user can fix; the error names the file.
    """
    begun = time.perf_counter()
    with errors_name(task.source), ExitStack() as stack:
        notes: list[str] = []

        def say(note: str) -> None:
            notes.append(note)
            report(note, 0)

        prepared = prepare(task, report, stack, say)
        checkpoint = Checkpoint(task.asset, prepared.header.fingerprint(), say)
        try:
            # 5. Compute the tables of one profile after another.
            world = prepared.world
            if isinstance(world, LatticeWorld):
                parts = lattice_world_contents(world, task.recipe, prepared.stated)
            else:
                arguments = world, task.recipe, prepared.stated, threads, report
                parts = (
                    make(*arguments, checkpoint)
                    if make
                    else world_contents(*arguments, checkpoint.table)
                )
            # 6. Write the columns to a temporary file, and rename it to the asset.
            report("write", 0)
            # A concurrent build removes the folder if all of its own levels have failed.
            make_folder(task.asset.parent, "the output folder")
            size = write_asset(task.asset, prepared.header, together(parts))
            checkpoint.clear()
        finally:
            checkpoint.release()
    seconds = time.perf_counter() - begun
    taken_up = checkpoint.taken_up / max(1, checkpoint.pairs)
    if taken_up:
        notes.append(f"{taken_up:.0%} of the next hops taken up from a checkpoint")
    return baked_of(prepared, task.recipe, size, seconds, taken_up, tuple(notes))


def baked_of(
    prepared: Prepared,
    recipe: LevelRecipe,
    size: int,
    seconds: float,
    taken_up: float = 0.0,
    notes: tuple[str, ...] = (),
) -> BakedLevel:
    """Return the result of baking a prepared level."""
    level, world = prepared.level, prepared.world
    graph = world if isinstance(world, LatticeWorld) else world.graph
    return BakedLevel(
        graph.node_count,
        graph.arc_count,
        tuple(world.metrics),
        size,
        seconds,
        taken_up,
        notes,
        level.remarks,
        level.unmatched,
        _algorithms(world, recipe),
    )


def _algorithms(world: World | LatticeWorld, recipe: LevelRecipe) -> dict[str, ChosenAlgorithm]:
    """Return the algorithm that finds each profile's next hops, by profile."""
    if isinstance(world, LatticeWorld) or not choose(recipe).hops:
        return {}
    return {
        name: choose_algorithm(
            int(np.count_nonzero(metric.passable)),
            int(np.count_nonzero(metric.weight != BLOCKED)),
            recipe.algorithm,
        )
        for name, metric in world.metrics.items()
    }


@contextmanager
def errors_name(source: Path) -> Iterator[None]:
    """Add the level file to errors raised by steps that do not know the file."""
    try:
        yield
    except (CostError, BudgetError) as error:
        raise type(error)(
            error.found,
            file=error.file or source,
            place=error.place,
            expected=error.expected,
            remedy=error.remedy,
        ) from None


def prepare(
    task: Task,
    report: Report,
    stack: ExitStack | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Prepared:
    """Read a level and build its world: the first steps of a bake.

    Args:
        stack: receives the context that decides whether the bake waits for the compiler; None = do
            not decide.
        say: called with a message about the compiler.

    Raises:
        BakeError: the level contains mistakes.
    """
    recipe = task.recipe
    # 1. Digest the sources before they are read.
    before = source_digests(task.source, ())
    # 2. Read the level.
    report("read", 0)
    level = read_level(task)
    # 3. Digest the sources again, so that the asset's digests match the contents that were read.
    # The other files of the level are only known now, so they too are read between two digests.
    sources = source_digests(task.source, level.depends_on)
    if sources[:1] == before and level.depends_on:
        before = sources
        level = read_level(task)
        sources = source_digests(task.source, level.depends_on)
    if sources[: len(before)] != before:
        raise LevelError("changed while it was being read", file=task.source, remedy="build again")
    # 4. Build the world of the level.
    report("graph", 0)
    profiles = agent_profiles(level, recipe)
    rules, connectivity = movement_of(level, recipe)
    nodes, _ = world_size(level, profiles, connectivity)
    on_cells = follows_from_cells(level, recipe, nodes)
    if stack is not None:
        stands = open_terrains(level, profiles)
        bake = _rehearse_on_cells if on_cells else _rehearse
        enter_fit(stack, level, recipe, stands, nodes, bake=bake, report=report, say=say)
    stated = stated_recipe(level, recipe)
    header = header_for(level.name, sources, recipe_digest(stated))
    if isinstance(level, GridLevel) and on_cells:
        # Large levels that need no list of arcs are baked without one.
        check_lattice_fits(level, nodes, recipe.memory_budget)
        world = build_lattice_world(level, profiles, rules, connectivity)
        return Prepared(level, header, stated, world)
    return Prepared(level, header, stated, read_world(level, recipe))


def _rehearse(level: Level, recipe: LevelRecipe) -> None:
    """Compute and discard the contents of a tiny level, to compile kernels."""
    world = read_world(level, recipe, strict_links=False)
    world_contents(world, recipe, "{}", 1, lambda stage, done: None)


def _rehearse_on_cells(level: Level, recipe: LevelRecipe) -> None:
    """Compute and discard the contents of a tiny level without a list of arcs."""
    assert isinstance(level, GridLevel)
    world = build_lattice_world(level, agent_profiles(level, recipe), *movement_of(level, recipe))
    lattice_world_contents(world, recipe, "{}")


def world_contents(
    world: World,
    recipe: LevelRecipe,
    stated: str,
    threads: int,
    report: Report,
    kept_of: KeptOf | None = None,
    executor: Executor | None = None,
) -> list[Contents]:
    """Compute all contents of an asset from a world, one profile after another.

    Args:
        world: the world, from :func:`read_world`.
        recipe: the tables to compute and their settings.
        stated: the rules in effect, as the asset stores them.
        threads: the number of threads.
        report: called with the stage and the fraction of it that is done.
        kept_of: returns the storage of finished ranges of next hops, by the profile's number and
            name; None = ranges are neither stored nor reused.
        executor: searches the ranges instead of threads.

    Raises:
        CostError, BudgetError.
    """
    parts = [shared_contents(world, stated), things_contents(world), update_contents(world)]
    twins, baked = first_alike(world), dict[str, list[Contents]]()
    for place, profile in enumerate(world.metrics):
        twin = twins[profile]
        if twin in baked:
            parts += as_another(baked[twin], twin, profile, world)
            continue
        baked[twin] = profile_tables(
            profile,
            world,
            recipe,
            threads,
            _part_of(report, place, len(twins)),
            None if kept_of is None else kept_of(place, profile),
            executor,
        )
        parts += baked[twin]
    return parts


def _part_of(report: Report, place: int, count: int) -> Report:
    """Return a function that converts the progress of one profile to the progress of all."""
    return lambda stage, done: report(stage, (place + done) / count)


def read_level(task: Task) -> Level:
    """Read the level of a task, and divide it into nodes as the recipe says.

    Raises:
        LevelError: there is a mistake in the file, or it cannot be divided as the recipe says.
        BakeErrors: there are several mistakes.
    """
    recipe = task.recipe
    level = replace(_add_coordinates(read_drawn(task), recipe), name=task.name)
    division = division_of(level, recipe)
    if isinstance(level, GraphLevel) or division == "cells":
        assert not isinstance(level, GeometryLevel)
        if recipe.elevation is not None:
            named_in = (task.project or Path()) / RECIPE_NAME
            level = raised(level, recipe.elevation, named_in, recipe.memory_budget)
        return _add_headings(level, recipe)
    profiles = agent_profiles(level, recipe)
    return _add_headings(divided(level, profiles, division, nodes=recipe.mesh_nodes), recipe)


def _add_headings(level: Level, recipe: LevelRecipe) -> Level:
    """Return the level with a copy of each cell per heading, if the recipe sets headings."""
    if recipe.headings is None:
        return level
    if recipe.connectivity not in (None, recipe.headings):
        raise LevelError(
            f"the recipe sets {recipe.headings} headings, but connectivity {recipe.connectivity}",
            file=level.source,
            expected="equal numbers",
            remedy="remove connectivity",
        )
    return headed(level, recipe.headings)


def read_drawn(task: Task) -> Drawn:
    """Read the cells, shapes or graph of a level file, before they are divided into nodes.

    Raises:
        LevelError: there is a mistake in the file.
        BakeErrors: there are several mistakes.
    """
    recipe = task.recipe
    as_drawn = recipe.division not in (None, "cells")
    return load(
        task.source,
        recipe.legend,
        part=task.part,
        tiled=replace(recipe.tiled, keep_shapes=as_drawn),
        ldtk=replace(recipe.ldtk, keep_shapes=as_drawn),
        text=recipe.text,
        project=task.project,
        memory_budget=recipe.memory_budget,
    )


def division_of(level: Drawn, recipe: LevelRecipe) -> Division:
    """Return the division of a level into nodes.

    Raises:
        LevelError: the level cannot be divided as the recipe says.
    """
    division = recipe.division or ("mesh" if isinstance(level, GeometryLevel) else "cells")
    if isinstance(level, GeometryLevel) and division == "cells":
        raise LevelError(
            'the level has shapes, but the recipe sets division = "cells"',
            file=level.source,
            expected="another division, such as mesh",
            remedy="remove division, or draw the level in cells",
        )
    if isinstance(level, GraphLevel) and division != "cells":
        raise LevelError(
            f'the level is a graph, but the recipe sets division = "{division}"',
            file=level.source,
            expected="a level of cells or shapes",
            remedy="remove division for this level",
        )
    names_with_radius = [profile.name for profile in recipe.profiles if profile.radius]
    if division == "cells" and names_with_radius:
        raise LevelError(
            f"the level is divided into cells, but profile {names_with_radius[0]!r} has a radius",
            file=level.source,
            expected="a size in cells",
            remedy='set size instead of radius, or set division = "mesh"',
        )
    return division


def _add_coordinates(level: Drawn, recipe: LevelRecipe) -> Drawn:
    """Return the level with the recipe's coordinates, unless its own file sets coordinates."""
    if not isinstance(level, GridLevel) or level.coordinates is not None:
        return level
    if recipe.cell_size is None and recipe.origin is None:
        return level
    size = 1.0 if recipe.cell_size is None else recipe.cell_size
    coordinates = upright(size, recipe.origin or (0.0, 0.0), level.hex_layout)
    rows = level.floor_height or level.height
    if problem := coordinates.problem(level.width, rows, level.hex_layout):
        raise LevelError(
            problem,
            file=level.source,
            expected="cells that can be distinguished near the origin",
            remedy="change cell_size or origin in the recipe",
        )
    return replace(level, coordinates=coordinates)


def read_world(level: Level, recipe: LevelRecipe, *, strict_links: bool = True) -> World:
    """Build the graph of a level and the weights of every profile.

    Raises:
        LevelError, CostError, BudgetError.
    """
    rules, connectivity = movement_of(level, recipe)
    profiles = agent_profiles(level, recipe)
    check_world_fits(level, profiles, recipe)
    # If only some profiles are baked, a link may be out of reach for all of them.
    strict = strict_links and not recipe.narrowed
    return build_world(level, profiles, rules, connectivity, strict_links=strict)


def movement_of(level: Level, recipe: LevelRecipe) -> tuple[MovementRules, Connectivity]:
    """Return the movement rules in effect and the number of neighbors of a square cell."""
    stated = level.rules if isinstance(level, GridLevel) else Rules()
    rules = MovementRules(
        recipe.corner_cutting or stated.corner_cutting or "never",
        recipe.cost_rule or stated.cost_rule or "mean",
        recipe.ticks_per_unit,
    )
    return rules, recipe.connectivity or stated.connectivity or 8


def agent_profiles(level: Drawn, recipe: LevelRecipe) -> tuple[AgentProfile, ...]:
    """Return a level's profiles with their terrain rules in effect."""
    profiles = tuple(
        AgentProfile(
            profile.name,
            {**level.terrain_rules, **recipe.terrain, **profile.terrain},
            profile.size,
            SlopeRule(**{**recipe.slopes, **profile.slopes}),
            profile.radius,
            profile.turn,
        )
        for profile in recipe.profiles
    )
    if isinstance(level, GraphLevel) and level.areas:
        return tuple(for_areas(profile, level.areas) for profile in profiles)
    return profiles


def open_terrains(level: Level, profiles: tuple[AgentProfile, ...]) -> BoolArray:
    """Return (terrains) bool, True for each terrain on which some profile can stand."""
    rules = [profile.rules for profile in profiles]
    return np.array(
        [
            any(
                name in terrain_rules and terrain_rules[name].cost is not None
                for terrain_rules in rules
            )
            for name in level.terrains
        ]
    )


def world_size(
    level: Level, profiles: tuple[AgentProfile, ...], connectivity: Connectivity
) -> tuple[int, int]:
    """Return the number of nodes of a level's graph and the peak bytes of building it."""
    if isinstance(level, GraphLevel):
        nodes = len(level.node_names)
        return nodes, NODE_BYTES * nodes + ARC_BYTES * len(level.head)
    count = int(np.count_nonzero(open_terrains(level, profiles)[level.terrain]))
    arcs = 6 if level.hex_layout else connectivity
    return count, count * (NODE_BYTES + ARC_BYTES * arcs)


def check_world_fits(level: Level, profiles: tuple[AgentProfile, ...], recipe: LevelRecipe) -> None:
    """Raise if building the graph of a level would exceed the memory budget.

    Raises:
        BudgetError: the graph exceeds the budget; the error states both sizes.
    """
    budget = recipe.memory_budget
    nodes, needed = world_size(level, profiles, movement_of(level, recipe)[1])
    if needed > budget:
        message = f"the graph of this level, {nodes:,} nodes, needs about {in_units(needed)}"
        raise over_budget(message, budget, "raise memory_budget, or split the level")
