"""Traces as `bake render --trace` reads and draws them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.core.errors import TraceError
from bake.extras.crowds.agent import Agent
from bake.extras.crowds.belief import Belief
from bake.extras.school import search, search_trace, trace_search, trace_walk, traced_search
from bake.play import open_asset
from bake.show.colours import SEARCHED, UNSEEN
from bake.show.render import render_asset
from bake.show.request import Searched, Walked
from bake.show.scene import read_scene
from bake.show.trace_file import Moment, TraceFile
from bake.store import Asset
from levelbake.errors import BakeError, QueryError
from tests.support.drawings import apart, graph, grid, picture

ROOM = ("......", ".####.", "....#.", ".####.", "......")
ENDS = (2, 2), (5, 2)


def moments(asset: Path, trace: Path, *numbers: int) -> list[Moment]:
    with Asset(asset) as opened:
        return TraceFile(trace).moments(read_scene(opened, None), numbers)


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    return grid(tmp_path, *ROOM)


@pytest.fixture
def searched(asset: Path) -> Path:
    with open_asset(asset) as level:
        nav = level.profile()
        found = traced_search(nav, *ENDS)
        trace = search_trace(level, nav.name, ENDS, 1.0, found)
    trace.write(asset.with_name("searched.json"))
    return asset.with_name("searched.json")


@pytest.fixture
def walked(asset: Path) -> Path:
    with open_asset(asset) as level:
        belief = Belief(level.profile())
        agent = Agent(belief, *ENDS)
        trace = trace_walk(agent)
        while not agent.arrived:
            agent.observe(belief.around(agent.place, 1))
            trace.note()
            agent.step()
    trace.write(asset.with_name("walked.json"))
    return asset.with_name("walked.json")


def test_a_search_at_its_steps(asset: Path, searched: Path) -> None:
    told = json.loads(searched.read_text())
    count = len(told["steps"])
    with Asset(asset) as opened:
        rows = read_scene(opened, None).rows
        place = rows.row
        first, last = moments(asset, searched, 1, count)
        assert isinstance(first.shown, Searched)
        near = {(2, 2): 0.0} | {tuple(o["place"]): o["g"] for o in told["steps"][0]["opened"]}
        assert dict(zip(first.shown.row.tolist(), first.shown.known.tolist(), strict=True)) == {
            place(at): g for at, g in near.items()
        }
        assert first.path is not None
        assert first.path.rows is not None
        assert first.path.rows.tolist() == [place((2, 2))]
        assert last.path is not None
        assert last.path.rows is not None
        assert last.path.rows.tolist() == [place(tuple(at)) for at in told["path"]]
    assert f"step {count} of {count}" in last.note


def test_a_walk_at_its_steps(asset: Path, walked: Path) -> None:
    told = json.loads(walked.read_text())
    found = moments(asset, walked, *range(1, len(told["walk"]) + 1))
    seen = np.zeros(30, dtype=bool)
    for moment, step in zip(found, told["walk"], strict=True):
        shown = moment.shown
        assert isinstance(shown, Walked)
        seen[[y * 6 + x for x, y in step["seen"]]] = True
        assert shown.seen is not None
        assert (shown.seen == seen).all()
        (walker,) = shown.walkers
        x, y = step["agents"][0]["place"]
        assert walker.trail[-1] == y * 6 + x
        assert walker.goal == 2 * 6 + 5
    assert walker.ahead.tolist() == []
    assert "at the goal" in found[-1].note
    assert len(walker.trail) == len(found)


def test_what_was_not_seen_lies_in_fog(asset: Path, walked: Path) -> None:
    drawn = picture(asset, show="search", trace=walked, step=1, scale=30)
    assert apart(drawn.at(0, 0, 9, 9), UNSEEN) < 110 < apart(drawn.at(1, 2, 9, 9), UNSEEN)
    told = json.loads(walked.read_text())
    x, y = next(at for at in told["walk"][0]["searched"] if at in ([3, 2], [2, 2]))
    assert apart(drawn.at(x, y, 11, -11), SEARCHED) < 90
    assert (drawn.said["steps"], drawn.said["step"]) == (len(told["walk"]), 1)


def test_states_may_share_a_place(asset: Path, tmp_path: Path) -> None:
    class Turning:
        start = ((0, 0), 0)

        def is_goal(self, state: Any) -> bool:
            return bool(state == ((5, 0), 2))

        def successors(self, state: Any) -> list[tuple[Any, float]]:
            (x, y), turn = state
            turned: list[tuple[Any, float]] = [(((x, y), turn + 1), 1)] if turn < 2 else []
            return [*turned, *([(((x + 1, y), turn), 1)] if x < 5 else [])]

    with open_asset(asset) as level:
        trace = trace_search(level, search(Turning()), lambda state: state[0])
        trace.write(tmp_path / "turning.json")
        assert (trace.head["cost"], trace.head["method"]) == (7, "astar")
        over = search(Turning())
        over.step()
        with pytest.raises(QueryError, match="made steps already"):
            trace_search(level, over)
    (moment,) = moments(asset, tmp_path / "turning.json", len(trace.steps) - 1)
    assert moment.path is not None
    assert moment.path.rows is not None
    assert moment.path.rows[0] == moment.path.start


def test_graphs(tmp_path: Path) -> None:
    asset = graph(tmp_path, {"A": (0, 0), "B": (4, 0), "C": (4, 4)}, [("A", "B"), ("B", "C")])
    with open_asset(asset) as level:
        agent = Agent(Belief(level.profile()), "A", "C")
        trace = trace_walk(agent)
        while not agent.arrived:
            trace.note()
            agent.step()
    trace.write(tmp_path / "walk.json")
    said = render_asset(asset, tmp_path / "a.png", show="search", trace=tmp_path / "walk.json")
    assert (said["steps"], said["step"]) == (3, 3)


def test_options_that_do_not_go_together(asset: Path, walked: Path, tmp_path: Path) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("a.png", {"trace": walked}, "terrain cannot show a trace; expected --show search"),
        ("a.png", {"show": "search", "step": 1}, "--step needs a trace"),
        ("a.png", {"show": "search", "trace": walked, "path": ENDS}, "its own path"),
        ("a.png", {"show": "search", "trace": walked, "step": 99}, "no step 99; expected 1 to"),
        ("a.GIF", {"show": "search", "trace": walked}, "`bake view --trace`"),
        ("a.gif", {"show": "search", "path": ENDS}, "written as '.gif'"),
        ("a.bmp", {"show": "search", "trace": walked}, "ends in .png"),
    ]
    for name, options, part in wrong:
        with pytest.raises(BakeError) as caught:
            render_asset(asset, tmp_path / name, **options)
        assert part in str(caught.value)
        assert not (tmp_path / name).exists()


def damaged(told: dict[str, Any], keys: list[str | int], value: object) -> dict[str, Any]:
    """The same with one value replaced; its key is removed where the value is `...`."""
    copy = json.loads(json.dumps(told))
    at: Any = copy
    for key in keys[:-1]:
        at = at[key]
    if value is ...:
        del at[keys[-1]]
    else:
        at[keys[-1]] = value
    return dict(copy)


WRONG: list[tuple[str, list[str | int], object, str]] = [
    ("walked", ["format"], "other", "format: this is not a trace"),
    ("walked", ["version"], 2, "version: found 2; expected 1"),
    ("walked", ["level"], "other", "level: the trace is of 'other'; expected one of 'level'"),
    ("walked", ["profile"], "cart", "no profile 'cart'"),
    ("walked", ["method"], None, "method: found None; expected text"),
    ("walked", ["walk"], [], "walk: there is no step"),
    ("walked", ["walk"], {}, "walk: found {}; expected a list"),
    ("walked", ["walk", 1], 3, "walk[1]: found 3; expected an object"),
    ("walked", ["walk", 1, "agents"], ..., "walk[1].agents: found None"),
    ("walked", ["walk", 1, "agents", 0, "place"], [9, 0], "walk[1].agents[0].place: found [9, 0]"),
    ("walked", ["walk", 0, "agents", 0, "plan"], ..., "walk[0].agents[0]: there is no plan"),
    ("walked", ["walk", 0, "agents", 0, "plan", 1], "x", "walk[0].agents[0].plan[1]: found 'x'"),
    ("walked", ["walk", 0, "agents", 0, "goal"], [1.5, 0], "agents[0].goal: found [1.5, 0]"),
    ("walked", ["walk", 0, "seen", 0], [0, True], "walk[0].seen[0]: found [0, True]"),
    ("walked", ["walk", 0, "searched"], 7, "walk[0].searched: found 7; expected a list"),
    ("searched", ["start"], [2, 1], "start: found [2, 1]; expected where the profile can stand"),
    ("searched", ["path"], 3, "path: found 3; expected a list"),
    ("searched", ["steps", 0, "g"], "x", "steps[0].g: found 'x'; expected a number"),
    ("searched", ["steps", 0, "g"], 10**400, "steps[0].g: found"),
    ("searched", ["steps", 1, "parent"], [9, 9], "steps[1].parent: found [9, 9]"),
    ("searched", ["steps", 0, "opened", 0], 1, "steps[0].opened[0]: found 1; expected an object"),
    ("searched", ["steps", 0, "opened", 0, "place"], [], "steps[0].opened[0].place: found []"),
]


@pytest.mark.parametrize(("which", "keys", "value", "part"), WRONG)
def test_damage_is_told_with_its_place(
    asset: Path,
    request: pytest.FixtureRequest,
    which: str,
    keys: list[str | int],
    value: object,
    part: str,
) -> None:
    told = json.loads(request.getfixturevalue(which).read_text())
    trace = asset.with_name("damaged.json")
    trace.write_text(json.dumps(damaged(told, keys, value)))
    output = asset.with_name("a.png")
    with pytest.raises(BakeError) as caught:
        render_asset(asset, output, show="search", trace=trace, scale=4)
    line = str(caught.value)
    assert part in line
    assert "\n" not in line
    assert not output.exists()


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"{", "line 1, column 2: .*JSON"),
        (b"\xff\xfe", "this is not JSON"),
        (b"[" * 10**5, "this is not JSON"),
        (b'{"format": ' + b"9" * 5000 + b"}", "no"),
        (b"[]", "not a trace"),
    ],
)
def test_what_is_no_trace(tmp_path: Path, data: bytes, part: str) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(data)
    with pytest.raises(TraceError, match=part):
        TraceFile(path)
    with pytest.raises(TraceError, match="cannot be read"):
        TraceFile(tmp_path)
