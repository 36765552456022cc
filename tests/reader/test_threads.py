"""Threads ask while another one changes the level: answers are from before it or from after it."""

import threading
from pathlib import Path

from levelbake.level import open_level
from levelbake.profile import Profile
from tests.support.baked import bake_grid, rows

#: Two ways round, one of which is always shut: a path through both doors, or through none, is torn.
PICTURE = (".........", ".###.###.", ".........")
NORTH, SOUTH = (4, 0), (4, 2)
LOOKUPS, BATCHES = 3000, 150


def test_no_answer_is_torn(tmp_path: Path) -> None:
    asset, wrong = bake_grid(tmp_path, rows(*PICTURE), name="ring"), []
    done = threading.Event()
    with open_level(asset) as level:
        quick = level.profile().next_hop
        assert quick((2, 0), (6, 0)) == (3, 0)
        quick = level.profile().next_hop
        level.update(blocked=[NORTH])
        short, long = (level.profile().distance((2, y), (6, y)) for y in (2, 0))

        def read(nav: Profile) -> None:
            try:
                for _ in range(LOOKUPS):
                    path = nav.path((2, 0), (6, 0))
                    assert path is not None
                    assert (NORTH in path) == (len(path) == 5), path
                    assert nav.distance((2, 0), (6, 0)) in (short, long)
                    assert quick((2, 0), (6, 0)) in ((3, 0), (1, 0), (1, 1))
                    north, south = nav.distances([(2, 0), (2, 2)], [(6, 0), (6, 2)]).tolist()
                    assert {north, south} == {short, long}
                    then = nav.frozen()
                    assert then.distance((2, 0), (6, 0)) == then.length(
                        then.path((2, 0), (6, 0)) or []
                    )
                    if done.is_set():
                        break
            except Exception as error:
                wrong.append(error)

        readers = [threading.Thread(target=read, args=[level.profile()]) for _ in range(3)]
        for reader in readers:
            reader.start()
        for turn in range(BATCHES):
            shut, free = (SOUTH, NORTH) if turn % 2 else (NORTH, SOUTH)
            level.update(blocked=[shut], opened=[free])
        done.set()
        for reader in readers:
            reader.join()
        assert wrong == []
        level.reset()
        assert quick((2, 0), (6, 0)) == (3, 0)


def test_first_questions_at_once(tmp_path: Path) -> None:
    """Whatever is read or worked out at first is the same for all who ask for it meanwhile."""
    asset = bake_grid(tmp_path, rows(*PICTURE), name="ring")
    for changed in (False, True):
        with open_level(asset) as level:
            if changed:
                level.update(blocked=[NORTH])
            found: list[object] = []
            begin = threading.Barrier(4)

            def ask(
                nav: Profile, found: list[object] = found, begin: threading.Barrier = begin
            ) -> None:
                begin.wait()
                found.append((nav.next_hop((2, 0), (6, 0)), nav.distance((2, 0), (6, 0))))

            asked = level.profile(), found, begin
            threads = [threading.Thread(target=ask, args=asked) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(found) == 4
            assert len(set(found)) == 1
