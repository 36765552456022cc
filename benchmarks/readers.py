"""Benchmark the readers in C and JavaScript: steps of paths, random next hops, opening a file."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bake.export.export import export_asset
from bake.levels.movingai import read_scenario
from bake.store import Asset
from benchmarks.bench import Bench, Skip
from benchmarks.levels import level_file, scenario_file
from benchmarks.section import Section

ROOT = Path(__file__).resolve().parents[1]
MAPS = ("arena", "lak303d", "den520d", "brc202d", "orz900d")
QUICK = ("arena", "den312d")


def run(bench: Bench, section: Section) -> None:
    """Compile the driver once, and run it on each map.

    With ``--peer PROGRAM``, ``PROGRAM MAP SCENARIO`` has to print a line of JSON that holds
    ``ns_a_step``, the time its own query takes for a step of those paths.
    """
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise Skip("neither gcc nor clang is here")
    driver = bench.scratch / "readers"
    source, headers = ROOT / "benchmarks" / "readers.c", ROOT / "readers" / "c"
    options = ["-std=c99", "-O2", f"-I{headers}", str(source), "-o", str(driver)]
    subprocess.run([compiler, *options], check=True)
    names = bench.choose(section, MAPS, QUICK)
    rows, worst = [], dict.fromkeys(("one_ns", "in_step_ns", "hop_ns", "open_ms_a_mib"), 0.0)
    for name in names:
        found = measured(bench, driver, name)
        peer = "" if bench.peer is None else f"{by_peer(bench.peer, name):.1f} ns"
        rows.append(
            (
                name,
                f"{found['nodes']:,}",
                f"{found['bytes'] / 2**20:.2f} MiB",
                f"{found['one_ns']:.1f} ns",
                f"{found['in_step_ns']:.1f} ns",
                f"{found['hop_ns']:.1f} ns",
                f"{found['hops_ns']:.1f} ns",
                f"{found['open_ms_a_mib']:.2f} ms",
                *([peer] if peer else []),
            )
        )
        worst = {key: max(value, found[key]) for key, value in worst.items()}
    section.text(
        "`readers/c/levelbake.h` with gcc -O2, processor time of one thread: steps of the paths of "
        "the scenario, one a call and 64 a call; next hops of random pairs, one a call and many; "
        "opening a file with all its checks. Distances are compared with the scenario's first."
    )
    columns = ["map", "nodes", "file", "a step", "a step, 64 paths", "a random hop", "in a batch"]
    columns += ["open a MiB", *(["peer, a step"] if bench.peer else [])]
    section.table(columns, rows)
    section.at_most("a step, one path at a time", worst["one_ns"], 15, "ns", 1)
    section.at_most("a step, several paths a call", worst["in_step_ns"], 10, "ns", 1)
    section.at_most("a random next hop", worst["hop_ns"], 40, "ns", 1)
    section.at_most("open and validate a MiB", worst["open_ms_a_mib"], 1, "ms")
    in_node(bench, section, names)


def in_node(bench: Bench, section: Section, names: Sequence[str]) -> None:
    """Run the JavaScript reader on the same maps."""
    node = shutil.which("node")
    if node is None:
        section.text("Node is not on this machine, so the JavaScript reader was not measured.")
        return
    rows, worst = [], 0.0
    for name in names:
        words = [ROOT / "readers" / "js" / "bench.js", exported(bench, name), scenario_file(name)]
        command = [node, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        compare(name, found["distances"])
        step, hop, opening = (found[key] for key in ("step_ns", "hop_ns", "open_ms_a_mib"))
        rows.append((name, f"{step:.1f} ns", f"{hop:.1f} ns", f"{opening:.2f} ms"))
        worst = max(worst, step)
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    section.text(
        f"`readers/js` in Node {version.stdout.strip()}, processor time, medians of nine rounds: "
        "the same steps and pairs, one a call, and opening the file with all its checks."
    )
    section.table(["map", "a step", "a random hop", "open a MiB"], rows)
    section.at_most("a step in Node", worst, 100, "ns", 1)


def exported(bench: Bench, name: str) -> Path:
    """Bake and export a map."""
    flat = bench.scratch / f"{name}.bake"
    with Asset(bench.baked(name).asset) as asset:
        export_asset(asset, flat)
    return flat


def compare(name: str, distances: Sequence[str] | Sequence[float]) -> None:
    """Check the distances of a scenario's problems against the scenario file."""
    scenario = read_scenario(scenario_file(name))
    away = np.abs(np.array(distances, dtype=np.float64) - scenario.optimal)
    # The cost of a step is a whole number of ticks.
    wrong = away > 1e-3 + scenario.rounding + 1e-6 * scenario.optimal
    assert not wrong.any(), f"{name}: {int(wrong.sum())} distances are wrong"


def measured(bench: Bench, driver: Path, name: str) -> dict[str, Any]:
    """Run the driver on a map, and check its distances."""
    flat = exported(bench, name)
    scenario = read_scenario(scenario_file(name))
    pairs = bench.scratch / f"{name}.pairs"
    np.savetxt(pairs, np.hstack([scenario.start, scenario.goal]), fmt="%d")
    bench.tell(f"asking about {name}")
    done = subprocess.run([driver, flat, pairs], capture_output=True, text=True, check=True)
    first, *distances = done.stdout.splitlines()
    compare(name, distances)
    found: dict[str, Any] = json.loads(first)
    return found


def by_peer(program: str, name: str) -> float:
    """Return the nanoseconds per step of another library's query."""
    words = [*shlex.split(program), str(level_file(name)), str(scenario_file(name))]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout.splitlines()[-1])["ns_a_step"])
