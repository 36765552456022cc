"""RESULTS.md: one section a benchmark, between markers, so that each can be measured anew alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).with_name("RESULTS.md")

HEAD = """\
# Results

Written by `python -m benchmarks NAME --write`, section by section; each says what it was measured
on. What is measured was checked first. Contenders took turns in one process (A B A B), and numbers
are medians. Times are of one thread unless a row says otherwise; compiling (JIT) is told apart.
"""


def store(name: str, text: str, order: Sequence[str]) -> None:
    """Replace one benchmark's section and leave the others alone."""
    sections = _read()
    sections[name] = text.strip()
    known = [one for one in order if one in sections]
    known += [one for one in sections if one not in order]  # of runs that are no benchmarks
    body = "\n".join(f"\n{_mark(one)}\n{sections[one]}\n{_mark(one, end=True)}" for one in known)
    RESULTS.write_text(HEAD + body + "\n", encoding="utf-8")


def _mark(name: str, *, end: bool = False) -> str:
    return f"<!-- {'end' if end else 'begin'} {name} -->"


def _read() -> dict[str, str]:
    if not RESULTS.exists():
        return {}
    pattern = r"<!-- begin (\w+) -->\n(.*?)\n<!-- end \1 -->"
    found = re.findall(pattern, RESULTS.read_text(encoding="utf-8"), flags=re.DOTALL)
    return dict(found)
