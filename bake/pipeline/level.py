"""The bake of one level, step by step."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bake.arrays import Int32Array
from bake.asset import header_for
from bake.asset.schema import BAKE_REVISION, FORMAT_NAME, FORMAT_VERSION
from bake.asset.write import Contents, write_asset
from bake.errors import BudgetError, CostError, LevelError
from bake.graph import Subgraph, usable_subgraph
from bake.greedy import chart
from bake.level import GridLevel, Level, Rules
from bake.levels import load
from bake.movement import MovementRules
from bake.pipeline.checkpoint import Checkpoint
from bake.pipeline.choose import check_world_fits, choose
from bake.pipeline.contents import profile_contents, shared_contents, together
from bake.pipeline.contents_things import things_contents
from bake.pipeline.contents_updates import update_contents
from bake.pipeline.heuristics import bounds
from bake.pipeline.layers import layered
from bake.pipeline.sources import Task
from bake.pipeline.staleness import recipe_digest, source_digests
from bake.pipeline.twins import as_another, first_alike
from bake.recipe import LevelRecipe
from bake.tables.all_pairs import AllPairs, all_pairs
from bake.tables.components import components
from bake.tables.compressed import Ledger, compressed_next_hops
from bake.worlds import AgentProfile, World, build_world

#: Called with the stage and the fraction of it that is done.
Report = Callable[[str, float], None]


@dataclass(frozen=True)
class Baked:
    """What baking a level came to.

    Attributes:
        nodes, arcs: size of its graph.
        profiles: names.
        size: bytes of the asset.
        seconds: wall time.
        taken_up: share of the searched pairs that came from a checkpoint.
        notes: what a person should know of its checkpoint.
    """

    nodes: int
    arcs: int
    profiles: tuple[str, ...]
    size: int
    seconds: float
    taken_up: float
    notes: tuple[str, ...]


def bake_level(task: Task, threads: int, report: Report) -> Baked:
    """Bake one level and put its asset into place.

    Args:
        task: what to bake, and where to.
        threads: how many; changes no byte of the asset.
        report: told the stage and how far it is.

    Raises:
        BakeError: anything the user can mend, with the file it is about.
    """
    begun = time.perf_counter()
    recipe = task.recipe
    # 1. Digest the sources before they are read ...
    before = source_digests(task.source, ())
    # 2. ... read the level ...
    report("read", 0)
    level = read_level(task)
    # 3. ... and digest them again: what was read is what the asset will claim to be made from.
    # Which others it is made from is known only now, so those are read between two digests, too.
    sources = source_digests(task.source, level.depends_on)
    if sources[:1] == before and level.depends_on:
        before = sources
        level = read_level(task)
        sources = source_digests(task.source, level.depends_on)
    if sources[: len(before)] != before:
        raise LevelError("changed while it was being read", file=task.source, remedy="build again")
    header = header_for(level.name, sources, recipe_digest(recipe))
    notes: list[str] = []

    def say(note: str) -> None:
        notes.append(note)
        report(note, 0)

    checkpoint = Checkpoint(task.asset, header.fingerprint(), say)
    try:
        # 4. Level to world.
        report("graph", 0)
        world, rules, profiles = read_world(level, recipe)
        # 5. One profile after another: components, next hops, distances, clusters, hierarchy.
        stated = recipe.canonical()
        parts = world_contents(world, rules, profiles, recipe, stated, threads, report, checkpoint)
        # 6. Columns to file, and the file into place.
        report("write", 0)
        size = write_asset(task.asset, header, together(parts))
        checkpoint.clear()
    except (CostError, BudgetError) as error:
        raise type(error)(
            error.found,
            file=task.source,
            place=error.place,
            expected=error.expected,
            remedy=error.remedy,
        ) from None
    finally:
        checkpoint.release()
    seconds = time.perf_counter() - begun
    names = tuple(profile.name for profile in profiles)
    taken_up = checkpoint.taken_up / max(1, checkpoint.pairs)
    return Baked(
        world.graph.node_count,
        world.graph.arc_count,
        names,
        size,
        seconds,
        taken_up,
        tuple(notes),
    )


def world_contents(
    world: World,
    rules: MovementRules,
    profiles: Sequence[AgentProfile],
    recipe: LevelRecipe,
    stated: str,
    threads: int,
    report: Report,
    checkpoint: Checkpoint | None = None,
) -> list[Contents]:
    """Everything an asset holds, made from a world: one profile after another.

    Args:
        world, rules, profiles: from :func:`read_world`.
        recipe: what to make.
        stated: the recipe as the asset is to state it.
        threads: how many.
        report: told the stage and how far it is.
        checkpoint: of long searches; None = they are not to be taken up.

    Raises:
        CostError, BudgetError.
    """
    stamp = Contents(
        {
            ("/", "format"): FORMAT_NAME,
            ("/", "format_version"): FORMAT_VERSION,
            ("/", "bake_revision"): BAKE_REVISION,
        },
        {},
    )
    shared = shared_contents(world, rules, stated)
    parts = [stamp, shared, things_contents(world, profiles), update_contents(world, profiles)]
    alike, baked = first_alike(world), dict[str, list[Contents]]()
    for place, profile in enumerate(profiles):
        twin = alike[profile.name]
        if twin in baked:
            parts += as_another(baked[twin], twin, profile, world)
            continue
        baked[twin] = _profile(
            profile,
            world,
            recipe,
            threads,
            _part_of(report, place, len(profiles)),
            None if checkpoint is None else checkpoint.table(place, profile.name),
        )
        parts += baked[twin]
    return parts


def _part_of(report: Report, place: int, count: int) -> Callable[[float], None]:
    """Reports how far one of several profiles is as how far all are."""
    return lambda done: report("next hops", (place + done) / count)


def read_level(task: Task) -> Level:
    """Read a level file, or the part of it that is one level, by the recipe.

    Raises:
        LevelError: a mistake in the file.
        BakeErrors: several.
    """
    recipe = task.recipe
    level = load(
        task.source,
        recipe.legend,
        part=task.part,
        tiled=recipe.tiled,
        ldtk=recipe.ldtk,
        project=task.project,
        memory_budget=recipe.memory_budget,
    )
    return replace(level, name=task.name)


def read_world(
    level: Level, recipe: LevelRecipe, *, strict_links: bool = True
) -> tuple[World, MovementRules, tuple[AgentProfile, ...]]:
    """Build the graph of a level under the rules in effect, and price it for every profile.

    Raises:
        LevelError, CostError, BudgetError.
    """
    stated = level.rules if isinstance(level, GridLevel) else Rules()
    rules = MovementRules(
        recipe.corner_cutting or stated.corner_cutting or "never",
        recipe.cost_rule or stated.cost_rule or "mean",
        recipe.ticks_per_unit,
    )
    connectivity = recipe.connectivity or stated.connectivity or 8
    profiles = tuple(
        AgentProfile(
            profile.name,
            {**level.terrain_rules, **recipe.terrain, **profile.terrain},
            profile.size,
        )
        for profile in recipe.profiles
    )
    check_world_fits(level, profiles, connectivity, recipe.memory_budget)
    # Of links for others there is no telling where only some of the profiles are baked.
    strict = strict_links and not recipe.narrowed
    world = build_world(level, profiles, rules, connectivity, strict_links=strict)
    return world, rules, profiles


def rows_on_chart(world: World, sub: Subgraph) -> Int32Array | None:
    """(r, 2) int32 chart coordinates of a profile's rows; None on graph levels."""
    return None if world.cell is None else chart(world.cell[sub.node], world.hex_layout)


