"""Forged assets, in a process that may die of them: `python -m fuzz.forged KIND FIRST END FILE`.

There are two kinds. Of a *forgery* the reader is asked everything: each answer must be one that can
be walked, or a documented error. A *mutant* is proved: the proof must refuse it, unless no answer
is another one. Whatever is forged follows from its number alone.
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

#: Address space of the process, and seconds of processor time that one forgery may take.
MEMORY_BYTES = 8 * 2**30
SECONDS = 120


@cache
def original(name: str) -> bytes:
    """One of the assets that are forged, which all processes share."""
    sources = Path(originals.__file__), Path(lattices.__file__)

    def make(folder: Path) -> None:
        with tempfile.TemporaryDirectory() as apart:
            made = baked(Path(apart), name).read_bytes()
        (folder / "original.h5").write_bytes(made)

    folder = stored(f"original-{name.replace(' ', '-')}", [code(), name, *sources], make)
    return (folder / "original.h5").read_bytes()


@cache
def original_answers(name: str) -> Answers:
    """Ask one of the assets that are forged everything."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "original.h5"
        path.write_bytes(original(name))
        return answers(path)


def forged(number: int, path: Path, *, single: bool) -> tuple[str, str, bool]:
    """Write the forged asset of a number.

    Returns:
        The original, what was changed in it, and whether only the level says what was changed.
    """
    random_ = random.Random(number)
    name = list(ORIGINALS)[number % len(ORIGINALS)]
    path.write_bytes(original(name))
    what, declared = forge(path, random_, single=single)
    return name, f"{name}: {what}", isinstance(declared, Column) and declared.given


def ask_forgery(number: int, path: Path) -> tuple[str, str]:
    """Ask a forged asset everything.

    Returns:
        What came of it, and what was changed: "same" answers, "refused" where every other answer is
        a documented error, and "other" where some are other ways that can be walked.
    """
    name, what, _ = forged(number, path, single=False)
    said = answers(path)
    differ = differences(original_answers(name), said)
    if not differ:
        return "same", what
    return ("refused" if all(is_refusal(said.get(each)) for each in differ) else "other"), what


def prove_mutant(number: int, path: Path) -> tuple[str, str]:
    """Prove an asset in which one value is another one.

    Returns:
        What came of it, and what was changed: "rejected", "harmless" where no answer is another
        one, "given" where only the level says what was changed, and "missed" otherwise.
    """
    name, what, given = forged(number, path, single=True)
    return proved(name, path, given=given), what


def proved(name: str, path: Path, *, given: bool) -> str:
    """Prove a mutant of an original, and say what came of it, as :func:`prove_mutant` does."""
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
#: What may come of them.
GOOD = frozenset({"same", "refused", "other", "rejected", "harmless", "given"})


def tried(kind: str, number: int, folder: Path) -> tuple[str, str]:
    """Try one number, and turn an exception that is not documented into "raised"."""
    path = folder / "forged.h5"
    try:
        return KINDS[kind](number, path)
    except Exception:
        trace = traceback.format_exc().splitlines()
        where = [line.strip() for line in trace if "/bake/" in line][-1:]
        _, what, _ = forged(number, path, single=kind == "mutants")
        return "raised", f"{what}: {trace[-1]} {' '.join(where)}"


def main() -> None:
    import resource  # Windows has none, where tests import what is above.

    kind, first, end, file = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    # It is compiled code that must not read beyond its arrays.
    os.environ.setdefault("BAKE_COMPILE", "wait")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for name in ORIGINALS:
        original_answers(name)
    with tempfile.TemporaryDirectory() as folder, file.open("a", encoding="utf-8") as told:
        for number in range(first, end):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            begun = time.perf_counter()
            came, what = tried(kind, number, Path(folder))
            seconds = round(time.perf_counter() - begun, 3)
            told.write(json.dumps([number, came, what, seconds]) + "\n")
            told.flush()


if __name__ == "__main__":
    main()
