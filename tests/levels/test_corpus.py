"""Whatever a file holds, it is read or refused in few short lines; what once was not, is kept."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.judge import judge
from fuzz.targets import TARGETS, Target

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
READERS = sorted(set(TARGETS) - {"bake"})


def outcome(target: Target, data: bytes) -> str:
    with TemporaryDirectory() as name:
        folder = Path(name)
        target.prepare(folder)
        (folder / target.file).write_bytes(data)
        return judge(target.read, folder)


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*-*")), ids=lambda file: file.name)
def test_what_was_found_before(file: Path) -> None:
    reader = max((name for name in TARGETS if file.name.startswith(f"{name}-")), key=len)
    assert outcome(TARGETS[reader], file.read_bytes()) in ("read", "refused")


@pytest.mark.parametrize("reader", READERS)
def test_seeds_are_levels(reader: str) -> None:
    """Else the fuzzer would change files that are refused to begin with."""
    outcomes = [outcome(TARGETS[reader], seed) for seed in TARGETS[reader].seeds()]
    assert outcomes == ["read"] * len(outcomes)


@pytest.mark.parametrize("reader", READERS)
def test_changed_files(reader: str) -> None:
    target = TARGETS[reader]
    seeds = target.seeds()

    @given(st.sampled_from(range(len(seeds))), st.integers(0, 2**32), st.integers(0, 2))
    def each(seed: int, first: int, again: int) -> None:
        data = seeds[seed]
        for step in range(again + 1):
            data = target.mutated(data, first + step)
        assert outcome(target, data) in ("read", "refused")

    each()


def test_changed_levels_are_baked_or_refused() -> None:
    target = TARGETS["bake"]
    seeds = target.seeds()
    assert [outcome(target, seed) for seed in seeds] == ["read"] * len(seeds)
    for number in range(16):
        data = target.mutated(seeds[number % len(seeds)], number)
        assert outcome(target, data) in ("read", "refused")
