"""Record the answers of readers, and compare answers with a recording."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bake.play import open_asset
from tests.support.recorded.levels import LEVELS, file_digests
from tests.support.recorded.questions import (
    Block,
    Script,
    baked_script,
    changed_script,
    draw_batches,
    draw_played,
    played_script,
)
from tests.support.recorded.readers import (
    NOWHERE,
    QUESTIONS,
    Answers,
    Numbering,
    ProgramReader,
    PythonReader,
    every_reader,
)
from tests.support.stored import ROOT

#: The recordings, and where whole answers are cached that have passed.
FOLDER, CACHE = Path(__file__).with_name("answers"), ROOT / "build" / "recorded"

#: The expected answers on one level, ready for JSON; :func:`record` builds it.
Recording = dict[str, Any]
#: The answers to each block, by phase.
Phases = dict[str, list[Answers]]


def recording_file(name: str) -> Path:
    return FOLDER / f"{name}.json"


def load_recording(name: str) -> Recording:
    return json.loads(recording_file(name).read_text("utf-8"))


def save_recording(name: str, recording: Recording) -> None:
    """Write a recording, a line for each of its entries."""
    entries = []
    for key, value in recording.items():
        items = value.items() if isinstance(value, dict) else ((None, each) for each in value)
        lines = [
            (f"{json.dumps(item)}: " if item is not None else "")
            + json.dumps(each, separators=(",", ":"), ensure_ascii=False)
            for item, each in items
        ]
        ends = "{}" if isinstance(value, dict) else "[]"
        entries.append(f'"{key}": ' + ends[0] + "\n" + ",\n".join(lines) + "\n" + ends[1])
    FOLDER.mkdir(exist_ok=True)
    text = "{\n" + ",\n".join(entries) + "\n}\n"
    recording_file(name).write_text(text, "utf-8", newline="\n")


# -- asking ----------------------------------------------------------------------------------------


def scripts(name: str, numbering: Numbering, recording: Recording) -> dict[str, Script]:
    """Return the questions of each phase."""
    places = numbering.places
    return {
        "baked": baked_script(name, places, has_hops=LEVELS[name].has_hops),
        "changed": changed_script(name, places, recording["batches"]),
        "played": played_script(name, places, recording["played batches"]),
    }


def ask(reader: PythonReader | ProgramReader, asked: dict[str, Script]) -> Phases:
    """Return the answers of a reader in each phase that it supports."""
    known = ["baked"]
    if isinstance(reader, PythonReader) or reader.follows_changes:
        known.append("changed")
    if reader.name == "bake.play":
        known.append("played")
    return {phase: reader.answers(asked[phase]) for phase in known}


# -- recording -------------------------------------------------------------------------------------


def record(name: str) -> Recording:
    """Bake a level, draw changes, and return the answers of ``bake.play``."""
    with tempfile.TemporaryDirectory() as folder:
        pair = LEVELS[name].write(Path(folder))
        numbering = Numbering(pair.asset)
        with open_asset(pair.asset) as level:
            batches = draw_batches(name, level, numbering)
        with open_asset(pair.asset) as level:
            played = draw_played(name, level, numbering)
        recording: Recording = {
            "files": file_digests(pair),
            "places": place_digests(numbering),
            "batches": batches,
            "played batches": played,
        }
        asked = scripts(name, numbering, recording)
        phases = ask(PythonReader("bake.play", pair.asset, numbering), asked)
    for phase, answers in phases.items():
        blocks = zip(asked[phase].blocks, answers, strict=True)
        recording[phase] = [summary(block, each) for block, each in blocks]
    return recording


def place_digests(numbering: Numbering) -> dict[str, str]:
    """Return a digest of the places of each profile."""
    return {name: digest_of(places) for name, places in numbering.places.items()}


def digest_of(answers: object) -> str:
    """Return a short digest of some answers."""
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()[:8]


def summary(block: Block, answers: Answers) -> list[Any]:
    """Return the digests of a block's answers, and its first pair with the hop and the ticks."""
    sample = {question: answers[question][0] for question in answers if question != "paths"}
    digests = {question: digest_of(each) for question, each in answers.items()}
    return [" ".join(digests.values()), *block.pairs[0], *sample.values()]


# -- comparing -------------------------------------------------------------------------------------


def differences(name: str) -> list[str]:
    """Bake a level, ask every reader, and return a line for each difference from the recording.

    Raises:
        pytest.skip.Exception: the level is not on this machine.
    """
    recording = load_recording(name)
    with tempfile.TemporaryDirectory() as folder:
        pair = LEVELS[name].write(Path(folder))
        lines = [
            f"{name}: {part} {how}"
            for part, how in unlike(recording["files"], file_digests(pair)).items()
        ]
        numbering = Numbering(pair.asset)
        if places := unlike(recording["places"], place_digests(numbering)):
            # Other places would be asked about, and all answers would differ.
            return [*lines, *(f"{name}: places of {who!r}: {how}" for who, how in places.items())]
        asked = scripts(name, numbering, recording)
        answered = {reader.name: ask(reader, asked) for reader in every_reader(pair, numbering)}
    wrong = answer_differences(name, recording, asked, answered, numbering.place)
    if not wrong:
        cache_answers(recording, name, answered["bake.play"])
    return lines + wrong


