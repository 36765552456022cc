"""What a picture's colours mean, as the strip below it says."""

from __future__ import annotations

from dataclasses import dataclass

from bake.view.palette import Colour


@dataclass(frozen=True)
class Swatch:
    """A colour, plain or striped, and what it means."""

    colour: Colour
    text: str
    stripe: Colour | None = None
    round: bool = False


@dataclass(frozen=True)
class ColourBar:
    """The ramp of distances.

    Attributes:
        greatest: units at its far end.
        step: units between its marks.
        lined: whether the picture has lines at the marks.
    """

    greatest: float
    step: float
    lined: bool


@dataclass(frozen=True)
class Legend:
    """Everything the strip says.

    Attributes:
        swatches: in the order they are shown.
        bar: of distances, where there are any above 0.
        pixels_per_unit: for the scale bar.
        unit: what the scale bar counts.
    """

    swatches: tuple[Swatch, ...]
    pixels_per_unit: float
    unit: str
    bar: ColourBar | None = None


def shortened(swatches: list[Swatch], limit: int, what: str) -> list[Swatch]:
    """The first ones, and how many more there are."""
    if len(swatches) <= limit:
        return swatches
    last = swatches[limit - 1]
    more = len(swatches) - limit + 1
    return [*swatches[: limit - 1], Swatch(last.colour, f"and {more:,} more {what}")]


def number(value: float) -> str:
    """A cost or distance for reading: at most two decimals, thousands set apart."""
    text = f"{value:,.2f}"
    return text.rstrip("0").rstrip(".")
