/**
 * Converts between nodes, points of the plane (pixels, if the level is from an editor) and names of
 * graph nodes, and finds the nearest walkable node.
 */

import { number, quoted, refuse } from "./file.js";
import { insides } from "./level.js";

/** Returns the conversions between nodes, points and names of a level. */
export function placesOf(level) {
  const { c, lattice } = insides.get(level) ?? {};
  if (!c) refuse("expected a level that openLevel gave");
  const { centre, step, position } = c;
  const { layout, byColumn, cellOf, locationOf, inside } = lattice;
  const even = layout && !(layout & 1) ? 1 : 0;
  const long = layout ? 2 / Math.sqrt(3) : 1;
  const first = byColumn ? [long / 2, 0.5 + even / 2] : [0.5 + even / 2, long / 2];
  const pitch = layout ? 0.75 * long : 1;
  const upright = byColumn ? [pitch, 0, 0, 1, long / 2, 0] : [1, 0, 0, pitch, 0, long / 2];
  const [ax, ay, bx, by, sideX, sideY] = step ?? upright;
  const middle = (floor) => {
    const i = centre?.length > 2 ? 2 * floor : 0;
    return centre ? [centre[i], centre[i + 1]] : first;
  };
  const shift = (line) => (even ? -0.5 : 0.5) * Math.abs(line % 2);

  /** Returns the center of a node's cell, or the position of a graph's node; null if unknown. */
  function toPoint(node) {
    const cell = cellOf(node);
    if (!cell) return position && inside(node) ? [position[2 * node], position[2 * node + 1]] : null;
    let [x, y] = cell;
    const [left, top] = middle(cell[2]);
    if (layout && byColumn) y += shift(x);
    else if (layout) x += shift(y);
    return [left + x * ax + y * bx, top + x * ay + y * by];
  }

  /** Returns the node whose cell contains a point, walkable or not; -1 outside the level. */
  function toNode(x, y, floor = 0) {
    for (const each of [x, y]) number(each, "part of a point");
    if (locationOf(0, 0, floor) < 0) return -1;
    const [left, top] = middle(floor);
    if (layout) {
      const [line, place] = byColumn
        ? hexagon(x - left, y - top, ax, by, sideX)
        : hexagon(y - top, x - left, by, ax, sideY);
      return byColumn ? locationOf(line, place, floor) : locationOf(place, line, floor);
    }
    const [column, row] = square(x - left, y - top);
    return locationOf(Math.floor(column), Math.floor(row), floor);
  }

  /** Returns column and row, as fractions, of an offset from the center of square (0, 0). */
  function square(dx, dy) {
    const [u, v] = [dx + (ax + bx) / 2, dy + (ay + by) / 2];
    const area = ax * by - ay * bx;
    return !ay && !bx ? [u / ax, v / by] : [(u * by - v * bx) / area, (v * ax - u * ay) / area];
  }

  /** Returns line and index of the hexagon that contains an offset across and along the lines. */
  function hexagon(across, along, pitch, step, side) {
    const line = 2 * Math.floor((across - even * pitch + side / 2) / (2 * pitch)) + even;
    const place = Math.floor(along / step + 0.5 * even + 0.5);
    let found = [-1, -1];
    let least = Infinity;
    for (let k = 0; k < 4; k++) {
      const [l, p] = [line + ((k + 1) >> 1), place - (k === 1)];
      const far = (across - l * pitch) ** 2 + (along - (p + shift(l)) * step) ** 2;
      if (far < least) [found, least] = [[l, p], far];
    }
    return found;
  }

  /** Returns the node that contains a point if walkable, otherwise the nearest walkable node; -1: none. */
  function nearest(nav, x, y, floor = 0) {
    for (const each of [x, y]) number(each, "part of a point");
    if (typeof nav?.stands !== "function") refuse(`expected a profile, found ${quoted(nav)}`);
    const clamp = (part) => Math.min(Math.max(part, -(2 ** 40)), 2 ** 40);
    const [px, py] = [clamp(x), clamp(y)];
    const { width, floorRows } = level;
    let found = -1;
    let least = Infinity;
    const look = (at, dx, dy) => {
      const far = dx * dx + dy * dy;
      const better = far < least || (far === least && at < found);
      if (better && nav.stands(at)) [found, least] = [at, far];
    };
    if (!width) {
      for (let at = 0; 2 * at < (position?.length ?? 0); at++) {
        look(at, position[2 * at] - px, position[2 * at + 1] - py);
      }
    } else if (locationOf(0, 0, floor) >= 0) {
      const own = toNode(px, py, floor);
      if (own >= 0 && nav.stands(own)) return own;
      const start = floor * floorRows * width;
      const [left, top] = middle(floor);
      const [wide, high] = layout ? [ax, by] : [1, 1];
      const offset = layout ? [(px - left) / ax, (py - top) / by] : square(px - left, py - top);
      const [u, v] = offset.map((part) => clamp(layout ? part : part - 0.5));
      const first = Math.min(Math.max(Math.round(v), 0), floorRows - 1) || 0;
      for (const way of [-1, 1]) {
        for (let row = first; row >= 0 && row < floorRows; row += way) {
          if (!layout && (row - v) ** 2 > least) break;
          for (let column = 0; column < width; column++) {
            const east = layout && !byColumn ? shift(row) : 0;
            const south = layout && byColumn ? shift(column) : 0;
            look(start + row * width + column, (column + east - u) * wide, (row + south - v) * high);
          }
        }
      }
    }
    return found;
  }

  const names = c.node_name ?? c.node_number ?? [];
  return {
    toPoint,
    toNode,
    nearest,
    /** Returns the name of a graph's node: text, or a BigInt; null if nodes have no names. */
    nodeName: (node) => names[number(node)] ?? null,
    /** Returns the node with a name; -1 if no node has it. */
    nodeNamed(name) {
      const isExact = typeof name === "number" && Math.abs(name) < 2 ** 53;
      if (!isExact && !["string", "bigint"].includes(typeof name)) {
        refuse(`a node is named ${quoted(name)}, expected text, a number, beyond 2^53 a BigInt`);
      }
      return names.findIndex((each) => String(each) === String(name));
    },
  };
}
