"""Compare names that have several spellings."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import normalize


def plain_name(name: str) -> str:
    """Return a property's name in lower case and without the blanks around it.

    Names that are equal in this form are one name, in every editor.
    """
    return name.strip().casefold()


def fold_file_name(name: str) -> str:
    """Return the common form of the names that some file system treats as one file.

    Such names differ in case, or in how accents are encoded (Unicode Standard, section 3.13,
    canonical caseless matching).
    """
    return normalize("NFD", normalize("NFD", name).casefold())


@lru_cache(maxsize=2**14)
def near_name(name: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that is one edit away from a plain name, or None.

    An edit inserts, deletes or replaces a letter, or swaps two neighbors.
    """
    return next((word for word in known if _is_one_edit(name, word)), None)


def _is_one_edit(one: str, other: str) -> bool:
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1 or one == other:
        return False
    start = next((i for i, letter in enumerate(one) if letter != other[i]), len(one))
    if len(one) < len(other):
        return one[start:] == other[start + 1 :]
    swapped = one[start : start + 2] == other[start : start + 2][::-1]
    return one[start + 1 :] == other[start + 1 :] or (
        swapped and one[start + 2 :] == other[start + 2 :]
    )
