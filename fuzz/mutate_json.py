"""Changes to JSON that leave it JSON, mostly: values, keys, lists, depth."""

from __future__ import annotations

import base64
import binascii
import json
import random
from typing import Any

from fuzz import values

Owner = tuple[Any, Any]


def mutate_json(data: bytes, random_: random.Random) -> bytes | None:
    """A few changes; None where the data is no JSON."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    try:
        root = {"": document}
        for _ in range(random_.choice((1, 1, 1, 2, 3, 5))):
            _change(root, random_)
        text = json.dumps(root[""], ensure_ascii=random_.random() < 0.7)
    except (ValueError, RecursionError):
        return None
    if random_.random() < 0.03 and text.startswith("{") and len(text) > 2:
        text = "{" + text[1:-1] + "," + text[1:]  # every key twice
    return text.encode("utf-8", "surrogatepass")


def _owners(value: Any, found: list[Owner]) -> None:
    around = [value]
    while around:
        owner = around.pop()
        items = owner.items() if isinstance(owner, dict) else enumerate(owner)
        for key, inner in items:
            found.append((owner, key))
            if isinstance(inner, dict | list):
                around.append(inner)


def _change(root: dict[str, Any], random_: random.Random) -> None:
    found: list[Owner] = []
    _owners(root, found)
    owner, key = random_.choice(found)
    value = owner[key]
    pick = random_.randrange(12)
    if pick == 0 and owner is not root:
        del owner[key]
    elif pick == 1 and isinstance(owner, list):
        owner[key:key] = [value] * random_.choice((1, 2, 9, 300))
    elif pick == 2 and isinstance(owner, dict) and owner is not root:
        other = [each for _, each in found if isinstance(each, str)]
        owner[random_.choice(other) if random_.random() < 0.5 else values.text(random_)] = value
    elif pick in (3, 4):  # a value from elsewhere in the document
        donor, place = random_.choice(found)
        inside = json.loads(json.dumps(donor[place]))
        owner[key] = inside
    elif pick == 5 and isinstance(value, list):
        del value[random_.randrange(len(value) + 1) :]
    elif pick in (6, 7) and isinstance(value, str):
        owner[key] = mutate_text(value, random_)
    elif pick in (8, 9) and type(value) in (int, float):
        change = random_.choice((-1, 1, 16, -16, 0.5, value, -2 * value))
        owner[key] = value + change if abs(value) < 2**60 else values.number(random_)
    else:
        owner[key] = values.scalar(random_)


def mutate_text(text: str, random_: random.Random) -> str:
    """Another text: known trouble, a few other letters, or other bytes inside base64."""
    if len(text.strip()) >= 8 and random_.random() < 0.6:
        try:
            inner = bytearray(base64.b64decode("".join(text.split()), validate=True))
        except (binascii.Error, ValueError):
            pass
        else:
            for _ in range(random_.choice((1, 1, 2, 4))):
                mutate_bytes(inner, random_)
            return base64.b64encode(inner).decode()
    if not text or random_.random() < 0.4:
        return values.text(random_)
    at = random_.randrange(len(text))
    piece = random_.choice(
        (values.text(random_), text[at : at + 3], "", str(values.number(random_)))
    )
    return text[:at] + piece + text[at + random_.randrange(4) :]


def mutate_bytes(data: bytearray, random_: random.Random) -> None:
    """One change in place."""
    at = random_.randrange(len(data) + 1)
    pick = random_.randrange(6)
    if pick == 0 and at < len(data):
        data[at] ^= 1 << random_.randrange(8)
    elif pick == 1 and at < len(data):
        data[at] = random_.choice((0, 1, 0x7F, 0x80, 0xFF, random_.randrange(256)))
    elif pick == 2:
        del data[at : at + random_.choice((1, 2, 4, 16, 1000))]
    elif pick == 3:
        data[at:at] = data[at : at + random_.choice((1, 4, 16, 64))]
    elif pick == 4:
        data[at:at] = bytes(random_.randrange(256) for _ in range(random_.choice((1, 2, 4))))
    elif len(data) >= 4:
        at = random_.randrange(len(data) - 3)
        value = int(abs(min(2**31, random_.choice(values.NUMBERS[:18])))) & 0xFFFFFFFF
        data[at : at + 4] = value.to_bytes(4, random_.choice(("big", "little")))
