"""Compare the predictions of `bake plan` with measured bakes."""

from __future__ import annotations

import json
import subprocess

from benchmarks import child
from benchmarks.baking import write_recipe
from benchmarks.bench import Bench, Skip
from benchmarks.levels import level_file
from benchmarks.section import Section

FULL = ("lak303d", "den520d", "brc202d", "orz900d")
QUICK = ("den312d", "lak303d")
FACTOR = 2.0
MIB = 2**20


def run(bench: Bench, section: Section) -> None:
    """Plan and build each map as a user would, and compare."""
    command = child.bake_command()
    if command is None or not child.can_measure_memory():
        raise Skip("needs the installed command, and a system that tells a process's peak memory")
    section.text(
        "`bake plan MAP --json`, then `bake build MAP`, both with all processors; kernels were "
        "compiled before. Foretold / measured."
    )
    assert bench.jit_seconds >= 0
    folder = bench.scratch / "plan"
    recipe = write_recipe(folder, "2 GiB")
    rows = []
    worst = 1.0
    for name in bench.choose(section, FULL, QUICK):
        bench.tell(f"{name}: planning, then building")
        source = [str(level_file(name)), "--recipe", str(recipe), "--json"]
        told = subprocess.run([command, "plan", *source], capture_output=True, check=True)
        plan = json.loads(told.stdout)["levels"][0]
        usage = child.run_measured([command, "build", *source, "--force", "-o", str(folder)])
        size = (folder / f"{name}.h5").stat().st_size
        figures = {
            "bytes": (plan["bytes"], size),
            "seconds": (plan["seconds"], usage.seconds),
            "memory": (plan["memory"] / MIB, usage.peak / MIB),
        }
        worst = max(worst, *(max(a / b, b / a) for a, b in figures.values()))
        rows.append(
            (
                name,
                "{:,.0f} / {:,.0f}".format(*figures["bytes"]),
                "{:.2f} / {:.2f}".format(*figures["seconds"]),
                "{:.0f} / {:.0f}".format(*figures["memory"]),
            )
        )
    section.table(("map", "file, bytes", "seconds", "peak memory, MiB"), rows)
    section.at_most("largest factor between foretold and measured", worst, FACTOR, "x", digits=2)
