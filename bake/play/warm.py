"""Ask a level everything a game may ask, which compiles all kernels that the answers need.

Run as a program it does so for assets: ``python -m bake.play.warm ASSET...``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from bake.play.level import LevelAsset, open_asset
from bake.play.navigator import Navigator
from levelbake.errors import BakeError
from levelbake.places import Place

#: Large lattices with more rows are not asked what lists all of their arcs.
# limit: the arc list loads at first use; lowered by warmed
_MOST_ROWS = 2**20


def ask_everything(level: LevelAsset) -> None:
    """Ask a level everything once, so that all kernels it needs are compiled or loaded.

    The level is changed by it, so it must be one that nobody else uses.
    """
    for nav in map(level.profile, level.profiles):
        now = nav._now
        if now.version.by_sheet and now.version.row_count > _MOST_ROWS:
            _ask_large(nav, now.version.row_count)
            continue
        ends = two_neighbours(nav)
        if ends is not None:
            _ask(nav, *ends)
            _tried(partial(nav.update, blocked=[ends[1]]))
            _ask(nav, *ends)
            _tried(partial(nav.update, opened=[ends[1]]))
            _ask(nav, *ends)
            _tried(partial(level.repair, None))


def _ask_large(nav: Navigator, rows: int) -> None:
    """Ask a large lattice what it answers without a list of all arcs, which takes gigabytes."""
    ends = [nav._now.rows.place(row) for row in (0, rows // 2)]
    for start, goal in ((ends[0], ends[0]), (ends[0], ends[1])):
        _tried(partial(nav.path, start, goal, "hpa"))
        _tried(partial(_walked, nav, start, goal))


def _walked(nav: Navigator, start: Place, goal: Place) -> None:
    for _ in nav.search.walk(start, goal) or ():
        pass


def two_neighbours(nav: Navigator) -> tuple[Place, Place] | None:
    """Return the ends of some arc; None where there is none."""
    now = nav._now
    arcs = now.version.usable.graph
    if not arcs.arc_count:
        return None
    middle = arcs.arc_count // 2
    return now.rows.place(int(arcs.tail()[middle])), now.rows.place(int(arcs.head[middle]))


def _ask(nav: Navigator, start: Place, goal: Place) -> None:
    from bake.play.searching.methods import METHODS

    questions: list[Callable[[], object]] = [
        lambda: nav.next_hop(start, goal),
        lambda: nav.distance(start, goal),
        lambda: nav.path(start, goal),
        lambda: nav.nearest((-1.0, -1.0)),
        lambda: nav.nearest([(-1.0, -1.0)]),
        lambda: nav.next_hops([start], [goal]),
        lambda: nav.paths([start], [goal]),
        lambda: nav.paths([start], [goal], "hpa"),
        lambda: nav.distances([start], [goal]),
        lambda: nav.hops_to(goal),
        lambda: nav.distances_to(goal),
        lambda: nav.search.distances_from(start),
        lambda: nav.search.within(start, 1),
        lambda: nav.nearest_of(start, [goal]),
        lambda: nav.search.nearest_reachable(start, goal),
        lambda: list(nav.search.walk(start, goal) or ()),
        lambda: nav.plane.smooth(nav.path(start, goal) or []),
        lambda: nav.search.estimate(start, goal),
        lambda: nav.search.cluster_distance(0, 0),
        lambda: nav.search(start, goal, queue="heap"),
    ]
    if nav._now.has_corners:
        questions.append(lambda: nav.plane.straight_path(_point(nav, start), _point(nav, goal)))
    questions += [partial(nav.path, start, goal, method) for method in METHODS]
    for question in questions:
        _tried(question)


def _point(nav: Navigator, place: Place) -> list[float]:
    """Return where a node lies."""
    there = nav._now.version.places
    assert there.position is not None
    x, y = there.position[there.location(place)].tolist()
    return [x, y]


def _tried(question: Callable[[], object]) -> None:
    # The asset may not hold what the question needs.
    with suppress(BakeError):
        question()


def main() -> int:
    """Compile what questions to the assets that are named need; 1 where one cannot be opened."""
    from bake.core.kernels.jit import waiting

    try:
        with waiting():
            for asset in sys.argv[1:]:
                with open_asset(asset, check=False) as level:
                    ask_everything(level)
    except BakeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
