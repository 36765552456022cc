"""What the viewer's page does without a page: edits and undo, traces, crowds, crossings."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

from bake.extras.crowds.agent import Agent
from bake.extras.crowds.belief import Belief
from bake.extras.school import search_trace, trace_walk, traced_search
from bake.play import LevelAsset, open_asset
from tests.support.command import bake
from tests.support.page_modules import Reader, ask
from tests.support.stored import Pair, stored_pair

#: Squares with floors, doors and links, hexagons, a graph, one-way ledges, costs.
LEVELS = ["bastion.json", "colony.json", "manor.tmx", "marsh.png", "oneway.json", "roads.json"]
METHODS: list[dict[str, Any]] = [
    {"method": "astar"},
    {"method": "dijkstra"},
    {"method": "weighted", "weight": 2.5},
    {"method": "greedy"},
]


def trace_of(
    level: LevelAsset, reader: Reader, start: int, goal: int, options: dict[str, Any], file: Path
) -> Any:
    """What `bake path --trace` writes."""
    ends, weight = (reader.place(start), reader.place(goal)), options.get("weight", 1.0)
    found = traced_search(reader.nav, *ends, options["method"], weight=weight)
    search_trace(level, reader.nav.name, ends, weight, found).write(file)
    return json.loads(file.read_text("utf-8"))


def test_a_program_that_fails_says_so_and_the_next_one_answers() -> None:
    flat = stored_pair("roads.json").flat
    with pytest.raises(AssertionError, match=r"commands\[command\] is not"):
        ask(flat, [["nonsense"]])
    assert ask(flat, [["changed"]]) == [False]


@pytest.mark.parametrize("source", LEVELS)
def test_a_search_takes_the_steps_that_the_command_writes_down(source: str, tmp_path: Path) -> None:
    """Step for step, for each method and profile, before and after the level has changed."""
    pair, rng = stored_pair(source), random.Random(source)
    asked: list[list[Any]] = []
    expected: list[Any] = []
    with open_asset(pair.asset) as level:
        for batch in (False, True):
            readers = [Reader(level, name) for name in level.profiles]
            if batch:
                some = rng.sample(readers[0].standing, 6)
                level.update(blocked=[readers[0].place(one) for one in some])
                asked.append(["update", {"blocked": some}])
                expected.append(None)
            for reader in readers:
                asked.append(["profile", reader.nav.name])
                expected.append(None)
                walks = [one for one in reader.standing if reader.stands(one)]
                for options in METHODS if len(walks) < 2000 else METHODS[:2]:
                    start, goal = rng.choices(walks, k=2)
                    asked.append(["trace", start, goal, options])
                    told = trace_of(level, reader, start, goal, options, tmp_path / "t.json")
                    expected.append(told)
    for question, answer, right in zip(asked, ask(pair.flat, asked), expected, strict=True):
        if right is None:
            assert not isinstance(answer, str), answer
            continue
        assert [step["place"] for step in answer["steps"]] == [
            step["place"] for step in right["steps"]
        ], question
        for key, value in answer.items():
            assert value == right[key], (question, key)


def test_large_levels_are_searched_as_well(tmp_path: Path) -> None:
    pair = stored_pair("keep.png")
    with open_asset(pair.asset) as level:
        reader = Reader(level)
        start, goal = reader.standing[7], reader.standing[-3]
        right = trace_of(level, reader, start, goal, METHODS[0], tmp_path / "t.json")
    (answer,) = ask(pair.flat, [["trace", start, goal, METHODS[0]]])
    assert answer["steps"] == right["steps"]
    assert len(answer["steps"]) > 300


def lists_at(told: Any, count: int) -> tuple[dict[Any, float], dict[Any, float]]:
    """Both lists after some steps, by the rule of docs/cli.md."""
    start = told["start"]
    opened, closed = {str(start): 0.0}, dict[Any, float]()
    for step in told["steps"][:count]:
        closed[str(step["place"])] = opened.pop(str(step["place"]))
        for one in step["opened"]:
            closed.pop(str(one["place"]), None)
            opened[str(one["place"])] = one["g"]
    return opened, closed


@pytest.mark.parametrize("source", ["colony.json", "manor.tmx", "roads.json"])
def test_steps_are_taken_and_taken_back(source: str, tmp_path: Path) -> None:
    """A trace that the command wrote is read, and shows at each step what its rule says."""
    pair, rng = stored_pair(source), random.Random(source)
    with open_asset(pair.asset) as level:
        reader = Reader(level)
        ends = max(
            (rng.choices(reader.standing, k=2) for _ in range(20)),
            key=lambda ends: reader.distance(*ends) or 0,
        )
        method = METHODS[2]
        told = trace_of(level, reader, *ends, method, tmp_path / "t.json")
        name = {str(_listed(reader.place(at))): at for at in reader.standing}
    count = len(told["steps"])
    steps = [count, 0, *(rng.randrange(count + 1) for _ in range(30)), count + 9, -4]
    text = (tmp_path / "t.json").read_text("utf-8")
    read, made = ask(pair.flat, [["read", text, steps], ["lists", *ends, method, steps]])
    assert read["lists"] == made
    assert read["told"]["steps"] == told["steps"]
    for wanted, found in zip(steps, made, strict=True):
        at = min(max(wanted, 0), count)
        opened, closed = lists_at(told, at)
        assert found["at"] == at
        assert dict(found["open"]) == {name[place]: g for place, g in opened.items()}
        assert dict(found["closed"]) == {name[place]: g for place, g in closed.items()}
        assert found["counts"] == [len(opened), len(closed)]
    assert made[0]["way"] == [name[str(place)] for place in told["path"]]


def _listed(place: Any) -> Any:
    return list(place) if isinstance(place, tuple) else place


def test_what_is_no_trace_of_this_level_is_refused(tmp_path: Path) -> None:
    pair = stored_pair("colony.json")
    with open_asset(pair.asset) as level:
        reader = Reader(level)
        ends = reader.standing[0], reader.standing[40]
        told = trace_of(level, reader, *ends, METHODS[0], tmp_path / "t.json")
    wrong: list[tuple[Any, str]] = [
        ("{", "it is not JSON"),
        (json.dumps(None), 'its format is not "bake-trace"'),
        (json.dumps({**told, "version": 2}), "version 2"),
        (json.dumps({**told, "level": "<b>other</b>"}), "of level <b>other</b>"),
        (json.dumps({**told, "profile": "nobody"}), "profile nobody"),
        (json.dumps({**told, "method": None}), "no method null"),
        (json.dumps({**told, "walk": 3}), "the trace is damaged"),
        (json.dumps({**told, "walk": []}), "it has no steps"),
        (json.dumps({**told, "walk": [{"agents": [{"place": told["start"]}]}]}), "has no plan"),
        (json.dumps({**told, "steps": None}), "the trace is damaged"),
        (json.dumps({**told, "start": [9999, 0]}), "no place [9999,0]"),
        (json.dumps({**told, "steps": told["steps"][1:]}), "first step is not its start"),
    ]
    for key in ("place", "g", "opened"):
        step = {**told["steps"][0], key: "x"}
        wrong.append((json.dumps({**told, "steps": [step]}), "the trace is damaged"))
    answers = ask(pair.flat, [["read", text, []] for text, _ in wrong])
    for (_, part), answer in zip(wrong, answers, strict=True):
        assert isinstance(answer, str)
        assert answer.startswith("error: ")
        assert part in answer
        assert "\n" not in answer


@pytest.mark.parametrize("source", ["keep.png", "roads.json"])
def test_walks_are_followed(source: str, tmp_path: Path) -> None:
    """Any step shows what the steps up to it say, whichever way it was come to."""
    pair, rng = stored_pair(source), random.Random(source)
    with open_asset(pair.asset) as level:
        reader = Reader(level)
        at = {reader.place(node): node for node in reader.standing}
        far = max(reader.standing, key=lambda node: reader.distance(reader.standing[0], node) or 0)
        belief = Belief(reader.nav)
        agent = Agent(belief, reader.place(reader.standing[0]), reader.place(far))
        trace = trace_walk(agent)
        plans: list[list[int]] = []
        while not agent.arrived and len(plans) < 60:
            agent.observe(belief.around(agent.place, 2))
            plans.append([at.get(place, -1) for place in agent.path() or ()])
            trace.note()
            agent.step()
        trace.write(tmp_path / "walk.json")
        where = belief.places.location
        seen = [{where(place) for place in step["seen"]} for step in trace.steps]
        searched = [{where(place) for place in step["searched"]} for step in trace.steps]
        places = [where(step["agents"][0]["place"]) for step in trace.steps]
    count = len(trace.steps)
    steps = [count, 0, 1, *(rng.randrange(count + 1) for _ in range(20)), count + 9, -4]
    (found,) = ask(pair.flat, [["walk", (tmp_path / "walk.json").read_text("utf-8"), steps]])
    for wanted, told in zip(steps, found, strict=True):
        now = min(max(wanted, 0), count)
        known = set().union(*seen[:now])
        assert told["at"] == now
        assert told["seen"] == len(known)
        assert set(told["searched"]) == (searched[now - 1] if now else set())
        assert set(told["known"]) == known | set(told["searched"])
        assert told["way"] == places[:now]
        if not now:
            assert told["agents"] == []
            continue
        ((place, goal, plan),) = told["agents"]
        assert (place, goal) == (places[now - 1], far)
        if now <= len(plans):
            assert [node if node in at.values() else -1 for node in plan] == plans[now - 1][1:]


# -- edits ----------------------------------------------------------------------------------------


def edits_of(pair: Pair, rng: random.Random, count: int) -> list[list[Any]]:
    """Edits that a person might make, as questions."""
    with open_asset(pair.asset) as level:
        reader = Reader(level)
        doors = {name: list(door.states) for name, door in level.doors.items()}
        arcs = level._columns(reader.nav.name).usable
        tails = arcs.graph.tail()
    standing = reader.standing
    (terrains,) = ask(pair.flat, [["terrains"]])
    found: list[list[Any]] = []
    for _ in range(count):
        kind = rng.choice(["block", "stroke", "open", "terrain", "price", "door", "reset"])
        some = rng.sample(standing, 4)
        if kind == "block":
            found.append(["update", {"blocked": some}])
        elif kind == "stroke":
            found.append(["stroke", [{"blocked": [one]} for one in some]])
        elif kind == "open":
            found.append(["update", {"opened": some}])
        elif kind == "terrain":
            what = [[one, rng.randrange(terrains)] for one in some]
            found.append(["update", {"terrain": what}])
        elif kind == "price":
            arc = rng.randrange(len(tails))
            location = standing[int(tails[arc])], standing[int(arcs.graph.head[arc])]
            price = rng.choice(["closed", 0.5, 9, None])
            found.append(["update", {"prices": [[*location, price]]}])
        elif kind == "door" and doors:
            name = rng.choice(list(doors))
            found.append(["door", name, rng.choice(doors[name])])
        elif kind == "reset" and rng.random() < 0.2:
            found.append(["reset"])
    return found


@pytest.mark.parametrize("source", ["bastion.json", "colony.json", "roads.json"])
def test_every_edit_can_be_undone_and_redone(source: str) -> None:
    pair, rng = stored_pair(source), random.Random(source)
    edits = edits_of(pair, rng, 25)
    with open_asset(pair.asset) as level:
        standing = Reader(level).standing
    pairs = [rng.choices(standing, k=2) for _ in range(15)]
    look: list[list[Any]] = [["save"], ["distances", pairs], ["changed"]]
    asked = [*look]
    for edit in edits:
        asked += [edit, *look]
    for word in ("undo", "redo", "undo"):
        for _ in range(len(edits) + 2):
            asked += [[word], *look]
    answers = ask(pair.flat, asked)
    assert not any(isinstance(one, str) and one.startswith("error") for one in answers)
    states = [answers[0:3]] + [answers[i + 1 : i + 4] for i in range(3, len(answers), 4)]
    told = answers[3::4]
    forward = [states[0]]
    for state in states[1 : len(edits) + 1]:
        if state[0] != forward[-1][0]:  # an edit that changes nothing is none
            forward.append(state)
    assert len(forward) > 8
    at, extra = len(edits), len(edits) + 2
    undone, redone = states[at + 1 : at + 1 + extra], states[at + 1 + extra : at + 1 + 2 * extra]
    back = forward[-2::-1]
    assert undone == back + [forward[0]] * (extra - len(back))
    assert redone == forward[1:] + [forward[-1]] * (extra - len(back))
    assert states[-1] == states[0]
    assert told[at + len(back)] is None  # nothing is left to undo
    assert not states[0][2]


@pytest.mark.parametrize("source", ["bastion.json", "colony.json", "roads.json"])
def test_a_saved_patch_is_what_python_reads_and_bakes(source: str, tmp_path: Path) -> None:
    """The page, `apply_patch`, and a bake of the patch by `bake apply` give the same distances."""
    pair, rng = stored_pair(source), random.Random(source + "patch")
    edits = [edit for edit in edits_of(pair, rng, 12) if edit != ["reset"]]
    patch, new = tmp_path / "level.patch", tmp_path / "new.h5"
    with open_asset(pair.asset) as level:
        reader = Reader(level)
        pairs = [rng.choices(reader.standing, k=2) for _ in range(200)]
        answers = ask(pair.flat, [*edits, ["distances", pairs], ["save"]])
        patch.write_text(answers[-1], "utf-8", newline="\n")
        level.apply_patch(patch)
        stands = [all(reader.stands(one) for one in both) for both in pairs]
        live = [reader.distance(*both) for both in pairs]
        assert level.save_patch(tmp_path / "again.patch") is None
        places = [[reader.place(one) for one in both] for both in pairs]
    again = (tmp_path / "again.patch").read_text("utf-8")
    assert json.loads(again.splitlines()[1]) == json.loads(answers[-1].splitlines()[1])
    assert answers[-2] == live
    assert any(stands)
    assert not all(stands)
    done = bake("apply", pair.asset, patch, "-o", new)
    assert done.code == 0, done.err
    with open_asset(new) as level:
        nav = level.profile(level.profiles[0])
        for (start, goal), walks, units in zip(places, stands, live, strict=True):
            if walks:
                found = nav.distance(start, goal)
                assert (None if found == math.inf else found) == units


def test_patches_of_others_are_refused_and_change_nothing() -> None:
    ours, other = stored_pair("colony.json"), stored_pair("bastion.json")
    (foreign,) = ask(other.flat, [["save"]])
    edit: list[Any] = ["update", {"blocked": [0]}]
    asked = [edit, ["save"], ["load", foreign], ["load", "nonsense"], ["save"], ["undoable"]]
    answers = ask(ours.flat, asked)
    assert "another asset" in answers[2]
    assert answers[3].startswith("error: this is not a patch")
    assert answers[4] == answers[1]
    assert answers[5] == ["an edit", None]


def test_what_is_refused_changes_nothing() -> None:
    pair = stored_pair("colony.json")
    asked = [
        ["save"],
        ["update", {"blocked": [0, 10**7]}],
        ["update", {"terrain": [[0, "nowhere"]]}],
        ["update", {"prices": [[0, 0, 1]]}],
        ["save"],
        ["undoable"],
    ]
    first, *refused, last, undoable = ask(pair.flat, asked)
    assert all(one.startswith("error: ") for one in refused)
    assert (first, undoable) == (last, [None, None])


@pytest.mark.parametrize("source", LEVELS)
def test_arcs_are_those_of_the_graph(source: str) -> None:
    pair = stored_pair(source)
    asked, expected = [], []
    with open_asset(pair.asset) as level:
        for profile in level.profiles:
            reader, usable = Reader(level, profile), level._columns(profile).usable
            asked.append(["profile", profile])
            expected.append(None)
            for row in random.Random(source).sample(range(len(reader.standing)), 20):
                first, last = usable.graph.first_out[row : row + 2]
                heads = [reader.standing[head] for head in usable.graph.head[first:last]]
                arcs = zip(heads, usable.weight[first:last].tolist(), strict=True)
                asked.append(["arcs", reader.standing[row]])
                expected.append([list(arc) for arc in arcs])
    assert ask(pair.flat, asked) == expected


# -- crowds ---------------------------------------------------------------------------------------


def test_choke_points_lie_apart() -> None:
    pair = stored_pair("village.json")
    (crowd,) = ask(pair.flat, [["crowd", {"count": 200}, 200, 0.1]])
    (found,) = ask(pair.flat, [["highest", crowd["visits"], 5]])
    assert len(found) == 5
    numbers = [number for _, number in found]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] == crowd["most"]
    assert numbers == [crowd["visits"][at] for at, _ in found]
    with open_asset(pair.asset) as level:
        reader = Reader(level)
        graph = level._columns(reader.nav.name).usable.graph
        arcs = zip(graph.tail().tolist(), graph.head.tolist(), strict=True)
        joined = networkx.DiGraph(list(arcs))
        row = {at: row for row, at in enumerate(reader.standing)}
    for i, (at, _) in enumerate(found):
        near = networkx.single_source_shortest_path_length(joined, row[at], 4)
        assert not any(row[other] in near for other, _ in found[i + 1 :])


@pytest.mark.parametrize("goal", [None, 300])
def test_a_crowd_walks_by_next_hops(goal: int | None) -> None:
    pair = stored_pair("village.json")
    options: dict[str, Any] = {"count": 60, "seed": 3}
    with open_asset(pair.asset) as level:
        reader = Reader(level)
        if goal is not None:
            options["goal"] = reader.standing[goal]
        answers = ask(pair.flat, [["crowd", options, 120, 0.1], ["crowd", options, 120, 0.1]])
        assert answers[0] == answers[1]
        crowd = answers[0]
        visits: Counter[int] = Counter()
        steps = 0
        for before, after, going, goals in crowd["walked"]:
            for was, now, to, toward in zip(before, after, going, goals, strict=True):
                if to >= 0:
                    hop = reader.nav.next_hop(reader.place(now), reader.place(toward))
                    assert reader.places.location(hop) == to
                    steps += 1
                if goal is not None:
                    assert toward == options["goal"]
                elif was != now:
                    visits[now] += 1
        assert steps > 3000
        if goal is None:  # nobody is put elsewhere, so each move was a step
            assert {at: n for at, n in enumerate(crowd["visits"]) if n} == visits
        assert crowd["most"] == max(crowd["visits"])
        assert crowd["arrived"] > 10


def test_a_crowd_goes_round_what_is_drawn() -> None:
    """Nobody steps onto a cell that is blocked while the crowd walks."""
    pair = stored_pair("village.json")
    with open_asset(pair.asset) as level:
        standing = Reader(level).standing
    walls = np.random.default_rng(5).choice(standing, 60, replace=False).tolist()
    asked: list[list[Any]] = [
        ["update", {"blocked": walls}],
        ["crowd", {"count": 80, "seed": 2}, 60, 0.2],
    ]
    crowd = ask(pair.flat, asked)[1]
    assert sum(crowd["visits"]) > 500
    assert not any(crowd["visits"][at] for at in walls)
