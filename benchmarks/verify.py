"""Measure time and peak memory of `bake verify`, relative to the bake."""

from __future__ import annotations

import shutil
from pathlib import Path
from statistics import median

from bake.core.processors import processors
from benchmarks import child
from benchmarks.bench import Bench, Skip
from benchmarks.levels import level_file
from benchmarks.section import Section

#: Maps, and the tables of the recipes for each.
FULL = ("lak303d", "den520d", "brc202d")
QUICK = ("den312d",)

RECIPES = {
    "default": "",
    "default and heuristic": '[heuristic]\nkind = "landmark"\n',
    "distances alone": 'tables = ["distances"]\nmemory_budget = "4 GiB"\n',
    "bounds alone": 'tables = ["cluster_distances", "heuristic"]\n',
}
AIM = 2


def run(bench: Bench, section: Section) -> None:
    """Build and verify in turns with the installed command, as a user would."""
    command = child.bake_command()
    if command is None:
        raise Skip("the bake command is not installed")
    if not child.can_measure_memory():
        raise Skip("this system does not tell a process's peak memory")
    names = bench.choose(section, FULL, QUICK)
    times = bench.either(3, 1)
    section.text(
        f"`bake build MAP` and `bake verify` of what it wrote, by turns, whole processes on "
        f"{processors()} cores, medians of {times}; kernels were compiled before. *Default* are "
        "components, next hops, clusters, a hierarchy and cluster distances. *Bounds alone* are "
        "cluster distances and the heuristic, with no next hops to read distances off. Every pair "
        "was proved."
    )
    rows, worst = [], 0.0
    for kind, text in RECIPES.items():
        folder = bench.scratch / "verify" / kind.replace(" ", "-")
        folder.mkdir(parents=True)
        (folder / "bake.toml").write_text(text, encoding="utf-8")
        _build_and_verify(
            command, folder, "lak110d" if level_file("lak110d").exists() else names[0]
        )
        for name in names:
            bench.tell(f"{name}, {kind}")
            took = [_build_and_verify(command, folder, name) for _ in range(times)]
            bake, proof = (median(one[place].seconds for one in took) for place in (0, 1))
            peak = max(one[1].peak for one in took)
            ratio = proof / bake
            worst = max(worst, ratio)
            rows.append(
                (name, kind, f"{bake:.2f}", f"{proof:.2f}", f"{ratio:.2f}", f"{peak / 2**20:,.0f}")
            )
    section.table(
        ("map", "tables", "bake, s", "proof, s", "proof / bake", "peak of proof, MiB"), rows
    )
    section.at_most("a whole proof, longest beside its bake", worst, AIM, "times")


def _build_and_verify(command: str, folder: Path, name: str) -> tuple[child.Usage, child.Usage]:
    """Build a map from scratch, and verify it."""
    source = folder / f"{name}.map"
    if not source.exists():
        shutil.copy(level_file(name), source)
    where = ["--recipe", str(folder / "bake.toml"), "-o", str(folder / "baked")]
    built = child.run_measured([command, "build", str(source), "--force", *where])
    return built, child.run_measured([command, "verify", str(folder / "baked" / f"{name}.h5")])
