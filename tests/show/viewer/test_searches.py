"""What the page finds beside what the flat file says: fields, ways, components, reach, traffic."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import networkx
import numpy as np
import pytest

from bake.extras.school import traced_search
from bake.play import open_asset
from bake.play.hierarchy.layers import HierarchyTables
from bake.play.hierarchy.paths import HierarchyPaths
from tests.support.page_modules import Reader
from tests.support.page_view import ask_view, shown_once
from tests.support.stored import stored_pair

#: Floors with doors, links and two profiles, hexagons, one-way ledges, a graph, a castle.
LEVELS = ["bastion.json", "colony.json", "oneway.json", "roads.json", "keep.png"]


class Opened(Reader):
    """A reader that also gives the tables of its profile."""

    def __init__(self, level: Any, profile: str | None = None) -> None:
        super().__init__(level, profile)
        self.tables = level._columns(self.nav.name)


def graph_of(reader: Opened) -> networkx.DiGraph:
    """What a profile may do, by locations, with ticks: parallel arcs at the lower price."""
    usable = reader.tables.usable
    graph = networkx.DiGraph()
    graph.add_nodes_from(reader.standing)
    tails = usable.graph.tail().tolist()
    for tail, head, ticks in zip(
        tails, usable.graph.head.tolist(), usable.weight.tolist(), strict=True
    ):
        a, b = reader.standing[tail], reader.standing[head]
        if not graph.has_edge(a, b) or graph[a][b]["ticks"] > ticks:
            graph.add_edge(a, b, ticks=ticks)
    return graph


@pytest.mark.parametrize("source", ["bastion.json", "colony.json", "keep.png", "town.json"])
def test_a_place_nobody_can_stand_on_is_told_with_the_nearest_one(source: str) -> None:
    with open_asset(stored_pair(source).asset) as level:
        profile = level.profiles[0]
        reader = Reader(level, profile)
        places = [reader.place(at) for at in range(level.width * level.height * level.floors)]
        walls = [at for at in range(len(places)) if at not in set(reader.standing)]
        some = random.Random(source).sample(walls, 12)
        questions = [["profile", profile], ["blocked", reader.standing[0]]]
        questions += [["blocked", at] for at in some]
        answers = ask_view(shown_once(source), questions)[1:]
        assert answers[0] is None
        for at, said in zip(some, answers[1:], strict=True):
            terrain = level.terrain_at(places[at])
            near = reader.nav.nearest(level.to_point(places[at]))
            assert said == (
                f"({', '.join(map(str, places[at]))}) is {terrain}, on which {profile} cannot "
                f"stand; the nearest place where it can is ({', '.join(map(str, near))})."
            )


@pytest.mark.parametrize("source", LEVELS)
def test_fields_are_distances(source: str) -> None:
    pair, rng = stored_pair(source), random.Random(source)
    shown = shown_once(source)
    with open_asset(pair.asset) as level:
        for profile in level.profiles:
            reader = Opened(level, profile)
            goals = rng.sample(reader.standing, 3)
            asked = [["profile", profile], *(["field", goal] for goal in goals)]
            graph = graph_of(reader).reverse()
            for goal, found in zip(goals, ask_view(shown, asked)[1:], strict=True):
                right = networkx.single_source_dijkstra_path_length(graph, goal, weight="ticks")
                assert {at: t for at, t in enumerate(found["ticks"]) if t is not None} == right
                assert found["greatest"] == max(right.values())
                for at, step in enumerate(found["next"]):
                    assert (step >= 0) == (at in right)
                    if step >= 0 and at != goal:
                        assert right[at] == right[step] + graph[step][at]["ticks"]


@pytest.mark.parametrize("source", LEVELS)
def test_ways_are_walked_and_cost_what_is_said(source: str) -> None:
    pair, rng = stored_pair(source), random.Random(source)
    shown = shown_once(source)
    planned = 0
    with open_asset(pair.asset) as level:
        for profile in level.profiles:
            reader = Opened(level, profile)
            graph, unit = graph_of(reader), reader.places.ticks_per_unit
            row = {at: i for i, at in enumerate(reader.standing)}
            pairs = [rng.sample(reader.standing, 2) for _ in range(25)]
            pairs.append([reader.standing[0]] * 2)
            answers = ask_view(shown, [["profile", profile], *(["ways", *each] for each in pairs)])
            hierarchy = HierarchyTables(reader.tables) if reader.tables.has("layer_nodes") else None
            for (start, goal), told in zip(pairs, answers[1:], strict=True):
                ends = reader.place(start), reader.place(goal)
                try:
                    best = networkx.dijkstra_path_length(graph, start, goal, weight="ticks")
                except networkx.NetworkXNoPath:
                    best = None
                for method in ("table", "astar"):
                    cost = told[method]["cost"]
                    assert cost == (None if best is None else best / unit), (method, start, goal)
                search = traced_search(reader.nav, *ends)
                assert told["astar"]["expanded"] == search.expanded
                if hierarchy is None:
                    assert told["why"] == "The asset holds no hierarchy."
                    continue
                assert told["why"] == ""
                right = HierarchyPaths(hierarchy).find(row[start], row[goal])
                assert told["plan"]["ticks"] == (None if right.ticks < 0 else right.ticks)
                if best is None:
                    assert all(not told[each]["nodes"] for each in ("plan", "refined", "smoothed"))
                    continue
                assert right.ticks >= 0
                for each in ("refined", "smoothed"):
                    nodes, ticks = told[each]["nodes"], told[each]["ticks"]
                    assert (nodes[0], nodes[-1]) == (start, goal)
                    assert sum(graph[a][b]["ticks"] for a, b in pairwise(nodes)) == ticks
                    assert best <= ticks <= told["plan"]["ticks"]
                assert told["refined"]["ticks"] == told["plan"]["ticks"]
                assert told["plan"]["nodes"][0] == start
                planned += 1
    assert planned > 10


@pytest.mark.parametrize("source", LEVELS)
@pytest.mark.parametrize("changes", [False, True])
def test_components_and_reach(source: str, changes: bool) -> None:
    """Each component is certified by the reader: mutual ways inside, none between their firsts."""
    pair, rng = stored_pair(source), random.Random(source)
    shown = shown_once(source)
    with open_asset(pair.asset) as level:
        reader = Opened(level, level.profiles[-1])
        asked: list[list[Any]] = [["profile", reader.nav.name]]
        if changes:
            walls = rng.sample(reader.standing, max(2, len(reader.standing) // 20))
            asked.append(["update", {"blocked": walls}])
            level.update(blocked=[reader.place(at) for at in walls])
        standing = sorted(at for at in reader.standing if reader.stands(at))
        centre = rng.choice(standing)
        asked += [["components"], ["reach", centre], ["standing"]]
        found, reach, stands = ask_view(shown, asked)[-3:]
        assert stands == standing
        of, first = found["of"], found["first"]
        assert [at for at, rank in enumerate(of) if rank >= 0] == standing
        count = Counter(of[at] for at in standing)
        assert [count[rank] for rank in range(len(first))] == found["size"]
        assert found["size"] == sorted(found["size"], reverse=True)
        ways = reader.nav.reachable
        for at in rng.sample(standing, min(300, len(standing))):
            here, there = reader.place(at), reader.place(first[of[at]])
            assert ways(here, there)
            assert ways(there, here)
            out, back = ways(reader.place(centre), here), ways(here, reader.place(centre))
            assert reach[at] == out + 2 * back
        firsts = [reader.place(at) for at in first[:12]]
        for i, one in enumerate(firsts):
            for other in firsts[:i]:
                assert not (ways(one, other) and ways(other, one))


@pytest.mark.parametrize("source", ["oneway.json", "roads.json"])
def test_traffic_counts_every_path(source: str) -> None:
    """Against walking them all, one by one; a path counts where it leaves a place."""
    pair = stored_pair(source)
    count: Counter[int] = Counter()
    with open_asset(pair.asset) as level:
        reader = Opened(level)
        places = {at: reader.place(at) for at in reader.standing}
        for goal, aim in places.items():
            hops = {at: reader.nav.next_hop(place, aim) for at, place in places.items()}
            step = {at: reader.places.location(hop) for at, hop in hops.items() if hop is not None}
            for start in step:
                at = start
                while at != goal:
                    count[at] += 1
                    at = step[at]
    (found,) = ask_view(shown_once(source), [["traffic"]])
    assert {at: n for at, n in enumerate(found["count"]) if n} == count
    assert found["most"] == max(count.values())
    assert found["goals"] == len(reader.standing)
    assert found["slices"] > 1


@pytest.mark.parametrize("source", ["marsh.png", "bastion.json"])
def test_clearance_is_the_largest_square(source: str) -> None:
    pair = stored_pair(source)
    with open_asset(pair.asset) as level:
        for profile in level.profiles:
            reader = Opened(level, profile)
            places, cost = reader.places, reader.tables.column("cost", np.float64)
            terrain = places.asset.graph.terrain.reshape(places.height, places.width)
            rows = places.floor_height or places.height
            (_, found) = ask_view(shown_once(source), [["profile", profile], ["clearance"]])
            rng = random.Random(profile)
            for at in rng.sample(range(places.width * places.height), 400):
                y, x = divmod(at, places.width)
                size = 0
                while x + size < places.width and y % rows + size < rows:
                    square = terrain[y : y + size + 1, x : x + size + 1]
                    if any(cost[code] != cost[code] for code in set(square.ravel().tolist())):
                        break
                    size += 1
                assert found[at] == size


@pytest.mark.parametrize("source", LEVELS)
def test_the_pointer_finds_the_place_it_is_on(source: str) -> None:
    """And each place has a name that leads back to it."""
    shown = shown_once(source)
    pointed, bounds = ask_view(shown, [["pointed"], ["bounds"]])
    assert pointed == list(range(len(pointed)))
    assert bounds["left"] < bounds["right"]
    assert bounds["top"] < bounds["bottom"]
    some = random.Random(source).sample(pointed, min(50, len(pointed)))
    texts = ask_view(shown, [["place", at] for at in some])
    assert ask_view(shown, [["placeAt", text] for text in texts]) == some
