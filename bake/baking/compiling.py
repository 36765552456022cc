"""Choose between compiled kernels and plain Python for a level, and compile missing kernels."""

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

#: Pairs of nodes that plain Python searches in the time that loading kernels takes. A process that
#: has searched this many, in all its levels together, loads kernels.
PLAIN_PAIRS = 2**14

#: Pairs that are searched in plain Python, in about three seconds, if no kernel is compiled yet.
COLD_PAIRS = 2**17

#: Cells along one side of a tiny level, and nodes of a tiny graph.
_SIDE, _NODES = 8, 24


class _Searched:
    """The pairs this process has searched in plain Python; approximate, as threads may race."""

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
    """Enter the faster mode for a level: kernels, compiled now if need be, or plain Python.

    Args:
        stack: receives the context of the mode.
        level, recipe: the level and the rules of its bake.
        stands: (terrains) bool, True for terrains on which some profile can stand.
        nodes: the number of nodes of the level's graph.
        bake: computes all tables of a level; called with a tiny level, to compile kernels.
        report: called with the progress of compilation.
        say: called with a message about the mode.
    """
    pairs, is_compiled = nodes**2 * len(recipe.profiles), _is_compiled(recipe)
    if _Searched.pairs + pairs <= PLAIN_PAIRS or (pairs <= COLD_PAIRS and not is_compiled):
        _Searched.pairs += pairs
        stack.enter_context(uncompiled())
        if pairs > PLAIN_PAIRS:
            say("baked in plain Python: the level is small, and nothing is compiled yet")
        return
    stack.enter_context(waiting())
    if not is_compiled:

        def rehearse() -> None:
            # An error about the tiny level does not mean that the real level is invalid.
            with suppress(Exception):
                bake(sample_of(level, stands), _for_sample(level, recipe, nodes))

        if message := compile_ahead(rehearse, report):
            say(message)


def _is_compiled(recipe: LevelRecipe) -> bool:
    """Return whether the kernels that compile the longest were in the cache when first needed."""
    choice = choose(recipe)
    longest = (
        order_by_cuts,
        choice.hops and extend_runs,
        choice.distances and differences_above,
        wants_hierarchy(recipe) and search_from_transitions,
    )
    return all(in_cache(kernel) for kernel in longest if kernel)


def _for_sample(level: Level, recipe: LevelRecipe, nodes: int) -> LevelRecipe:
    """Return a recipe that selects the same tables and algorithms for a tiny level."""
    arcs = len(level.head) if isinstance(level, GraphLevel) else 6 * nodes
    algorithm = choose_algorithm(nodes, arcs, recipe.algorithm)
    return replace(recipe, algorithm=algorithm, cluster_size=min(recipe.cluster_size, 4))


def sample_of(level: Level, stands: BoolArray) -> Level:
    """Return a tiny random level of the same kind, mostly of walkable terrains."""
    rng = np.random.default_rng(1)

    def terrain(*shape: int) -> UInt8Array:
        codes = rng.choice(np.flatnonzero(stands), shape)
        any_terrain = rng.integers(len(stands), size=shape)
        return np.where(rng.random(shape) < 1 / 8, any_terrain, codes).astype(np.uint8)

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
    names = tuple(numbers.tolist())
    return replace(
        level,
        node_names=names if isinstance(level.node_names[0], int) else tuple(map(str, names)),
        position=None if level.position is None else rng.random((_NODES, 2)) * _SIDE,
        tail=tail,
        head=head,
        length=np.full(len(tail), 1.0),
        node_terrain=rng.choice(np.flatnonzero(stands), _NODES).astype(np.uint8),
        node_region=np.full(_NODES if len(level.node_region) else 0, -1, dtype=np.int32),
        elevation=None if level.elevation is None else np.zeros(_NODES),
        mesh=None,
        walls=None,
    )
