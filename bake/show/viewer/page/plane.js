/**
 * Computes the positions of places. One cell is one unit wide. Floors are drawn on top of each other,
 * one at a time. Positions of graph nodes are scaled to about one unit per node; graphs without
 * positions get a layout.
 */

import { insides } from "../../../../readers/js/level.js";
import { layOut } from "./draw/layout.js";

const PITCH = Math.sqrt(3) / 2;
const CORNER = 1 / Math.sqrt(3);

/**
 * @param contents of the level; the bounds include the corners of its plane
 * @returns {kind, bounds, x(at), y(at), floorOf(at), locationAt(x, y, floor), outline(ctx, at, camera),
 * rows(seen), columns(seen)}; the last two say which cells may be seen, both ends included.
 */
export function planeOf(level, { plane } = {}) {
  if (level.kind === "graph") return graphPlane(level, plane?.point ?? []);
  return level.kind === "hexagons" ? hexagonPlane(level) : squarePlane(level);
}

const cut = (first, last, count) => [
  Math.max(0, Math.floor(first)),
  Math.min(count - 1, Math.floor(last)),
];

function squarePlane({ width, floorRows, locationOf }) {
  const floorCells = width * floorRows;
  return {
    kind: "squares",
    bounds: { left: 0, top: 0, right: width, bottom: floorRows },
    x: (at) => (at % width) + 0.5,
    y: (at) => Math.floor((at % floorCells) / width) + 0.5,
    floorOf: (at) => Math.floor(at / floorCells),
    locationAt: (x, y, floor) => locationOf(Math.floor(x), Math.floor(y), floor),
    rows: ({ top, bottom }) => cut(top, bottom, floorRows),
    columns: ({ left, right }) => cut(left, right, width),
    outline(ctx, at, camera) {
      const [px, py] = camera.toScreen(at % width, Math.floor((at % floorCells) / width));
      ctx.rect(px, py, camera.zoom, camera.zoom);
    },
  };
}

function hexagonPlane({ width, floorRows, hexLayout, locationOf }) {
  const floorCells = width * floorRows;
  const inRows = hexLayout.endsWith("-r");
  const shoved = hexLayout.startsWith("odd") ? 1 : 0;
  const shift = (line) => ((line & 1) === shoved ? 0.5 : 0);
  const lines = inRows ? floorRows : width;
  const long = (inRows ? width : floorRows) + (lines > 1 ? 0.5 : 0);
  const wide = (lines - 1) * PITCH + 2 * CORNER;
  const column = (at) => at % width;
  const row = (at) => Math.floor((at % floorCells) / width);
  const along = (number, line) => number + 0.5 + shift(line);
  const across = (line) => CORNER + line * PITCH;
  const x = (at) => (inRows ? along(column(at), row(at)) : across(column(at)));
  const y = (at) => (inRows ? across(row(at)) : along(row(at), column(at)));
  const lineRange = (low, high) => cut((low - 2 * CORNER) / PITCH, high / PITCH, lines);
  const numberRange = (low, high, count) => cut(low - 0.5, high, count);
  // Corners of a hexagon around its center, along and across the lines.
  const corners = [0, 1, 2, 3, 4, 5].map((i) => {
    const turn = (Math.PI / 3) * i;
    const [s, c] = [Math.sin(turn) * CORNER, Math.cos(turn) * CORNER];
    return inRows ? [s, c] : [c, s];
  });
  return {
    kind: "hexagons",
    inRows,
    pitch: PITCH,
    corners,
    bounds: { left: 0, top: 0, right: inRows ? long : wide, bottom: inRows ? wide : long },
    x,
    y,
    floorOf: (at) => Math.floor(at / floorCells),
    /** Returns the hexagon of a point, which has the nearest center. */
    locationAt(px, py, floor) {
      const [a, b] = inRows ? [px, py] : [py, px];
      const middle = Math.round((b - CORNER) / PITCH);
      let found = -1;
      let least = CORNER * CORNER + 1e-9;
      for (let line = middle - 1; line <= middle + 1; line++) {
        const number = Math.round(a - 0.5 - shift(line));
        const far = (a - along(number, line)) ** 2 + (b - across(line)) ** 2;
        const at = inRows ? locationOf(number, line, floor) : locationOf(line, number, floor);
        if (far < least && at >= 0) [found, least] = [at, far];
      }
      return found;
    },
    rows: ({ top, bottom }) =>
      inRows ? lineRange(top, bottom) : numberRange(top - 0.5, bottom, floorRows),
    columns: ({ left, right }) =>
      inRows ? numberRange(left - 0.5, right, width) : lineRange(left, right),
    outline(ctx, at, camera) {
      const [px, py] = camera.toScreen(x(at), y(at));
      corners.forEach(([dx, dy], i) => {
        ctx[i ? "lineTo" : "moveTo"](px + dx * camera.zoom, py + dy * camera.zoom);
      });
      ctx.closePath();
    },
  };
}

function graphPlane(level, corners) {
  const { c } = insides.get(level);
  const count = level.locations;
  const said = c.position;
  const usable = said && said.every(Number.isFinite);
  const point = usable ? said : layOut(c.first_out, c.head);
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  for (const points of [point, corners]) {
    for (let i = 0; i < points.length; i++) {
      low[i & 1] = Math.min(low[i & 1], points[i]);
      high[i & 1] = Math.max(high[i & 1], points[i]);
    }
  }
  const extent = [0, 1].map((i) => Math.max(0, high[i] - low[i]) || 0);
  const longer = Math.max(...extent) || 1;
  // Scale to one unit of area per node, or one unit of length on a line of nodes.
  const room = Math.sqrt(Math.max(extent[0], longer / count) * Math.max(extent[1], longer / count));
  const scale = count > 1 ? Math.sqrt(count) / (room || 1) : 1;
  const margin = 1;
  const xs = Float64Array.from({ length: count }, (_, i) => (point[2 * i] - low[0]) * scale);
  const ys = Float64Array.from({ length: count }, (_, i) => (point[2 * i + 1] - low[1]) * scale);
  const within = { left: -margin, top: -margin };
  const bounds = {
    ...within,
    right: extent[0] * scale + margin,
    bottom: extent[1] * scale + margin,
  };
  return {
    kind: "graph",
    invented: !usable,
    bounds,
    low,
    scale,
    xs,
    ys,
    x: (at) => xs[at],
    y: (at) => ys[at],
    floorOf: () => 0,
    /** Returns the nearest node within a unit. */
    locationAt(x, y) {
      let found = -1;
      let least = 1;
      for (let at = 0; at < count; at++) {
        const far = (xs[at] - x) ** 2 + (ys[at] - y) ** 2;
        if (far < least) [found, least] = [at, far];
      }
      return found;
    },
    rows: () => [0, -1],
    columns: () => [0, -1],
    outline(ctx, at, camera) {
      const [px, py] = camera.toScreen(xs[at], ys[at]);
      const radius = Math.max(4, 0.2 * camera.zoom);
      ctx.moveTo(px + radius, py);
      ctx.arc(px, py, radius, 0, 2 * Math.PI);
    },
  };
}
