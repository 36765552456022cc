"""What the map draws on: outside of a level lies the page's colour, and names can be read on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bake.show.colours import Colour
from tests.support.browser_page import BrowserPage, page_file

#: The page's colour and that of its text, by theme.
LIGHT: tuple[Colour, Colour] = ((248, 246, 241), (38, 36, 46))
DARK: tuple[Colour, Colour] = ((24, 23, 29), (238, 235, 228))

#: What the system wishes, what is chosen in the page, and the colours that follow.
BY_SYSTEM = [("light", "", LIGHT), ("dark", "", DARK)]
BY_CHOICE = [("dark", "light", LIGHT), ("light", "dark", DARK)]

#: Squares with blocked cells of several profiles, which are striped; hexagons; and a graph.
SOURCES = ["bastion.json", "colony.json", "roads.json"]

#: Every colour mode where the level is seen as a whole, after panning, and after zooming: how many
#: pixels lie clearly outside of the level, and how many of these have another colour than the page.
LOOK = """async (view, paper) => {
  const { camera, canvas, layers, level, plane, state } = view;
  const ends = [view.nav.nodes[0], view.nav.nodes.at(-1)].map(view.placeText);
  state.set({ layers: [], start: ends[0], goal: ends[1] });
  const nearCells = () => (px, py) =>
    [[0, 0], [3, 3], [3, -3], [-3, 3], [-3, -3]].some(
      ([dx, dy]) => plane.locationAt(...camera.toPlane(px + dx, py + dy), state.floor) >= 0);
  const nearRoads = () => {
    const node = Array.from(plane.xs, (x, at) => camera.toScreen(x, plane.ys[at]));
    const roads = [];
    for (let at = 0; at < level.locations; at++) {
      view.ground.eachArc(at, (head) => roads.push([...node[at], ...node[head]]));
    }
    return (px, py) =>
      node.some(([x, y]) => Math.abs(px - x) < 90 && Math.abs(py - y + 10) < 20) || // its name
      roads.some(([ax, ay, bx, by]) => {
        const [dx, dy] = [bx - ax, by - ay];
        const along = ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1);
        const t = Math.min(1, Math.max(0, along));
        return (ax + t * dx - px) ** 2 + (ay + t * dy - py) ** 2 < 14 ** 2;
      });
  };
  const outside = () => {
    const isNear = plane.kind === "graph" ? nearRoads() : nearCells();
    const found = [];
    for (let y = 1; y < canvas.height; y += 7) {
      for (let x = 1; x < canvas.width; x += 7) {
        if (!isNear(x + 0.5, y + 0.5)) found.push(4 * (y * canvas.width + x));
      }
    }
    return found;
  };
  const drawn = () => new Promise((done) => {
    const stop = view.on("frame", (ctx) => {
      stop();
      done(ctx.getImageData(0, 0, canvas.width, canvas.height).data);
    });
    view.redraw();
  });
  const moves = {
    "as a whole": () => camera.fit(plane.bounds),
    "after panning": () => camera.pan(150, -110),
    "after zooming": () => camera.zoomBy(0.6),
  };
  const known = {};
  const told = [];
  for (const ground of layers.grounds()) {
    if (!layers.available(ground, view)) continue;
    state.set({ ground: ground.id });
    for (const [when, move] of Object.entries(moves)) {
      move();
      const data = await drawn();
      known[when] ??= outside();
      const other = known[when].filter((i) => paper.some((part, j) => data[i + j] !== part));
      told.push([`${ground.id}, ${when}`, known[when].length, other.length]);
    }
  }
  return told;
}"""


def test_outside_of_a_level_lies_the_colour_of_the_page(tab: BrowserPage, folder: Path) -> None:
    wrong = []
    for source in SOURCES:
        tab.open_file(page_file(folder, source))
        for system, chosen, (paper, _) in BY_SYSTEM:
            show(tab, system, chosen)
            told = tab.ask(LOOK, paper)
            assert len(told) >= 3 * 8
            for what, pixels, other in told:
                if pixels < 500 or other:
                    wrong.append(f"{source}, {system}, {what}: {other} of {pixels} pixels")
    assert not wrong, "\n".join(wrong)


def show(tab: BrowserPage, system: str, chosen: str) -> None:
    tab.page.emulate_media(color_scheme=system)
    tab.ask("(view, theme) => view.state.set({ theme })", chosen)
    tab.frame()


#: Every name that is written near a node, and how many pixels in the box around it have nearly one
#: colour, and how many another.
READ = """async (view, [ground, colours]) => {
  const { camera, canvas, plane, state } = view;
  state.set({ ground });
  camera.goTo(plane.x(40), plane.y(40), 60);
  const names = [];
  const ctx = canvas.getContext("2d");
  ctx.fillText = function (name, x, y) {
    const half = Math.ceil(this.measureText(name).width / 2);
    names.push([name, Math.floor(x - half), Math.floor(y - 10), 2 * half]);
    CanvasRenderingContext2D.prototype.fillText.call(this, name, x, y);
  };
  const data = await new Promise((done) => {
    const stop = view.on("frame", () => {
      stop();
      done(ctx.getImageData(0, 0, canvas.width, canvas.height).data);
    });
    view.redraw();
  });
  delete ctx.fillText;
  const isSeen = ([, x, y, wide]) =>
    x >= 0 && y >= 0 && x + wide < canvas.width && y + 12 < canvas.height;
  return names.filter(isSeen).map(([name, x, y, wide]) => {
    const count = colours.map(() => 0);
    for (let i = 0; i < wide * 12; i++) {
      const at = 4 * ((y + Math.floor(i / wide)) * canvas.width + x + (i % wide));
      colours.forEach((colour, which) => {
        if (colour.every((part, j) => Math.abs(data[at + j] - part) <= 12)) count[which]++;
      });
    }
    return [name, ...count];
  });
}"""


def test_names_can_be_read(tab: BrowserPage, folder: Path) -> None:
    """Letters of the text's colour on the page's, whose contrast is that of WCAG 2.2, level AAA."""
    tab.open_file(page_file(folder, "roads.json"))
    wrong = []
    for system, chosen, (paper, ink) in BY_CHOICE:
        assert contrast(paper, ink) >= 7
        show(tab, system, chosen)
        for ground in ("terrain", "distances"):
            names = tab.ask(READ, [ground, [ink, paper]])
            assert len(names) > 10
            for name, letters, around in names:
                if letters < len(name) or around < 4 * len(name):
                    wrong.append(f"{chosen}, {ground}, {name}: {letters} pixels on {around}")
    assert not wrong, "\n".join(wrong)


def contrast(one: Colour, other: Colour) -> Any:
    lights = sorted(luminance(colour) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(colour: Colour) -> Any:
    parts = np.array(colour) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]
