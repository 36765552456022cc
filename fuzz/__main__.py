"""`python -m fuzz [READER …] [--runs N] [--work FOLDER] [--jobs N]`: fuzz readers of files.

`forgeries` and `mutants` forge assets: see `fuzz.forged`. They need no atheris.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.forged import GOOD, KINDS
from fuzz.targets import TARGETS

#: The default number of inputs for each reader, and of forged assets of each kind.
RUNS, FORGED_RUNS = 100_000, 5_000
#: Inputs for each process, as instrumented code leaks some kilobytes per input.
PART = 25_000
#: Forged assets for each process, which first bakes the originals.
FORGED_PART = 500
#: The most bad outcomes that are listed.
MOST_TOLD = 40


@dataclass(frozen=True)
class Part:
    """The result of one process: the requested inputs, its exit status, and its summary."""

    asked: int
    code: int
    told: dict[str, Any]

    @property
    def good(self) -> bool:
        summary = self.told
        return self.code == 0 and summary.get("inputs", 0) >= self.asked and not summary["failures"]


def _sum(parts: list[Part]) -> dict[str, object]:
    summaries = [part.told for part in parts if part.told]
    failures: Counter[str] = Counter()
    for told in summaries:
        failures.update(told["failures"])
    return {
        "good": all(part.good for part in parts),
        "exits": [part.code for part in parts],
        **{key: sum(told[key] for told in summaries) for key in ("inputs", "read", "refused")},
        "failures": dict(failures),
        "seconds": sum(told["seconds"] for told in summaries),
        **{
            key: max((told[key] for told in summaries), default=0)
            for key in ("slowest_s", "peak_mib")
        },
    }


def _fuzz_reader(name: str, runs: int, work: Path) -> bool:
    """Fuzz one reader in several processes, and print a summary."""
    parts = []
    with (work / f"{name}.log").open("w", encoding="utf-8") as log:
        for begun in range(0, runs, PART):
            summary = work / name / "summary.json"
            summary.unlink(missing_ok=True)
            inputs = min(PART, runs - begun)
            command = [sys.executable, "-m", "fuzz.child", name, str(inputs), str(work)]
            code = subprocess.run(
                [*command, str(1 + len(parts))], stdout=log, stderr=log, check=False
            ).returncode
            told = json.loads(summary.read_text("utf-8")) if summary.exists() else {}
            parts.append(Part(inputs, code, told))
    print(json.dumps({"reader": name, **_sum(parts)}), flush=True)
    return all(part.good for part in parts)


def _fuzz_forged(kind: str, runs: int, work: Path) -> bool:
    """Test forged assets in several processes, and print a summary."""
    file, done = work / f"{kind}.jsonl", 0
    file.unlink(missing_ok=True)
    came: Counter[str] = Counter()
    bad: list[str] = []
    seconds = 0.0
    with (work / f"{kind}.log").open("w", encoding="utf-8") as log:
        while done < runs:
            end = min(runs, done - done % FORGED_PART + FORGED_PART)
            command = [sys.executable, "-m", "fuzz.forged", kind, str(done), str(end), str(file)]
            code = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
            lines = file.read_text("utf-8").splitlines() if file.exists() else []
            if len(lines) < end:  # The process crashed on the next asset.
                record = json.dumps([len(lines), "died", f"exit status {code}", 0.0])
                with file.open("a", encoding="utf-8") as results:
                    results.write(record + "\n")
                lines.append(record)
            for number, what, forged, took in map(json.loads, lines[done:]):
                came[what] += 1
                seconds += took
                if what not in GOOD:
                    bad.append(f"{number} {what}: {forged}")
            done = len(lines)
    report = {"kind": kind, "tried": done, **came, "seconds": round(seconds)}
    print(json.dumps({**report, "bad": bad[:MOST_TOLD]}), flush=True)
    return not bad


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    known = [*TARGETS, *KINDS]
    parser.add_argument("readers", nargs="*", choices=[*known, []], metavar="READER")
    parser.add_argument("--runs", type=int, help="inputs a reader, or assets a kind")
    parser.add_argument("--work", type=Path, default=Path("build/fuzz"), help="folder to work in")
    parser.add_argument("--jobs", type=int, default=1, help="readers at once")
    arguments = parser.parse_args()
    names = arguments.readers or known
    if set(names) & set(TARGETS) and importlib.util.find_spec("atheris") is None:
        print("atheris is missing: pip install atheris (Linux and macOS)", file=sys.stderr)
        return 2
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)

    def fuzz(name: str) -> bool:
        if name in KINDS:
            return _fuzz_forged(name, arguments.runs or FORGED_RUNS, work)
        return _fuzz_reader(name, arguments.runs or RUNS, work)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        good = list(pool.map(fuzz, names))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
