"""The context of a benchmark: its time limit, its output folder, and assets baked before."""

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
    """A benchmark cannot run on this machine."""


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
        """Compile every kernel or load it from the cache, once, before any timing."""
        return warm_up(self.scratch)

    def either(self, full: T, quick: T) -> T:
        """Return the setting for a quick or for a full run."""
        return quick if self.quick else full

    def choose(self, section: Section, full: tuple[str, ...], quick: tuple[str, ...]) -> list[str]:
        """Return the maps to measure, out of the maps on this machine.

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
        """Return a map baked by all processors, once per run; timed bakes are separate."""
        if name not in self._baked:
            assert self.jit_seconds >= 0
            self.tell(f"baking {name}")
            self._baked[name] = bake_map(name, self.scratch / "baked", processors())
        return self._baked[name]

    def tell(self, line: str) -> None:
        """Print a line of progress."""
        print(f"  {line}", file=sys.stderr, flush=True)
