"""Images written byte by byte, in corners of their formats that libraries seldom write.

Pixels are numbers of colours; each encoder has the colours that its kind of file can hold.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from random import Random

Pixels = Sequence[Sequence[int]]
Colour = tuple[int, int, int, int]

#: The passes of interlaced PNGs: first column and row, and the steps between them.
_PASSES = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)


# -- PNG (W3C, "Portable Network Graphics", third edition) -----------------------------------------


def png_file(
    pixels: Pixels, colours: Sequence[Colour], kind: int, bits: int, random: Random
) -> bytes:
    """A PNG of a colour type and depth, with random filters, chunks and interlacing.

    Colour type 3 has the colours as its palette, 0 and 4 take their red for grey.
    """
    height, width = len(pixels), len(pixels[0])
    interlaced = random.random() < 0.5
    samples = [[_png_samples(colours[code], code, kind, bits) for code in row] for row in pixels]
    data = b""
    for x0, y0, dx, dy in _PASSES if interlaced else ((0, 0, 1, 1),):
        part = [row[x0::dx] for row in samples[y0::dy]]
        if part and part[0]:
            data += _png_rows(part, bits, random)
    packed = zlib.compress(data, random.randint(0, 9))
    cut = random.randint(0, len(packed))
    about = struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, interlaced)
    chunks = [(b"IHDR", about)]
    chunks += random.sample(
        [(b"gAMA", struct.pack(">I", 22222)), (b"tEXt", b"Title\0a level"), (b"pHYs", bytes(9))],
        random.randint(0, 3),
    )
    if kind == 3:
        chunks.append((b"PLTE", b"".join(bytes(colour[:3]) for colour in colours)))
        if any(colour[3] != 255 for colour in colours):
            chunks.append((b"tRNS", bytes(colour[3] for colour in colours)))
    chunks += [(b"IDAT", packed[:cut]), (b"IDAT", packed[cut:]), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


def _png_samples(colour: Colour, code: int, kind: int, bits: int) -> list[int]:
    if kind == 3:
        return [code]
    red, green, blue, alpha = (value * (2**bits - 1) // 255 for value in colour)
    return {0: [red], 2: [red, green, blue], 4: [red, alpha], 6: [red, green, blue, alpha]}[kind]


def _png_rows(rows: list[list[list[int]]], bits: int, random: Random) -> bytes:
    step = max(1, len(rows[0][0]) * bits // 8)
    before = bytes(_png_row(rows[0], bits))
    data, before = b"", bytes(len(before))
    for row in rows:
        plain = _png_row(row, bits)
        kind = random.randint(0, 4)
        filtered = bytearray()
        for at, value in enumerate(plain):
            left = plain[at - step] if at >= step else 0
            up = before[at]
            corner = before[at - step] if at >= step else 0
            guess = (0, left, up, (left + up) // 2, _paeth(left, up, corner))[kind]
            filtered.append((value - guess) % 256)
        data += bytes([kind]) + filtered
        before = plain
    return data


def _png_row(row: list[list[int]], bits: int) -> bytes:
    digits = "".join(f"{sample:0{bits}b}" for pixel in row for sample in pixel)
    digits += "0" * (-len(digits) % 8)
    return bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits), 8))


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda each: abs(guess - each))


# -- TGA (Truevision, "TGA File Format Specification", version 2.0) --------------------------------


def tga_file(
    pixels: Pixels, colours: Sequence[Colour], depth: int, random: Random, *, palette: bool = False
) -> bytes:
    """A TGA of a depth, in a random corner of its plane, packed or not.

    8 bits without a palette are grey. With one, the depth is that of its entries.
    """
    height, width = len(pixels), len(pixels[0])
    grey, packed = depth == 8, random.random() < 0.5
    kind = (1 if palette else 3 if grey else 2) + 8 * packed
    to_left, to_top = random.randint(0, 1), random.randint(0, 1)
    attributes = {32: 8, 16: random.randint(0, 1)}.get(depth, 0)
    bit = random.randint(0, 1) << 15
    entries = [_tga_pixel(colour, depth, bit) for colour in colours]
    first = random.randint(0, 3) if palette else 0
    values = [bytes([first + code]) for code in range(len(colours))] if palette else entries
    rows = [[values[code] for code in row] for row in pixels]
    # The first pixel of the file is at the bottom left unless the descriptor says otherwise.
    rows = [row[::-1] if to_left else row for row in (rows if to_top else rows[::-1])]
    body = b"".join(_tga_packed(row, random) if packed else b"".join(row) for row in rows)
    name = bytes(random.choices(range(65, 90), k=random.randint(0, 9)))
    table = (first, len(colours), depth) if palette else (0, 0, 0)
    head = struct.pack(
        "<BBBHHBHHHHBB",
        len(name),
        palette,
        kind,
        *table,
        random.randint(0, 9),
        random.randint(0, 9),
        width,
        height,
        8 if palette else depth,
        attributes | to_left << 4 | to_top << 5,
    )
    # Readers look for a footer in the last 26 bytes, which need not be there.
    footer = random.choice([bytes(26), struct.pack("<II", 0, 0) + b"TRUEVISION-XFILE.\0"])
    return head + name + (b"".join(entries) if palette else b"") + body + footer


def _tga_pixel(colour: Colour, depth: int, bit: int) -> bytes:
    red, green, blue, alpha = colour
    if depth == 8:
        return bytes([red])
    if depth == 16:
        return struct.pack("<H", bit | red // 8 << 10 | green // 8 << 5 | blue // 8)
    return bytes([blue, green, red, alpha][: depth // 8])


def _tga_packed(row: list[bytes], random: Random) -> bytes:
    data, at = b"", 0
    while at < len(row):
        run = 1
        while at + run < len(row) and row[at + run] == row[at] and run < 128:
            run += 1
        if run > 1 and random.random() < 0.8:
            data += bytes([127 + run]) + row[at]
        else:
            run = random.randint(1, min(128, len(row) - at))
            data += bytes([run - 1]) + b"".join(row[at : at + run])
        at += run
    return data


# -- BMP (Microsoft, "Bitmap Storage") -------------------------------------------------------------


def bmp_file(pixels: Pixels, colours: Sequence[Colour], bits: int, random: Random) -> bytes:
    """A bitmap of 1, 4 or 8 bits with a palette, or of 16, 24 or 32 bits; top down or bottom up."""
    height, width = len(pixels), len(pixels[0])
    down, masks = random.random() < 0.5, b""
    green_bits = random.choice([5, 6]) if bits == 16 else 5
    if green_bits == 6:
        masks = struct.pack("<III", 0xF800, 0x07E0, 0x001F)
    rows = []
    for row in pixels if down else pixels[::-1]:
        if bits <= 8:
            data = _png_row([[code] for code in row], bits)
        else:
            data = b"".join(_bmp_pixel(colours[code], bits, green_bits) for code in row)
        rows.append(data + bytes(-len(data) % 4))
    table = b"".join(bytes([b, g, r, 0]) for r, g, b, _ in colours) if bits <= 8 else b""
    body = b"".join(rows)
    start = 14 + 40 + len(masks) + len(table)
    count = len(colours) if bits <= 8 else 0
    info = struct.pack(
        "<IiiHHIIiiII",
        *(40, width, -height if down else height, 1, bits),
        *(3 if masks else 0, len(body), 0, 0, count, 0),
    )
    return (
        struct.pack("<2sIHHI", b"BM", start + len(body), 0, 0, start) + info + masks + table + body
    )


def _bmp_pixel(colour: Colour, bits: int, green_bits: int) -> bytes:
    red, green, blue, _ = colour
    if bits == 16:
        above = red // 8 << (5 + green_bits) | green // 2 ** (8 - green_bits) << 5
        return struct.pack("<H", above | blue // 8)
    return bytes([blue, green, red, 0][: bits // 8])
