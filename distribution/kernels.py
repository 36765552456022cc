"""Build a wheel that carries compiled kernels: ``python distribution/kernels.py [FOLDER]``.

The kernels are those that most tests need, compiled for every processor of this machine's kind
(``PORTABLE`` in ``bake.kernels.cache``), so the wheel is for one system and one Python. The build
backend makes the wheel without them, for all others. It runs in the root of a clone, with the
Python of the locked packages.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

from backend import add_files, build_wheel

#: The most bytes of kernels in a wheel.
MOST_BYTES = 20 * 2**20


def compile_kernels(folder: Path) -> None:
    """Compile kernels into an empty cache in a folder, for every processor of this one's kind."""
    from bake.kernels.cache import PORTABLE

    machine = {"AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    environment = {
        **os.environ,
        "BAKE_CACHE_DIR": str(folder),
        "NUMBA_CPU_NAME": PORTABLE[machine][0],
        "NUMBA_CPU_FEATURES": "",
    }
    subprocess.run([sys.executable, "-m", "tests.support.kernels"], env=environment, check=True)


def tag() -> str:
    """Return the tag of a wheel for this Python and system.

    The kernels call nothing of Linux's libc, so they run on any that numba's own wheels run on.
    """
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    system = system.replace("linux_", "manylinux_2_17_")
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-none-{system}"


def with_kernels(wheel: Path, cache: Path) -> Path:
    """Add the kernels of a cache to a wheel, and return the wheel under its new name.

    Raises:
        ValueError: there are more bytes of kernels than a wheel may carry.
    """
    files = {
        f"bake/kernels/compiled/{file.relative_to(cache).as_posix()}": file.read_bytes()
        for file in sorted(cache.glob("*/*.nb[ic]"))
    }
    if not 0 < sum(map(len, files.values())) <= MOST_BYTES:
        raise ValueError(f"expected 1 to {MOST_BYTES:,} bytes of kernels in {cache}")
    with zipfile.ZipFile(wheel) as archive:
        name = next(each for each in archive.namelist() if each.endswith(".dist-info/WHEEL"))
        lines = archive.read(name).decode().splitlines()
    kept = [line for line in lines if not line.startswith(("Tag:", "Root-Is-Purelib:"))]
    text = "\n".join([*kept, "Root-Is-Purelib: false", f"Tag: {tag()}", ""])
    add_files(wheel, {**files, name: text.encode()})
    return wheel.rename(wheel.with_name(wheel.name.replace("py3-none-any", tag())))


def main() -> None:
    """Build the wheel into a folder, ``dist`` if none is named."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as cache:
        compile_kernels(Path(cache))
        made = with_kernels(target / build_wheel(str(target)), Path(cache, "kernels"))
    print(f"{made}: {made.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
