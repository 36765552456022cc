"""Update RESULTS.md, which has a section between markers for each benchmark."""

from __future__ import annotations

import re
from pathlib import Path

RESULTS = Path(__file__).with_name("RESULTS.md")

HEAD = """\
# Results

Written by `python -m benchmarks NAME --write`, section by section; each says what it was measured
on. What is measured was checked first. Contenders took turns in one process (A B A B), and numbers
are medians. Times are of one thread unless a row says otherwise; compiling (JIT) is told apart.
"""


def store(name: str, text: str) -> None:
    """Replace one benchmark's section, or add it at the end, without changing other sections."""
    section = f"<!-- begin {name} -->\n{text.strip()}\n<!-- end {name} -->"
    there = re.compile(rf"<!-- begin {name} -->\n.*?\n<!-- end {name} -->", flags=re.DOTALL)
    whole = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else HEAD
    if there.search(whole):
        whole = there.sub(lambda _: section, whole)
    else:
        whole = f"{whole.rstrip()}\n\n{section}\n"
    RESULTS.write_text(whole, encoding="utf-8")
