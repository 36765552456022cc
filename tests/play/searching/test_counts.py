"""What searches count is the same for compiled code and plain Python, and for every queue."""

import io
import json
import os
import random
import subprocess
import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from unittest import mock

import pytest

from bake.core.kernels import jit
from bake.play import open_asset
from bake.search.graph.label_correcting import MasksOnDemand, build_search_arcs
from tests.support.baked import bake, recipe_for, write_graph, write_grid
from tests.support.stored import stored_asset

ROOT = Path(__file__).resolve().parents[3]
QUEUES = ("auto", "bucket", "heap")

#: Method, heuristic and queue of searches on grids.
ON_GRIDS = [
    *(["astar", name, queue] for name in ("octile", "exact") for queue in QUEUES),
    *(["dijkstra", None, queue] for queue in QUEUES),
    ["bidirectional", None, "auto"],
    ["greedy", "octile", "auto"],
    ["weighted", "octile", "auto"],
    ["hpa", None, "auto"],
]
ON_GRAPHS = [search for search in ON_GRIDS if search[1] != "octile" and search[0] != "hpa"]

#: Prints cost and counts of searches from one place to others, as baked and after a change.
ASK = """
import json, sys
from bake.play import open_asset
def counts(nav, searches):
    places = nav.places()
    for goal in places[3 :: len(places) // 4 + 1]:
        for method, heuristic, queue in searches:
            found = nav.search(places[1], goal, method, heuristic, queue=queue)
            yield found.cost, found.expanded, found.generated
for path, searches in json.loads(sys.argv[1]):
    with open_asset(path) as level:
        nav = level.profile()
        print([*counts(nav, searches)])
        nav.update(blocked=nav.places()[-2:])
        print([*counts(nav, searches)])
"""


def levels(folder: Path) -> list[tuple[str, list[list[str | None]]]]:
    """Bake random levels, and return each with the searches for it."""
    drawn = random.Random(7)
    kinds = ["floor"] * 8 + ["mud", "road", "wall"]
    # Of random grids few have so many equal paths that masks change what is expanded.
    baked = [(str(stored_asset("keep.png")), ON_GRIDS)]
    tables = ("components", "next_hops", "clusters", "hierarchy")
    for number in range(2):
        grid = [[drawn.choice(kinds) for _ in range(30)] for _ in range(24)]
        source = write_grid(folder / f"grid{number}.json", grid)
        recipe = recipe_for(tables=tables, cluster_size=8, spacing=2)
        baked.append((str(bake(source, recipe)), ON_GRIDS))
    for number in range(3):
        arcs = [(drawn.randrange(40), drawn.randrange(40), drawn.randint(1, 4)) for _ in range(150)]
        source = write_graph(folder / f"graph{number}.json", range(40), arcs)
        baked.append((str(bake(source, recipe_for())), ON_GRAPHS))
    return baked


@pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")
def test_compiled_code_counts_what_plain_python_does(tmp_path: Path) -> None:
    code = ["-c", ASK, json.dumps(levels(tmp_path))]
    environment = {**os.environ, "BAKE_CACHE_DIR": str(tmp_path / "none"), "BAKE_COMPILE": ""}
    plain = subprocess.run(
        [sys.executable, *code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    compiled = io.StringIO()
    with mock.patch.object(sys, "argv", code[::2]), redirect_stdout(compiled):
        exec(ASK, {})
    assert not (tmp_path / "none").exists()
    assert len(compiled.getvalue().splitlines()) == 12
    assert compiled.getvalue() == plain.stdout


@pytest.mark.parametrize("queue", ["bucket", "heap"])
@pytest.mark.parametrize("heuristic", ["octile", "null"])
def test_generated_are_the_steps_out_of_expanded_places(
    tmp_path: Path, queue: str, heuristic: str
) -> None:
    for asset, _ in levels(tmp_path)[:3]:
        with open_asset(asset) as level:
            nav = level.profile()
            places = nav.places()
            start, goal = places[1], max(filter(partial(nav.reachable, places[1]), places))
            search = nav.search.begin(start, goal, heuristic=heuristic, queue=queue)
            counted = 0
            while (step := search.step()) is not None and step.state != goal:
                counted += len(nav.neighbors(step.state))
            found = nav.search(start, goal, "astar", heuristic, queue=queue)
            assert found.generated == search.generated == counted > 0
            assert found.expanded == search.expanded


def test_masks_on_demand_are_those_of_all_arcs(tmp_path: Path) -> None:
    for asset, _ in levels(tmp_path)[::5]:
        with open_asset(asset) as level:
            graph = level.profile()._now.version.usable.graph
            weight = level.profile()._now.version.usable.weight
            masks = build_search_arcs(graph.first_out, graph.head, weight).masks
            some = MasksOnDemand(graph.first_out, graph.head, weight)
            assert len(some) == len(masks) > 0
            order = random.Random(2).sample(range(len(masks)), len(masks))
            assert {arc: some[arc] & 0xFFFFFFFF for arc in order} == dict(enumerate(masks.tolist()))
