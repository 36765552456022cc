"""The values that limits are lowered to: small ones, on both sides of what an exercise needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.support.limits import exercises as do
from tests.support.limits.markers import Constant, limits

Value = int | tuple[int, ...]

SMALL = (1, 2, 3, 4, 5, 7, 8, 16)
POWERS = (1, 2, 4, 8, 16)
#: Where an exercise takes longer.
FEW = (1, 2, 3, 5, 8)
#: Where it bakes a level each time.
BAKED = (1, 2, 3, 8)

#: Every exercise, with the values of the limits that it lowers.
EXERCISES: dict[Callable[[], object], Sequence[int]] = {
    do.searches: SMALL,
    do.norms: SMALL,
    do.windows: SMALL,
    do.repairs: SMALL,
    do.contractions: (0, *SMALL),
    do.edits: (0, *SMALL),
    do.orders: SMALL,
    do.planes: SMALL,
    do.all_pairs: SMALL,
    do.runs: SMALL,
    do.runs_by_entries: SMALL,
    do.batches: (2, 4, 8, 16, 64),
    do.lookups: SMALL,
    do.one_way: (0, 1, 7, 8, 9),
    do.same_paths: SMALL,
    do.sound_paths: (0, *FEW),
    do.sound_bakes: BAKED,
    do.changes: (0, *FEW),
    do.contracted_changes: FEW,
    do.cheaper_arcs: SMALL,
    do.warmed: (0, 1, 100),
    do.large_lattices: BAKED,
    do.bakes: BAKED,
    do.cell_bakes: BAKED,
    do.walks: SMALL,
    do.points: (0, *SMALL),
    do.shapes: (0, 1, 2, 3, 4, 5),
    do.grown_shapes: (0, 1, 2, 3),
    do.weight_of_five: SMALL,
    do.window_of_five: SMALL,
    do.three_links: SMALL,
    do.tiles: SMALL,
    do.crowds: SMALL,
}

#: Limits with other values than those of their exercise. Two of them that have to fit each other
#: are lowered together, and so is a constant of two numbers.
OTHERS: dict[str, Sequence[Value]] = {
    "bake.extras.crowds.movers FIELD_BYTES": (0, *SMALL, 200),
    "bake.geometry.build MAX_CORNERS": (1, 2, 4, 7, 8, 9),
    "bake.play.hierarchy.lattice _NEAR": (0, 1, 3, 8),
    "bake.play.hierarchy.paths ROOM EACH": (
        *((1, 0), (1, 1), (2, 3), (5, 0)),
        *((7, 2), (8, 1), (16, 4)),
    ),
    "bake.play.hierarchy.sheets MOST_BYTES": (0, 1, 100, 1000, 4000),
    "bake.play.hierarchy.sheets _ROOM": ((0, 0), (1, 1), (2, 64), (1, 2**24), (2**16, 1)),
    "bake.play.live.clusters _PIECES": FEW,
    "bake.play.live.exact PATIENCE": (0, *FEW),
    "bake.play.live.fields FEW": FEW,
    "bake.play.live.fields ROOM": (0, *FEW, 200, 1000),
    "bake.play.live.versions MOST_NEW_ROWS": (0, *FEW),
    "bake.play.live.writer _COUNTED": FEW,
    "bake.play.nearest _AT_ONCE": SMALL,
    "bake.extras.school.patterns.deepening _DEEPEST": (25, 26, 27, 40),
    "bake.search.all_pairs.floyd_warshall SIDE PART": (
        *((16, 4), (16, 8), (32, 32)),
        *((48, 4), (64, 64)),
    ),
    "bake.search.all_pairs.follow NEAR NEAR_BITS": ((2, 1), (4, 2), (8, 3), (32, 5)),
    "bake.search.all_pairs.runs BLOCK": (1, 2, 4, 8, 32, 128),
    "bake.search.all_pairs.runs SLOT_BITS": (2, 3, 4, 5, 6, 7, 8),
    "bake.search.contraction.hierarchy SHARE": SMALL,
    "bake.search.contraction.order SHARE": (2, 3, 4, 8, 16, 10**6),
    "bake.search.contraction.order UNCUT": SMALL,
    "bake.search.contraction.sweep LANES": (2, 3, 4, 5, 8),
    "bake.search.hierarchy.corners MOST_CORNERS": FEW,
    "bake.search.hierarchy.corners MOST_TURNS": FEW,
    "bake.search.hierarchy.corners TOGETHER": FEW,
    "bake.search.hierarchy.hpa MOST_HOPS": FEW,
    "bake.search.hierarchy.near MOST_LABELS": POWERS,
    "bake.search.hierarchy.straight_runs LONGEST": (1, 2, 3, 4, 5, 7, 8, 11),
    "bake.search.live.lattice _LEAST_WASTE": (-1000, -60, -30, 0),
    "bake.search.point.kd_tree _BUCKET": SMALL,
    "bake.search.point.space_time STATES": POWERS,
    "bake.tables.hierarchy FLOW_BYTES_A_ROW": (0, *BAKED),
    "bake.tables.hierarchy LANDMARKS": (0, *BAKED),
    "bake.tables.range_searcher FEWEST_ROWS": (0, 1, 13, 14, 15),
    "bake.tables.range_searcher LONGEST": (1, 2, 3, 4, 5, 6),
    "bake.tables.range_searcher PIECE": (8, 9, 10, 13, 14, 15, 1000),
    "bake.tables.range_searcher SEARCHED": (0, 1, 4, 16, 100, 10**6),
}

#: The least value that an exercise needs; with a lower one it raises a documented error.
LEAST = {
    "bake.extras.crowds.crowd MOST_STEPS": 5,
    "bake.geometry.build MAX_CORNERS": 8,
    "bake.play.live.links MOST": 3,
    "bake.play.live.links MOST_TEXT": 5,
    "bake.play.searching.methods MOST_WEIGHT": 5,
    "bake.worlds.division MAX_TERRAINS": 2,
    "bake.worlds.visibility MAX_BENDS": 4,
}


@dataclass(frozen=True)
class Trial:
    """An exercise, and the values of a limit with which it runs."""

    module: str
    names: tuple[str, ...]
    exercise: Callable[[], object]
    values: Sequence[Value]
    least: int

    def __str__(self) -> str:
        return f"{self.module} {' '.join(self.names)}"


def trials() -> list[Trial]:
    """Return the trials of all limits that name an exercise."""
    exercises = {exercise.__name__: exercise for exercise in EXERCISES}
    groups = {_key(limit): limit for limit in limits() if limit.exercise}
    return [
        Trial(
            limit.module,
            tuple(key.split()[1:]),
            exercises[limit.exercise],
            OTHERS.get(key, EXERCISES[exercises[limit.exercise]]),
            LEAST.get(key, 0),
        )
        for key, limit in groups.items()
    ]


def _key(limit: Constant) -> str:
    """Return the module and the name of a limit, or of all that are lowered together with it."""
    for key in OTHERS:
        module, *names = key.split()
        if limit.module == module and limit.name in names:
            return key
    return f"{limit.module} {limit.name}"
