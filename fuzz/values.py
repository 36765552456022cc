"""Values and names that readers are known to stumble over, in any format."""

from __future__ import annotations

import random

NUMBERS = (
    0, 1, -1, 2, 3, 7, 8, 16, 255, 256, 2**16, 2**26, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40,
    2**53, 2**62, 2**63, -(2**31), -(2**63), 10**18, 10**400, 0.5, -0.0, 1e-320, 1e308, 1.5e9,
    float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
TEXTS = (
    "", " ", "a", "\0", "\n", "\x7f", "\u2028", "é", "²", "٣", "\U0001f600", "\ud800", "..", ".",
    "../x", "/etc/passwd", "/dev/zero", "C:\\x", "C:x", "\\\\host\\share", "file:///etc/passwd",
    "http://host/x", "CON", "a/b", "a\0b", "x" * 300, "true", "null", "nan", "1e999", "-1", "1.5",
    "0x10", "9" * 5000, "%s", "{0}", "#123456", "#12345678", "blocked", "below", "void", "1,2",
    "north", "one_way", "open;shut=wall", ";;=", "((a*)*)*", "\\d+",
)  # fmt: skip


def number(random_: random.Random) -> int | float:
    """A number: one of the known ones, or near one."""
    found = random_.choice(NUMBERS)
    return found + random_.choice((-1, 1)) if random_.random() < 0.3 else found


def text(random_: random.Random) -> str:
    return random_.choice(TEXTS)


def scalar(random_: random.Random) -> object:
    """A value of any kind JSON has, lists and objects too."""
    pick = random_.random()
    if pick < 0.4:
        return number(random_)
    if pick < 0.75:
        return text(random_)
    kind = random_.randrange(6)
    if kind == 5:
        deep: object = []
        for _ in range(random_.choice((3, 40, 100, 2000))):
            deep = [deep] if random_.random() < 0.5 else {"a": deep}
        return deep
    return (None, True, False, [], {})[kind]
