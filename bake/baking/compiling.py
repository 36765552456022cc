"""Choose whether a level is baked by compiled code, and have what it lacks compiled first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace

import numpy as np

from bake.baking.profile import Report, choose, wants_hierarchy
from bake.core.arrays import BoolArray, UInt8Array
from bake.core.kernels.ahead import compile_ahead
from bake.core.kernels.jit import in_cache, uncompiled, waiting
from bake.core.level import GraphLevel, GridLevel, Level, Things
from bake.project.recipe import LevelRecipe
from bake.search.all_pairs.runs import extend_runs
from bake.search.contraction.labels import differences_above
from bake.search.graph.cut_order import order_by_cuts
from bake.search.hierarchy.inside import search_from_transitions
from bake.tables.all_pairs import choose_algorithm

#: Pairs of places that are searched in plain Python in the time that loading kernels takes. A
#: process that has searched as many, in however many levels, loads them.
PLAIN_PAIRS = 2**14

#: Those that are searched so, in some three seconds, while nothing is compiled.
COLD_PAIRS = 2**17

#: Cells along one side of a tiny level, and nodes of a tiny graph.
_SIDE, _NODES = 8, 24


class _Searched:
    """What this process has searched in plain Python; a guess, as any thread adds to it."""

    pairs = 0


def enter_fit(
    stack: ExitStack,
    level: Level,
    recipe: LevelRecipe,
    stands: BoolArray,
    nodes: int,
    *,
    bake: Callable[[Level, LevelRecipe], object],
    report: Report,
    say: Callable[[str], None],
) -> None:
    """Let what follows wait for the compiler, or run as plain Python where that is faster.

    Args:
        stack: is entered.
        level, recipe: what is baked; of so many nodes.
        stands: (terrains) bool, on which of the level's terrains somebody can stand.
        bake: makes all tables of a level, for a rehearsal.
        report: called with how much is compiled.
        say: called with a line about it.
    """
    pairs, there = nodes**2 * len(recipe.profiles), _is_compiled(recipe)
    if _Searched.pairs + pairs <= PLAIN_PAIRS or (pairs <= COLD_PAIRS and not there):
        _Searched.pairs += pairs
        stack.enter_context(uncompiled())
        if pairs > PLAIN_PAIRS:
            say("baked in plain Python: the level is small, and nothing is compiled yet")
        return
    stack.enter_context(waiting())
    if not there:

        def rehearse() -> None:
            # What is refused of something tiny may be right where it is not.
            with suppress(Exception):
                bake(sample_of(level, stands), _for_sample(level, recipe, nodes))

        if said := compile_ahead(rehearse, report):
            say(said)


def _is_compiled(recipe: LevelRecipe) -> bool:
    """Tell whether the longest of the kernels were in the cache when first looked for."""
    choice = choose(recipe)
    longest = (
        order_by_cuts,
        choice.hops and extend_runs,
        choice.distances and differences_above,
        wants_hierarchy(recipe) and search_from_transitions,
    )
    return all(in_cache(each) for each in longest if each)


def _for_sample(level: Level, recipe: LevelRecipe, nodes: int) -> LevelRecipe:
    """Return a recipe by which a tiny level gets the tables of the whole one, in the same way."""
    arcs = len(level.head) if isinstance(level, GraphLevel) else 6 * nodes
    algorithm = choose_algorithm(nodes, arcs, recipe.algorithm)
    return replace(recipe, algorithm=algorithm, cluster_size=min(recipe.cluster_size, 4))


def sample_of(level: Level, stands: BoolArray) -> Level:
    """Return a tiny level of the same kind, on mostly the terrains that somebody can stand on."""
    drawn = np.random.default_rng(1)

    def terrain(*shape: int) -> UInt8Array:
        codes = drawn.choice(np.flatnonzero(stands), shape)
        others = drawn.integers(len(stands), size=shape)
        return np.where(drawn.random(shape) < 1 / 8, others, codes).astype(np.uint8)

    if isinstance(level, GridLevel):
        shape = _SIDE - 1, _SIDE
        return replace(
            level,
            terrain=terrain(*shape),
            barred=None if level.barred is None else np.zeros(shape, dtype=np.uint8),
            elevation=None if level.elevation is None else np.zeros(shape),
            floor_height=None,
            headings=None,
            things=Things(),
            prototypes=(),
            instances=(),
            shapes=(),
        )
    numbers = np.arange(_NODES, dtype=np.int32)
    tail = np.tile(numbers, 3)
    head = (tail + np.repeat(np.array([1, 5, 7], dtype=np.int32), _NODES)) % _NODES
    if not level.directed:
        tail, head = np.concatenate([tail, head]), np.concatenate([head, tail])
    named = tuple(numbers.tolist())
    return replace(
        level,
        node_names=named if isinstance(level.node_names[0], int) else tuple(map(str, named)),
        position=None if level.position is None else drawn.random((_NODES, 2)) * _SIDE,
        tail=tail,
        head=head,
        length=np.full(len(tail), 1.0),
        node_terrain=drawn.choice(np.flatnonzero(stands), _NODES).astype(np.uint8),
        node_region=np.full(_NODES if len(level.node_region) else 0, -1, dtype=np.int32),
        elevation=None if level.elevation is None else np.zeros(_NODES),
        mesh=None,
        walls=None,
    )
