"""What a benchmark is handed: how long it may take, where it may write, what is baked already."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from bake.core.processors import processors
from benchmarks.baking import BakedMap, bake_map, warm_up
from benchmarks.levels import level_file
from benchmarks.section import Section

T = TypeVar("T")


class Skip(Exception):
    """A benchmark cannot run here."""


@dataclass
class Bench:
    """One run of the benchmarks.

    Attributes:
        scratch: a folder that is removed afterwards.
        quick: take less than half a minute.
        write: results are kept.
        maps: measure these maps instead of a benchmark's own.
        peer: a program to compare with, as a command line: see :mod:`benchmarks.contraction_peer`.
    """

    scratch: Path
    quick: bool
    write: bool
    maps: tuple[str, ...]
    peer: str | None = None
    _baked: dict[str, BakedMap] = field(default_factory=dict)

    @cached_property
    def jit_seconds(self) -> float:
        """Compiling every kernel, or loading it from the cache; done once, before any clock."""
        return warm_up(self.scratch)

    def either(self, full: T, quick: T) -> T:
        """One of two settings."""
        return quick if self.quick else full

    def choose(self, section: Section, full: tuple[str, ...], quick: tuple[str, ...]) -> list[str]:
        """The maps to measure, of those that are here.

        Raises:
            Skip: none of them is.
        """
        wanted = self.maps or self.either(full, quick)
        here = [name for name in wanted if level_file(name).exists()]
        missing = [name for name in wanted if name not in here]
        if not here:
            raise Skip("no map is here (set BAKE_SHARED_LEVELS to the folder of levels)")
        if missing:
            section.text(f"Skipped, because the map is not here: {', '.join(missing)}.")
        return here

    def baked(self, name: str) -> BakedMap:
        """A map baked by all processors, once in a run; what is timed is baked again."""
        if name not in self._baked:
            assert self.jit_seconds >= 0
            self.tell(f"baking {name}")
            self._baked[name] = bake_map(name, self.scratch / "baked", processors())
        return self._baked[name]

    def tell(self, line: str) -> None:
        """A line for whoever waits."""
        print(f"  {line}", file=sys.stderr, flush=True)
