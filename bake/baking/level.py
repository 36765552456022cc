"""Bake one level, step by step."""

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

#: A function that returns where ranges of a table are kept, by its profile's number and name.
KeptOf = Callable[[int, str], KeptRanges]

#: A function that makes everything an asset holds, given what `world_contents` is.
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
    taken_up: float  #: share of the searched pairs that came from a checkpoint
    notes: tuple[str, ...]  #: what a person should know of the checkpoint
    remarks: tuple[Remark, ...] = ()  #: what was drawn in the level, but does not count
    #: entries of the recipe's legend that the level has nothing for
    unmatched: tuple[str, ...] = ()
    #: the algorithm that found each profile's next hops, by profile; empty where there are none
    algorithms: Mapping[str, ChosenAlgorithm] = field(default_factory=dict)


@dataclass(frozen=True)
class Prepared:
    """A level before any table is made."""

    level: Level
    header: Header  #: of its asset
    stated: str  #: what the asset states of its recipe
    #: its graph, and what it costs; without a list of its arcs if it is large and needs none
    world: World | LatticeWorld


def bake_level(task: Task, threads: int, report: Report, make: Make | None = None) -> BakedLevel:
    """Bake one level and put its asset into place.

    Args:
        task: what to bake, and where to.
        threads: how many to use; the number changes no byte of the asset.
        report: called with the stage and the fraction of it that is done.
        make: makes the tables in place of :func:`world_contents`.

    Raises:
        BakeError: something is wrong that the user can mend; the error names the file.
    """
    begun = time.perf_counter()
    with errors_name(task.source), ExitStack() as stack:
        notes: list[str] = []

        def say(note: str) -> None:
            notes.append(note)
            report(note, 0)

        found = prepare(task, report, stack, say)
        checkpoint = Checkpoint(task.asset, found.header.fingerprint(), say)
        try:
            # 5. Make the tables of one profile after another.
            world = found.world
            if isinstance(world, LatticeWorld):
                parts = lattice_world_contents(world, task.recipe, found.stated)
            else:
                what = world, task.recipe, found.stated, threads, report
                parts = make(*what, checkpoint) if make else world_contents(*what, checkpoint.table)
            # 6. Write the columns to a file, and put the file into place.
            report("write", 0)
            # A build beside this one removes the folder where all of its levels have failed.
            make_folder(task.asset.parent, "the output folder")
            size = write_asset(task.asset, found.header, together(parts))
            checkpoint.clear()
        finally:
            checkpoint.release()
    seconds = time.perf_counter() - begun
    taken_up = checkpoint.taken_up / max(1, checkpoint.pairs)
    if taken_up:
        notes.append(f"{taken_up:.0%} of the next hops taken up from a checkpoint")
    return baked_of(found, task.recipe, size, seconds, taken_up, tuple(notes))


def baked_of(
    found: Prepared,
    recipe: LevelRecipe,
    size: int,
    seconds: float,
    taken_up: float = 0.0,
    notes: tuple[str, ...] = (),
) -> BakedLevel:
    """Return the report of a level that was baked."""
    level, world = found.level, found.world
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
    """Name the level file in errors of steps that do not know it."""
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
    """Read a level and turn it into a world: the first steps of a bake.

    Args:
        stack: takes what says whether the bake is to wait for the compiler.
        say: called with a line about the compiler.

    Raises:
        BakeError: there are mistakes in the level.
    """
    recipe = task.recipe
    # 1. Digest the sources before they are read.
    before = source_digests(task.source, ())
    # 2. Read the level.
    report("read", 0)
    level = read_level(task)
    # 3. Digest the sources again, so that what was read is what the asset will claim to be made
    # from. The other files of the level are known only now; they are read between two digests, too.
    sources = source_digests(task.source, level.depends_on)
    if sources[:1] == before and level.depends_on:
        before = sources
        level = read_level(task)
        sources = source_digests(task.source, level.depends_on)
    if sources[: len(before)] != before:
        raise LevelError("changed while it was being read", file=task.source, remedy="build again")
    # 4. Turn the level into a world.
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
        # There is no list of arcs where the level is large and needs none.
        check_lattice_fits(level, nodes, recipe.memory_budget)
        world = build_lattice_world(level, profiles, rules, connectivity)
        return Prepared(level, header, stated, world)
    return Prepared(level, header, stated, read_world(level, recipe))


def _rehearse(level: Level, recipe: LevelRecipe) -> None:
    """Make everything an asset would hold of a tiny level."""
    world = read_world(level, recipe, strict_links=False)
    world_contents(world, recipe, "{}", 1, lambda stage, done: None)


def _rehearse_on_cells(level: Level, recipe: LevelRecipe) -> None:
    """Make what an asset would hold of a tiny level whose arcs are not listed."""
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
    """Make everything an asset holds from a world, one profile after another.

    Args:
        world: the world, from :func:`read_world`.
        recipe: what to make.
        stated: the recipe as the asset is to state it.
        threads: how many to use.
        report: called with the stage and the fraction of it that is done.
        kept_of: returns where ranges of the search for next hops are kept, by the profile's number
            and name; None = nothing is kept or taken up.
        executor: searches them in place of threads.

    Raises:
        CostError, BudgetError.
    """
    parts = [shared_contents(world, stated), things_contents(world), update_contents(world)]
    alike, baked = first_alike(world), dict[str, list[Contents]]()
    for place, profile in enumerate(world.metrics):
        twin = alike[profile]
        if twin in baked:
            parts += as_another(baked[twin], twin, profile, world)
            continue
        baked[twin] = profile_tables(
            profile,
            world,
            recipe,
            threads,
            _part_of(report, place, len(alike)),
            None if kept_of is None else kept_of(place, profile),
            executor,
        )
        parts += baked[twin]
    return parts


