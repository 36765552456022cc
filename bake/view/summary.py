"""What a build came to: a table for people, plain data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bake.errors import in_units
from bake.pipeline import Outcome

if TYPE_CHECKING:
    from bake.pipeline.plan import Plan


def print_summary(outcomes: Sequence[Outcome], seconds: float) -> None:
    """Print one row a level, and a line that counts them."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("level", "state", "nodes", "arcs", "profiles", "asset", "time"):
        table.add_column(heading, justify="left" if heading in ("level", "state") else "right")
    for outcome in outcomes:
        baked = outcome.baked
        colour = {"baked": "green", "fresh": "dim", "failed": "bold red"}[outcome.status]
        row = [escape(outcome.task.name), f"[{colour}]{outcome.status}[/]"]
        if baked is not None:
            row += [f"{baked.nodes:,}", f"{baked.arcs:,}", str(len(baked.profiles))]
            row += [in_units(baked.size), f"{baked.seconds:.2f} s"]
        elif outcome.status == "fresh":
            row += ["", "", "", in_units(outcome.task.asset.stat().st_size), ""]
        table.add_row(*row)
    console = Console()
    # A level's row must not fold where nobody can widen the window.
    if not console.is_terminal:
        console.width = 100
    console.print(table)
    for outcome in outcomes:
        for note in outcome.baked.notes if outcome.baked is not None else ():
            console.print(f"{escape(outcome.task.name)}: {escape(note)}", highlight=False)
    count = dict.fromkeys(("baked", "fresh", "failed"), 0)
    for outcome in outcomes:
        count[outcome.status] += 1
    told = [f"{number} {status}" for status, number in count.items() if number]
    console.print(f"{', '.join(told)} in {seconds:.2f} s", highlight=False)


def as_data(outcomes: Sequence[Outcome], seconds: float) -> dict[str, Any]:
    """The same as plain data."""
    levels = []
    for outcome in outcomes:
        level: dict[str, Any] = {
            "level": outcome.task.name,
            "source": str(outcome.task.source),
            "asset": str(outcome.task.asset),
            "status": outcome.status,
        }
        if outcome.baked is not None:
            level |= {
                "nodes": outcome.baked.nodes,
                "arcs": outcome.baked.arcs,
                "profiles": list(outcome.baked.profiles),
                "bytes": outcome.baked.size,
                "seconds": round(outcome.baked.seconds, 3),
                "taken_up": round(outcome.baked.taken_up, 3),
            }
        if outcome.error is not None:
            level["error"] = str(outcome.error)
        levels.append(level)
    return {"levels": levels, "seconds": round(seconds, 3)}


def print_plans(plans: Sequence[Plan]) -> None:
    """Print what each level and table will cost."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("level", "profile", "table", "kind", "in the file", "time", "peak memory"):
        left = heading in ("level", "profile", "table", "kind")
        table.add_column(heading, justify="left" if left else "right")
    for plan in plans:
        table.add_row(
            Text(plan.level, style="bold"),
            "",
            f"{plan.nodes:,} nodes",
            "",
            in_units(plan.bytes),
            f"{plan.seconds:.2f} s",
            in_units(plan.memory),
        )
        for one in plan.tables:
            table.add_row(
                "",
                one.profile,
                one.table,
                one.kind,
                in_units(one.bytes),
                f"{one.seconds:.2f} s" if one.seconds else "",
                in_units(one.memory) if one.memory else "",
            )
    console = Console()
    if not console.is_terminal:
        console.width = 100
    console.print(table)
