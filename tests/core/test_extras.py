"""The registry of extras: every entry is an object of its group; what is missing has a remedy."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bake.core import extras
from levelbake.errors import BakeError

TYPES = {"kind": extras.FileKind, "tracer": extras.SearchTracer}


def test_every_entry_is_an_object_of_its_group() -> None:
    entries = extras.registered()
    assert {group for group, _ in entries} == set(extras.Group.__args__)
    for group, name in entries:
        found = extras.find_registered(group, name)
        assert isinstance(found, TYPES[group]) if group in TYPES else callable(found), name


def test_names_are_sorted_by_group(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {("kind", "b"): "x:y", ("method", "c"): "x:y", ("kind", "a"): "x:y"}
    monkeypatch.setattr(extras, "registered", lambda: entries)
    assert extras.registered_names("kind") == ["a", "b"]
    assert extras.registered_names("tracer") == []


def test_entries_of_packages_are_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package may have no entries, and a module beside the packages is no extra."""
    root = tmp_path / "extras_of_test"
    for name in ("one", "two", "without"):
        (root / name).mkdir(parents=True)
        (root / name / "__init__.py").touch()
    (root / "__init__.py").touch()
    (root / "entries.py").write_text("raise RuntimeError")
    (root / "one" / "entries.py").write_text("ENTRIES = {('method', 'dig'): 'json:loads'}")
    (root / "two" / "entries.py").write_text("ENTRIES = {('kind', 'card'): 'json:dumps'}")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(extras, "PACKAGE", root.name)
    assert extras.registered.__wrapped__() == {
        ("method", "dig"): "json:loads",
        ("kind", "card"): "json:dumps",
    }


@pytest.mark.parametrize("package", ["bake.extras_missing", "bake.extras"])
def test_missing_extras_have_no_entries(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "PACKAGE", package)
    entries = extras.registered.__wrapped__()
    assert bool(entries) == (package == "bake.extras")
    monkeypatch.setattr(extras, "registered", lambda: entries)
    remedy = extras.missing_extras_remedy()
    assert (remedy is None) == bool(entries)


def test_a_missing_name_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "registered", dict)
    assert extras.find_registered("method", "beam") is None
    with pytest.raises(BakeError) as caught:
        extras.load_registered("executor", "cluster", "--cluster")
    assert caught.value.found.startswith("--cluster ")
    assert "pip install" in (caught.value.remedy or "")
    with pytest.raises(BakeError) as caught:
        extras.load_kind("puzzle", Path("a.json"))
    assert caught.value.file == Path("a.json")


def test_packages_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    extras.require_package("json", "verify", "this")
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(BakeError) as caught:
        extras.require_package("scipy", "verify", "this")
    assert "levelbake[verify]" in (caught.value.remedy or "")
