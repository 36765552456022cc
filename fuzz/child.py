"""Fuzz one reader in a process of its own with atheris (libFuzzer), for a number of runs.

`python -m fuzz.child READER RUNS WORK SEED`; `python -m fuzz` starts it.
"""

from __future__ import annotations

import gc
import importlib
import json
import pkgutil
import resource
import shutil
import sys
import time
from pathlib import Path

import bake

#: The address space of the process; readers of small files need no more.
MEMORY_BYTES = 4 * 2**30
#: The most seconds that an input may take.
SECONDS = 20
MAX_BYTES = 2**14

_INSTRUMENTED = ("bake", "levelbake", "PIL")
_BAKE = Path(bake.__file__).parent


def _kernels() -> list[str]:
    """Return the modules with compiled kernels, which instrumentation would leave uncompiled."""
    return [
        ".".join(file.relative_to(_BAKE.parent).with_suffix("").parts)
        for file in sorted(_BAKE.rglob("*.py"))
        if "bake.core.kernels.jit" in file.read_text("utf-8")
    ]


def main() -> None:
    name, runs, work, first = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    import atheris

    with atheris.instrument_imports(include=_INSTRUMENTED, exclude=_kernels()):
        import bake.levels
        import bake.project.recipe
        from fuzz import targets
        from fuzz.judge import UndocumentedError, judge

        for package in (bake.levels, bake.project.recipe):
            for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
                importlib.import_module(module.name)
    target = targets.TARGETS[name]
    folder, corpus, failure_folder = (
        work / name / "level",
        work / name / "corpus",
        work / name / "found",
    )
    shutil.rmtree(folder, ignore_errors=True)
    for subfolder in (folder, corpus, failure_folder):
        subfolder.mkdir(parents=True, exist_ok=True)
    target.prepare(folder)
    seeds = target.seeds()
    for number, seed in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    path = folder / target.file
    for seed in seeds:  # Compile kernels first, which may take longer than an input.
        path.write_bytes(seed)
        judge(target.read, folder)
    counts = {"read": 0, "refused": 0}
    failures: dict[str, int] = {}
    slowest = 0.0
    begun = time.perf_counter()

    def one(data: bytes) -> None:
        nonlocal slowest
        path.write_bytes(data)
        start = time.perf_counter()
        try:
            counts[judge(target.read, folder)] += 1
        except UndocumentedError as error:
            if error.where not in failures:
                stem = "".join(mark if mark.isalnum() else "-" for mark in error.where)
                (failure_folder / f"{stem}.bin").write_bytes(data)
                (failure_folder / f"{stem}.txt").write_text(f"{error.where}\n{error}\n", "utf-8")
            failures[error.where] = failures.get(error.where, 0) + 1
        slowest = max(slowest, time.perf_counter() - start)
        done = sum(counts.values()) + sum(failures.values())
        if done % 250 == 0:
            gc.collect()  # Images are kept alive by the frames of their errors.
        if done % 1000 == 0 or done >= runs:
            summary = {
                "reader": name, "inputs": done, **counts, "failures": failures,
                "slowest_s": round(slowest, 3),
                "seconds": round(time.perf_counter() - begun),
                "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }  # fmt: skip
            (work / name / "summary.json").write_text(json.dumps(summary), "utf-8")

    def mutator(data: bytes, max_size: int, seed: int) -> bytes:
        if seed % 8 == 0:
            return atheris.Mutate(data, max_size)
        if seed % 2:  # Start from a valid file, as the corpus fills with rejected ones.
            data = seeds[seed // 2 % len(seeds)]
        return target.mutated(data, seed)[:max_size]

    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, limits[1]))
    arguments = [
        "fuzz", str(corpus), f"-runs={runs}", f"-max_len={MAX_BYTES}", f"-timeout={SECONDS}",
        f"-artifact_prefix={failure_folder}/", "-rss_limit_mb=3000", "-len_control=0",
        "-mutate_depth=1", f"-seed={first}",
    ]  # fmt: skip
    atheris.Setup(arguments, one, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
