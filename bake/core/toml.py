"""Format names and values as TOML, so that suggested recipe lines are safe to paste."""

from __future__ import annotations

import json
import re

#: A value of a recipe: text, a number, or a list of texts.
Value = str | float | tuple[str, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def toml(value: Value) -> str:
    """Format a value as TOML."""
    if isinstance(value, str):
        # JSON escapes everything that TOML does, except one control character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml, value))}]"
    return f"{value:g}"


def toml_key(name: str) -> str:
    """Format a key as TOML, quoted if necessary."""
    return name if _BARE.fullmatch(name) else toml(name)


def toml_line(key: str, value: Value, comment: str = "") -> str:
    """Format a key and its value, and a comment of one line.

    >>> toml_line("deep water", 2.5, "from the map")
    '"deep water" = 2.5  # from the map'
    """
    return f"{toml_key(key)} = {toml(value)}" + (f"  # {comment}" if comment else "")
