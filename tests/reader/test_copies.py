"""Copies and pickles of levels: the path and the changes, which open the file again elsewhere."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bake.export.export import export_asset
from bake.play import open_asset
from bake.store import Asset
from levelbake import AssetError, QueryError, open_level
from tests.support.baked import bake, bake_grid, rows, write_graph
from tests.support.command import PYTHON_PATH, quiet_environment

GRID = rows("....#...", ".mm.#.m.", "...v...~", "##......", "....==..")
OPENERS = [open_level, open_asset]
COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.fixture(params=OPENERS, ids=["reader", "play"])
def opened(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    return bake_grid(tmp_path, GRID)


def answers(level: Any) -> list[object]:
    nav = level.profile()
    ways = [nav.path((0, 0), goal) for goal in ((3, 2), (7, 4), (2, 4)) if nav.can_stand(goal)]
    return [ways, level.changed, sorted(map(str, nav.places())), level.terrain_at((1, 1))]


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("suffix", [".h5", ".bake"])
def test_a_copy_answers_the_same_and_goes_its_own_way(
    way: str, suffix: str, asset: Path, opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Asset(asset) as whole:
        export_asset(whole, asset.with_suffix(".bake"))
    monkeypatch.chdir(asset.parent)
    with opened(Path(asset.name).with_suffix(suffix)) as level:
        monkeypatch.chdir("/")  # The path was relative to another folder.
        with COPIES[way](level) as same:
            assert type(same) is type(level)
            assert answers(same) == answers(level)
        level.update(blocked=[(3, 1)], terrain={(1, 1): "road"}, arcs={((0, 0), (1, 0)): 7.0})
        with COPIES[way](level) as same:
            assert same.changed
            assert answers(same) == answers(level)
            same.update(blocked=[(3, 2)])
            assert answers(same) != answers(level)
            before = answers(level)
            same.reset()
            assert not same.changed
            assert answers(level) == before
        level.reset()
        with COPIES[way](level) as same:
            assert not same.changed


def test_pickles_are_small(asset: Path, opened: Any) -> None:
    with opened(asset) as level:
        level.profile().path((0, 0), (3, 2))
        level.update(blocked=[(3, 1)])
        assert len(pickle.dumps(level)) < 500 + len(str(asset))


@pytest.mark.parametrize("way", COPIES)
def test_a_profile_brings_its_level(way: str, asset: Path, opened: Any) -> None:
    with opened(asset) as level:
        nav = level.profile()
        level.update(blocked=[(3, 1)])
        expected = nav.path((0, 0), (3, 2))
        assert COPIES[way](nav).path((0, 0), (3, 2)) == expected
        if way != "copy":
            other, its = COPIES[way]([level, nav])
            other.update(blocked=[(3, 0)])
            assert not its.can_stand((3, 0))
            assert nav.can_stand((3, 0))
            other.close()


def test_what_the_game_added_comes_along(tmp_path: Path) -> None:
    places = {"mill": (0.0, 0.0), "ford": (3.0, 1.0), "inn": (5.0, 5.0)}
    edges = [("mill", "ford", 3.5), ("ford", "inn", 4.0)]
    path = bake(write_graph(tmp_path / "road.json", list(places), edges, positions=places))
    with open_asset(path) as level:
        level.update(nodes={"camp": {"at": (1.0, 1.0)}}, arcs={("mill", "camp"): 1.0})
        with pickle.loads(pickle.dumps(level)) as same:
            assert same.profile().path("mill", "camp") == ["mill", "camp"]
    with open_asset(bake_grid(tmp_path, GRID)) as level:
        level.update(links={"rope": {"from": (3, 0), "to": (5, 0)}})
        with copy.deepcopy(level) as same:
            assert same.links == level.links
            assert same.profile().path((3, 0), (5, 0)) == [(3, 0), (5, 0)]


@pytest.mark.parametrize("way", COPIES)
def test_answers_can_be_sent(way: str, asset: Path, opened: Any) -> None:
    with opened(asset) as level:
        report = level.update(blocked=[(3, 1)])["default"]
        same = COPIES[way](report)
        assert same == report
        if opened is open_asset:
            assert (same.components, same.clusters) == (report.components, report.clusters)
            found = level.profile().search((0, 0), (3, 2))
            assert COPIES[way](found) == found
        changes = COPIES[way](level.changes_since(0))
        assert changes.places.tolist() == [[3, 1]]
        assert COPIES[way](level.coordinates) == level.coordinates


@pytest.mark.parametrize("way", COPIES)
def test_what_cannot_be_copied_says_so(way: str, asset: Path, opened: Any) -> None:
    with opened(asset) as level:
        frozen = level.profile().frozen()
        with pytest.raises(QueryError, match="frozen"):
            COPIES[way](frozen)
    with pytest.raises(AssetError, match="closed"):
        COPIES[way](level)
    if opened is open_asset:
        with open_asset(asset) as other:
            nav = other.profile()
            for part in (nav.search, nav.plane):
                with pytest.raises(QueryError, match="cannot be copied"):
                    COPIES[way](part)


def test_a_file_that_changed_meanwhile_is_named(asset: Path, opened: Any) -> None:
    with opened(asset) as level:
        stored = pickle.dumps(level)
    grid = [list(row) for row in GRID]
    grid[0][0] = "mud"
    bake_grid(asset.parent, grid)
    with pytest.raises(AssetError, match=r"drawn\.h5: was baked again"):
        pickle.loads(stored)
    asset.unlink()
    with pytest.raises(AssetError, match="no such asset"):
        pickle.loads(stored)


# -- processes ------------------------------------------------------------------------------------

#: Hands levels and profiles to processes of each kind of beginning, and prints what they answer.
WORKERS = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
from bake.play import open_asset
from levelbake import open_level

if __name__ == "__main__":
    for opened in (open_level, open_asset):
        with opened(sys.argv[1]) as level:
            nav = level.profile()
            level.update(blocked=[(3, 1)])
            expected = nav.path((0, 0), (3, 2))
            context = multiprocessing.get_context(sys.argv[2])
            with ProcessPoolExecutor(2, mp_context=context) as pool:
                found = [pool.submit(nav.path, (0, 0), (3, 2)) for _ in range(4)]
                assert [each.result() for each in found] == [expected] * 4
                assert pool.submit(level.terrain_at, (1, 1)).result() == "mud"
    print("all alike")
"""


