"""Let smoothed paths turn at the corners of obstacles, as shortest paths on even ground do.

A smoothed path is a chain of *legs*, a diagonal and a straight run each, and a leg is as short as
it can be. What is left too long lies where legs meet: at a cell aside of the corner that the path
goes around, or on the longer side of a small obstacle. A shortest path turns at corners alone (T.
Uras, S. Koenig, C. Hernandez, "Subgoal graphs for optimal pathfinding in eight-neighbor grids",
ICAPS 2013), so around every meeting of legs the corners near by are tried in its place.
"""

from __future__ import annotations

from bake.core.arrays import Int64Array
from bake.core.kernels.jit import accessor, kernel, separate
from bake.search.hierarchy.bundles import QueryMemory, StraightRuns
from bake.search.hierarchy.smooth import corner_of, free_order, two_ways
from bake.search.hierarchy.straight_runs import cell_at, cell_count, heading, is_free, row_in

#: Corners are looked for at most this many columns and rows from where legs meet; where start and
#: goal lie at most :data:`SHORT_PATH` columns and rows apart, WIDE_REACH.
# limit: paths stay valid, and may be longer; lowered by sound_paths
REACH = 4
# limit: paths stay valid, and may be longer; lowered by sound_paths
WIDE_REACH = 12
# limit: paths stay valid, and may be longer; lowered by sound_paths
SHORT_PATH = 24

#: The most corners that are tried at a time; those beyond them are left out.
# limit: other corners are skipped; paths may be longer; lowered by sound_paths
MOST_CORNERS = 96

#: The most corners that a way from leg to leg may turn at.
# limit: paths stay valid, and may be longer; lowered by sound_paths
MOST_TURNS = 4

#: The most meetings of legs that are replaced together: those near each other.
# limit: paths stay valid, and may be longer; lowered by sound_paths
TOGETHER = 4

#: Rows of ``QueryMemory.corner``: the cell of each corner, ticks to it, and the corner before it.
AT_X, AT_Y, TICKS_TO, CORNER_BEFORE = 0, 1, 2, 3

_FAR = 2**40


@accessor
def leg_ticks(dx: int, dy: int, runs: StraightRuns) -> int:
    """Return the ticks of a leg, and of no path less, on even ground."""
    few = min(abs(dx), abs(dy))
    return int(few * runs.least[1] + (max(abs(dx), abs(dy)) - few) * runs.least[0])


@accessor
def leg_is_free(x: int, y: int, to_x: int, to_y: int, runs: StraightRuns) -> bool:
    """Tell whether a diagonal and a straight run, in either order, lead from a cell to another."""
    same = x == to_x and y == to_y
    return bool(same or free_order(x, y, to_x, to_y, runs) > 0)


@accessor
def is_corner(cell: int, runs: StraightRuns) -> bool:
    """Tell whether a shortest path may turn at a cell in which there is a row.

    It may where a diagonal step is missing between two straight ones, or where there is one beside
    a straight step that is missing, as paths may cut that corner.
    """
    found = False
    for dx in range(-1, 2, 2):
        for dy in range(-1, 2, 2):
            beside = is_free(runs, cell, heading(dx, 0), 1) and is_free(
                runs, cell, heading(0, dy), 1
            )
            found = found or is_free(runs, cell, heading(dx, dy), 1) != beside
    return bool(found)


@kernel
def _corners_near(
    low_x: int,
    high_x: int,
    low_y: int,
    high_y: int,
    ends: tuple[int, int, int, int],
    limit: int,
    runs: StraightRuns,
    corner: Int64Array,
) -> int:
    """Fill in the corners of a box that a way of less than ``limit`` ticks may turn at.

    Args:
        ends: x and y of the cells that the way begins and ends at.
    """
    count = 0
    for y in range(low_y, high_y + 1):
        for x in range(low_x, high_x + 1):
            bound = leg_ticks(x - ends[0], y - ends[1], runs) + leg_ticks(
                x - ends[2], y - ends[3], runs
            )
            if bound >= limit:
                continue
            cell = cell_at(runs, x, y)
            if row_in(runs, cell) >= 0 and is_corner(cell, runs):
                corner[AT_X, count], corner[AT_Y, count] = x, y
                count += 1
                if count == corner.shape[1]:
                    return count
    return count


