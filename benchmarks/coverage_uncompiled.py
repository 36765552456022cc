"""Measure the line coverage of the tests, with kernels run as plain Python.

    python -m benchmarks.coverage_uncompiled [--limit 100] [--floor 95] [--jobs 2] [FILE...]

Coverage cannot look into compiled kernels, so compilation is off. Tests that bake whole maps would
then take hours: each file of tests is interrupted after a limit, and counts as far as it came.
Whether tests pass is for `make test` to say.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="*", type=Path, help="of tests; else all there are")
    parser.add_argument("--limit", type=float, default=100.0, help="seconds for a file of tests")
    parser.add_argument("--floor", type=float, default=95.0, help="per cent, else exit 2")
    parser.add_argument("--jobs", type=int, default=2, help="files of tests at once")
    chosen = parser.parse_args()
    files = [file.resolve() for file in chosen.files] or sorted((ROOT / "tests").rglob("test_*.py"))
    # A shell ignores it for what runs in the background, and so would the tests.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "COVERAGE_FILE": str(Path(folder) / "coverage"),
        }
        coverage = [sys.executable, "-m", "coverage"]
        plain = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile=ci"]

        def run(file: Path) -> None:
            name = str(file.relative_to(ROOT))
            command = [*coverage, "run", "-m", "pytest", *plain, name]
            print(f"{name}: {_run(command, environment, chosen.limit)}", flush=True)

        with ThreadPoolExecutor(chosen.jobs) as pool:
            list(pool.map(run, files))
        subprocess.run([*coverage, "combine", "-q"], cwd=ROOT, env=environment, check=True)
        report = [*coverage, "report", "-m", "--skip-covered", f"--fail-under={chosen.floor}"]
        return subprocess.run(report, cwd=ROOT, env=environment, check=False).returncode


def _run(command: list[str], environment: dict[str, str], limit: float) -> str:
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            return "passed" if process.wait(limit) == 0 else "failed"
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # as Ctrl-C, so that what was seen is kept
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            return "interrupted, and not counted"
    return "interrupted"


if __name__ == "__main__":
    sys.exit(main())