def run_level(name: str, is_record: bool) -> tuple[str, list[str]]:
    """Compare a level, recording it first if wanted; return the outcome in a word, and lines."""
    try:
        if is_record:
            save_recording(name, record(name))
        lines = differences(name)
    except pytest.skip.Exception as missing:
        return f"skipped: {missing}", []
    except Exception:
        return "failed", traceback.format_exc().splitlines()
    return "differs" if lines else "recorded" if is_record else "same", lines


def unlike(expected: dict[str, str], actual: dict[str, str]) -> dict[str, str]:
    """Return the keys of two dictionaries that differ, with a description."""
    return {
        key: "is new" if key not in expected else "is missing" if key not in actual else "differs"
        for key in {**expected, **actual}
        if expected.get(key) != actual.get(key)
    }


def answer_differences(
    name: str,
    recording: Recording,
    asked: dict[str, Script],
    answered: dict[str, Phases],
    place: Callable[[int], Any],
) -> list[str]:
    """Return a line for the first difference of each reader, phase and question.

    Digests show that a block differs. The first pair that differs is known if another reader agrees
    with the recording, if an earlier comparison in this checkout passed, or if it is the pair whose
    answers are recorded.

    Args:
        name: of the recording.
        asked: the questions by phase.
        answered: the answers by reader.
        place: turns the number of a place into the place.
    """
    lines = []
    for reader, phases in answered.items():
        for phase, answers in phases.items():
            for question in QUESTIONS:
                wrong = [
                    i
                    for i, (entry, each) in enumerate(zip(recording[phase], answers, strict=True))
                    if not agrees(entry, each, question)
                ]
                if not wrong:
                    continue
                number = wrong[0]
                block, entry = asked[phase].blocks[number], recording[phase][number]
                right = [
                    others[phase][number][question]
                    for others in (*answered.values(), cached_answers(recording, name))
                    if phase in others and agrees(entry, others[phase][number], question)
                ]
                where = f"{name}: {reader}, {question} {phase}"
                what = f"{len(wrong)} of {len(answers)} blocks differ, first number {number}"
                sampled = [each for each in answers[number] if each != "paths"]
                sample = dict(zip(sampled, entry[3:], strict=True)).get(question)
                pair = first_pair(block, sample, right, answers[number][question], question, place)
                lines.append(f"{where}: {what} (profile {block.profile!r}, {block.method}): {pair}")
    return lines


def agrees(entry: list[Any], answers: Answers, question: str) -> bool:
    """Return whether the answers to a block have the recorded digest."""
    if question not in answers:
        return True
    return entry[0].split()[list(answers).index(question)] == digest_of(answers[question])


def first_pair(
    block: Block,
    sample: Any,
    right: list[list[Any]],
    answers: list[Any],
    question: str,
    place: Callable[[int], Any],
) -> str:
    """Describe the first pair of a block whose answer differs, as far as it is known.

    Args:
        block: the pairs.
        sample: the recorded answer to the first of them; None = it is not recorded.
        right: whole answers to the block that have the recorded digest, if there are any.
        answers: the answers that have another digest.
        question: what was asked.
        place: turns the number of a place into the place.
    """
    if right:
        i = next(i for i, answer in enumerate(answers) if answer != right[0][i])
        expected = right[0][i]
    elif sample is not None and sample != answers[0]:
        i, expected = 0, sample
    else:
        return f"one of its {len(block.pairs)} pairs, whose expected answers are not stored here"
    start, goal = map(place, block.pairs[i])
    return f"pair {i} from {start} to {goal}: {contrast(expected, answers[i], question, place)}"


def contrast(expected: Any, answer: Any, question: str, place: Callable[[int], Any]) -> str:
    """Describe two answers that differ; of paths where they part."""
    prefix = ""
    if question == "paths" and isinstance(expected, list) and isinstance(answer, list):
        paths = [[*path, NOWHERE] for path in (expected, answer)]
        k = next(i for i, (a, b) in enumerate(zip(*paths, strict=False)) if a != b)
        prefix, expected, answer = f"after {k} places ", paths[0][k], paths[1][k]
    if question != "distances":
        expected, answer = (
            place(each) if isinstance(each, int) and each >= 0 else each
            for each in (expected, answer)
        )
    return f"{prefix}expected {expected}, found {answer}"


# -- answers that have passed ----------------------------------------------------------------------


def _cache_file(recording: Recording, name: str) -> Path:
    return CACHE / f"{name}-{digest_of(recording)}.json"


def cache_answers(recording: Recording, name: str, phases: Phases) -> None:
    """Store whole answers that have passed, so that a later difference can be located."""
    CACHE.mkdir(parents=True, exist_ok=True)
    file = _cache_file(recording, name)
    if not file.exists():
        partial = file.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(phases), "utf-8")
        partial.replace(file)


def cached_answers(recording: Recording, name: str) -> Phases:
    """Return the stored answers of a comparison that passed in this checkout, or nothing."""
    file = _cache_file(recording, name)
    return json.loads(file.read_text("utf-8")) if file.exists() else {}
