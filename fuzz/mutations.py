"""Mutate files without changing their format: JSON, XML, PNG images, text or bytes.

Every function returns the changed data, or None if the data is not in its format.
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

#: Values and names that often reveal errors in readers, in any format.
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

#: Declarations of an XML document that a reader should not trust.
_DECLARATIONS = (
    '<?xml version="1.0" encoding="utf-16"?>',
    '<?xml version="1.0" encoding="koi8-r"?>',
    '<?xml version="1.0" encoding="utf-7"?>',
    '<?xml version="1.0" encoding="hex"?>',
    '<!DOCTYPE map [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>',
    '<!DOCTYPE map SYSTEM "file:///dev/zero">',
)

#: The signature of PNG images, and kinds of their chunks.
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KINDS = b"IHDR PLTE tRNS IDAT IEND acTL fcTL fdAT zTXt iTXt iCCP eXIf gAMA".split()

#: A word of TOML, a map or a scenario.
_WORD = re.compile(r"[^\s=\[\],{}]+")

#: A list or object of JSON, and an index or key in it.
Owner = tuple[Any, Any]


def _number(random_: random.Random) -> int | float:
    """Return one of the known numbers, or a neighbor of one."""
    number = random_.choice(_NUMBERS)
    return number + random_.choice((-1, 1)) if random_.random() < 0.3 else number


def _text(random_: random.Random) -> str:
    """Return one of the known texts."""
    return random_.choice(_TEXTS)


def _scalar(random_: random.Random) -> object:
    """Return a JSON value of any kind, including lists and objects."""
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
    """Replace a text by a known one, change a few letters, or change bytes inside base64."""
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
    """Change some bytes in place."""
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
    """Change a few values of a JSON document; None if the data is not JSON."""
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


def _owners(value: Any, owners: list[Owner]) -> None:
    pending = [value]
    while pending:
        owner = pending.pop()
        items = owner.items() if isinstance(owner, dict) else enumerate(owner)
        for key, inner in items:
            owners.append((owner, key))
            if isinstance(inner, dict | list):
                pending.append(inner)


def _change_json(root: dict[str, Any], random_: random.Random) -> None:
    owners: list[Owner] = []
    _owners(root, owners)
    owner, key = random_.choice(owners)
    value = owner[key]
    pick = random_.randrange(12)
    if pick == 0 and owner is not root:
        del owner[key]
    elif pick == 1 and isinstance(owner, list):
        owner[key:key] = [value] * random_.choice((1, 2, 9, 300))
    elif pick == 2 and isinstance(owner, dict) and owner is not root:
        other = [name for _, name in owners if isinstance(name, str)]
        owner[random_.choice(other) if random_.random() < 0.5 else _text(random_)] = value
    elif pick in (3, 4):  # a value from elsewhere in the document
        donor, place = random_.choice(owners)
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
    """Change a few lines of a text; None if the data is not text."""
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
    """Change a few elements of an XML document; None if it is not XML, or declares entities."""
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
    parents = [element for element in root.iter() if len(element)] or [root]
    elements = list(root.iter())
    element = random_.choice(elements)
    pick = random_.randrange(10)
    if pick < 5 and element.attrib:
        key = random_.choice(list(element.attrib))
        element.attrib[key] = (
            mutate_text(element.attrib[key], random_)
            if random_.random() < 0.5
            else str(_number(random_))
        )
    elif pick == 5 and element.text:
        element.text = mutate_text(element.text, random_)
    elif pick == 6:
        donor = random_.choice(elements)
        element.attrib |= {
            key: value for key, value in donor.attrib.items() if random_.random() < 0.3
        }
        if element.attrib and random_.random() < 0.5:
            del element.attrib[random_.choice(list(element.attrib))]
    elif pick == 7:
        parent = random_.choice(parents)
        donor = random_.choice(elements)
        if len(elements) < 3000 and not any(parent is inner for inner in donor.iter()):
            for _ in range(random_.choice((1, 1, 2, 30))):
                parent.insert(random_.randrange(len(parent) + 1), donor)
    elif pick == 8:
        parent = random_.choice(parents)
        if len(parent):
            parent.remove(random_.choice(list(parent)))
    else:
        element.tag = random_.choice(elements).tag


def mutate_png(data: bytes, random_: random.Random) -> bytes | None:
    """Change a few chunks of a PNG image; None if the data is not PNG."""
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
    chunks, offset = [], len(_SIGNATURE)
    while offset + 8 <= len(data):
        length = int.from_bytes(data[offset : offset + 4], "big")
        chunks.append((data[offset + 4 : offset + 8], data[offset + 8 : offset + 8 + length]))
        offset += 12 + length
    return chunks
