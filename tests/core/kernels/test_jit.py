"""How kernels are compiled and kept: nothing of the host changes, and damage is mended."""

import ast
import random
import re
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bake.core.kernels import cache, jit
from tests.support.counted import COUNTED, PACKAGE, PUSH, python, taken

pytestmark = pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed")

#: Labels a path of three nodes, with kernels that call others.
LABEL = f"""
import numpy as np
from bake.core.graph import Graph
from bake.search.graph import connectivity as module
graph, _ = Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]))
label, count = module.strong_components(graph)
assert label.tolist() == [2, 1, 0] and count == 3
{COUNTED}
"""


def python_anew(code: str, cache: Path) -> str:
    """What code prints that loads numba itself."""
    return python(code, cache, BAKE_CACHE_DIR=str(cache))


def hits_and_misses(cache: Path, code: str = PUSH) -> tuple[int, int]:
    hits, misses = python(code, cache).split()
    return int(hits), int(misses)


def test_a_kernel_is_compiled_once(tmp_path: Path) -> None:
    assert hits_and_misses(tmp_path, LABEL)[0] == 0
    hits, misses = hits_and_misses(tmp_path, LABEL)
    assert hits >= 1
    assert misses == 0


def test_processes_that_need_a_kernel_at_once_compile_it_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(hits_and_misses, [tmp_path / "both"] * 2, [LABEL] * 2))
    _, misses = hits_and_misses(tmp_path / "alone", LABEL)
    assert sum(missed for _, missed in both) == misses > 0


def truncated(data: bytes) -> bytes:
    return data[:100]


def emptied(data: bytes) -> bytes:
    return b""


def noise(data: bytes) -> bytes:
    return random.Random(1).randbytes(len(data))


def one_bit(data: bytes) -> bytes:
    place = len(data) * 3 // 4
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.fixture(scope="module")
def whole_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    hits_and_misses(folder)
    return folder


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [("nbi", truncated), ("nbi", one_bit), ("nbc", emptied), ("nbc", noise), ("nbc", one_bit)],
)
def test_a_damaged_cache_is_dropped_and_made_again(
    suffix: str, damage: Callable[[bytes], bytes], whole_cache: Path, tmp_path: Path
) -> None:
    shutil.copytree(whole_cache, tmp_path, dirs_exist_ok=True)
    files = list(tmp_path.rglob(f"*.{suffix}"))
    assert files
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    assert hits_and_misses(tmp_path)[1] >= 1
    assert hits_and_misses(tmp_path)[1] == 0


def test_an_interrupt_waits_for_the_compiler(tmp_path: Path) -> None:
    code = """
import signal
import numpy as np
from bake.core.kernels.heap import push
dispatcher, heap = push._load_compiled(), np.zeros((2, 2), np.int64)
compile, done = dispatcher.compile, []
def interrupted(kinds):
    signal.raise_signal(signal.SIGINT)
    done.append(compile(kinds))
    return done[0]
dispatcher.compile = interrupted
try:
    push(heap, 0, 5, 7)
except KeyboardInterrupt:
    print(len(done), len(dispatcher.overloads))
"""
    assert python(code, tmp_path) == "1 1"


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("no folder")
    blocked = taken(tmp_path / "tmp")
    for _ in range(2):
        assert python(PUSH, nowhere, **blocked) == "0 1"
    assert nowhere.read_text() == "no folder"


def test_nothing_of_the_host_changes(tmp_path: Path) -> None:
    settings = """
import sys, numba
def all_settings():
    plain = (bool, int, str, type(None))
    named = {n: v for n, v in vars(numba.config).items() if n.isupper() and isinstance(v, plain)}
    return named, list(sys.meta_path), sys.path[:], sys.getswitchinterval()
before = all_settings()
"""
    after = """
assert all_settings() == before
"""
    python_anew(settings + PUSH + after, tmp_path)


def test_a_host_still_compiles_linear_algebra(tmp_path: Path) -> None:
    host = """
@__import__("numba").njit
def product(a, b):
    return np.dot(a, b)
assert product(np.eye(2), np.ones((2, 2))).tolist() == [[1, 1], [1, 1]]
from numba.np import arraymath
assert arraymath._HAVE_BLAS
"""
    python_anew(PUSH + host, tmp_path)


def test_bounds_checks_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hits_and_misses(tmp_path)
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert hits_and_misses(tmp_path)[0] == 0


