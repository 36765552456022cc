"""Next hops on a level that has changed, by the rule that all engines and languages keep to.

Of the places one arc away that begin a shortest path, the next hop is the one the asset answers as
baked, if it is among them (none where it answered none). Otherwise it is that of the first arc by
order: steps by direction, other arcs by their number in the asset, arcs that the game added by
where they lead. A path is the next hop repeated.

This is plain Python: the distances are those of Dijkstra's method from the goal, and the order of
steps is written down once more. Places are locations: cells as y * width + x, or nodes.
"""

import heapq
from collections.abc import Callable, Sequence

import numpy as np

from bake.play import LevelAsset, Navigator

#: The arcs out of each location in the order of the rule: where each leads, and its ticks.
Arcs = dict[int, list[tuple[int, int]]]

#: (dx, dy) of each direction on squares, and on hexagons whose line is shoved on, or is not.
SQUARES = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))
IN_ROWS = (
    ((1, 0), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1)),
    ((1, 0), (1, 1), (0, 1), (-1, 0), (0, -1), (1, -1)),
)
IN_COLUMNS = (
    ((0, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)),
    ((0, 1), (-1, 1), (-1, 0), (0, -1), (1, 0), (1, 1)),
)

#: No path.
NOWHERE = -1


class Rule:
    """One profile of a level at one moment."""

    def __init__(self, arcs: Arcs, baked: Callable[[int, int], int]) -> None:
        """Keep the arcs.

        Args:
            arcs: every place where the profile can stand has an entry.
            baked: the next hop from a place to another on the level as it was baked, NOWHERE where
                there was none or nobody could stand.
        """
        self.arcs, self._baked = arcs, baked
        self._into: Arcs = {place: [] for place in arcs}
        for tail, out in arcs.items():
            for head, ticks in out:
                self._into[head].append((tail, ticks))
        self._known: dict[int, dict[int, int]] = {}

    def ticks_to(self, goal: int) -> dict[int, int]:
        """The ticks to a goal from every place from which there is a path."""
        if goal not in self._known:
            best, heap = {goal: 0}, [(0, goal)]
            while heap:
                so_far, place = heapq.heappop(heap)
                if so_far > best[place]:
                    continue
                for tail, ticks in self._into[place]:
                    if so_far + ticks < best.get(tail, so_far + ticks + 1):
                        best[tail] = so_far + ticks
                        heapq.heappush(heap, (so_far + ticks, tail))
            self._known[goal] = best
        return self._known[goal]

    def hops(self, start: int, goal: int) -> list[int]:
        """Every place one arc away that begins a shortest path, in order."""
        left = self.ticks_to(goal)
        if start not in left or start == goal:
            return []
        tight = [
            head
            for head, ticks in self.arcs[start]
            if head in left and ticks + left[head] == left[start]
        ]
        return list(dict.fromkeys(tight))

    def hop(self, start: int, goal: int) -> int:
        """The next hop: at the goal the goal, NOWHERE where there is no path."""
        if start == goal:
            return goal
        hops = self.hops(start, goal)
        if not hops:
            return NOWHERE
        baked = self._baked(start, goal)
        return baked if baked in hops else hops[0]

    def path(self, start: int, goal: int) -> list[int]:
        """The path, both ends included; nothing where there is none."""
        if start not in self.ticks_to(goal):
            return []
        path = [start]
        while path[-1] != goal:
            path.append(self.hop(path[-1], goal))
        return path


def all_hops(
    level: LevelAsset | Navigator, profile: str, at: np.ndarray, left: np.ndarray
) -> np.ndarray:
    """Return (n, n) what :meth:`Rule.hop` says, for each start and goal.

    Args:
        level, profile: whose rule it is.
        at: (n) every location on which the profile can stand now.
        left: (n, n) ticks of a shortest path, for each start and goal; negative = there is none.
    """
    place = np.full(at.max() + 1, -1)
    place[at] = np.arange(len(at))
    baked, arcs = all_baked_hops(level, profile, at), arcs_now(level, profile)
    found = np.full(left.shape, NOWHERE)
    for start, here in enumerate(at.tolist()):
        out = [each for each in arcs[here] if each[0] in arcs]
        if not out:
            continue
        arc = np.array(out)
        head = place[arc[:, 0]]
        # By arc and goal: whether the arc begins a shortest path.
        tight = (left[head] >= 0) & (arc[:, 1:] + left[head] == left[start])
        goals = np.flatnonzero(tight.any(axis=0))
        found[start, goals] = arc[tight[:, goals].argmax(axis=0), 0]
        kept = (tight & (arc[:, :1] == baked[start])).any(axis=0)
        found[start, kept] = baked[start, kept]
    np.fill_diagonal(found, at)
    return found


