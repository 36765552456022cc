"""Readers while a writer changes the level: answers are from before a batch or from after it."""

import os
import threading
from itertools import pairwise
from pathlib import Path

from bake.play import BlockedCellError, Navigator, open_asset
from tests.support.baked import bake_grid, rows

#: Lookups of each reader; a million is by hand.
LOOKUPS = int(os.environ.get("BAKE_THREAD_LOOKUPS", "8000"))

#: Two ways round, one of which is always shut: a path through both doors, or through none, is torn.
PICTURE = (
    ".........",
    ".###.###.",
    ".........",
)
NORTH, SOUTH = (4, 0), (4, 2)


def lengths_of(nav: Navigator) -> tuple[float, float]:
    return nav.distance((2, 0), (6, 0)), nav.distance((2, 2), (6, 2))


def test_no_answer_is_torn(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, rows(*PICTURE), name="ring", cluster_size=4)
    wrong: list[object] = []
    done = threading.Event()
    with open_asset(asset) as level:
        level.update(blocked=[NORTH])
        short = level.profile().distance((2, 2), (6, 2))
        long = level.profile().distance((2, 0), (6, 0))
        assert short < long
        level.profile().next_hop((2, 0), (6, 0))
        hoisted = level.profile().next_hop

        def read(nav: Navigator, quick: object) -> None:
            try:
                for turn in range(LOOKUPS):
                    kind = turn % 6
                    if kind == 0:
                        path = nav.path((2, 0), (6, 0))
                        assert path is not None
                        # Open in the north: straight; else round by the middle row.
                        assert (NORTH in path) == (len(path) == 5), path
                        assert all(
                            max(abs(a - c), abs(b - d)) == 1 for (a, b), (c, d) in pairwise(path)
                        )
                    elif kind == 1:
                        assert nav.distance((2, 0), (6, 0)) in (short, long)
                    elif kind == 2:
                        assert quick((2, 0), (6, 0)) in ((3, 0), (1, 0), (1, 1))
                    elif kind == 3:
                        # Over layers that follow: through the one door, or through the other.
                        way = nav.path((2, 0), (6, 0), "hpa")
                        assert way is not None
                        assert (NORTH in way) != (SOUTH in way), way
                    elif kind == 4:
                        walked = nav.search.walk((2, 2), (6, 2))
                        assert walked is not None
                        steps = list(walked)
                        assert (NORTH in steps) != (SOUTH in steps), steps
                    else:
                        first, cells = nav.paths([(2, 0), (2, 2)], [(6, 0), (6, 2)])
                        sizes = (first[1] - first[0], first[2] - first[1])
                        assert (sizes[0] == 5) != (sizes[1] == 5), cells
            except BlockedCellError:
                raise
            except BaseException as error:
                wrong.append(error)
                raise

        readers = [threading.Thread(target=read, args=(level.profile(), hoisted)) for _ in range(3)]
        for reader in readers:
            reader.start()

        def write() -> None:
            while not done.is_set():
                level.update(blocked=[SOUTH], opened=[NORTH])
                level.update(blocked=[NORTH], opened=[SOUTH])
                level.repair(0)

        writer = threading.Thread(target=write)
        writer.start()
        for reader in readers:
            reader.join()
        done.set()
        writer.join()
    assert not wrong, wrong[0]
