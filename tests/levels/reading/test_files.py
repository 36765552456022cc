"""Strict JSON: what it refuses, and where it says the mistake is."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.errors import LevelError
from bake.levels.reading.files import read_document
from bake.levels.reading.mistakes import json_place, shown

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def refusal(path: Path) -> str:
    with pytest.raises(LevelError) as caught:
        read_document(path)
    return str(caught.value).removeprefix(f"{path}: ")


@given(value=values, mark=st.booleans(), indent=st.sampled_from([None, 2]))
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory, value: object, mark: bool, indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("json") / "value.json"
    text = json.dumps(value, indent=indent).replace("\n", "\r\n")
    path.write_bytes(text.encode("utf-8-sig" if mark else "utf-8"))
    assert read_document(path) == value


def step_into(value: object, steps: list[str | int]) -> list[tuple[list[str | int], str]]:
    """Every object key of a value, with the path of the object around it."""
    found: list[tuple[list[str | int], str]] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            found.append((steps, key))
            found += step_into(inner, [*steps, key])
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            found += step_into(inner, [*steps, at])
    return found


@given(value=values.filter(lambda value: bool(step_into(value, []))), data=st.data())
def test_a_key_given_twice_is_found_wherever_it_is(
    tmp_path_factory: pytest.TempPathFactory, value: object, data: st.DataObject
) -> None:
    around, key = data.draw(st.sampled_from(step_into(value, [])))

    def text_of(inner: object, steps: list[str | int]) -> str:
        if isinstance(inner, dict):
            members = [f"{json.dumps(k)}: {text_of(v, [*steps, k])}" for k, v in inner.items()]
            if steps == around:
                members.append(f"{json.dumps(key)} : 0")
            return "{\n" + ",\n".join(members) + "}"
        if isinstance(inner, list):
            return "[" + ", ".join(text_of(v, [*steps, at]) for at, v in enumerate(inner)) + "]"
        return json.dumps(inner)

    path = tmp_path_factory.mktemp("json") / "twice.json"
    text = text_of(value, [])
    path.write_text(text, newline="")
    line = refusal(path)
    assert line.startswith(f"{json_place([*around, key])} (line ")
    assert "given twice" in line


def test_the_line_of_a_key_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text('{"legend": {\n  ".": "a",\n  "}": "b\\"}",\n  ".": "c"}}')
    assert refusal(path).startswith('legend["."] (line 4): this key is given twice')


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            '{"a": 1,}',
            "line 1, column ",
        ),  # of the comma or of what follows it, by version of Python
        ('{\n  "a" 1}', "line 2, column 7: the file is not JSON: Expecting ':' delimiter"),
        ("{} {}", "line 1, column 4: the file is not JSON: Extra data"),
        ("{'a': 1}", "line 1, column 2: the file is not JSON: "),
        ("\n", "line 2, column 1: the file is not JSON: Expecting value"),
        ("[" * 100_000, "the JSON is nested too deeply"),
        ('{"a":' * 100_000, "the JSON is nested too deeply"),
        ("[" * 100_000 + "]" * 100_000, "the JSON is nested too deeply"),
        ("9" * 5_000, "the JSON cannot be used: "),
    ],
)
def test_not_json(tmp_path: Path, text: str, line: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    assert refusal(path).startswith(line)


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(b'{\r\n"a": "\xe9"}')
    assert refusal(path).startswith("line 2: byte 0xe9 is not UTF-8 text")
    path.write_bytes("{}".encode("utf-16"))
    assert refusal(path).startswith("the text is in UTF-16")


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(2**26 + 1)  # sparse: takes no room
    assert refusal(path).startswith("the file has 67,108,865 bytes; expected at most 67,108,864")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "an object"),
        ([1], "a list"),
        (True, "true"),
        (None, "null"),
        (1.5, "1.5"),
        ("a", '"a"'),
        ("é", '"é"'),
        ("\ud800", '"\\ud800"'),
        ("\x1b[31m", '"\\u001b[31m"'),
        ("a" * 100, '"' + "a" * 56 + "..."),
        (10**4000, "a number of very many digits"),
        (-(10**4000), "a number of very many digits"),
    ],
)
def test_values_are_shown_short_and_safe(value: object, text: str) -> None:
    assert shown(value) == text
    shown(value).encode()
