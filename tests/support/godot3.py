"""Say in the words of Godot 3 what the GDScript reader says in those of Godot 4.

Debian has a server of Godot 3 and none of Godot 4, so this is how the reader is run. Names of types
and of functions that decode numbers are replaced one by one. Where the two differ by more than a
name, a line of the reader ends with ``# 3:`` and what Godot 3 is to run in its place. There are ten
such lines.
"""

from __future__ import annotations

import re

NAMES = {
    "PackedByteArray": "PoolByteArray",
    "PackedInt32Array": "PoolIntArray",
    "PackedStringArray": "PoolStringArray",
    "RefCounted": "Reference",
}

#: How Godot 3 decodes numbers; Godot 4 has these as functions of its byte arrays.
DECODE = """

static func _decode_u16(from, at) -> int:
	return from[at] | from[at + 1] << 8


static func _decode_u32(from, at) -> int:
	return from[at] | from[at + 1] << 8 | from[at + 2] << 16 | from[at + 3] << 24


static func _decode_s32(from, at) -> int:
	var number = from[at] | from[at + 1] << 8 | from[at + 2] << 16 | from[at + 3] << 24
	return number - ((number & 1 << 31) << 1)


static func _decode_s64(from, at) -> int:
	return _decode_u32(from, at) | _decode_s32(from, at + 4) << 32


static func _decode_double(from, at) -> float:
	var peer = StreamPeerBuffer.new()
	peer.data_array = from.subarray(at, at + 7)
	return peer.get_double()
"""


def in_godot_3(script: str) -> str:
    """Return a script of Godot 4 as Godot 3 runs it."""
    lines = []
    for line in script.split("\n"):
        code, mark, other = line.partition("  # 3: ")
        if mark:
            indent = code[: len(code) - len(code.lstrip())]
            code = indent + other
        if not code.startswith("class_name "):
            lines.append(code)
    text = re.sub(r"^@tool$", "tool", "\n".join(lines), flags=re.MULTILINE)
    for name, older in NAMES.items():
        text = re.sub(rf"\b{name}\b", older, text)
    text = re.sub(r"((?:\w+\.)*bytes)\.decode_(\w+)\(", r"_decode_\2(\1, ", text)
    return text if 'extends "res://' in text else text + DECODE