def _part_of(report: Report, place: int, count: int) -> Report:
    """Return a function that turns the progress of one profile into the progress of all."""
    return lambda stage, done: report(stage, (place + done) / count)


def read_level(task: Task) -> Level:
    """Read a level file, or the part of it that is one level, by the recipe, and divide it.

    Raises:
        LevelError: there is a mistake in the file, or it cannot be divided as the recipe says.
        BakeErrors: there are several mistakes.
    """
    recipe = task.recipe
    level = replace(_placed(read_drawn(task), recipe), name=task.name)
    division = division_of(level, recipe)
    if isinstance(level, GraphLevel) or division == "cells":
        assert not isinstance(level, GeometryLevel)
        if recipe.elevation is not None:
            named_in = (task.project or Path()) / RECIPE_NAME
            level = raised(level, recipe.elevation, named_in, recipe.memory_budget)
        return _faced(level, recipe)
    profiles = agent_profiles(level, recipe)
    return _faced(divided(level, profiles, division, nodes=recipe.mesh_nodes), recipe)


def _faced(level: Level, recipe: LevelRecipe) -> Level:
    """Lay a level out for each heading, if the recipe gives any."""
    if recipe.headings is None:
        return level
    if recipe.connectivity not in (None, recipe.headings):
        raise LevelError(
            f"the recipe gives {recipe.headings} headings, and connectivity {recipe.connectivity}",
            file=level.source,
            expected="as many of one as of the other",
            remedy="leave connectivity out",
        )
    return headed(level, recipe.headings)


def read_drawn(task: Task) -> Drawn:
    """Read a level file as it was drawn, before it is divided.

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
    """Return how a level is divided into nodes.

    Raises:
        LevelError: it cannot be divided as the recipe says.
    """
    division = recipe.division or ("mesh" if isinstance(level, GeometryLevel) else "cells")
    if isinstance(level, GeometryLevel) and division == "cells":
        raise LevelError(
            'the level has shapes, and the recipe says division = "cells"',
            file=level.source,
            expected="another division, such as mesh",
            remedy="leave division out, or draw the level in cells",
        )
    if isinstance(level, GraphLevel) and division != "cells":
        raise LevelError(
            f'the level is a graph, and the recipe says division = "{division}"',
            file=level.source,
            expected="a level of cells or shapes",
            remedy="leave division out for this level",
        )
    round_ones = [profile.name for profile in recipe.profiles if profile.radius]
    if division == "cells" and round_ones:
        raise LevelError(
            f"the level is divided into cells, and profile {round_ones[0]!r} has a radius",
            file=level.source,
            expected="a size in cells",
            remedy='say size in place of radius, or division = "mesh"',
        )
    return division


def _placed(level: Drawn, recipe: LevelRecipe) -> Drawn:
    """Give a level the coordinates of the recipe, if its own file states none."""
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
            expected="cells that can be told apart near the origin",
            remedy="change cell_size or origin in the recipe",
        )
    return replace(level, coordinates=coordinates)


def read_world(level: Level, recipe: LevelRecipe, *, strict_links: bool = True) -> World:
    """Build the graph of a level under the rules in effect, and price it for every profile.

    Raises:
        LevelError, CostError, BudgetError.
    """
    rules, connectivity = movement_of(level, recipe)
    profiles = agent_profiles(level, recipe)
    check_world_fits(level, profiles, recipe)
    # Where only some profiles are baked, none of them may be able to stand at a link of the others.
    strict = strict_links and not recipe.narrowed
    return build_world(level, profiles, rules, connectivity, strict_links=strict)


def movement_of(level: Level, recipe: LevelRecipe) -> tuple[MovementRules, Connectivity]:
    """Return the rules in effect, and how many neighbours a square cell has."""
    stated = level.rules if isinstance(level, GridLevel) else Rules()
    rules = MovementRules(
        recipe.corner_cutting or stated.corner_cutting or "never",
        recipe.cost_rule or stated.cost_rule or "mean",
        recipe.ticks_per_unit,
    )
    return rules, recipe.connectivity or stated.connectivity or 8


def agent_profiles(level: Drawn, recipe: LevelRecipe) -> tuple[AgentProfile, ...]:
    """Return a level's profiles, with what its terrain means to each by the rules in effect."""
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
    """Return (terrains) bool, on which of a level's terrains somebody can stand."""
    rules = [profile.rules for profile in profiles]
    return np.array(
        [
            any(name in each and each[name].cost is not None for each in rules)
            for name in level.terrains
        ]
    )


def world_size(
    level: Level, profiles: tuple[AgentProfile, ...], connectivity: Connectivity
) -> tuple[int, int]:
    """Return how many nodes a level's graph will have, and the peak bytes of building it."""
    if isinstance(level, GraphLevel):
        nodes = len(level.node_names)
        return nodes, NODE_BYTES * nodes + ARC_BYTES * len(level.head)
    count = int(np.count_nonzero(open_terrains(level, profiles)[level.terrain]))
    arcs = 6 if level.hex_layout else connectivity
    return count, count * (NODE_BYTES + ARC_BYTES * arcs)


def check_world_fits(level: Level, profiles: tuple[AgentProfile, ...], recipe: LevelRecipe) -> None:
    """Refuse a level whose graph alone would exceed the budget, before building it.

    Raises:
        BudgetError: the graph exceeds the budget; the error states both sizes.
    """
    budget = recipe.memory_budget
    nodes, needed = world_size(level, profiles, movement_of(level, recipe)[1])
    if needed > budget:
        found = f"the graph of this level, {nodes:,} nodes, needs about {in_units(needed)}"
        raise over_budget(found, budget, "raise memory_budget, or split the level")
