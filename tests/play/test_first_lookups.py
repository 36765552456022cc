"""The first questions of several threads: what one of them makes, the others may see at any time.

Most of what the reader keeps is made when a question first needs it. These tests stop one thread at
every line of the reader in turn, let another thread ask everything meanwhile, and go on: a value
that is published before it is finished is found wherever it is, without luck.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from bake import play
from bake.play import LevelAsset, open_asset
from tests.support.baked import GROUND, bake, profile_for, recipe_for, rows, write_grid

PICTURE = rows(
    "..m.....",
    ".##.v##.",
    "....#...",
)
START, GOAL = (0, 0), (7, 2)
EVERY = (
    *("components", "next_hops", "distances", "clusters", "hierarchy"),
    *("cluster_distances", "heuristic"),
)
#: Where a thread is stopped.
WATCHED = tuple(str(Path(play.__file__).parents[1] / room) for room in ("store", "play"))
#: How long a thread is stopped for another one that waits for its lock, in seconds.
PATIENCE = 0.05
#: One of so many lines is tried; of the room that all threads share, one of SHARED.
STRIDE = int(os.environ.get("BAKE_LINE_STRIDE", "45"))
SHARED = min(3, STRIDE)

Act = Callable[[LevelAsset, str], dict[str, list[object]]]


@pytest.fixture(scope="module")
def asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first")
    recipe = recipe_for(
        tables=EVERY,
        cluster_size=2,
        levels=2,
        profiles=tuple(profile_for(name, GROUND) for name in "ab"),
    )
    return bake(write_grid(folder / "level.json", PICTURE), recipe)


def ask(level: LevelAsset, profiles: str = "ab") -> dict[str, list[object]]:
    """Questions that need every column; those that may wait for another thread come last."""
    things = [dict(level.doors), level.spots(), dict(level.links), dict(level.regions)]
    answers = {"things": things}
    for name in profiles:
        nav = level.profile(name)
        way = nav.path(START, GOAL)
        answers[name] = [
            way,
            nav.length(way or ()),
            nav.next_hops([START, GOAL], [GOAL, START]).tolist(),
            nav.distance(START, GOAL),
            nav.reachable(START, GOAL),
            nav.nearest((2.4, 1)),
            nav.search(START, GOAL, "astar").cost,
            nav.path(START, GOAL, "hpa"),
            nav.search.estimate(START, GOAL),
            nav.search.cluster_distance(nav.search.cluster(START), nav.search.cluster(GOAL)),
        ]
    for name in profiles:
        answers[name].append(level.profile(name).next_hop(START, GOAL))
    return answers


def change(level: LevelAsset, profiles: str = "ab") -> dict[str, list[object]]:
    """Make a cell dearer, so that whatever could be asked before can be asked afterwards."""
    level.update(terrain={(3, 0): "mud"})
    return {}


def lines_of(act: Callable[[], object]) -> list[tuple[str, int]]:
    """Every line of the reader that runs, once, in the order in which they run."""
    lines: dict[tuple[str, int], None] = {}

    def look(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(WATCHED):
            return None
        if event == "line":
            lines[frame.f_code.co_filename, frame.f_lineno] = None
        return look

    _traced(act, look)
    return list(lines)


def _traced(act: Callable[[], object], look: Callable[..., Any]) -> None:
    before = sys.gettrace()
    sys.settrace(look)
    try:
        act()
    finally:
        sys.settrace(before)


@cache
def _lines(code: CodeType) -> frozenset[int]:
    """The numbers of the lines of a function that can run."""
    return frozenset(number for *_, number in code.co_lines() if number is not None)


def stopped_at(
    line: tuple[str, int], act: Callable[[], object], meanwhile: Callable[[], object]
) -> Iterator[BaseException]:
    """Run one thing, and all of another one before one line of it; yield what went wrong."""
    wrong: list[BaseException] = []

    def other() -> None:
        try:
            meanwhile()
        except BaseException as error:
            wrong.append(error)

    thread = threading.Thread(target=other)

    file, number = line

    def look(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        # Following the lines of every other function would take most of the time.
        if thread.ident is not None or code.co_filename != file or number not in _lines(code):
            return None
        if event == "line" and frame.f_lineno == number:
            thread.start()
            # It may wait for a lock that this thread holds; then both go on.
            thread.join(PATIENCE)
            sys.settrace(None)
            return None
        return look

    try:
        _traced(act, look)
    except BaseException as error:
        wrong.append(error)
    if thread.ident is None:
        wrong.append(AssertionError("the line did not run"))
    else:
        thread.join()
    yield from wrong


def _note(answers: list[dict[str, list[object]]], level: LevelAsset, act: Act, names: str) -> None:
    answers.append(act(level, names))


@pytest.mark.parametrize(("first", "second"), [(ask, ask), (ask, change), (change, ask)])
def test_another_thread_may_ask_between_any_two_lines(asset: Path, first: Act, second: Act) -> None:
    with open_asset(asset) as level:
        before = ask(level)
        change(level)
        after = ask(level)
    assert before != after
    with open_asset(asset) as level:
        lines = lines_of(lambda: first(level, "a"))
    assert len(lines) > 300
    for number, line in enumerate(lines):
        if number % (SHARED if line[0].startswith(WATCHED[0]) else STRIDE):
            continue
        answers: list[dict[str, list[object]]] = []
        with open_asset(asset) as level:
            run = partial(_note, answers, level)
            for error in stopped_at(line, partial(run, first, "a"), partial(run, second, "ba")):
                raise AssertionError(f"{line[0]}:{line[1]}") from error
            if change in (first, second):  # each question is asked before the change or after it
                assert ask(level) == after, line
            else:
                expected = [{name: before[name] for name in each} for each in answers]
                assert answers == expected, line


def test_navigators_are_made_while_the_level_changes(asset: Path) -> None:
    """An update tells every navigator; threads may ask for more of them meanwhile."""
    interval = sys.getswitchinterval()
    done = threading.Event()
    wrong: list[BaseException] = []

    def ask_for_more(level: LevelAsset) -> None:
        kept = []
        try:
            while not done.is_set():
                kept.append(level.profile("a"))
                del kept[:-200]
        except BaseException as error:
            wrong.append(error)

    with open_asset(asset) as level:
        threads = [threading.Thread(target=ask_for_more, args=(level,)) for _ in range(3)]
        sys.setswitchinterval(1e-6)
        try:
            for thread in threads:
                thread.start()
            for _ in range(60):
                level.update(blocked=[(3, 0)])
                level.update(opened=[(3, 0)])
        finally:
            done.set()
            sys.setswitchinterval(interval)
            for thread in threads:
                thread.join()
    assert not wrong, wrong[0]
