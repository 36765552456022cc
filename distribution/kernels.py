"""Build a wheel that contains compiled kernels: ``python distribution/kernels.py [FOLDER]``.

The wheel contains the kernels that most tests need, compiled for the baseline processor of this
machine's architecture (``PORTABLE`` in ``bake.core.kernels.cache``). It fits one system and one
Python; the build backend builds the wheel without kernels for all others. Run the script in a clone
with the Python of the locked packages. Compiling takes minutes, so all checks run first.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from contextlib import chdir
from pathlib import Path

#: The most bytes of kernels in a wheel.
MOST_BYTES = 20 * 2**20

ROOT = Path(__file__).resolve().parents[1]

#: Prints the name of the processor to compile for, and fails early if a module is missing. Its
#: "tests" and "bake" are imported from this clone.
_CHECK = """
import platform
import flit_core.buildapi, scipy
import tests.support.kernels
from bake.core.kernels import heap, jit
from bake.core.kernels.cache import PORTABLE
assert isinstance(heap.push, jit.Kernel), "NUMBA_DISABLE_JIT is set, or numba is missing"
machine = {"AMD64": "x86_64"}.get(platform.machine(), platform.machine())
assert machine in PORTABLE, f"no portable kernels for {machine}, only for {', '.join(PORTABLE)}"
print(PORTABLE[machine][0])
"""


class BuildError(Exception):
    """The wheel cannot be built; the message is one line."""


def check_environment() -> str:
    """Check the running Python, and return the processor to compile for.

    Raises:
        BuildError: a module is missing, or kernels cannot be compiled.
    """
    done = _run("-c", _CHECK, capture=True)
    if done.returncode == 0:
        return str(done.stdout).split()[-1]
    lines = str(done.stderr).strip().splitlines()
    reason = lines[-1] if lines else f"exit code {done.returncode}"
    raise BuildError(
        f"{sys.executable} cannot compile kernels: {reason.removeprefix('AssertionError: ')}; "
        "run this with the Python of the locked packages, as .venv/bin/python after `make bake`"
    )


def compile_kernels(folder: Path, processor: str) -> None:
    """Compile kernels for a processor into an empty cache in a folder.

    Raises:
        BuildError: the compiler failed.
    """
    code = _run(
        *("-m", "tests.support.kernels"),
        BAKE_CACHE_DIR=str(folder),
        NUMBA_CPU_NAME=processor,
        NUMBA_CPU_FEATURES="",
    ).returncode
    if code != 0:
        raise BuildError(f"`python -m tests.support.kernels` ended with exit code {code}")


def _run(
    *arguments: str, capture: bool = False, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in the root of the clone, which comes first in the module search path."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, **variables},
        capture_output=capture,
        text=True,
        check=False,
    )


def make_target(target: Path) -> None:
    """Create the folder for the wheel, and check that it is writable.

    Raises:
        BuildError: the folder cannot be created or written.
    """
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=target):
            pass
    except OSError as error:
        raise BuildError(f"{target}: {error.strerror}; name a folder that you can write") from None


def tag() -> str:
    """Return the tag of a wheel for this Python and system.

    The kernels do not call libc, so they run on every Linux that numba's own wheels support.
    """
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    system = system.replace("linux_", "manylinux_2_17_")
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-none-{system}"


def with_kernels(wheel: Path, cache: Path) -> Path:
    """Add the kernels of a cache to a wheel, and return the wheel under its new name.

    Raises:
        BuildError: the cache contains no kernels, or more than ``MOST_BYTES``.
    """
    from backend import add_files

    files = {
        f"bake/core/kernels/compiled/{file.relative_to(cache).as_posix()}": file.read_bytes()
        for file in sorted(cache.glob("*/*.nb[ic]"))
    }
    size = sum(map(len, files.values()))
    if not 0 < size <= MOST_BYTES:
        raise BuildError(
            f"expected 1 to {MOST_BYTES:,} bytes of kernels in {cache}, found {size:,}"
        )
    with zipfile.ZipFile(wheel) as archive:
        name = next(member for member in archive.namelist() if member.endswith(".dist-info/WHEEL"))
        lines = archive.read(name).decode().splitlines()
    kept = [line for line in lines if not line.startswith(("Tag:", "Root-Is-Purelib:"))]
    text = "\n".join([*kept, "Root-Is-Purelib: false", f"Tag: {tag()}", ""])
    add_files(wheel, {**files, name: text.encode()})
    return wheel.rename(wheel.with_name(wheel.name.replace("py3-none-any", tag())))


def build(target: Path) -> Path:
    """Build the wheel into a folder, and return its path.

    Raises:
        BuildError: the wheel cannot be built; the folder then contains no wheel.
    """
    processor = check_environment()
    make_target(target)
    from backend import build_wheel

    with tempfile.TemporaryDirectory(prefix=".kernels-", dir=target) as folder:
        with chdir(ROOT):
            plain = Path(folder, build_wheel(folder))
        _report(f"compiling kernels for {processor} and Python {platform.python_version()}")
        compile_kernels(Path(folder, "cache"), processor)
        _report("adding the kernels to the wheel")
        made = with_kernels(plain, Path(folder, "cache", "kernels"))
        return made.replace(target / made.name)


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    """Build the wheel into the folder of the first argument, by default ``dist``."""
    try:
        made = build(Path(sys.argv[1] if len(sys.argv) > 1 else "dist").absolute())
    except BuildError as error:
        sys.exit(f"error: {error}")
    print(f"{made}: {made.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
