"""The project's pages, and what is in them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

#: `expression  # -> value`
SHOWN = re.compile(r"^( *)(\S.*?)  # -> (.+)$", re.MULTILINE)


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Code blocks in a language; "" = in none."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [code for name, code in found if name == language]


def section(text: str, heading: str) -> str:
    """From a heading of the second level to the next."""
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def checked(code: str, page: str, names: dict[str, Any]) -> list[tuple[str, str]]:
    """Run an example, and return what its lines with an arrow gave and what they show."""
    shown = []

    def gives(value: object, expected: str) -> None:
        shown.append((repr(value), expected))

    calls = SHOWN.sub(lambda line: f"{line[1]}gives(({line[2]}), {line[3]!r})", code)
    names["gives"] = gives
    exec(compile(calls, page, "exec"), names)
    return shown


#: Runs the Python blocks of a page in one process.
_RUN = """
import json, sys
from tests.support.pages import blocks, checked
names, text = {}, sys.stdin.read()
shown = [found for code in blocks(text, "python") for found in checked(code, sys.argv[1], names)]
print()
print(json.dumps(shown))
"""


def examples(text: str, page: str) -> list[tuple[str, str]]:
    """Run the Python blocks of a page in a fresh process, as somebody who tries them does.

    Returns what each line with an arrow gave, and what it shows.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("BAKE_COMPILE", None)
    done = subprocess.run(
        [sys.executable, "-P", "-c", _RUN, page],
        input=text,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [tuple(pair) for pair in json.loads(done.stdout.splitlines()[-1])]