@separate
def _cheapest_turns(
    count: int,
    ends: tuple[int, int, int, int],
    limit: int,
    runs: StraightRuns,
    corner: Int64Array,
) -> tuple[int, int]:
    """Find a way of less than ``limit`` ticks that turns at corners alone.

    Args:
        count: how many corners there are.
        corner: the corners; filled with the ticks to each, and the one before.

    Returns:
        Its last corner, -1 for a leg without one, -2 where there is none; its ticks.
    """
    x, y, to_x, to_y = ends
    last, best = -2, limit
    if leg_ticks(to_x - x, to_y - y, runs) < best and leg_is_free(x, y, to_x, to_y, runs):
        return -1, leg_ticks(to_x - x, to_y - y, runs)
    for one in range(count):
        at_x, at_y = corner[AT_X, one], corner[AT_Y, one]
        corner[TICKS_TO, one] = _FAR
        corner[CORNER_BEFORE, one] = -1
        if leg_is_free(x, y, at_x, at_y, runs):
            corner[TICKS_TO, one] = leg_ticks(at_x - x, at_y - y, runs)
    for turn in range(MOST_TURNS):
        nearer = False
        for one in range(count):
            at_x, at_y = corner[AT_X, one], corner[AT_Y, one]
            ticks = corner[TICKS_TO, one]
            whole = ticks + leg_ticks(to_x - at_x, to_y - at_y, runs)
            if whole >= best:
                continue
            if leg_is_free(at_x, at_y, to_x, to_y, runs):
                best, last = whole, one
                continue
            if turn == MOST_TURNS - 1:
                continue
            for other in range(count):
                on_x, on_y = corner[AT_X, other], corner[AT_Y, other]
                reached = ticks + leg_ticks(on_x - at_x, on_y - at_y, runs)
                if (
                    reached < corner[TICKS_TO, other]
                    and reached + leg_ticks(to_x - on_x, to_y - on_y, runs) < best
                    and leg_is_free(at_x, at_y, on_x, on_y, runs)
                ):
                    corner[TICKS_TO, other] = reached
                    corner[CORNER_BEFORE, other] = one
                    nearer = True
        if not nearer:
            break
    return last, best


@kernel
def _legs_of(count: int, memory: QueryMemory) -> int:
    """Cut a path into legs: fill in where they meet, and where each begins in the path.

    Returns:
        How many cells legs begin or end at.
    """
    x, y = memory.route[3], memory.route[4]
    meet_x, meet_y, since = memory.route[1], memory.route[2], memory.route[5]
    meet_x[0], meet_y[0], since[0] = x[0], y[0], 0
    meets, here = 1, 0
    while here < count - 1:
        begun = here
        dx, dy = x[here + 1] - x[here], y[here + 1] - y[here]
        while here < count - 1 and x[here + 1] - x[here] == dx and y[here + 1] - y[here] == dy:
            here += 1
        if here < count - 1:
            on_x, on_y = x[here + 1] - x[here], y[here + 1] - y[here]
            # Of a diagonal step and a straight one, half a right angle apart.
            while (
                dx * on_x + dy * on_y == 1
                and here < count - 1
                and x[here + 1] - x[here] == on_x
                and y[here + 1] - y[here] == on_y
            ):
                here += 1
        meet_x[meets], meet_y[meets], since[meets] = x[here], y[here], begun
        meets += 1
    return meets


@kernel
def _put_turns(
    meets: int, first: int, old: int, last: int, corner: Int64Array, memory: QueryMemory
) -> tuple[int, int]:
    """Put the corners of a way in the place of ``old`` meetings of legs, if there is room.

    Returns:
        How many cells legs begin or end at now, and how many of them are those corners; -1 where
        there is no room for them.
    """
    meet_x, meet_y, since = memory.route[1], memory.route[2], memory.route[5]
    turns, one = 0, last
    while one >= 0:
        turns += 1
        one = corner[CORNER_BEFORE, one]
    more = turns - old
    if meets + more > len(since):
        return meets, -1
    for step in range(meets - first - old):
        place = meets - 1 - step if more > 0 else first + old + step
        meet_x[place + more], meet_y[place + more] = meet_x[place], meet_y[place]
        since[place + more] = since[place]
    one = last
    for place in range(first + turns - 1, first - 1, -1):
        meet_x[place], meet_y[place] = corner[AT_X, one], corner[AT_Y, one]
        since[place] = -1
        one = corner[CORNER_BEFORE, one]
    since[first + turns] = -1
    return meets + more, turns


