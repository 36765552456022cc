"""The reader's code answers on a changed level until kernels are loaded, with the same answers."""

import json
import math
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from bake.core.kernels import cache, jit
from bake.play import LevelAsset, Navigator, open_asset
from bake.play.live import changed, exact
from bake.play.live.changed import Changed
from bake.play.live.exact import ExactHierarchy
from bake.play.live.state import ProfileState
from bake.search.live.kernels import KERNELS
from bake.search.live.next_hops import NextHops
from levelbake.places import Place
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_graph, write_grid

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")

GRID = rows(
    "............",
    "..##..m.....",
    "...#..mm..#.",
    "...#......#.",
    "......##....",
    "..=======...",
    "......#.....",
    ".##...#..mm.",
    "............",
)


def answers(nav: Navigator) -> list[Any]:
    """Ask everything that an engine answers about some pairs."""
    places = nav.places()
    pairs = [(a, b) for a in places[:: len(places) // 7 + 1] for b in places[::5]]
    starts, goals = ([*ends] for ends in zip(*pairs, strict=True))
    return [
        [nav.next_hop(a, b) for a, b in pairs],
        [nav.path(a, b) for a, b in pairs[::3]],
        [nav.distance(a, b) for a, b in pairs[::3]],
        [nav.reachable(a, b) for a, b in pairs[::3]],
        nav.next_hops(starts, goals).tolist(),
        [part.tolist() for part in nav.paths(starts, goals)],
        nav.distances(starts, goals).tolist(),
        nav.hops_to(goals[1]).tolist(),
        nav.distances_to(goals[1]).tolist(),
    ]


#: Changes a level, and prints after each change what is answered and which kernels ran.
CHANGES = """
import json, sys
from pathlib import Path
from bake.core.kernels import jit
from bake.play import open_asset
from tests.play.live.test_known import answers, changes
ran = set()
called = jit.Kernel.__call__
def noted(kernel, *arguments):
    ran.add(kernel)
    return called(kernel, *arguments)
jit.Kernel.__call__ = noted
with open_asset(sys.argv[1]) as level:
    nav = level.profile()
    for change in changes(level):
        change()
        ran.clear()
        said = answers(nav)
        print(json.dumps([said, sorted(each.function.__qualname__ for each in ran)]))
print("numba" in sys.modules)
"""


def changes(level: LevelAsset) -> Iterator[Callable[[], object]]:
    """Changes of a level that the reader can represent, one after the other."""
    nav = level.profile()
    places, dice = nav.places(), random.Random(3)
    walls = dice.sample(places[1:-1], 4)
    yield lambda: level.update(blocked=walls[:2])
    yield lambda: level.update(blocked=walls[2:], opened=walls[:1])
    if level.is_grid:
        yield lambda: level.update(terrain={walls[0]: "road", places[7]: "mud"})
        yield lambda: level.update(opened=[(3, 1), (3, 2)])
    hop = nav.neighbors(places[0])[0][0]
    yield lambda: level.update(arcs={(places[0], hop): 7.5})
    yield lambda: level.update(arcs={(places[0], hop): None}, opened=walls)


def grid_of(folder: Path) -> Path:
    return bake_grid(folder, GRID, tables=("components", "next_hops"))


def grid_without_hops(folder: Path) -> Path:
    return bake_grid(folder, GRID, tables=("components",))


def graph_of(folder: Path) -> Path:
    drawn = random.Random(5)
    arcs = [(drawn.randrange(60), drawn.randrange(60), drawn.randint(1, 4)) for _ in range(240)]
    return bake(write_graph(folder / "graph.json", range(60), arcs), recipe_for())


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "BAKE_CACHE_DIR": str(folder), "BAKE_COMPILE": ""}


@pytest.mark.parametrize("kind", [grid_of, grid_without_hops, graph_of])
def test_no_kernel_runs_as_plain_python_after_an_update(
    tmp_path: Path, kind: Callable[[Path], Path]
) -> None:
    asset = kind(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", CHANGES, str(asset)],
        cwd=ROOT,
        env=environment(tmp_path / "none"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *shown, loaded = done.stdout.splitlines()
    assert loaded == "False"
    hierarchy = {each.function.__qualname__ for each in KERNELS if isinstance(each, jit.Kernel)}
    with open_asset(asset) as level:
        nav = level.profile()
        expected = []
        for change in changes(level):
            change()
            expected.append(answers(nav))
    for line, answer in zip(shown, expected, strict=True):
        said, ran = json.loads(line)
        assert said == json.loads(json.dumps(answer))
        # Without baked next hops, `hops_to` searches around the goal by itself.
        own = {"_find_arcs", "steps_down"} if kind is grid_without_hops else set()
        assert hierarchy & set(ran) <= own


#: Asks from threads while kernels are loaded, and afterwards, and prints how often each asked.
SWITCH = """
import json, sys, threading, time
from bake.play import open_asset
from tests.play.live.test_known import answers, changes
expected = json.loads(open(sys.argv[2]).read())
wrong, asked, over = [], [0, 0, 0], threading.Event()
def said(nav):
    return json.loads(json.dumps(answers(nav)))
with open_asset(sys.argv[1]) as level:
    nav = level.profile()
    every = list(changes(level))
    every[0]()
    frozen = nav.frozen()
    def ask(number, nav):
        while not over.is_set():
            if said(nav) != expected[0]:
                wrong.append(number)
            asked[number] += 1
    asking = enumerate((nav, nav, frozen))
    threads = [threading.Thread(target=ask, args=each) for each in asking]
    for each in threads:
        each.start()
    engine = nav._now.engine
    before = engine._solver is not None
    until = time.monotonic() + 120
    while engine._solver is not None and time.monotonic() < until:
        time.sleep(0.01)
    seen = asked[:]
    while min(b - a for a, b in zip(seen, asked)) < 2:
        time.sleep(0.01)
    over.set()
    for each in threads:
        each.join()
    later = []
    for change in every[1:]:
        change()
        later.append(said(nav))
    print(before, wrong, min(asked) > 2, later == expected[1:], engine._hierarchy._hops is not None)
"""


def test_answers_stay_while_kernels_are_loaded(tmp_path: Path) -> None:
    asset = grid_of(tmp_path)
    with open_asset(asset) as level:
        level.warm_up("table", "update")
        expected = []
        for change in changes(level):
            change()
            expected.append(answers(level.profile()))
    (tmp_path / "expected.json").write_text(json.dumps(expected))
    done = subprocess.run(
        [sys.executable, "-c", SWITCH, str(asset), str(tmp_path / "expected.json")],
        cwd=ROOT,
        env=environment(cache.cache_folder().parent),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["True", "[]", "True", "True", "True"], "")


@pytest.fixture
def by_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Have the hierarchy built by a thread, which waits for the event."""
    event, built = threading.Event(), ExactHierarchy._built
    monkeypatch.setattr(exact, "may_wait", lambda: False)
    monkeypatch.setattr(changed, "may_wait", lambda: False)

    def waits(hierarchy: ExactHierarchy, state: ProfileState) -> NextHops | None:
        assert event.wait(60)
        return built(hierarchy, state)

    monkeypatch.setattr(ExactHierarchy, "_built", waits)
    yield event
    event.set()


@pytest.mark.parametrize("opened", [[], [(3, 1), (3, 2)]], ids=["known rows", "new rows"])
def test_changes_while_a_thread_builds_are_caught_up(
    tmp_path: Path, by_thread: threading.Event, opened: list[Place]
) -> None:
    """A hierarchy knows no rows that came while it was built, so flow fields answer then."""
    asset = grid_of(tmp_path)
    batches: list[dict[str, Any]] = [
        {"blocked": [(1, 0), (5, 5)]},
        {"blocked": [(0, 4)], "opened": [(1, 0)]},
        {"blocked": [(7, 7)], "opened": opened},
    ]
    with open_asset(asset) as level, open_asset(asset) as fresh:
        nav = level.profile()
        level.update(**batches[0])
        engine = nav._now.engine
        assert isinstance(engine, Changed)
        assert nav.distance((0, 0), (11, 8)) > 0
        builder = engine._hierarchy._builder
        assert builder is not None
        for batch in batches[1:]:
            level.update(**batch)
        said = answers(nav)
        by_thread.set()
        builder.join()
        engine = nav._now.engine
        assert isinstance(engine, Changed)
        assert engine._hierarchy.is_built(engine.state) == (not opened)
        assert engine._solver is None
        for batch in batches:
            fresh.update(**batch)
        assert said == answers(nav) == answers(fresh.profile())


def test_the_reader_does_not_answer_what_it_cannot_represent(
    tmp_path: Path, by_thread: threading.Event
) -> None:
    with open_asset(grid_of(tmp_path)) as level:
        nav = level.profile()

        def reader_answers() -> bool:
            engine = nav._now.engine
            assert isinstance(engine, Changed)
            return engine._solver is not None

        level.update(blocked=[(5, 5)])
        assert reader_answers()
        level.update(links={"rope": {"from": (0, 0), "to": (11, 8), "cost": 1}})
        assert not reader_answers()
        level.update(links={"rope": None})
        assert reader_answers()
        level.update(arcs={((0, 0), (9, 8)): 2})
        assert not reader_answers()
        level.update(arcs={((0, 0), (9, 8)): None})
        assert reader_answers()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("hex_layout", [None, "odd-r"])
def test_random_batches_are_answered_as_by_the_hierarchy(
    tmp_path: Path, seed: int, hex_layout: str | None
) -> None:
    drawn = random.Random(seed)
    kinds = ["floor"] * 5 + ["mud", "road", "wall", "ledge", "water"]
    cells = [(x, y) for y in range(7) for x in range(8)]
    grid = [[drawn.choice(kinds) for _ in range(8)] for _ in range(7)]
    tables = drawn.choice([("components", "next_hops"), ("components",)])
    source = write_grid(tmp_path / "level.json", grid, hex_layout)
    asset = bake(source, recipe_for(tables=tables))
    with open_asset(asset) as level, open_asset(asset) as other:
        by_hierarchy, by_reader = level.profile(), other.profile()
        for _ in range(5):
            some = drawn.sample(cells, 6)
            batch: dict[str, Any] = {
                "blocked": some[:2],
                "opened": some[2:4],
                "terrain": dict.fromkeys(some[4:], drawn.choice(["mud", "floor", "wall", "ledge"])),
            }
            if len(there := by_hierarchy.places()) > 1:
                start = drawn.choice(there)
                prices = [drawn.choice([0.25, 3.5, math.inf, None]) for _ in range(2)]
                heads = [head for head, _ in by_hierarchy.neighbors(start)]
                batch["arcs"] = {(start, head): p for head, p in zip(heads, prices, strict=False)}
            level.update(**batch)
            other.update(**batch)
            if not by_hierarchy.places():
                continue
            expected = answers(by_hierarchy)
            with (
                mock.patch.object(changed, "may_wait", return_value=False),
                mock.patch.object(exact, "loaded", return_value=False),
            ):
                engine = by_reader._now.engine
                assert isinstance(engine, Changed)
                assert engine._solver is not None
                assert answers(by_reader) == expected


def test_where_no_thread_starts_the_query_builds_the_hierarchy(
    tmp_path: Path, by_thread: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_thread.set()

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with open_asset(grid_of(tmp_path)) as level, open_asset(grid_of(tmp_path)) as fresh:
        for each in (level, fresh):
            each.update(blocked=[(1, 0), (5, 5)])
        said = answers(level.profile())
        engine = level.profile()._now.engine
        assert isinstance(engine, Changed)
        assert engine._solver is None
        assert engine._hierarchy.is_built(engine.state)
        monkeypatch.undo()
        assert said == answers(fresh.profile())
