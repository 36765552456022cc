"""`python -m fuzz [READER …] [--runs N] [--work FOLDER] [--jobs N]`: fuzz readers of files."""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzz.targets import TARGETS


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
        with (work / f"{name}.log").open("w", encoding="utf-8") as log:
            command = [sys.executable, "-m", "fuzz.child", name, str(asked.runs), str(work)]
            code = subprocess.run(command, stdout=log, stderr=log, check=False).returncode
        summary = work / name / "summary.json"
        told = json.loads(summary.read_text("utf-8")) if summary.exists() else {}
        good = code == 0 and told.get("inputs", 0) >= asked.runs and not told["failures"]
        print(json.dumps({"good": good, "exit": code, **told}), flush=True)
        return good

    with ThreadPoolExecutor(asked.jobs) as pool:
        good = list(pool.map(fuzz, asked.readers or list(TARGETS)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