def test_the_digest_follows_imports(tmp_path: Path) -> None:
    deep = tmp_path / "search" / "hierarchy" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "core" / "kernels").mkdir(parents=True)
    kernel, other = deep / "kernel.py", deep / "other.py"
    part = tmp_path / "core" / "kernels" / "part.py"
    kernel.write_text(
        "from bake.core.kernels.part import (\n    add,\n)\nfrom bake.levels import x\n"
    )
    part.write_text("if True:\n    from bake.core.graph import BLOCKED\n")
    other.write_text("a = 1")

    def digest() -> str:
        cache._content.cache_clear()
        cache._find_imports.cache_clear()
        cache.digest_of.cache_clear()
        return cache.digest_of(tmp_path, kernel)

    seen = []
    for blocked in (1, 2):
        (tmp_path / "core" / "graph.py").write_text(f"BLOCKED = {blocked}")
        seen.append(digest())
    part.write_text(part.read_text() + "# another line\n")
    seen.append(digest())
    kernel.write_text(kernel.read_text() + "# another line\n")
    seen.append(digest())
    assert len(set(seen)) == 4
    other.write_text("a = 2")
    assert digest() == seen[-1]
    kernel.write_text("from bake.search.hierarchy import deep\n")
    (tmp_path / "search" / "hierarchy" / "other.py").write_text("a = 1")
    whole = digest()
    (tmp_path / "search" / "hierarchy" / "other.py").write_text("a = 2")
    assert digest() != whole


def test_a_cache_is_good_wherever_the_package_lies(tmp_path: Path) -> None:
    hits_and_misses(tmp_path / "cache")
    shutil.copytree(PACKAGE, tmp_path / "elsewhere" / "bake")
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'elsewhere')!r})\n{PUSH}"
    code += "assert 'elsewhere' in module.__file__\n"
    hits, misses = python(code, tmp_path / "cache").split()
    assert int(hits) >= 1
    assert int(misses) == 0


def in_the_digest(path: Path) -> bool:
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    return any(module == source or module.startswith(f"{source}.") for source in cache.SOURCES)


def modules_with_kernels() -> list[Path]:
    made = re.compile(r"^ *@(kernel|allocating|separate|inlined|accessor)$", re.MULTILINE)
    return [path for path in sorted(PACKAGE.rglob("*.py")) if made.search(path.read_text("utf-8"))]


def test_every_kernel_is_in_the_digest() -> None:
    found = modules_with_kernels()
    assert len(found) > 20
    assert [str(path) for path in found if not in_the_digest(path)] == []


@pytest.mark.parametrize("path", modules_with_kernels(), ids=lambda path: path.stem)
def test_every_constant_of_a_kernel_is_in_the_digest(path: Path) -> None:
    """What a module of kernels imports may be compiled into them; names of types may not."""
    without_constants = {
        "bake.core.arrays",
        "bake.core.errors",
        "bake.core.processors",
        "bake.extras.school.puzzle",
    }
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        assert not node.module.startswith("levelbake") or node.module == "levelbake.errors"
        if not node.module.startswith("bake"):
            continue
        if node.module not in without_constants:
            place = PACKAGE.parent / (node.module.replace(".", "/") + ".py")
            place = place if place.exists() else place.with_suffix("") / "__init__.py"
            assert in_the_digest(place), node.module
            assert place in cache._find_sources(PACKAGE, path)


#: Three layers, of which the lowest is called where it lies, and one beside them.
LAYERS = '''
import numpy as np
from bake.core.kernels.jit import kernel, separate

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
missed = lambda each: each.stats.cache_misses or each.inner.stats.cache_misses
print(found, *(each.function.__name__ for each in kernels if missed(each)))
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
    # The layer on top calls what is loaded, but needs code of the middle one that Python does not.
    assert layers.call("top") == "1707 middle top"
    assert layers.call("top") == "1707"
    assert layers.call("middle") == "70"


def test_what_is_compiled_anew_is_not_called_by_its_old_name(layers: Layers) -> None:
    assert layers.call("top") == "1707 low middle top"
    layers.forget("low")
    assert layers.call("middle") == "70 low middle"
    assert layers.call("top") == "1707 middle top"
    assert layers.call("top") == "1707"
    layers.forget("low")
    assert layers.call("top").startswith("1707 low")
    assert layers.call("top") == "1707"
