"""Writing in pictures, with the one font Pillow brings along."""

from __future__ import annotations

import unicodedata
from functools import cache

from PIL import ImageFont

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

#: Letters of the font that are not ASCII.
_EXTRA = "·…"
_SPELLED = {"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "œ": "oe"}


@cache
def font(size: int) -> Font:
    """The font at a height in pixels."""
    return ImageFont.load_default(size=size)


def plain(text: str) -> str:
    """Text in letters the font has: accents are dropped, what is left over becomes "?"."""
    spelled = "".join(_SPELLED.get(letter, letter) for letter in text)
    letters = []
    for letter in unicodedata.normalize("NFKD", spelled):
        if (letter.isascii() and letter.isprintable()) or letter in _EXTRA:
            letters.append(letter)
        elif not unicodedata.combining(letter):
            letters.append("?")
    return "".join(letters)


def width_of(text: str, size: int) -> float:
    """Pixels a text takes from left to right."""
    return float(font(size).getlength(text))


def fitted(text: str, size: int, room: float) -> str:
    """As much of a text as fits into so many pixels."""
    if width_of(text, size) <= room:
        return text
    while text and width_of(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"
