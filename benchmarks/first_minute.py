"""Time the first steps of a new user, from a clone and from a wheel with compiled kernels."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from statistics import median

from benchmarks import child
from benchmarks.bench import Bench, Skip
from benchmarks.levels import small_level
from benchmarks.section import Section

ROOT = Path(__file__).resolve().parents[1]
SIZE = 48

_BAKE = "from bake.cli import main; main()"
_LOOKUP = """
import sys
from bake.play import open_asset
nav = open_asset(sys.argv[1]).profile()
assert nav.path(nav.nearest((1, 1)), nav.nearest((40, 40)))
"""


class _Home:
    """A home directory in which nothing has been compiled yet."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder = folder
        folder.mkdir()
        paths = os.pathsep.join(map(str, (package, ROOT / "readers" / "python")))
        self._environment = child.environment({"BAKE_CACHE_DIR": str(folder), "PYTHONPATH": paths})
        self._environment.pop("BAKE_COMPILE", None)

    def run(self, code: str, *arguments: object) -> tuple[float, float]:
        """Return the wall time and the processor time of a program in seconds."""
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-P", "-c", code, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=ROOT, env=self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        assert self._count_processes() == 0, "a process stays behind"
        return seconds, used

    def _count_processes(self) -> int:
        """Return the number of processes of this home; 0 if the system cannot count them."""
        own = f"BAKE_CACHE_DIR={self.folder}\0".encode()
        found = 0
        for file in Path("/proc").glob("[0-9]*/environ"):
            try:
                found += own in file.read_bytes()
            except OSError:
                continue
        return found


def run(bench: Bench, section: Section) -> None:
    """Run each step in home directories of its own."""
    if os.name != "posix":
        raise Skip("the system does not tell what processes use")
    source = bench.scratch / "small.map"
    source.write_text(small_level(SIZE), encoding="utf-8")
    packages = {"clone": ROOT}
    if not bench.quick:
        bench.tell("building a wheel with kernels")
        program = [sys.executable, str(ROOT / "distribution" / "kernels.py"), str(bench.scratch)]
        subprocess.run(program, cwd=ROOT, check=True, capture_output=True)
        packages["wheel"] = bench.scratch / "site"
        zipfile.ZipFile(next(bench.scratch.glob("*.whl"))).extractall(packages["wheel"])
    rows = []
    for name, package in packages.items():
        steps: dict[str, list[tuple[float, float]]] = {}
        for turn in range(bench.either(3, 1)):
            home = _Home(bench.scratch / f"{name}{turn}", package)
            asset = home.folder / "small.h5"
            build = ("build", source, "-o", home.folder, "--force")
            programs: dict[str, tuple[object, ...]] = {
                "first build": (_BAKE, *build),
                "next build": (_BAKE, *build),
                "first render": (_BAKE, "render", asset, "-o", home.folder / "small.png"),
                "first lookup": (_LOOKUP, asset),
            }
            for step, (code, *arguments) in programs.items():
                steps.setdefault(step, []).append(home.run(str(code), *arguments))
            if name == "clone":
                whole = _Home(bench.scratch / f"examples{turn}", package)
                every = whole.run(_BAKE, "build", "-o", whole.folder / "baked")
                steps.setdefault("`make bake`", []).append(every)
        for step, taken in steps.items():
            seconds, used = (median(each[which] for each in taken) for which in (0, 1))
            rows.append((f"{name}: {step}", f"{seconds:.2f}", f"{used:.2f}"))
            if step == "`make bake`":
                section.at_most("`make bake` in a clone", seconds, 20, "s", digits=1)
    section.text(
        "Each step in a process of its own, in homes where nothing was compiled before: a level "
        f"of {SIZE} x {SIZE} cells is built, built again, drawn, and asked for a path. No process "
        "stays behind, which is asserted. A wheel is unpacked, not installed. Medians."
    )
    section.table(("step", "seconds", "seconds of processors"), rows)
