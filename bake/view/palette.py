"""The colours of everything in a picture that is not the designer's own terrain."""

from __future__ import annotations

Colour = tuple[int, int, int]

PAPER: Colour = (248, 246, 241)
INK: Colour = (38, 36, 46)
FAINT_INK: Colour = (122, 117, 128)

#: Where nobody of this profile can stand, in every view but the terrain's.
BLOCKED: Colour = (52, 49, 60)
#: Stripes over cells that other profiles can stand on.
OTHERS_STRIPE: Colour = (48, 45, 55)

#: The component with the most places; all others are vivid.
LARGEST: Colour = (228, 223, 212)
LARGEST_ON_PAPER: Colour = (190, 182, 168)

UNREACHABLE: Colour = (238, 164, 160)
UNREACHABLE_STRIPE: Colour = (196, 66, 84)

CONTOUR: Colour = (34, 26, 52)
CONTOUR_ON_DARK: Colour = (226, 214, 250)
ARROW: Colour = (58, 52, 74)

PATH: Colour = (226, 32, 78)
CASING: Colour = (255, 255, 255)
START: Colour = (24, 136, 96)
GOAL: Colour = PATH

TRANSITION: Colour = (255, 214, 64)
ACROSS: Colour = (38, 36, 46)
INSIDE: Colour = (128, 108, 150)
#: Ways over the layers of a hierarchy, lowest first.
WAYS: tuple[Colour, ...] = ((34, 116, 196), (232, 126, 22), (122, 62, 168), (20, 140, 120))

ROAD: Colour = (249, 224, 160)
ROAD_CASING: Colour = (142, 126, 104)
ROAD_CLOSED: Colour = (212, 206, 198)
