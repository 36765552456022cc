"""Compiled kernels that a wheel carries are run where they fit, and compiled anew elsewhere."""

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from types import ModuleType

import pytest

from bake.core.kernels import cache, jit
from tests.support.counted import PACKAGE, PUSH, ROOT, python, taken
from tests.support.kernels import Progress

pytestmark = [
    pytest.mark.skipif(not jit.COMPILED, reason="numba is not installed"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="names a processor of x86-64"),
]

PORTABLE = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}

#: Loads the package from a folder, as numba of a version.
FROM = """
sys.path.insert(0, sys.argv[2])
import numba
numba.__version__ = sys.argv[3] or numba.__version__
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with code for any processor of the kind."""
    folder = tmp_path_factory.mktemp("compiled")
    assert python(PUSH, folder, **PORTABLE) == "0 1"
    return folder / "kernels"


@pytest.fixture
def tree(compiled: Path, tmp_path: Path) -> Path:
    """A copy of the package that carries the code."""
    folder = tmp_path / "tree" / "bake"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(compiled, folder / "core" / "kernels" / "compiled")
    return folder


def hits_and_misses(tree: Path, numba: str = "", **variables: str) -> str:
    return python(FROM + PUSH, tree.parent.parent / "own", [str(tree.parent), numba], **variables)


def test_what_is_carried_is_not_compiled(tree: Path) -> None:
    assert hits_and_misses(tree) == "1 0"
    assert list((tree.parent.parent / "own").rglob("*.nb?")) == []


def test_a_cache_that_cannot_be_written_hinders_nothing(tree: Path) -> None:
    (tree.parent.parent / "own").write_text("no folder")
    assert hits_and_misses(tree, **taken(tree.parent.parent / "tmp")) == "1 0"


def test_a_processor_that_lacks_features_has_them_compiled(tree: Path) -> None:
    older = {"NUMBA_CPU_NAME": "sandybridge", "NUMBA_CPU_FEATURES": "+avx,+popcnt,-avx2"}
    assert hits_and_misses(tree, **older) == "0 1"
    assert hits_and_misses(tree, **older) == "1 0"


def test_another_numba_has_them_compiled(tree: Path) -> None:
    assert hits_and_misses(tree, "0.0.1") == "0 1"


def another_python(tree: Path) -> None:
    ours = f".py{sys.version_info.major}{sys.version_info.minor}"
    for file in (tree / "core" / "kernels" / "compiled").rglob("*.nb?"):
        file.rename(file.with_name(file.name.replace(ours, ".py310")))


def another_source(tree: Path) -> None:
    file = tree / "core" / "kernels" / "heap.py"
    file.write_text(file.read_text("utf-8") + "# another line\n", encoding="utf-8")


def damage(tree: Path) -> None:
    for file in (tree / "core" / "kernels" / "compiled").rglob("*.nbc"):
        file.write_bytes(file.read_bytes()[:-1])


@pytest.mark.parametrize("change", [another_python, another_source, damage])
def test_what_does_not_fit_is_compiled(change: Callable[[Path], None], tree: Path) -> None:
    change(tree)
    assert hits_and_misses(tree) == "0 1"
    assert hits_and_misses(tree) == "1 0"


def test_machines_of_other_kinds_have_no_portable_code() -> None:
    assert cache.portable_target(("riscv64-unknown-linux-gnu", "generic-rv64", "+m")) is None
    arm = cache.portable_target(("arm64-apple-darwin", "apple-m1", "+neon"))
    assert arm == ("arm64-apple-darwin", "generic", "")


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of the command that builds a wheel with kernels."""
    monkeypatch.syspath_prepend(str(ROOT / "distribution"))
    spec = importlib.util.spec_from_file_location("kernels", ROOT / "distribution" / "kernels.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_wheel_with_kernels_is_for_one_system(
    compiled: Path, tmp_path: Path, building: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backend import build_wheel

    with chdir(ROOT):
        plain = tmp_path / build_wheel(str(tmp_path))
    pure = zipfile.ZipFile(plain).namelist()
    with pytest.raises(building.BuildError, match="found 0"):
        building.with_kernels(plain, tmp_path / "nothing")
    wheel = building.with_kernels(plain, compiled)
    assert building.tag() in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        carried = [name for name in archive.namelist() if name not in pure]
        assert {Path(name).suffix for name in carried} == {".nbi", ".nbc"}
        info = next(name for name in pure if name.endswith("/WHEEL"))
        assert f"Tag: {building.tag()}\n" in archive.read(info).decode()
        record = archive.read(info.replace("WHEEL", "RECORD")).decode()
        assert all(record.count(f"{name},") == 1 for name in [*carried, info])
    monkeypatch.setattr(building, "MOST_BYTES", 1)
    with pytest.raises(building.BuildError, match="1 to 1 bytes"):
        building.with_kernels(wheel, compiled)


def test_a_wheel_with_kernels_is_built_from_any_folder(
    compiled: Path, tmp_path: Path, building: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    processors = []

    def copy(folder: Path, processor: str) -> None:
        processors.append(processor)
        shutil.copytree(compiled, folder / "kernels")

    monkeypatch.setattr(building, "compile_kernels", copy)
    monkeypatch.chdir(tmp_path)
    wheel = building.build(tmp_path / "new" / "dist")
    assert processors == [PORTABLE["NUMBA_CPU_NAME"]]
    assert list((tmp_path / "new" / "dist").iterdir()) == [wheel]
    assert building.tag() in wheel.name


def run_build(target: Path, **variables: str) -> str:
    """Run the command where it has to fail before it compiles, and return its only line."""
    done = subprocess.run(
        [sys.executable, ROOT / "distribution" / "kernels.py", target],
        env={**os.environ, **variables},
        cwd=target.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    return line


def test_a_build_checks_modules_first(tmp_path: Path) -> None:
    (tmp_path / "flit_core").mkdir()
    (tmp_path / "flit_core" / "__init__.py").write_text("")
    line = run_build(tmp_path / "dist", PYTHONPATH=str(tmp_path))
    assert "error: " in line
    assert "flit_core.buildapi" in line
    assert not (tmp_path / "dist").exists()


def test_a_build_checks_the_compiler_first(tmp_path: Path) -> None:
    assert "NUMBA_DISABLE_JIT" in run_build(tmp_path / "dist", NUMBA_DISABLE_JIT="1")
    assert not (tmp_path / "dist").exists()


def test_a_build_checks_its_folder_first(tmp_path: Path) -> None:
    (tmp_path / "dist").write_text("")
    assert f"{tmp_path / 'dist'}: " in run_build(tmp_path / "dist")


def test_a_build_that_fails_leaves_no_wheel(
    tmp_path: Path, building: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "compile_kernels", lambda folder, processor: None)
    with pytest.raises(building.BuildError, match="kernels"):
        building.build(tmp_path / "dist")
    assert list((tmp_path / "dist").iterdir()) == []


def test_progress_has_a_line_for_each_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    for done in range(41):
        progress("compiling", done / 40)
    progress("adding", 1)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [*(f"compiling: {10 * tenth} %" for tenth in range(11)), "adding: 100 %"]
