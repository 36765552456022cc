"""Columns of each profile: costs, rows, next hops, and distances by labels."""

from __future__ import annotations

from functools import partial
from math import inf, nan

from bake.core.graph import BLOCKED, INFINITY, MAX_WEIGHT
from bake.store.columns.declared import MOST_UNITS, column

_column = partial(column, own=True)

# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
COLUMNS = (
    _column("numbers", "int32", "profile number", "number",
        "see above", box="flat", least=0),
    _column("cost", "float64", "terrain", "units",
        "cost of crossing one cell; NaN where the profile cannot go",
        above=0, most=MOST_UNITS, none=nan, finite=True),
    _column("class", "uint16", "terrain", "class",
        "the terrain's place among the profile's different costs, the lowest 0; 65535: the "
        "profile cannot stand there", box="flat", refers="class", none=65535),
    _column("weight", "int32", "arc", "ticks",
        "cost of taking the arc; 2147483647: the profile may not take it",
        world="graph", least=1, most=MAX_WEIGHT, none=BLOCKED),
    _column("step_ticks", "int32", "terrain, terrain, slant", "ticks",
        "cost of a step from a cell of one terrain to a cell of another [from, to, straight 0 or "
        "diagonal 1]; 2147483647 where there is none",
        box="asset", world="lattice", optional=True, least=1, most=MAX_WEIGHT, none=BLOCKED),
    _column("step_ticks", "int32", "length, class, class", "ticks",
        "price of a step [straight 0 or diagonal 1, class at its tail, class at its head]; "
        "2147483647: more than an arc may cost",
        box="flat", world="grid", least=1, most=MAX_WEIGHT, none=BLOCKED),
    _column("steps", "uint8", "y, x", "bits",
        "bit s is set where the profile may take the step of slot s from the cell: straight "
        "steps clockwise from the east, then diagonal ones clockwise from the south-east; on "
        "hexagonal grids clockwise from the east or south",
        box="asset", world="lattice", optional=True),
    _column("dearest", "uint8", "y, x", "terrain or 255",
        "terrain of the dearest cell under the footprint of an agent of several cells; 255 "
        "where it does not fit",
        box="asset", world="lattice", optional=True, refers="terrain", none=255),
    _column("turn", "float64", "one", "units",
        "what turning by one heading costs; only where headings is there",
        box="asset", optional=True, above=0, most=MOST_UNITS, finite=True),
    _column("slope", "float64", "slope rule", "units",
        "what each unit of rise adds to the price of a step, and each of fall; the most that a "
        "step may rise, and fall (infinite: any). Absent where none of it matters",
        optional=True, least=0, most=MOST_UNITS, none=inf),
    _column("may_enter", "uint8", "terrain, terrain", "0 or 1",
        "1 where a step from one terrain to another is allowed [from, to]; absent where all are",
        optional=True, one_of=(0, 1)),
    _column("link_open", "uint8", "link arc", "0 or 1",
        "1 where the profile may take the link; absent: there are no links",
        world="grid", optional=True, one_of=(0, 1)),
    _column("row_at", "int32", "location", "row",
        "the row of each location in the profile's tables, -1: it cannot stand there",
        box="flat", refers="row", none=-1),
    _column("component", "int32", "row", "component",
        "strongly connected component of the row; absent: there is one at most. Rows are the "
        "nodes where the profile can stand, in order",
        optional=True, refers="component", order="numbered"),
    _column("reach", "uint8", "component, reach byte", "bits",
        "whether component j can be reached from component i: bit 7 - j % 8 of byte j // 8 in row "
        "i",
        optional=True, bits="component", encoding="packed bits"),
    _column("run_length", "uint8", "length byte", "bytes of numbers of targets",
        "how many targets each run has, row after row, and 0 for a row's last run, which ends "
        "with the table. LEB128: seven bits of a length a byte, the lowest ones first, and 128 "
        "added to all of its bytes but the last. This and the next column are next hops",
        box="asset", optional=True, encoding="LEB128 run lengths"),
    _column("first_run", "uint32", "row + 1", "run",
        "runs of row r are first_run[r] to first_run[r + 1] - 1, at least one. An asset without"
        " next hops has no runs", box="flat", optional=True, offsets="run", least=1),
    _column("run_start", "uint16 uint32", "run", "row",
        "first target of the run; that of a row's first run is 0, and they ascend",
        box="flat", optional=True, refers="row"),
    _column("run_move", "uint8 uint16 uint32", "run", "move",
        "the move toward every target of the run; all ones: there is no path; all ones less "
        "one: the greedy move. Means nothing for the row itself, and for targets that cannot be"
        " reached where says_none is 0", optional=True),
    _column("greedy_kind", "uint8 uint16 uint32", "row", "kind",
        "which row of greedy_move is the row's; absent where there are no runs",
        box="flat", world="grid", optional=True, refers="kind"),
    _column("greedy_move", "uint8 uint16 uint32", "kind, sector", "move",
        "the greedy move in each of 18 sectors of directions; all ones: none",
        box="flat", world="grid", optional=True),
    _column("cut_height", "uint8", "node", "cuts",
        "how many cuts lie below each node's own, where what the profile may stand on in some "
        "state of the doors is cut in two again and again; 0 for other nodes. Updates contract "
        "lower nodes first: it bears on how long answers on a changed level take, on no answer",
        box="asset", optional=True),
    _column("label_parent", "int32", "row", "row",
        "next row on the way to the root of its tree; -1 at a root. A row's label has an entry "
        "for each row on the way from the root to its parent, in this order",
        optional=True, refers="row", none=-1),
    _column("label_top", "int32", "row", "row",
        "the highest row of the chain of rows that it lies in, itself where it is that",
        box="flat", optional=True, refers="row"),
    _column("first_label", "uint32", "row + 1", "label entry",
        "entries of row r are first_label[r] to first_label[r + 1] - 1: one for each row on the"
        " way from the root to itself, so there is one more than the row is deep",
        box="flat", optional=True, offsets="label entry", least=1),
    _column("label_difference", "int32", "label difference", "ticks",
        "differences that entries of labels stand for; the first is of no use",
        box="asset", optional=True),
    _column("label_away", "uint8 uint16 uint32", "label entry", "label difference",
        "difference between the row's distance to the entry's row and its parent's, label after "
        "label; the parent's counts as 0 for the parent itself and where it has no path. 0: no "
        "path",
        box="asset", optional=True, refers="label difference",
        encoding="places of differences in label_difference"),
    _column("label_away", "int32", "label entry", "ticks",
        "distance from the row to the entry's; 1073741824: no way",
        box="flat", optional=True, least=0, most=INFINITY),
    _column("label_toward", "uint8 uint16 uint32", "label entry", "label difference",
        "the same difference for distances from the entry's row; absent where the two are always "
        "equal", box="asset", optional=True, refers="label difference",
        encoding="places of differences in label_difference"),
    _column("label_toward", "int32", "label entry", "ticks",
        "distance from the entry's row to the row; absent: the same as label_away",
        box="flat", optional=True, least=0, most=INFINITY),
)
# fmt: on
