"""`python -m fuzz [READER …] [--runs N] [--work FOLDER] [--jobs N]`: fuzz readers of files."""

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

from fuzz.targets import TARGETS

#: Inputs a process takes; what is instrumented leaks some kilobytes an input.
PART = 25_000


@dataclass(frozen=True)
class Part:
    """What came of one process: inputs asked for, its exit status, and what it told."""

    asked: int
    code: int
    told: dict[str, Any]

    @property
    def good(self) -> bool:
        told = self.told
        return self.code == 0 and told.get("inputs", 0) >= self.asked and not told["failures"]


def _sum(parts: list[Part]) -> dict[str, object]:
    every = [part.told for part in parts if part.told]
    failures: Counter[str] = Counter()
    for told in every:
        failures.update(told["failures"])
    return {
        "good": all(part.good for part in parts),
        "exits": [part.code for part in parts],
        **{key: sum(told[key] for told in every) for key in ("inputs", "read", "refused")},
        "failures": dict(failures),
        "seconds": sum(told["seconds"] for told in every),
        **{key: max((told[key] for told in every), default=0) for key in ("slowest_s", "peak_mib")},
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", choices=[*TARGETS, []], metavar="READER")
    parser.add_argument("--runs", type=int, default=100_000, help="inputs a reader")
    parser.add_argument("--work", type=Path, default=Path("build/fuzz"), help="folder to work in")
    parser.add_argument("--jobs", type=int, default=1, help="readers at once")
    asked = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print("atheris is missing: pip install atheris (Linux and macOS)", file=sys.stderr)
        return 2
    work = asked.work.resolve()
    work.mkdir(parents=True, exist_ok=True)

    def fuzz(name: str) -> bool:
        parts = []
        with (work / f"{name}.log").open("w", encoding="utf-8") as log:
            for begun in range(0, asked.runs, PART):
                summary = work / name / "summary.json"
                summary.unlink(missing_ok=True)
                inputs = min(PART, asked.runs - begun)
                command = [sys.executable, "-m", "fuzz.child", name, str(inputs), str(work)]
                code = subprocess.run(
                    [*command, str(1 + len(parts))], stdout=log, stderr=log, check=False
                ).returncode
                told = json.loads(summary.read_text("utf-8")) if summary.exists() else {}
                parts.append(Part(inputs, code, told))
        print(json.dumps({"reader": name, **_sum(parts)}), flush=True)
        return all(part.good for part in parts)

    with ThreadPoolExecutor(asked.jobs) as pool:
        good = list(pool.map(fuzz, asked.readers or list(TARGETS)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