@kernel
def _lay_out(meets: int, runs: StraightRuns, memory: QueryMemory) -> int:
    """Write the rows along legs into ``memory.route[0]``; return how many there are."""
    path, x, y = memory.route[0], memory.route[3], memory.route[4]
    meet_x, meet_y, since = memory.route[1], memory.route[2], memory.route[5]
    filled = 1
    for leg in range(1, meets):
        at_x, at_y = int(meet_x[leg - 1]), int(meet_y[leg - 1])
        dx, dy = int(meet_x[leg]) - at_x, int(meet_y[leg]) - at_y
        steps = max(abs(dx), abs(dy))
        if since[leg] >= 0:
            for cell in range(since[leg] + 1, since[leg] + steps + 1):
                path[filled] = row_in(runs, cell_at(runs, x[cell], y[cell]))
                filled += 1
            continue
        first, few, second, many = two_ways(dx, dy, runs.form)
        if free_order(at_x, at_y, at_x + dx, at_y + dy, runs) != 1:
            first, few, second, many = second, many, first, few
        for step in range(1, few + 1):
            path[filled] = row_in(runs, corner_of(at_x, at_y, first, step, runs))
            filled += 1
        full = first + 1 if first > 3 else first
        at_x, at_y = at_x + few * (full // 3 - 1), at_y + few * (full % 3 - 1)
        for step in range(1, many + 1):
            path[filled] = row_in(runs, corner_of(at_x, at_y, second, step, runs))
            filled += 1
    return filled


@separate
def turn_at_corners(
    count: int, ticks: int, reach: int, runs: StraightRuns, memory: QueryMemory
) -> tuple[int, int]:
    """Make a smoothed path turn at corners where that costs less.

    Args:
        count: how many rows of ``memory.route[0]`` are the path, at least one; the cells they lie
            in are in ``memory.route[3]`` and ``memory.route[4]``, as
            :func:`bake.search.hierarchy.smooth.smooth_path` leaves them.
        ticks: what it costs.
        reach: how far aside corners are looked for.
        runs: of even ground with eight neighbours.

    Returns:
        Rows and ticks of the path, which costs no more than before.
    """
    path, corner = memory.route[0], memory.corner
    meet_x, meet_y = memory.route[1], memory.route[2]
    high_x, high_y = runs.width - 1, cell_count(runs) // runs.width - 1
    meets = _legs_of(count, memory)
    cost, place = ticks, 1
    while place < meets - 1:
        last = place
        while (
            last + 1 < meets - 1
            and last - place + 1 < TOGETHER
            and abs(meet_x[last + 1] - meet_x[place]) <= reach
            and abs(meet_y[last + 1] - meet_y[place]) <= reach
        ):
            last += 1
        ends = (
            int(meet_x[place - 1]),
            int(meet_y[place - 1]),
            int(meet_x[last + 1]),
            int(meet_y[last + 1]),
        )
        now = 0
        for leg in range(place, last + 2):
            now += leg_ticks(
                int(meet_x[leg] - meet_x[leg - 1]), int(meet_y[leg] - meet_y[leg - 1]), runs
            )
        turns = 0
        if leg_ticks(ends[2] - ends[0], ends[3] - ends[1], runs) < now:
            left = right = int(meet_x[place])
            top = bottom = int(meet_y[place])
            for turn in range(place + 1, last + 1):
                left, right = min(left, int(meet_x[turn])), max(right, int(meet_x[turn]))
                top, bottom = min(top, int(meet_y[turn])), max(bottom, int(meet_y[turn]))
            found = _corners_near(
                max(0, left - reach),
                min(high_x, right + reach),
                max(0, top - reach),
                min(high_y, bottom + reach),
                ends,
                now,
                runs,
                corner,
            )
            one, less = _cheapest_turns(found, ends, now, runs, corner)
            if one > -2:
                meets, turns = _put_turns(meets, place, last - place + 1, one, corner, memory)
                if turns >= 0:
                    cost += less - now
        place += max(1, turns)
    if cost == ticks:
        return count, ticks
    rows = 1
    for leg in range(1, meets):
        rows += int(max(abs(meet_x[leg] - meet_x[leg - 1]), abs(meet_y[leg] - meet_y[leg - 1])))
    if rows > len(path):
        return count, ticks
    return _lay_out(meets, runs, memory), cost