@pytest.mark.parametrize("start", ["spawn", "fork", "forkserver"])
def test_workers_of_a_pool(start: str, asset: Path) -> None:
    if sys.platform == "win32" and start != "spawn":
        pytest.skip("Windows has no forks")
    script = asset.with_name("workers.py")
    script.write_text(WORKERS)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), str(asset), start],
        env={**quiet_environment(), "PYTHONPATH": PYTHON_PATH},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.stdout, done.returncode) == ("all alike\n", 0), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_children_of_a_fork_may_read_on(asset: Path) -> None:
    """A level that was opened before a fork reads what it has not read yet, in all processes."""
    script = """
import os, sys
from bake.play import open_asset
from levelbake import open_level

with open_level(sys.argv[1]) as one, open_asset(sys.argv[1]) as two:
    children = []
    for _ in range(6):
        if (child := os.fork()) == 0:
            found = [level.profile().path((0, 0), (7, 4)) for level in (one, two)]
            os._exit(0 if found[0] == found[1] is not None else 1)
        children.append(child)
    found = [level.profile().path((0, 0), (7, 4)) for level in (one, two)]
    assert found[0] == found[1] is not None
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6
print("all alike")
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, str(asset)],
        env={**quiet_environment(), "PYTHONPATH": PYTHON_PATH},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.stdout, done.returncode) == ("all alike\n", 0), done.stderr
