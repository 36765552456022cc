"""Time the first call of every public method with an empty kernel cache."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks import child
from benchmarks.bench import Bench, Skip
from benchmarks.section import Section

ROOT = Path(__file__).resolve().parents[1]
LEVEL = "keep"

#: The queries by their names in the table; a and b are distant, c is next to a.
QUESTIONS = {
    "next_hop": "nav.next_hop(a, b)",
    "next_hops": "nav.next_hops([a], [b]).tolist()",
    "path": "len(nav.path(a, b))",
    "paths": "len(nav.paths([a], [b])[1])",
    "distance": "nav.distance(a, b)",
    "distances": "nav.distances([a], [b]).tolist()",
    "reachable": "nav.reachable(a, b)",
    "length": "nav.length([a, c])",
    "nearest": "nav.nearest((48, 40))",
    "hops_to": "nav.hops_to(b).shape",
    "distances_to": "float(nav.distances_to(b)[4, 3])",
    "distances_from": "float(nav.search.distances_from(a)[41, 50])",
    "within": "len(nav.search.within(a, 10)[0])",
    "nearest_of": "nav.nearest_of(a, [b, c])",
    "nearest_reachable": "nav.search.nearest_reachable(a, (48, 40))",
    "can_stand": "nav.can_stand(a)",
    "cost_at": "nav.cost_at(a)",
    "still_valid": "nav.still_valid([a, c])",
    "search": "nav.search(a, b).cost",
    "path by dijkstra": "len(nav.path(a, b, 'dijkstra'))",
    "path by bidirectional": "len(nav.path(a, b, 'bidirectional'))",
    "path by bidirectional_astar": "len(nav.path(a, b, 'bidirectional_astar'))",
    "path by greedy": "nav.search(a, b, 'greedy').cost",
    "path by hpa": "nav.search(a, b, 'hpa').cost",
    "paths by hpa": "nav.paths([a], [b], 'hpa')[0].tolist()[0]",
    "walk": "next(nav.search.walk(a, b)) is not None",
    "smooth": "len(nav.plane.smooth([a, c]))",
    "furthest_visible": "nav.plane.furthest_visible([a, c], 0)",
    "any_angle_length": "nav.plane.any_angle_length([a, c])",
    "heuristic": "nav.search.estimate(a, c)",
    "cluster": "nav.search.cluster(a)",
    "cluster_distance": "nav.search.cluster_distance(0, 5)",
    "terrain_at": "level.terrain_at(a)",
    "update": "nav.update(blocked=[c]).arcs",
    "next_hop after update": "nav.update(blocked=[c]) and nav.distance(nav.next_hop(a, b), b)",
    "path by hpa after update": "nav.update(blocked=[c]) and nav.search(a, b, 'hpa').cost",
    "repair": "nav.update(blocked=[c]) and level.repair(2) >= 0",
    "changes_since": "nav.update(blocked=[c]) and level.changes_since().places.tolist()",
}

_ASK = """
import sys, time
from bake.play import open_asset
level = open_asset(sys.argv[1])
nav = level.profile()
a, b, c = (3, 4), (50, 41), (3, 5)
begun = time.perf_counter()
answer = eval(sys.argv[2])
seconds = time.perf_counter() - begun
import json
print(json.dumps([seconds, repr(answer)]))
"""


def run(bench: Bench, section: Section) -> None:
    """Run each query in processes of its own with an empty cache."""
    asset = ROOT / "baked" / f"{LEVEL}.h5"
    if not asset.exists():
        raise Skip(f"{asset.name} is not baked: run `make bake`")
    times = bench.either(3, 1)
    rows = []
    slowest = 0.0
    for name, question in QUESTIONS.items():
        asked = [_first(asset, question, bench.scratch / "cold", "") for _ in range(times)]
        said = {answer for _, answer in asked}
        said.add(_first(asset, question, bench.scratch / "compiled", "wait")[1])
        assert len(said) == 1, f"{name}: {said}"
        seconds = median(seconds for seconds, _ in asked)
        slowest = max(slowest, seconds)
        rows.append((f"`{name}`", f"{seconds * 1000:.0f}"))
    assert not (bench.scratch / "cold").exists(), "something was compiled"
    section.text(
        f"The first call of each method on `{LEVEL}`, each in a process of its own, in "
        f"milliseconds; medians of {times}. Nothing was ever compiled on this machine, and plain "
        "Python answers. Every answer is that of compiled code."
    )
    section.table(("first call", "nothing compiled"), rows)
    section.at_most("slowest", slowest * 1000, 200, "ms", digits=0)


def _first(asset: Path, question: str, cache: Path, how: str) -> tuple[float, str]:
    done = subprocess.run(
        [sys.executable, "-c", _ASK, str(asset), question],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=child.environment({"BAKE_CACHE_DIR": str(cache), "BAKE_COMPILE": how}),
    )
    seconds, answer = json.loads(done.stdout)
    return seconds, answer
