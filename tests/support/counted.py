"""Runs kernels in processes of their own, and counts which of them were in the cache."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support import forked

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bake"

#: Says how many kernels came from the cache and how many did not.
COUNTED = """
kernels = [each for each in vars(module).values() if hasattr(each, "stats")]
print(sum(sum(each.stats.cache_hits.values()) for each in kernels),
      sum(sum(each.stats.cache_misses.values()) for each in kernels))
"""

#: Runs the smallest kernel there is.
PUSH = f"""
import numpy as np
from bake.core.kernels import heap as module
entries = np.zeros((2, 2), np.int64)
assert module.push(entries, 0, 5, 7) == 1 and entries[0].tolist() == [5, 7]
{COUNTED}
"""


#: Begins a program that has numba, but nothing of the project yet.
ANEW = """
import os, sys
for name in [name for name in sys.modules if name.partition(".")[0] == "bake"]:
    del sys.modules[name]
os.environ["BAKE_CACHE_DIR"] = sys.argv[1]
"""


def taken(folder: Path) -> dict[str, str]:
    """Variables under which a folder for temporary files has no place for a cache."""
    folder.mkdir()
    user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""
    (folder / f"levelbake{user}").write_text("no folder")
    return {"TMPDIR": str(folder)}


def python(code: str, cache: Path, arguments: Sequence[str] = (), **variables: str) -> str:
    """What code prints; variables of numba need an interpreter that loads it with them."""
    environment = forked.surroundings(**variables)
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, "-c", ANEW + code, str(cache), *arguments]
    done = forked.run(command, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