def all_baked_hops(level: LevelAsset | Navigator, profile: str, at: np.ndarray) -> np.ndarray:
    """Return (n, n) what :func:`baked_hops` tells, for each start and goal."""
    columns = (engine := level._current.baked[profile]).columns
    found = np.full((len(at), len(at)), NOWHERE)
    if columns.has_hops:
        row = np.full(len(at), -1, dtype=np.int32)
        known = at < len(columns.row_at)
        row[known] = columns.row_at[at[known]]
        start, goal = np.nonzero((row[:, None] >= 0) & (row >= 0))
        ahead = engine.hops(row[start], row[goal])
        found[start, goal] = np.where(ahead < 0, NOWHERE, columns.location[ahead])
    return found


def rule_now(level: LevelAsset | Navigator, profile: str) -> Rule:
    """The rule on a level as it is now."""
    return Rule(arcs_now(level, profile), baked_hops(level, profile))


def baked_hops(level: LevelAsset | Navigator, profile: str) -> Callable[[int, int], int]:
    """The next hops of an asset as baked, whatever has become of the level."""
    engine = level._current.baked[profile]
    columns = engine.columns
    row_at = columns.row_at.tolist()
    if columns.has_hops:
        # Read, in case the level is closed soon.
        assert columns.steps.row_count == columns.row_count

    def baked(start: int, goal: int) -> int:
        if max(start, goal) >= len(row_at):  # a node that came
            return NOWHERE
        row, goal_row = row_at[start], row_at[goal]
        if not columns.has_hops or row < 0 or goal_row < 0:
            return NOWHERE
        ahead = engine.hop(row, goal_row)
        return NOWHERE if ahead < 0 else int(columns.location[ahead])

    return baked


def arcs_now(level: LevelAsset | Navigator, profile: str) -> Arcs:
    """The arcs that a profile may take now, in the order of the rule."""
    writer = level._current.writer
    now, pricing = writer.load(), writer._profiles[profile].pricing
    every = np.arange(now.rules.location_count)
    standing = every[pricing.standing(now, every)]
    found = pricing.arcs_out_of(now, standing)
    arcs: Arcs = {at: [] for at in standing.tolist()}
    tail, head, label, ticks, units = (np.asarray(each) for each in found)
    new, link = label >= writer.rules.arc_count, label >= 0
    order = np.where(new, head, label)
    order[~link] = directions(level, tail[~link], head[~link])
    kept = np.lexsort((ticks, head, order, new, link, tail))
    kept = kept[units[kept] != np.inf]
    for at, to, price in zip(*(each[kept].tolist() for each in (tail, head, ticks)), strict=True):
        arcs[at].append((to, price))
    return arcs


def directions(level: LevelAsset | Navigator, tail: np.ndarray, head: np.ndarray) -> np.ndarray:
    """The directions of steps, as flat files number them."""
    places = level._current.places
    (y, x), (to_y, to_x) = np.divmod(tail, places.width), np.divmod(head, places.width)
    if places.headings is not None:
        # The step ahead, a turn clockwise, and one back.
        faced = y // places.floor_height
        return np.minimum(2, (to_y // places.floor_height - faced) % places.headings)
    lines: Sequence[Sequence[tuple[int, int]]] = (SQUARES, SQUARES)
    shoved = np.zeros_like(x)
    if places.hex_layout is not None:
        in_rows = places.hex_layout.endswith("r")
        lines = IN_ROWS if in_rows else IN_COLUMNS
        shoved = (y if in_rows else x) % 2 ^ places.hex_layout.startswith("even")
    #: By whether the line is shoved, and by dx and dy plus one.
    number = np.full((2, 3, 3), -1)
    for line, steps in enumerate(lines):
        for at, (dx, dy) in enumerate(steps):
            number[line, dx + 1, dy + 1] = at
    found = number[shoved, to_x - x + 1, to_y - y + 1]
    assert (found >= 0).all()
    return found
