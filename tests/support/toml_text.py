"""Writes a recipe down as TOML in one of the many spellings that mean the same."""

import json
import random
import re


def write_toml(data: dict, rng: random.Random) -> str:
    """The data as TOML: keys in any order, tables inline, dotted or under headers."""
    return "".join(line + "\n" for line in _table_lines(data, (), rng))


def _table_lines(table: dict, path: tuple[str, ...], rng: random.Random) -> list[str]:
    keys = list(table)
    rng.shuffle(keys)
    own, under_headers = [], []
    for key in keys:
        value = table[key]
        if isinstance(value, dict) and rng.random() < 0.6:
            header = [f"[{'.'.join(_key(part, rng) for part in (*path, key))}]{_comment(rng)}"]
            under_headers += header + _table_lines(value, (*path, key), rng)
        elif isinstance(value, dict) and value and rng.random() < 0.4:
            # Every value under a dotted key must be inline: the table may not be reopened.
            for inner in rng.sample(list(value), len(value)):
                left = f"{_key(key, rng)} . {_key(inner, rng)}"
                own.append(f"{left} = {_value(value[inner], rng)}")
        else:
            own.append(f"{_key(key, rng)} = {_value(value, rng)}{_comment(rng)}")
        if rng.random() < 0.2:
            own.append("")
    return own + under_headers


def _comment(rng: random.Random) -> str:
    return ' # [not] = "a key' if rng.random() < 0.2 else ""


def _key(key: str, rng: random.Random) -> str:
    if re.fullmatch(r"[A-Za-z0-9_-]+", key) and rng.random() < 0.7:
        return key
    return _text(key, rng)


def _text(text: str, rng: random.Random) -> str:
    if rng.random() < 0.3 and "'" not in text and text.isprintable():
        return f"'{text}'"
    # JSON's escapes are TOML's as long as nothing is written as a surrogate pair.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object, rng: random.Random) -> str:
    if isinstance(value, dict):
        items = [f"{_key(key, rng)} = {_value(item, rng)}" for key, item in value.items()]
        rng.shuffle(items)
        return "{ " + ", ".join(items) + " }"
    if isinstance(value, list):
        gap = rng.choice(["", " ", "\n  ", " # why, oh ] why\n"])
        items = [gap + _value(item, rng) for item in value]
        return "[" + ",".join(items) + rng.choice(["", "\n"]) + "]"
    if isinstance(value, str):
        return _text(value, rng)
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)
