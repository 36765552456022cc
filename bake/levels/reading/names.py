"""Compare names that have several spellings."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import normalize


def normalize_name(name: str) -> str:
    """Return a property name in lower case without the blanks around it.

    Names with the same plain form are the same name, in every editor.
    """
    return name.strip().casefold()


def fold_file_name(name: str) -> str:
    """Return a form that is equal for all names that some file system treats as one file.

    Such names differ in letter case or in the encoding of accents (Unicode Standard, section 3.13,
    canonical caseless matching).
    """
    return normalize("NFD", normalize("NFD", name).casefold())


@lru_cache(maxsize=2**14)
def find_near_name(name: str, known: tuple[str, ...]) -> str | None:
    """Return the first known name that is one edit away from a plain name, or None.

    An edit inserts, deletes or replaces a letter, or swaps two neighbors.

    Example:
        >>> find_near_name("blokced", ("cost", "blocked"))
        'blocked'
    """
    return next((word for word in known if _is_one_edit(name, word)), None)


def _is_one_edit(first: str, second: str) -> bool:
    if len(first) > len(second):
        first, second = second, first
    if len(second) - len(first) > 1 or first == second:
        return False
    start = next((i for i, letter in enumerate(first) if letter != second[i]), len(first))
    if len(first) < len(second):
        return first[start:] == second[start + 1 :]
    swapped = first[start : start + 2] == second[start : start + 2][::-1]
    return first[start + 1 :] == second[start + 1 :] or (
        swapped and first[start + 2 :] == second[start + 2 :]
    )
