"""Time contenders fairly: they take turns, and the median of each counts."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from statistics import median
from typing import TypeVar

K = TypeVar("K")


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds of a call."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def in_turns(contenders: Mapping[K, Callable[[], float]], rounds: int) -> dict[K, float]:
    """Call every contender once a round, in the order given: A B A B.

    Args:
        contenders: each measures itself and returns the measure.
        rounds: how often.

    Returns:
        The median of each one's measures.
    """
    measures: dict[K, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, work in contenders.items():
            measures[name].append(work())
    return {name: median(values) for name, values in measures.items()}


@contextmanager
def undisturbed() -> Iterator[None]:
    """Disable Python's garbage collector, for measurements of single calls."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
