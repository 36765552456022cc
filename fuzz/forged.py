"""Test forged assets in a process that may crash: `python -m fuzz.forged KIND FIRST END FILE`.

There are two kinds. A *forgery* is queried through the reader: each answer must be walkable, or a
documented error. A *mutant* is verified: `bake verify` must reject it, unless all answers are the
same. The number of a forged asset determines its changes.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path

from bake.verify import verify_asset
from fuzz import originals
from fuzz.forging import forge
from fuzz.originals import ORIGINALS, baked
from fuzz.questions import Answers, answers, differences, is_refusal
from levelbake.columns import Column
from levelbake.errors import BakeError
from tests.support import lattices
from tests.support.stored import code, stored

#: The address space of the process, and the processor time in seconds for one forgery.
MEMORY_BYTES = 8 * 2**30
SECONDS = 120


@cache
def original(name: str) -> bytes:
    """Return the bytes of an original asset, from a cache that all processes share."""
    sources = Path(originals.__file__), Path(lattices.__file__)

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            content = baked(Path(scratch), name).read_bytes()
        (folder / "original.h5").write_bytes(content)

    folder = stored(f"original-{name.replace(' ', '-')}", [code(), name, *sources], make)
    return (folder / "original.h5").read_bytes()


@cache
def original_answers(name: str) -> Answers:
    """Return the answers of an original asset to every kind of query."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "original.h5"
        path.write_bytes(original(name))
        return answers(path)


def forged(number: int, path: Path, *, single: bool) -> tuple[str, str, bool]:
    """Write the forged asset of a number.

    Returns:
        The name of the original, a description of the change, and whether the changed value is an
        input from the level, which nothing in the asset can confirm.
    """
    random_ = random.Random(number)
    name = list(ORIGINALS)[number % len(ORIGINALS)]
    path.write_bytes(original(name))
    what, declared = forge(path, random_, single=single)
    return name, f"{name}: {what}", isinstance(declared, Column) and declared.given


def ask_forgery(number: int, path: Path) -> tuple[str, str]:
    """Query a forged asset.

    Returns:
        The outcome and a description of the change. The outcome is "same" for equal answers,
        "refused" if every different answer is a documented error, and "other" if some are other
        walkable paths.
    """
    name, what, _ = forged(number, path, single=False)
    after = answers(path)
    differ = differences(original_answers(name), after)
    if not differ:
        return "same", what
    return ("refused" if all(is_refusal(after.get(query)) for query in differ) else "other"), what


def prove_mutant(number: int, path: Path) -> tuple[str, str]:
    """Verify an asset in which one value was changed.

    Returns:
        The outcome and a description of the change. The outcome is "rejected", "harmless" if all
        answers are equal, "given" if the changed value is an input from the level, and "missed"
        otherwise.
    """
    name, what, given = forged(number, path, single=True)
    return proved(name, path, given=given), what


def proved(name: str, path: Path, *, given: bool) -> str:
    """Verify a mutant of an original, and return the outcome as :func:`prove_mutant` does."""
    try:
        verify_asset(path, None, lambda done: None)
    except BakeError:
        return "rejected"
    differ = differences(original_answers(name), answers(path))
    return "harmless" if not differ else "given" if given else "missed"


KINDS: dict[str, Callable[[int, Path], tuple[str, str]]] = {
    "forgeries": ask_forgery,
    "mutants": prove_mutant,
}
#: The acceptable outcomes.
GOOD = frozenset({"same", "refused", "other", "rejected", "harmless", "given"})


def run_number(kind: str, number: int, folder: Path) -> tuple[str, str]:
    """Test one number; an undocumented exception has the outcome "raised"."""
    path = folder / "forged.h5"
    try:
        return KINDS[kind](number, path)
    except Exception:
        trace = traceback.format_exc().splitlines()
        where = [line.strip() for line in trace if "/bake/" in line][-1:]
        _, what, _ = forged(number, path, single=kind == "mutants")
        return "raised", f"{what}: {trace[-1]} {' '.join(where)}"


def main() -> None:
    import resource  # Missing on Windows, where tests import only the functions above.

    kind, first, end, file = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    # The test is whether compiled code reads beyond its arrays.
    os.environ.setdefault("BAKE_COMPILE", "wait")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for name in ORIGINALS:
        original_answers(name)
    with tempfile.TemporaryDirectory() as folder, file.open("a", encoding="utf-8") as log:
        for number in range(first, end):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            begun = time.perf_counter()
            outcome, what = run_number(kind, number, Path(folder))
            seconds = round(time.perf_counter() - begun, 3)
            log.write(json.dumps([number, outcome, what, seconds]) + "\n")
            log.flush()


if __name__ == "__main__":
    main()
