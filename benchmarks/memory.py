"""Measure peak memory and time of `bake build` on maps of a hundred thousand nodes.

Then every problem of the map's scenario file, by `bake eval`.
"""

from __future__ import annotations

from bake.core.processors import processors
from bake.show.evaluate import evaluate
from benchmarks import child
from benchmarks.baking import write_recipe
from benchmarks.bench import Bench, Skip
from benchmarks.ground import ground_of
from benchmarks.levels import level_file, scenario_file
from benchmarks.proof import prove
from benchmarks.section import Section

GIB = 2**30

#: The aim for the peak, which is also the budget in the recipe.
FULL = {
    "orz900d": 2,
    "ost100d": 2,
    "32room_000": 4,
    "random512-25-0": 4,
    "maze512-4-0": 4,
    "AcrosstheCape": 4,
}
QUICK = ("den312d", "lak303d")
DEFAULT_AIM = 2


def run(bench: Bench, section: Section) -> None:
    """Build each map with the installed command, as a user would."""
    command = child.bake_command()
    if command is None:
        raise Skip("the bake command is not installed")
    if not child.can_measure_memory():
        raise Skip("this system does not tell a process's peak memory")
    names = bench.choose(section, tuple(FULL), QUICK)
    section.text(
        f"`bake build MAP` on {processors()} cores, the process's largest resident set as the "
        "system tells it (interpreter and libraries included), wall time, and the file. Kernels "
        "were compiled before. Hops toward sampled targets were checked afterwards, and every "
        "problem of the scenario file has its optimal length."
    )
    assert bench.jit_seconds >= 0
    rows = []
    for name in names:
        aim = FULL.get(name, DEFAULT_AIM)
        folder = bench.scratch / "memory"
        recipe = write_recipe(folder, f"{aim} GiB")
        where = ["--recipe", str(recipe), "-o", str(folder)]
        bench.tell(f"building {name}")
        usage = child.run_measured(
            [command, "build", str(level_file(name)), "--force", "--json", *where]
        )
        asset = folder / f"{name}.h5"
        ground = ground_of(name)
        prove(asset, ground, 8)
        found = evaluate(asset, scenario_file(name), None)
        assert not found.wrong, f"{name}: {found.first_wrong}"
        size = asset.stat().st_size
        ns = usage.seconds * 1e9 / ground.nodes**2
        rows.append(
            (
                name,
                f"{ground.nodes:,}",
                f"{ground.nodes**2:.2g}",
                f"{usage.peak / GIB:.2f}",
                f"{usage.seconds:,.1f}",
                f"{ns:.2f}",
                f"{size:,}",
                f"{found.problems:,}",
                f"{found.ns_per_step:.0f}",
            )
        )
        section.at_most(f"{name}: peak", usage.peak / GIB, aim, "GiB")
    section.table(
        (
            "map",
            "nodes",
            "pairs",
            "peak, GiB",
            "seconds",
            "ns per pair",
            "file, bytes",
            "problems",
            "ns per step",
        ),
        rows,
    )
