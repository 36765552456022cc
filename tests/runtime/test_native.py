"""What asked for the reader in C is told what answers in its place."""

import subprocess
import sys

import pytest

from bake.runtime import BakeError, open_asset
from tests.support.vectors.make import FOLDER

FLAT = FOLDER / "squares-4.bake"


def test_a_library_named_by_the_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAKE_NATIVE", "/opt/liblevelbake.so")
    with pytest.raises(BakeError, match=r"BAKE_NATIVE=/opt/liblevelbake\.so: .*unset it.*numba"):
        open_asset(FLAT)


@pytest.mark.parametrize("chosen", ["", "off"])
def test_an_environment_that_asks_for_none_opens(
    chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAKE_NATIVE", chosen)
    with open_asset(FLAT) as level:
        walker = level.profile("walker")
        assert walker.can_stand(walker.nearest((0, 0)))


def test_the_module_that_compiled_it_says_what_to_do() -> None:
    command = [sys.executable, "-m", "bake.runtime.native"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "install numba" in line
