"""What is in an asset, as plain data for `bake info`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bake.asset import Asset
from bake.asset.schema import TABLES, profile_path
from bake.errors import UnknownProfileError, in_units


def inspect_asset(path: Path, profile: str | None) -> dict[str, Any]:
    """Describe an asset.

    Args:
        path: the asset.
        profile: only this one; None = all.

    Returns:
        Level, format, sizes, sources, and for each profile its tables with kind, shape, dtype and
        stored bytes. Everything JSON can hold.

    Raises:
        AssetError, UnknownProfileError.
    """
    with Asset(path) as asset:
        if profile is not None and profile not in asset.profiles:
            raise UnknownProfileError(
                f"no profile {profile!r}",
                file=path,
                expected=" or ".join(repr(known) for known in asset.profiles),
            )
        header = asset.header
        nodes = asset.shape("/world/first_out")[0] - 1
        return {
            "asset": str(path),
            "level": asset.text("name"),
            "kind": asset.text("kind"),
            "width": asset.number("width"),
            "height": asset.number("height"),
            "hex_layout": asset.text("hex_layout"),
            "connectivity": asset.number("connectivity"),
            "corner_cutting": asset.text("corner_cutting"),
            "cost_rule": asset.text("cost_rule"),
            "ticks_per_unit": asset.number("ticks_per_unit"),
            "format_version": header.format_version,
            "bake_revision": header.bake_revision,
            "fingerprint": header.fingerprint(),
            "sources": [{"file": name, "sha256": digest} for name, digest in header.sources],
            "bytes": path.stat().st_size,
            "nodes": nodes,
            "arcs": asset.shape("/world/head")[0],
            "terrains": [bytes(name).decode() for name in asset.read("/terrain/name")],
            "profiles": {
                name: _profile(asset, name) for name in asset.profiles if profile in (None, name)
            },
        }


def _twin(asset: Asset, name: str, columns: tuple[str, ...]) -> str | None:
    """The first other profile whose table this one is, stored once."""
    for other in asset.profiles[: asset.profiles.index(name)]:
        pairs = [(profile_path(name, one), profile_path(other, one)) for one in columns]
        if all(asset.has(path) and asset.is_same(own, path) for own, path in pairs):
            return other
    return None


def _profile(asset: Asset, name: str) -> dict[str, Any]:
    component = asset.read(profile_path(name, "component"))
    rows = int(np.count_nonzero(component.astype(np.int64) >= 0))
    tables: list[dict[str, Any]] = []
    for table, kind, columns in TABLES:
        paths = [profile_path(name, one) for one in columns]
        # Of several forms of one table the fullest comes first.
        listed = any(one["table"] == table for one in tables)
        if not listed and all(asset.has(path) for path in paths):
            shape = list(asset.shape(paths[-1]))
            tables.append(
                {
                    "table": table,
                    "kind": kind,
                    "shape": [rows, rows] if "run_count" in columns else shape,
                    "dtype": asset.dtype(paths[-1]),
                    "bytes": sum(asset.stored_bytes(path) for path in paths),
                }
            )
            twin = _twin(asset, name, columns)
            if twin is not None:
                tables[-1]["same_as"] = twin
            if "run_count" in columns:
                tables[-1]["runs"] = shape[0]
    return {
        "nodes": rows,
        "components": asset.number("component_count", f"/profiles/{name}"),
        "one_way": bool(asset.number("one_way", f"/profiles/{name}")),
        "tables": tables,
    }


def print_info(found: dict[str, Any]) -> None:
    """Print what :func:`inspect_asset` found, for a person."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 100
    size = f"{found['width']} x {found['height']} " if found["width"] else ""
    layout = f" {found['hex_layout']}" if found["hex_layout"] else ""
    console.print(f"[bold]{escape(found['level'])}[/]: {size}{found['kind']}{layout}")
    lines = {
        "nodes, arcs": f"{found['nodes']:,}, {found['arcs']:,}",
        "terrains": ", ".join(found["terrains"]),
        "movement": ", ".join(
            part
            for part in (
                f"{found['connectivity']} neighbours" if found["connectivity"] else "",
                f"corner cutting {found['corner_cutting']}",
                f"cost rule {found['cost_rule']}",
                f"{found['ticks_per_unit']:,} ticks a unit",
            )
            if part
        ),
        "sources": ", ".join(source["file"] for source in found["sources"]),
        "format": f"version {found['format_version']}, baked by revision {found['bake_revision']}",
        "fingerprint": found["fingerprint"][:16],
        "file": in_units(found["bytes"]),
    }
    for label, text in lines.items():
        console.print(f"  {label:<12} {text}", markup=False)
    table = Table(box=None, header_style="bold")
    for heading in ("profile", "table", "what it is", "shape", "type", "stored"):
        table.add_column(heading, justify="right" if heading in ("shape", "stored") else "left")
    for name, profile in found["profiles"].items():
        count = profile["components"]
        many = f"{count:,} component{'' if count == 1 else 's'} of {profile['nodes']:,} nodes"
        for place, one in enumerate(profile["tables"]):
            table.add_row(
                name if place == 0 else "",
                one["table"],
                many if one["table"] == "components" else one["kind"],
                " x ".join(f"{length:,}" for length in one["shape"]),
                one["dtype"],
                f"as {one['same_as']}" if "same_as" in one else in_units(one["bytes"]),
            )
    console.print(table)
