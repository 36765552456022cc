"""Changes to text in lines of words: TOML, maps, scenarios."""

from __future__ import annotations

import random
import re

from fuzz import values
from fuzz.mutate_json import mutate_text

_WORD = re.compile(r"[^\s=\[\],{}]+")


def mutate_lines(data: bytes, random_: random.Random) -> bytes | None:
    """A few changes; None where the data is no text."""
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
    for _ in range(random_.choice((1, 1, 2, 3))):
        at = random_.randrange(len(lines))
        pick = random_.randrange(8)
        if pick == 0 and len(lines) > 1:
            del lines[at]
        elif pick == 1:
            lines[at:at] = [lines[at]] * random_.choice((1, 2, 40))
        elif pick == 2:
            other = random_.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif pick == 3:
            lines[at] = mutate_text(lines[at], random_)
        else:
            lines[at] = _other_word(lines[at], random_)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _other_word(line: str, random_: random.Random) -> str:
    words = list(_WORD.finditer(line))
    if not words:
        return line + values.text(random_)
    word = random_.choice(words)
    choices = (
        values.text(random_),
        str(values.number(random_)),
        random_.choice(words).group(),
        '"' + values.text(random_)[:40] + '"',
        random_.choice(
            ("[]", "{}", "[1, 2]", "{ a = 1 }", "true", "1979-05-27", "[" * 50, "a.b.c")
        ),
    )
    return line[: word.start()] + random_.choice(choices) + line[word.end() :]
