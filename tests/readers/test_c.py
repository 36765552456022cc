"""The C headers compile without a warning, and refuse or survive whatever they are given."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from levelbake.file import checksum
from tests.support.readers import (
    READERS,
    SANITIZERS,
    STRICT,
    compiled,
    compiled_c,
    library,
    sanitizing,
    tool,
)
from tests.support.vectors.make import FOLDER

HEADERS = READERS / "c"
EVERY_HEADER = sorted(HEADERS.glob("*.h"))


def run(command: Sequence[str | Path]) -> str:
    """Return what a program prints; it must not fail."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words[0]}: {done.stderr[-4000:]}"
    return done.stdout


@pytest.mark.parametrize(
    ("compiler", "standard"),
    [("gcc", "c99"), ("clang", "c99"), ("g++", "c++17"), ("clang++", "c++17")],
)
@pytest.mark.parametrize("header", ["levelbake.h", "levelbake_changes.h"])
def test_compiles_without_a_warning(
    compiler: str, standard: str, header: str, tmp_path: Path
) -> None:
    """clang has said all that it warns of before it makes code; gcc has not."""
    source = tmp_path / ("use.cpp" if "++" in compiler else "use.c")
    makes = ["-fsyntax-only"] if "clang" in compiler else ["-o", "use"]
    source.write_text(f'#include "{header}"\nint main(void) {{ return 0; }}\n')
    whole = ["-DLEVELBAKE_EXTERN", "-DLEVELBAKE_IMPLEMENTATION"]
    for options in (["-DLEVELBAKE_SKIP_CHECKSUM"], whole):
        command = [tool(compiler), f"-std={standard}", *STRICT, *options]
        compiled("c-use", [*command, f"-I{HEADERS}", source, *makes], *EVERY_HEADER)


def test_is_optimized_without_a_warning() -> None:
    """The library is, which has both headers in it."""
    assert library().exists()


def test_one_copy_in_a_program_of_several_files(tmp_path: Path) -> None:
    use = '#define LEVELBAKE_EXTERN\n#include "levelbake_changes.h"\n'
    (tmp_path / "one.c").write_text(use + "int one(void) { return lb_error_text(0) != NULL; }\n")
    (tmp_path / "main.c").write_text(use + "int one(void);\nint main(void) { return !one(); }\n")
    files = [tmp_path / "one.c", tmp_path / "main.c", HEADERS / "levelbake.c"]
    command = [tool("gcc", "clang", "cc"), "-std=c99", *STRICT, f"-I{HEADERS}", *files]
    run([compiled("c-program", [*command, "-o", "program"], *EVERY_HEADER) / "program"])


def test_refused_on_big_endian_machines(tmp_path: Path) -> None:
    source = tmp_path / "use.c"
    source.write_text(
        "#undef __BYTE_ORDER__\n#define __BYTE_ORDER__ __ORDER_BIG_ENDIAN__\n"
        '#include "levelbake.h"\n'
    )
    words = [tool("gcc", "clang"), "-E", f"-I{HEADERS}", str(source)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "little-endian" in done.stderr


def test_can_be_read_in_one_sitting() -> None:
    for name, most in (("levelbake.h", 1520), ("levelbake_changes.h", 1060)):
        lines = (HEADERS / name).read_text("utf-8").splitlines()
        assert len(lines) <= most
        assert max(map(len, lines)) <= 118


def fuzz_harness() -> Path:
    """A program that opens files and asks them everything; nothing is optimized away in it."""
    source, compiler = HEADERS / "fuzz" / "fuzz.c", sanitizing("clang", "gcc")
    return compiled_c("fuzz", compiler, source, "-g1", *SANITIZERS, "-DFUZZ_MAIN", *STRICT)


def test_fuzz_harness(tmp_path: Path) -> None:
    """It opens every vector, refuses all that are cut off, and finds nothing else in either."""
    made = fuzz_harness()
    assert set(run([made, *sorted(FOLDER.glob("*.bake"))]).split()) == {"0"}
    data, files = (FOLDER / "one-cell.bake").read_bytes(), []
    for size in range(0, len(data), 37):
        files.append(tmp_path / str(size))
        files[-1].write_bytes(data[:size])
    answers = run([made, *files]).split()
    assert len(answers) == len(files)
    assert all(int(error) < 0 for error in answers)


def test_offsets_that_wrap_round(tmp_path: Path) -> None:
    """Runs that begin at 2**32 - 1, and then at 0 again: one more than the first is the second."""
    made = fuzz_harness()
    forged = bytearray((FOLDER / "rooms.bake").read_bytes())
    entries = (forged[at : at + 64] for at in range(64, 64 * (1 + forged[10]), 64))
    (entry,) = (each for each in entries if each.startswith(b"first_run\0"))
    offset = int.from_bytes(entry[48:56], "little")
    forged[offset + 4 : offset + 12] = b"\xff\xff\xff\xff\0\0\0\0"
    forged[56:64] = struct.pack("<II", *checksum(np.frombuffer(forged, dtype="<u4")))
    (tmp_path / "forged.bake").write_bytes(forged)
    assert run([made, tmp_path / "forged.bake"]) == "-8\n"


#: What the competition's kit declares for its entries.
KIT = """#include <cstdint>
#include <string>
#include <vector>
struct xyLoc { int16_t x, y; };
void PreprocessMap(const std::vector<bool> &, int, int, const std::string &);
void *PrepareForSearch(const std::vector<bool> &, int, int, const std::string &);
bool GetPath(void *, xyLoc, xyLoc, std::vector<xyLoc> &);
std::string GetName();
"""


def test_competition_entry(tmp_path: Path) -> None:
    """It answers a file as the kit would ask it: where the path turns, and both its ends."""
    (tmp_path / "Entry.h").write_text(KIT)
    (tmp_path / "main.cpp").write_text(
        """#include "Entry.h"
#include <cstdio>
int main(int, char **arguments) {
    void *data = PrepareForSearch({}, 0, 0, arguments[1]);
    std::vector<xyLoc> path;
    GetPath(data, {0, 0}, {4, 0}, path);
    for (xyLoc cell : path) std::printf("%d %d;", cell.x, cell.y);
}
"""
    )
    files = [HEADERS / "gppc" / "Entry.cpp", tmp_path / "main.cpp"]
    command = [tool("g++", "clang++"), "-std=c++17", "-Wall", "-Wextra", f"-I{HEADERS}"]
    command += ["-I", tmp_path, *files, "-o", "entry"]
    made = compiled("c-entry", command, tmp_path / "Entry.h", *EVERY_HEADER)
    told = run([made / "entry", FOLDER / "rooms.bake"])
    assert told.startswith("0 0;")
    assert told.endswith("4 0;")