def _profile(
    profile: AgentProfile,
    world: World,
    recipe: LevelRecipe,
    threads: int,
    progress: Callable[[float], None],
    ledger: Ledger | None,
) -> list[Contents]:
    sub = usable_subgraph(world.graph, world.metrics[profile.name])
    parts = components(sub, world.graph.node_count)
    choice = choose(sub, recipe)
    pairs, runs = AllPairs(None, None), None
    if choice.hops == "compressed":
        runs, distance = compressed_next_hops(
            sub,
            rows_on_chart(world, sub),
            unreachable_fits=parts.tells_all,
            algorithm=recipe.algorithm,
            distances=choice.distances,
            budget=recipe.memory_budget,
            threads=threads,
            progress=progress,
            ledger=ledger,
        )
        pairs = AllPairs(None, distance)
    elif choice.hops == "dense" or choice.distances:
        pairs = all_pairs(
            sub,
            algorithm=recipe.algorithm,
            hops=choice.hops == "dense",
            distances=choice.distances,
            budget=recipe.memory_budget,
            threads=threads,
            progress=progress,
        )
    over = layered(world, sub, recipe)
    lower = bounds(world, sub, over.clusters, recipe, threads)
    own = profile_contents(profile, world, parts, pairs, runs)
    return [own, *over.contents(profile.name), *lower.contents(profile.name)]
