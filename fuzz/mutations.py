"""Changes to files that leave them what they are: JSON JSON, XML XML, PNG images PNG images.

Every function returns the changed data, or None where the data is not of its format.
"""

from __future__ import annotations

import base64
import binascii
import json
import random
import re
import zlib
from typing import Any
from xml.etree import ElementTree

#: Values and names that readers are known to stumble over, in any format.
_NUMBERS = (
    0, 1, -1, 2, 3, 7, 8, 16, 255, 256, 2**16, 2**26, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40,
    2**53, 2**62, 2**63, -(2**31), -(2**63), 10**18, 10**400, 0.5, -0.0, 1e-320, 1e308, 1.5e9,
    float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
_TEXTS = (
    "", " ", "a", "\0", "\n", "\x7f", "\u2028", "é", "²", "٣", "\U0001f600", "\ud800", "..", ".",
    "../x", "/etc/passwd", "/dev/zero", "C:\\x", "C:x", "\\\\host\\share", "file:///etc/passwd",
    "http://host/x", "CON", "a/b", "a\0b", "x" * 300, "true", "null", "nan", "1e999", "-1", "1.5",
    "0x10", "9" * 5000, "%s", "{0}", "#123456", "#12345678", "blocked", "below", "void", "1,2",
    "north", "one_way", "open;shut=wall", ";;=", "((a*)*)*", "\\d+",
)  # fmt: skip

#: What may stand before an XML document, and should not be believed.
_DECLARATIONS = (
    '<?xml version="1.0" encoding="utf-16"?>',
    '<?xml version="1.0" encoding="koi8-r"?>',
    '<?xml version="1.0" encoding="utf-7"?>',
    '<?xml version="1.0" encoding="hex"?>',
    '<!DOCTYPE map [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>',
    '<!DOCTYPE map SYSTEM "file:///dev/zero">',
)

#: How PNG images begin, and kinds of their chunks.
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KINDS = b"IHDR PLTE tRNS IDAT IEND acTL fcTL fdAT zTXt iTXt iCCP eXIf gAMA".split()

#: A word of TOML, a map or a scenario.
_WORD = re.compile(r"[^\s=\[\],{}]+")

#: A list or object of JSON, and a place or key in it.
Owner = tuple[Any, Any]


def _number(random_: random.Random) -> int | float:
    """A number: one of the known ones, or near one."""
    found = random_.choice(_NUMBERS)
    return found + random_.choice((-1, 1)) if random_.random() < 0.3 else found


def _text(random_: random.Random) -> str:
    """A text that readers are known to stumble over."""
    return random_.choice(_TEXTS)


def _scalar(random_: random.Random) -> object:
    """A value of any kind JSON has, lists and objects too."""
    pick = random_.random()
    if pick < 0.4:
        return _number(random_)
    if pick < 0.75:
        return _text(random_)
    kind = random_.randrange(6)
    if kind == 5:
        deep: object = []
        for _ in range(random_.choice((3, 40, 100, 2000))):
            deep = [deep] if random_.random() < 0.5 else {"a": deep}
        return deep
    return (None, True, False, [], {})[kind]


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
        return _text(random_)
    at = random_.randrange(len(text))
    piece = random_.choice((_text(random_), text[at : at + 3], "", str(_number(random_))))
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
        value = int(abs(min(2**31, random_.choice(_NUMBERS[:18])))) & 0xFFFFFFFF
        data[at : at + 4] = value.to_bytes(4, random_.choice(("big", "little")))


def mutate_json(data: bytes, random_: random.Random) -> bytes | None:
    """A few changes; None where the data is no JSON."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    try:
        root = {"": document}
        for _ in range(random_.choice((1, 1, 1, 2, 3, 5))):
            _change_json(root, random_)
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


def _change_json(root: dict[str, Any], random_: random.Random) -> None:
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
        owner[random_.choice(other) if random_.random() < 0.5 else _text(random_)] = value
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
        owner[key] = value + change if abs(value) < 2**60 else _number(random_)
    else:
        owner[key] = _scalar(random_)


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
        return line + _text(random_)
    word = random_.choice(words)
    choices = (
        _text(random_),
        str(_number(random_)),
        random_.choice(words).group(),
        '"' + _text(random_)[:40] + '"',
        random_.choice(
            ("[]", "{}", "[1, 2]", "{ a = 1 }", "true", "1979-05-27", "[" * 50, "a.b.c")
        ),
    )
    return line[: word.start()] + random_.choice(choices) + line[word.end() :]


def mutate_xml(data: bytes, random_: random.Random) -> bytes | None:
    """A few changes; None where the data is no XML, or declares entities."""
    if b"<!" in data:
        return None
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        return None
    for _ in range(random_.choice((1, 1, 1, 2, 3, 5))):
        _change_xml(root, random_)
    try:
        text = ElementTree.tostring(root, encoding="unicode")
    except (TypeError, ValueError, RecursionError):
        return None
    if random_.random() < 0.02:
        text = random_.choice(_DECLARATIONS) + text
    return text.encode("utf-8", "surrogatepass")


def _change_xml(root: ElementTree.Element, random_: random.Random) -> None:
    parents = [each for each in root.iter() if len(each)] or [root]
    every = list(root.iter())
    each = random_.choice(every)
    pick = random_.randrange(10)
    if pick < 5 and each.attrib:
        key = random_.choice(list(each.attrib))
        each.attrib[key] = (
            mutate_text(each.attrib[key], random_)
            if random_.random() < 0.5
            else str(_number(random_))
        )
    elif pick == 5 and each.text:
        each.text = mutate_text(each.text, random_)
    elif pick == 6:
        donor = random_.choice(every)
        each.attrib |= {key: value for key, value in donor.attrib.items() if random_.random() < 0.3}
        if each.attrib and random_.random() < 0.5:
            del each.attrib[random_.choice(list(each.attrib))]
    elif pick == 7:
        parent = random_.choice(parents)
        donor = random_.choice(every)
        if len(every) < 3000 and not any(parent is inner for inner in donor.iter()):
            for _ in range(random_.choice((1, 1, 2, 30))):
                parent.insert(random_.randrange(len(parent) + 1), donor)
    elif pick == 8:
        parent = random_.choice(parents)
        if len(parent):
            parent.remove(random_.choice(list(parent)))
    else:
        each.tag = random_.choice(every).tag


def mutate_png(data: bytes, random_: random.Random) -> bytes | None:
    """A few changes; None where the data is no PNG."""
    if not data.startswith(_SIGNATURE):
        return None
    chunks = _chunks(data)
    for _ in range(random_.choice((1, 1, 2, 3))):
        if not chunks:
            break
        at = random_.randrange(len(chunks))
        kind, body = chunks[at]
        pick = random_.randrange(7)
        if pick == 0:
            del chunks[at]
        elif pick == 1:
            chunks.insert(random_.randrange(len(chunks) + 1), chunks[at])
        elif pick == 2:
            chunks[at] = (random_.choice(_KINDS), body)
        elif pick == 3 and kind == b"IDAT":
            try:
                inner = bytearray(zlib.decompressobj().decompress(body, 2**20))
            except zlib.error:
                continue
            mutate_bytes(inner, random_)
            chunks[at] = (kind, zlib.compress(bytes(inner) * random_.choice((1, 1, 1, 50))))
        else:
            changed = bytearray(body)
            mutate_bytes(changed, random_)
            chunks[at] = (kind, bytes(changed))
    return _SIGNATURE + b"".join(
        len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")
        for kind, body in chunks
    )


def _chunks(data: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], len(_SIGNATURE)
    while at + 8 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        found.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += 12 + length
    return found
