"""Write names and values as TOML, so that a line about a stranger's name can be pasted."""

from __future__ import annotations

import json
import re

#: A value of a recipe: text, a number, or a list of texts.
Value = str | float | tuple[str, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def toml(value: Value) -> str:
    """Write a value as TOML."""
    if isinstance(value, str):
        # JSON escapes whatever TOML does, but for one control character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml, value))}]"
    return f"{value:g}"


def toml_key(name: str) -> str:
    """Write a key as TOML, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else toml(name)


def toml_line(key: str, value: Value, comment: str = "") -> str:
    """Write a key and its value, and a comment that has no line ends."""
    return f"{toml_key(key)} = {toml(value)}" + (f"  # {comment}" if comment else "")
