"""Every limit of kernels and of ``bake.play``: what it bounds, what is beyond, what crosses it.

``python -m tests.support.limits.table`` writes it into docs/limits.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bake.asset.document import table, with_section
from tests.support.limits import exercises as do
from tests.support.limits.sources import qualified

PAGE = Path(__file__).parents[3] / "docs" / "limits.md"
MAKER = "tests.support.limits.table"

Value = int | tuple[int, ...]

SMALL: tuple[int, ...] = (1, 2, 3, 4, 5, 7, 8, 16)
POWERS: tuple[int, ...] = (1, 2, 4, 8, 16)

#: Where an exercise takes longer, and where it bakes a level each time.
FEW: tuple[int, ...] = (1, 2, 3, 5, 8)
BAKED: tuple[int, ...] = (1, 2, 3, 8)


@dataclass(frozen=True)
class Limit:
    """A limit, or several that have to fit each other.

    Attributes:
        module: below ``bake``.
        names: of the constants.
        bounds: what there may be so many of.
        beyond: what happens if there are more.
        exercise: a scenario whose answer no value changes; None where ``test`` lowers it.
        values: to try in place of the real one, small ones first; of several names tuples.
        least: the exercise is refused, by a documented error, with any value below this one.
        test: of what crosses the limit elsewhere.
    """

    module: str
    names: tuple[str, ...]
    bounds: str
    beyond: str
    exercise: Callable[[], object] | None = None
    values: Sequence[Value] = SMALL
    least: int = 0
    test: str = ""

    @property
    def told(self) -> str:
        return f"{self.module}: {', '.join(self.names)}"

    @property
    def crossed_by(self) -> str:
        return self.test if self.exercise is None else self.exercise.__name__


def _limit(
    where: str,
    bounds: str,
    beyond: str,
    exercise: Callable[[], object] | str,
    values: Sequence[Value] = SMALL,
    least: int = 0,
) -> Limit:
    module, _, names = where.partition(" ")
    by_test = isinstance(exercise, str)
    return Limit(
        module,
        tuple(names.split()),
        bounds,
        beyond,
        None if by_test else exercise,
        values,
        least,
        str(exercise) if by_test else "",
    )


AGAIN = "the search begins again with twice the room"
MORE = "more room is made, and it goes on"
IN_PARTS = "it is done part by part"
OTHER = "another algorithm gives the same answer"
ORDER = "the order is another one, and answers are the same"
FORGOTTEN = "the oldest, or all, are forgotten and worked out again"
WORSE = "paths are valid, and may be a little longer"
REFUSED = "refused in one line"

LIMITS: tuple[Limit, ...] = (
    # Searches between two points.
    _limit("search.point.space ENTRIES", "entries of a queue, at first", MORE, do.searches),
    _limit(
        "search.point.space BUCKETS",
        "buckets of a queue",
        "what lies beyond waits in the last one, which is spread out in its turn",
        do.searches,
    ),
    _limit("search.point.space ALIKE", "how unlike weights may be for buckets", OTHER, do.searches),
    _limit(
        "search.point.space _LAST_STAMP",
        "searches between two times that labels are cleared",
        "labels are cleared, and stamps begin anew",
        do.searches,
    ),
    _limit(
        "search.point.estimates _LOOK",
        "arcs looked at together for one that a norm goes by",
        IN_PARTS,
        do.norms,
    ),
    _limit(
        "search.point.space_time STATES",
        "states of a search through a window, at first; a power of two",
        AGAIN,
        do.windows,
        POWERS,
    ),
    _limit(
        "search.point.space_time _LAST_STAMP",
        "searches between two times that the table of states is cleared",
        "it is cleared, and stamps begin anew",
        do.windows,
    ),
    _limit("search.incremental.lifelong _ROOM", "entries of a heap, at first", MORE, do.repairs),
    _limit(
        "search.incremental.repair MOST_LATE",
        "how far a target may have moved in all, in ticks",
        "the search begins anew",
        do.repairs,
    ),
    # Contraction.
    _limit(
        "search.contraction.hierarchy FEW",
        "arcs repriced one by one",
        "everything is customized anew",
        do.contractions,
        (0, *SMALL),
    ),
    _limit(
        "search.contraction.hierarchy SHARE",
        "arcs of the hierarchy for one more that is repriced alone",
        "everything is customized anew",
        do.contractions,
    ),
    _limit(
        "search.contraction.hierarchy MOST_ARCS",
        "arcs of a hierarchy for each node",
        "there is no hierarchy, and flow fields answer",
        do.contracted_changes,
        FEW,
    ),
    _limit(
        "search.contraction.update MOST_TOUCHED",
        "arcs that one edit bears upon",
        "everything is customized anew",
        do.edits,
        (0, *SMALL),
    ),
    _limit("search.contraction.order UNCUT", "nodes of a set not cut", ORDER, do.contractions),
    _limit(
        "search.contraction.order SHARE",
        "how narrow a side of a cut may be",
        ORDER,
        do.contractions,
        (2, 3, 4, 8, 16, 10**6),
    ),
    _limit(
        "search.contraction.order MOST_LOOKS",
        "nodes looked at for each node there is",
        "what is left is not cut; " + ORDER,
        do.contractions,
        (0, *SMALL),
    ),
    _limit(
        "search.contraction.order HIGHEST",
        "cuts above one another",
        "higher ones are taken for one; " + ORDER,
        do.contractions,
        (0, *SMALL),
    ),
    _limit(
        "play.live.versions MOST_NEW_ROWS",
        "rows that opened since the bake",
        "the level is cut anew, and not as it was baked",
        do.contracted_changes,
        (0, *FEW),
    ),
    _limit(
        "search.contraction.sweep LANES",
        "goals of one sweep",
        "further goals take another sweep",
        do.contracted_changes,
        (2, 3, 4, 5, 8),
    ),
    # Graphs in order, and in parts.
    _limit("search.graph.cut_order UNCUT", "nodes of a set not cut", ORDER, do.orders),
    _limit("search.graph.cut_order SHARE", "how narrow a side of a cut may be", ORDER, do.orders),
    _limit("search.graph.cut_order SWEEPS", "searches for a narrow place", ORDER, do.orders),
    _limit("search.graph.cut_order SWEPT", "nodes of a set swept more than once", ORDER, do.orders),
    _limit("search.graph.cut_order LOOKS", "arcs looked at for a beginning", ORDER, do.orders),
    _limit(
        "search.graph.label_correcting MASK_BITS",
        "arcs of a node that a mask tells apart",
        "all of the node's arcs are relaxed each time",
        "tests/search/graph/test_label_correcting.py::test_a_mask_has_room_for_so_many_arcs",
    ),
    _limit(
        "search.graph.label_correcting RING",
        "buckets of a queue of nodes; a power of two",
        "nodes farther off wait in the last one, and may be looked at more than once",
        do.batches,
        (2, 4, 8, 16, 64),
    ),
    _limit(
        "search.graph.partition MOST_SQUARES",
        "squares along a side of a graph's plane",
        "the last one takes in what lies beyond",
        do.planes,
    ),
    # All pairs.
    _limit(
        "search.all_pairs.batch LANES",
        "targets searched for at once",
        "further targets take another batch",
        do.all_pairs,
    ),
    _limit(
        "search.all_pairs.floyd_warshall SIDE PART",
        "nodes of a tile, and of those how many are closed at a time, which is a multiple of GROUP",
        IN_PARTS,
        do.all_pairs,
        ((16, 4), (16, 8), (32, 32), (48, 4), (64, 64)),
    ),
    _limit("search.all_pairs.follow BLOCK", "pairs looked up in step", IN_PARTS, do.lookups),
    _limit(
        "search.all_pairs.follow NEAR NEAR_BITS",
        "runs of a row that are halved without branches, and how often",
        "longer rows are halved with branches first",
        do.lookups,
        ((2, 1), (4, 2), (8, 3), (32, 5)),
    ),
    _limit(
        "search.all_pairs.runs SLOT_BITS",
        "arcs of a row that a set tells apart",
        "the row keeps a single slot",
        do.runs,
        (2, 3, 4, 5, 6, 7, 8),
    ),
    _limit(
        "search.all_pairs.runs BLOCK",
        "targets a set is compared with at once; it divides LANES",
        IN_PARTS,
        do.bakes,
        (1, 2, 4, 8, 32, 128),
    ),
    _limit(
        "search.all_pairs.runs SAMPLED",
        "targets of which one is looked at first",
        "all are looked at",
        do.runs,
    ),
    _limit("search.all_pairs.runs NAMED", "rows whose slots are named together", IN_PARTS, do.runs),
    _limit(
        "tables.cluster_distances PIECE",
        "rows that are looked at together, and the rest of their last cluster",
        IN_PARTS,
        do.bakes,
        BAKED,
    ),
    _limit(
        "play.level LARGE",
        "cells or nodes up to which opening loads no compiled code",
        "it loads what lookups need",
        "tests/play/test_warm.py::test_opening_a_large_level_loads_what_lookups_would_wait_for",
    ),
    _limit("tables.all_pairs RELAX_RATIO", "what an arc costs a batch", OTHER, do.all_pairs),
    _limit(
        "export.export MOST_ROWS",
        "rows of a plain matrix",
        "it is refused, and a flat file takes its place",
        "tests/flat/test_table.py::test_a_matrix_of_more_places_is_refused",
    ),
    _limit(
        "tables.run_writer SLICE",
        "rows between two times that runs are put away",
        IN_PARTS,
        do.bakes,
        BAKED,
    ),
    _limit("tables.run_writer RANGE_ROWS", "rows for each range of targets", IN_PARTS, do.runs),
    _limit(
        "tables.run_writer MOST_RANGES",
        "ranges of targets",
        "ranges are longer",
        "tests/tables/test_compressed.py::test_the_cuts_of_levels",
    ),
    _limit(
        "tables.range_searcher FEWEST_ROWS",
        "rows up to which whole batches are searched",
        OTHER,
        do.runs,
        (0, 1, 13, 14, 15),
    ),
    _limit(
        "tables.range_searcher LONGEST",
        "batches of a stretch",
        "stretches are shorter",
        do.runs_by_entries,
        (1, 2, 3, 4, 5, 6),
    ),
    _limit(
        "tables.range_searcher SEARCHED",
        "sums by way of entries that pay",
        OTHER,
        do.runs_by_entries,
        (0, 1, 4, 16, 100, 10**6),
    ),
    _limit(
        "tables.range_searcher PIECE",
        "nodes whose distances are worked out at once; more than a row and its arcs",
        IN_PARTS,
        do.runs_by_entries,
        (8, 9, 10, 13, 14, 15, 1000),
    ),
    _limit(
        "tables.components MAX_CLOSURE",
        "bytes of a closure between one-way components",
        "there is none, and next hops say what cannot be reached",
        do.one_way,
        (0, 1, 7, 8, 9),
    ),
    _limit(
        "tables.components BLOCK_BITS",
        "bits put into order at a time",
        IN_PARTS,
        "tests/tables/test_components.py::test_a_closure_put_into_order_block_by_block",
    ),
    # Hierarchies.
    _limit(
        "search.hierarchy.near MOST_LABELS",
        "rows that a search between near places looks at",
        "it gives up, and the path is that of the plan: " + WORSE,
        do.sound_paths,
        POWERS,
    ),
    _limit(
        "search.hierarchy.near _LAST_TURN",
        "searches between near places until their table is cleared",
        "it is cleared, and turns begin anew",
        do.same_paths,
    ),
    _limit(
        "search.hierarchy.near NEAR_CELLS",
        "columns and rows between near places",
        WORSE,
        do.sound_paths,
        (0, *FEW),
    ),
    _limit(
        "search.hierarchy.near NEAR_TRANSITIONS",
        "transitions between near rows",
        WORSE,
        do.sound_paths,
        (0, *FEW),
    ),
    _limit(
        "search.hierarchy.near NEAR_ROWS",
        "rows between near rows",
        WORSE,
        do.sound_paths,
        (0, *FEW),
    ),
    _limit(
        "search.hierarchy.near END_STEPS",
        "steps at either end of a path on uneven ground that are searched again",
        WORSE,
        do.sound_paths,
        (0, *FEW),
    ),
    _limit(
        "search.hierarchy.corners MOST_CORNERS",
        "corners tried at a time",
        "those beyond are left out: " + WORSE,
        do.sound_paths,
        FEW,
    ),
    _limit(
        "search.hierarchy.corners MOST_TURNS",
        "corners a way from leg to leg turns at",
        WORSE,
        do.sound_paths,
        FEW,
    ),
    _limit(
        "search.hierarchy.corners TOGETHER",
        "meetings of legs replaced together",
        WORSE,
        do.sound_paths,
        FEW,
    ),
    _limit(
        "search.hierarchy.corners REACH",
        "columns and rows to a corner",
        WORSE,
        do.sound_paths,
        (0, *FEW),
    ),
    _limit(
        "search.hierarchy.corners WIDE_REACH",
        "the same on short paths",
        WORSE,
        do.sound_paths,
        (0, *FEW),
    ),
    _limit(
        "search.hierarchy.corners SHORT_PATH",
        "columns and rows of a short path",
        WORSE,
        do.sound_paths,
        (0, *FEW),
    ),
    _limit(
        "search.hierarchy.smooth PATIENCE",
        "failures to lengthen a stretch",
        WORSE,
        do.sound_paths,
        (0, *FEW),
    ),
    _limit(
        "search.hierarchy.straight_runs LONGEST",
        "steps of a run",
        "runs are cut: " + WORSE,
        do.sound_paths,
        (1, 2, 3, 4, 5, 7, 8, 11),
    ),
    _limit(
        "search.hierarchy.hpa MOST_HOPS",
        "hops of a walk refined at once",
        "pieces are shorter: " + WORSE,
        do.sound_paths,
        FEW,
    ),
    _limit(
        "search.hierarchy.entrances MIDDLE_ALONE",
        "cells of an entrance with two transitions",
        WORSE,
        do.sound_bakes,
        BAKED,
    ),
    _limit(
        "search.hierarchy.entrances CLOSE_TOGETHER",
        "cells between transitions that are halved",
        WORSE,
        do.sound_bakes,
        BAKED,
    ),
    _limit(
        "search.hierarchy.entrances DETOUR",
        "steps that a detour to a transition may cost on uneven ground",
        WORSE,
        do.sound_bakes,
        BAKED,
    ),
    _limit(
        "search.hierarchy.entrances STRAIGHT_INSTEAD",
        "times a diagonal step that two straight ones in its place may cost",
        "it is a crossing: " + WORSE,
        do.sound_bakes,
        BAKED,
    ),
    _limit(
        "tables.hierarchy LANDMARKS",
        "landmarks of the first layer",
        "searches expand more; paths are the same",
        do.sound_bakes,
        (0, *BAKED),
    ),
    _limit(
        "tables.hierarchy FLOW_BYTES_A_ROW",
        "bytes of flow fields a row",
        "none are kept, and clusters are searched",
        do.sound_bakes,
        (0, *BAKED),
    ),
    _limit(
        "play.hierarchy.paths ROOM EACH",
        "rows of a path, and more for each of many, at first",
        AGAIN,
        do.same_paths,
        ((1, 0), (1, 1), (2, 3), (5, 0), (7, 2), (8, 1), (16, 4)),
    ),
    _limit(
        "play.hierarchy.sheets MOST_BYTES",
        "bytes of sheets kept",
        FORGOTTEN,
        do.large_lattices,
        (0, 1, 100, 1000, 4000),
    ),
    _limit(
        "play.hierarchy.sheets _ROOM",
        "rows that open, and bytes of their flow fields",
        "more room is made, and sheets are read again",
        do.large_lattices,
        ((0, 0), (1, 1), (2, 64), (1, 2**24), (2**16, 1)),
    ),
    _limit(
        "play.hierarchy.lattice _FIRST_HOPS",
        "hops of the first piece of a walk",
        "what is missed is read, and the piece done again",
        do.large_lattices,
        (1, 2, 3, 8),
    ),
    _limit(
        "play.hierarchy.lattice _NEAR",
        "columns or rows between near places",
        "what is missed is read, and the path done again",
        do.large_lattices,
        (0, 1, 3, 8),
    ),
    _limit(
        "search.live.lattice _LEAST_WASTE",
        "transitions replaced, beside those of the bake",
        "the layer is begun again from the bake",
        do.large_lattices,
        (-1000, -60, -30, 0),
    ),
    # Levels that change.
    _limit(
        "search.live.next_hops PATHS_ROOM",
        "rows of paths that are written at once",
        MORE,
        do.contracted_changes,
        FEW,
    ),
    _limit(
        "search.contraction.query CHAINS",
        "goals to which distances are kept",
        FORGOTTEN,
        do.contracted_changes,
        FEW,
    ),
    _limit(
        "search.contraction.query ROOM",
        "bytes of distances to goals that are kept",
        FORGOTTEN,
        do.contracted_changes,
        FEW,
    ),
    _limit(
        "play.live.exact PATIENCE",
        "pairs that fields answer before a hierarchy is built anew",
        "it is built",
        do.contracted_changes,
        (0, *FEW),
    ),
    _limit(
        "play.live.fields ROOM",
        "bytes of flow fields kept",
        FORGOTTEN,
        do.changes,
        (0, *FEW, 200, 1000),
    ),
    _limit(
        "play.live.fields FEW",
        "fields made together whatever room they take",
        IN_PARTS,
        do.changes,
        FEW,
    ),
    _limit(
        "play.live.state _TOGETHER",
        "arcs that differ, put together later",
        "they are put together",
        do.changes,
        (0, *FEW),
    ),
    _limit(
        "play.live.clusters _PIECES",
        "changes nobody asked about",
        "they are put together",
        do.changes,
        FEW,
    ),
    _limit(
        "play.live.pricing _NEAR",
        "columns and rows of a change looked at as one patch",
        "it is priced cell by cell",
        do.changes,
        (0, *FEW),
    ),
    _limit(
        "play.live.pricing _REMEMBERED",
        "cells with priced steps that are remembered",
        FORGOTTEN,
        do.changes,
        (0, *FEW),
    ),
    _limit(
        "play.live.searches MOST_GROUPS",
        "groups of cheaper arcs",
        "those beyond are one group: bounds are lower, paths are the same",
        do.cheaper_arcs,
    ),
    _limit(
        "play.live.versions _MAX_CLOSURE",
        "bytes of a closure of a changed level",
        "there is none, and searches tell what cannot be reached",
        do.changes,
        (0, 1, 2, 4, 8),
    ),
    _limit("play.live.writer _COUNTED", "cells counted at a time", IN_PARTS, do.changes, FEW),
    _limit(
        "play.live.links MOST_NAMES",
        "names of links that changed, and of nodes that went, which a log remembers",
        "it says that anything may have changed",
        "tests/play/live/test_links.py::test_names_of_links_are_forgotten_when_there_are_too_many",
    ),
    _limit(
        "play.live.rules MOST_NODES",
        "nodes that a game adds",
        REFUSED,
        "tests/play/live/test_nodes.py::test_there_may_be_so_many",
    ),
    _limit(
        "play.live.obstacles MOST_CORNERS",
        "corners of an obstacle",
        REFUSED,
        "tests/play/mesh/test_obstacles.py::test_wrong_obstacles_are_told_in_a_line",
    ),
    _limit(
        "play.mesh.cut _REMEMBERED",
        "polygons, and obstacles on them, whose pieces are remembered",
        FORGOTTEN,
        "tests/play/mesh/test_obstacles.py::test_cuts_are_the_same_when_few_are_remembered",
    ),
    _limit("play.live.links MOST", "links that are not as baked", REFUSED, do.three_links, least=3),
    _limit(
        "play.live.links MOST_TEXT",
        "characters of a link's name",
        REFUSED,
        do.three_links,
        least=5,
    ),
    _limit(
        "play.live.ground _LINK _NODE",
        "characters of a link and of a node in a patch",
        REFUSED,
        "tests/play/live/test_files.py::test_files_that_never_end",
    ),
    _limit(
        "levelbake.changes _FIRST_LINE _LOCATION _ARC",
        "characters of a patch",
        REFUSED,
        "tests/play/live/test_files.py::test_files_that_never_end",
    ),
    _limit(
        "play.warm _MOST_ROWS",
        "rows up to which a warm-up lists all arcs",
        "what needs the list is loaded when first asked for",
        do.warmed,
        (0, 1, 100),
    ),
    # Questions.
    _limit("play.reader.walk WALKERS", "walks in step", IN_PARTS, do.walks),
    _limit("play.reader.walk ROOM", "rows of a path, at first", MORE, do.walks),
    _limit("play.reader.walk PORTION", "steps walked before they are put in order", MORE, do.walks),
    _limit(
        "levelbake.places NAMED",
        "wrong places that an error names",
        "it says how many more there are",
        "tests/play/reader/test_around.py::test_strict_calls_name_the_wrong_places",
    ),
    _limit("play.nearest _AT_ONCE", "points held against domains in one go", IN_PARTS, do.points),
    _limit("search.point.kd_tree _BUCKET", "points in a bucket of a tree", ORDER, do.points),
    _limit(
        "play.walls _PAIRS",
        "pairs of corners looked at in one go",
        IN_PARTS,
        do.points,
        (0, *SMALL),
    ),
    _limit(
        "play.searching.methods MOST_WEIGHT",
        "weight of a heuristic",
        REFUSED,
        do.weight_of_five,
        least=5,
    ),
    _limit(
        "play.searching.under_way FIRST_PACE",
        "places expanded before the clock is asked",
        "it is asked again",
        "tests/play/test_requests.py::test_every_path_in_the_end",
    ),
    _limit(
        "play.follow _REENTRY",
        "places ahead at which a path is come back to",
        "it is asked for anew",
        "tests/play/test_follow.py::test_only_what_is_ahead_counts",
    ),
    # Agents.
    _limit("agents.crowd MOST_STEPS", "steps of a window", REFUSED, do.window_of_five, least=5),
    _limit(
        "school.real_time_agent MOST_LOOKAHEAD",
        "steps RTA* and LRTA* look ahead",
        REFUSED,
        "tests/school/test_real_time_agent.py::test_mistakes",
    ),
    _limit(
        "school.on_levels MOST_EXPANDED",
        "places that a method of the school expands on a level",
        REFUSED,
        "tests/school/test_on_levels.py::test_it_gives_up",
    ),
    _limit(
        "school.spaces.bounded EXPANDED_FOR_EACH LEAST_EXPANDED",
        "states that SMA* expands, for each that it may hold, and altogether at least",
        "it gives up",
        "tests/school/spaces/test_bounded.py::test_it_gives_up_after_so_many_expansions",
    ),
    _limit("agents.movers _PART", "places looked at in one go", IN_PARTS, do.crowds),
    _limit(
        "agents.movers FIELD_BYTES", "bytes of fields kept", FORGOTTEN, do.crowds, (0, *SMALL, 200)
    ),
    _limit(
        "school.skirting _STEPS_A_CELL",
        "steps of a walk without a plan, for each cell",
        "the walk ends",
        "tests/school/test_skirting.py::test_a_step_limit",
    ),
    # Puzzles.
    _limit(
        "school.patterns.deepening _SLICE",
        "states between two looks at the clock",
        IN_PARTS,
        do.tiles,
    ),
    _limit(
        "school.patterns.deepening _LONG_SLICE",
        "states between two chances to interrupt",
        IN_PARTS,
        do.tiles,
    ),
    _limit(
        "school.patterns.deepening _DEEPEST",
        "moves of a path, more than any board needs",
        "never",
        do.tiles,
        (25, 26, 27, 40),
    ),
    _limit(
        "school.patterns.deepening MOST_CELLS",
        "cells of a board",
        REFUSED,
        "tests/school/patterns/test_tile_search.py::test_what_it_can_not_do_is_refused",
    ),
    _limit(
        "school.patterns.planning MOST",
        "a distance of a pattern",
        REFUSED,
        "tests/school/patterns/test_tables.py::test_distances_too_large_are_refused",
    ),
    _limit(
        "school.pattern_proof _PIECE",
        "states taken at once",
        IN_PARTS,
        "tests/school/test_pattern_proof.py::test_states_are_taken_in_pieces",
    ),
    _limit(
        "school.puzzle_json MAX_TILE_CELLS MAX_ACTION_COST",
        "cells of a board, and the cost of an action",
        REFUSED,
        "tests/school/test_puzzle_json.py::test_mistakes",
    ),
    _limit(
        "school.puzzle_json MAX_ACTION_ENTRIES",
        "entries of a table of actions by variables",
        REFUSED,
        "tests/school/test_puzzle_json.py::test_actions_for_which_there_is_no_room",
    ),
    # Worlds.
    _limit("worlds.world _CELLS", "cells priced at a time", IN_PARTS, do.bakes, BAKED),
    _limit("worlds.lattice _CELLS", "cells priced at a time", IN_PARTS, do.cell_bakes, BAKED),
    _limit(
        "worlds.lattice MOST_TERRAINS",
        "terrains of a lattice without a list of arcs",
        "its arcs are listed",
        "tests/tables/test_lattice.py::test_what_needs_arcs_gets_a_list_of_them",
    ),
    _limit(
        "worlds.visibility MAX_BENDS",
        "points that see each other",
        REFUSED,
        do.shapes,
        (0, 1, 2, 3, 4, 5),
        4,
    ),
    _limit(
        "worlds.division MAX_TERRAINS",
        "terrains for kinds of agents",
        REFUSED,
        do.shapes,
        (0, 1, 2, 3, 4),
        2,
    ),
    _limit(
        "geometry.build MAX_CORNERS",
        "corners of all shapes",
        REFUSED,
        do.shapes,
        (1, 2, 4, 7, 8, 9),
        8,
    ),
    _limit(
        "geometry.area FARTHEST",
        "units from the origin to a corner",
        REFUSED,
        "tests/geometry/test_area.py::test_corners_beyond_the_grid_are_refused",
    ),
    _limit(
        "geometry.shrink MANY_OUTLINES",
        "outlines of a region shrunk at once",
        OTHER,
        do.grown_shapes,
        (0, 1, 2, 3),
    ),
    _limit(
        "movement MAX_VIA",
        "cells that a link passes through",
        REFUSED,
        "tests/play/live/test_moves.py::test_what_is_refused",
    ),
    _limit(
        "movement MAX_SIZE",
        "cells along a footprint",
        REFUSED,
        "tests/asset/test_damage_things.py::test_a_size_that_is_none",
    ),
    _limit(
        "play.mesh.polygons FARTHEST",
        "steps from the origin to a vertex",
        REFUSED,
        "tests/asset/test_check.py::test_every_constraint",
    ),
    _limit(
        "tables.cluster_distances AUTO_PAIRS AUTO_DISTANCES",
        "pairs, and distances searched for, of a table that nobody asked for",
        "it is left out",
        "tests/tables/test_cluster_distances.py::test_what_is_made_unasked",
    ),
    # The scale.
    _limit(
        "graph INFINITY",
        "ticks of a distance",
        REFUSED,
        "tests/tables/test_limits.py::test_every_chain_is_right_or_refused",
    ),
    _limit(
        "graph MAX_WEIGHT",
        "ticks of an arc",
        REFUSED,
        "tests/tables/test_limits.py::test_the_heaviest_arc",
    ),
)


#: Whole numbers that are no limits and that no rule of :mod:`tests.support.limits.sources` knows.
NO_LIMITS: dict[str, tuple[str, ...]] = {
    "scales: steps in a unit, and bits after the point": (
        "geometry.area GRID",
        "geometry.grow QUARTER",
        "graph DEFAULT_TICKS_PER_UNIT",
        "play.mesh.polygons GRID",
        "play.searching.heuristics _FINE_HEX",
        "play.sight.plane _OFF_GRID",
        "search.point.estimates FINE INFLATION SPAN",
        "worlds.dirichlet SAMPLES",
        "worlds.waypoints SAMPLES",
    ),
    "shapes that code is written out for, and widths of fields": (
        "search.point.kd_tree _DEPTH",
        "kernels.cache _DIGEST",
        "play.live.journal _DIGITS",
        "search.all_pairs.floyd_warshall GROUP _LINE",
        "search.hierarchy.arcs SLOTS FIRST_DIAGONAL",
        "search.hierarchy.bundles STATE_COLUMNS",
        "search.hierarchy.straight_runs HEADINGS",
        "levelbake.steps INFINITY MAX_WEIGHT",
        "movement SECTORS",
        "search.incremental.repair _LOW",
        "search.live.lattice_builder REACH",
        "school.patterns.tiles NONE",
        "search.hierarchy.landmarks _BITS",
        "search.point.heap_searches _TIE_BITS LAST",
        "search.point.space_time _KEY_BITS",
        "worlds.lattice SLOTS",
    ),
    "settings that nobody stated, and first guesses": (
        "school.skirting _BOUNCE",
        "school.spaces.bounded _STALE",
        "play.live.clusters _SIZE SPACING",
        "play.requests _PATIENCE",
        "play.searching.under_way _LEAST _LOOKS",
        "search.live.next_hops STEP_ARCS",
        "school.puzzle_json VERSION",
        "school.trace_file _BEGINNING",
        "tables.compressed EXPECTED_RUNS",
    ),
}

#: Modules, or names in them, that are about to go; nothing lowers what they bound.
LEFT_OUT: tuple[str, ...] = ()


def names_in(entries: Iterable[str]) -> set[tuple[str, str]]:
    """(module, name) of entries as above; the name is empty where a whole module is meant."""
    split = (entry.split() for entry in entries)
    return {(module, name) for module, *names in split for name in names or [""]}


def section() -> str:
    """Return the table as Markdown."""
    head = ("limit", "of", "bounds", "beyond it", "crossed by")
    rows = [
        (
            ", ".join(f"`{name}`" for name in each.names),
            f"`{qualified(each.module)}`",
            each.bounds,
            each.beyond,
            f"`{each.crossed_by.split('::')[-1]}`",
        )
        for each in LIMITS
    ]
    return table(head, rows) + "\n"


def main() -> None:
    """Rewrite the section of docs/limits.md."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_section(page, section(), MAKER), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
