"""Changes to PNG images whose checksums stay right, so that they reach the decoder."""

from __future__ import annotations

import random
import zlib

from fuzz.mutate_json import mutate_bytes

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KINDS = b"IHDR PLTE tRNS IDAT IEND acTL fcTL fdAT zTXt iTXt iCCP eXIf gAMA".split()


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
