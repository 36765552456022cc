"""The command line of the benchmarks.

`python -m benchmarks` runs all of them in the short form, on small maps;
`python -m benchmarks NAME` runs one in full.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.bench import Bench, Skip
from benchmarks.machine import busy
from benchmarks.results import RESULTS, store
from benchmarks.section import Section

#: Every benchmark, in the order of RESULTS.md, with its title there.
BENCHMARKS = {
    "lookups": "Lookups",
    "reader": "The reader in Python",
    "readers": "Readers in C and in Node",
    "viewer": "The viewer's page",
    "startup": "Start-up",
    "first_minute": "The first minute",
    "cold": "Cold machines",
    "all_pairs": "All pairs",
    "machines": "Threads and machines",
    "scenarios": "All pairs beyond 400,000 nodes",
    "memory": "Memory",
    "verify": "Proofs",
    "sizes": "File sizes",
    "distances": "Distances: none stored, labels, a matrix",
    "updates": "Levels that change",
    "updates_stress": "Levels that change, at length",
    "rebuilding": "Levels built up, torn down and switched",
    "crowds": "Crowds on levels that change",
    "doors": "Doors, before and after kernels are loaded",
    "plan": "Foretold by bake plan",
    "paths": "Paths",
    "search": "Searching one path",
    "heuristics": "Heuristics",
    "hierarchy": "HPA*",
    "hpa_costs": "HPA* where costs differ",
    "clusters": "Planning over clusters",
    "agents": "Agents that do not know",
    "searches": "Searches beside each other",
    "puzzles": "Puzzles",
    "contraction": "Customizable contraction hierarchies",
    "floyd_warshall": "Floyd-Warshall",
    "large": "Millions of cells",
    "worlds": "Divisions of one level",
    "watching": "Watching",
    "meshes": "Navigation meshes",
    "many": "Many agents, and requests for paths",
    "growth": "How cost grows",
    "suite": "The tests",
}


def main() -> int:
    """Run the requested benchmarks; return 1 if a result was wrong, 2 for wrong usage."""
    os.environ.setdefault("BAKE_COMPILE", "wait")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="the short form: small maps")
    parser.add_argument("--all", action="store_true", help="every benchmark in full (an hour)")
    parser.add_argument("--maps", default="", metavar="A,B", help="these maps instead")
    parser.add_argument(
        "--peer", metavar="PROGRAM", help="contraction, readers: another's to compare with"
    )
    parser.add_argument("--write", action="store_true", help=f"put results into {RESULTS.name}")
    chosen = parser.parse_args()
    for name in chosen.names:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    quick = chosen.quick or not (chosen.names or chosen.all)
    if chosen.write and (quick or chosen.maps):
        parser.error("--write keeps full results: name benchmarks, without --quick and --maps")
    maps = tuple(name for name in chosen.maps.split(",") if name)
    wrong = 0
    if (load := busy()) is not None:
        _tell(f"the machine is busy ({load}): times will be too long")
    with tempfile.TemporaryDirectory(prefix="bake-bench-") as scratch:
        bench = Bench(Path(scratch), quick=quick, write=chosen.write, maps=maps, peer=chosen.peer)
        for name in chosen.names or BENCHMARKS:
            _tell(f"{name} ...")
            begun = time.perf_counter()
            section = Section(name, BENCHMARKS[name])
            try:
                importlib.import_module(f"benchmarks.{name}").run(bench, section)
            except Skip as reason:
                _tell(f"{name}: skipped, {reason}")
                continue
            except AssertionError as error:
                _tell(f"{name}: WRONG, nothing measured: {error}")
                wrong += 1
                continue
            text = section.markdown(time.perf_counter() - begun, quick=quick)
            print(text, flush=True)
            if chosen.write:
                store(name, text)
    return 1 if wrong else 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
