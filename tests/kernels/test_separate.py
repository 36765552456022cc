"""Kernels that others call where they lie, from the cache and out of it."""

import shutil
from pathlib import Path

import pytest

from bake.kernels import jit
from tests.kernels.test_jit import python

PACKAGE = Path(jit.__file__).parents[1]

pytestmark = pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")

#: Three layers, of which the lowest is called where it lies, and one beside them.
LAYERS = '''
import numpy as np
from bake.kernels.jit import kernel, separate

@separate
def low(numbers: np.ndarray, more: int) -> int:
    """Raises what is out of bounds, so that an error passes through all layers."""
    if more < 0:
        raise ValueError("no")
    return numbers[0] + more

@kernel
def middle(numbers: np.ndarray, more: int) -> int:
    return 10 * low(numbers, more)

@kernel
def top(numbers: np.ndarray, more: int) -> int:
    return 10 * middle(numbers, more) + low(numbers, more)

@kernel
def beside(more: int) -> int:
    return more
'''

CALL = """
import sys
sys.path.insert(0, sys.argv[2])
import numpy as np
from bake.search import layers
numbers, found = np.array([4]), 0
for name in sys.argv[3:]:
    found = getattr(layers, name)(*([numbers, 3] if name != "beside" else [3]))
try:
    layers.top(numbers, -1) if "top" in sys.argv else 0
except ValueError:
    found += 1000
kernels = [layers.low, layers.middle, layers.top, layers.beside]
print(found, *(each.function.__name__ for each in kernels if each.stats.cache_misses))
"""


class Layers:
    """A copy of the package with the layers in it, and a cache that is empty at first."""

    def __init__(self, folder: Path) -> None:
        self._tree, self.cache = folder / "tree", folder / "cache"
        shutil.copytree(PACKAGE, self._tree / "bake", ignore=shutil.ignore_patterns("__pycache__"))
        (self._tree / "bake" / "search" / "layers.py").write_text(LAYERS, encoding="utf-8")

    def call(self, *names: str) -> str:
        """Call kernels in a process; return the last answer, and what had to be compiled."""
        return python(CALL, self.cache, [str(self._tree), *names])

    def forget(self, name: str) -> None:
        """Delete what is compiled of a kernel."""
        files = list(self.cache.rglob(f"layers.{name}-*"))
        assert files
        for file in files:
            file.unlink()


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)


def test_layers_are_loaded_with_what_they_stand_upon(layers: Layers) -> None:
    assert layers.call("middle") == "70 low middle"
    # The layer on top is compiled over one that is loaded, and calls what that one calls.
    assert layers.call("top") == "1707 top"
    assert layers.call("top") == "1707"
    assert layers.call("middle") == "70"


def test_what_is_compiled_anew_is_not_called_by_its_old_name(layers: Layers) -> None:
    assert layers.call("top") == "1707 low middle top"
    layers.forget("low")
    assert layers.call("beside", "low") == "7 low beside"
    assert layers.call("top") == "1707 middle top"
    assert layers.call("top") == "1707"
    layers.forget("low")
    assert layers.call("top").startswith("1707 low")
    assert layers.call("top") == "1707"
