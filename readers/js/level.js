/** Opens a flat file: cells, steps, arcs and entities of a level. */

import { columnsOf, damaged, LEVEL, number, parse, quoted, refuse } from "./file.js";
import { navOf } from "./nav.js";

export { LevelError } from "./file.js";

/** The internals of levels for changes.js and places.js, and for the viewer; not public. */
export const insides = new WeakMap();

const KINDS = ["graph", "squares", "hexagons"];
const LAYOUTS = [null, "odd-r", "even-r", "odd-q", "even-q"];

/** Opens a level from the bytes of a .bake file; throws a LevelError on invalid bytes. */
export function openLevel(source) {
  const file = parse(source);
  const numbers = file.numbers(-1, 14);
  const [kind, width, height, floors, directions, layout, corners, rule] = numbers;
  const [ticksPerUnit, locations, , terrainCount, profileCount, usual] = numbers.slice(8);
  const rows = kind ? height / floors : 0;
  const within = (number, least, most) => number >= least && number <= most;
  const fits =
    within(kind, 0, 2) &&
    [[0], [4, 8], [6]][kind].includes(directions) &&
    (kind === 2 ? within(layout, 1, 4) : !layout) &&
    floors > 0 &&
    (!kind || (within(width, 1, locations) && width * height === locations && rows % 1 === 0)) &&
    within(corners, 0, 2) &&
    within(rule, 0, 1) &&
    ticksPerUnit > 0 &&
    locations >= 0 &&
    within(terrainCount, 1, 256) &&
    profileCount > 0 &&
    within(usual, 0, terrainCount - 1);
  if (!fits) damaged("the numbers of the level contradict each other");
  const lengths = { L: locations, T: terrainCount, P: profileCount };
  const c = columnsOf(file, LEVEL, -1, lengths, kind);
  const lattice = latticeOf(width, rows, floors, locations, directions, layout);
  const arcs = arcsOf(c, kind, locations);
  const level = {
    name: c.name[0],
    kind: KINDS[kind],
    hexLayout: LAYOUTS[layout],
    width: kind ? width : 0,
    floorRows: rows,
    floors,
    locations,
    ticksPerUnit,
    recipe: c.recipe[0],
    bakeRevision: file.revision,
    fingerprint: hex(file.bytes.subarray(24, 56)),
    profiles: c.profile_name,
    terrains: c.terrain_name.map((name, i) => ({
      name,
      colour: c.terrain_colour.slice(i * 3, i * 3 + 3),
    })),
    terrain: c.terrain,
    ...thingsOf(c),
    locationOf: lattice.locationOf,
    cellOf: lattice.cellOf,
    profile(name = c.profile_name[0]) {
      const i = c.profile_name.indexOf(name);
      return navs[i] ?? refuse(`no profile ${quoted(name)}, expected ${c.profile_name.join(" or ")}`);
    },
  };
  const prices = new Map();
  c.price_from?.forEach((from, i) => {
    const price = { units: c.price_units[i], ticks: c.price_ticks[i] };
    prices.set(`${from},${c.price_to[i]}`, price);
  });
  if (c.step && lengths.S !== (layout ? 3 : 2)) damaged("column step");
  if (c.centre && lengths.F !== 1 && lengths.F !== floors) damaged("column centre");
  const inside = { c, lattice, arcs, prices, corners, rule, usual };
  insides.set(level, inside);
  const navs = c.profile_name.map((_, i) => navOf(level, inside, file, i, lengths));
  return level;
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Returns the steps between the cells of a grid; on graphs there are none. */
function latticeOf(width, rows, floors, locations, directions, layout) {
  // dx and dy of each direction, by the parity of the cell's line
  const byColumn = layout > 2;
  const moves = [0, 1].map((parity) => {
    const s = +(parity === layout % 2);
    const turn = [1, s, s - 1, -1, s - 1, s];
    const straight = [0, 1, 1, 0, -1, -1];
    if (byColumn) return [straight.map((away) => -away), turn];
    if (layout) return [turn, straight];
    return [[1, 0, -1, 0, 1, -1, -1, 1], [0, 1, 0, -1, 1, 1, -1, -1]]; // prettier-ignore
  });
  const dx = Int32Array.from({ length: 16 }, (_, i) => moves[i >> 3][0][i & 7] ?? 0);
  const dy = Int32Array.from({ length: 16 }, (_, i) => moves[i >> 3][1][i & 7] ?? 0);
  const hexHeadings = byColumn ? [4, 12, 9, 1, 3, 6] : [2, 6, 12, 8, 9, 3];

  /** Returns the neighbor in a direction; -1 outside the floor. */
  function step(at, m) {
    const y = (at / width) | 0;
    const x = at - y * width;
    const i = layout ? (((byColumn ? x : y) & 1) << 3) | m : m;
    const toX = x + dx[i];
    const toY = (y % rows) + dy[i];
    return toX < 0 || toX >= width || toY < 0 || toY >= rows ? -1 : at + dy[i] * width + dx[i];
  }

  /** Sets dx and dy: the offset between two cells in coordinates in which neighbors differ by one. */
  function chart(from, to) {
    let fromY = (from / width) | 0;
    let toY = (to / width) | 0;
    let fromX = from - fromY * width;
    let toX = to - toY * width;
    const odd = layout & 1;
    if (byColumn) {
      fromY -= (fromX + (odd ? -(fromX & 1) : fromX & 1)) >> 1;
      toY -= (toX + (odd ? -(toX & 1) : toX & 1)) >> 1;
    } else if (layout) {
      fromX -= (fromY + (odd ? -(fromY & 1) : fromY & 1)) >> 1;
      toX -= (toY + (odd ? -(toY & 1) : toY & 1)) >> 1;
    }
    lattice.dx = toX - fromX;
    lattice.dy = toY - fromY;
    return lattice;
  }

  const lattice = {
    dx: 0,
    dy: 0,
    layout,
    byColumn,
    directions,
    heading: layout ? hexHeadings : [2, 4, 8, 1, 6, 12, 9, 3],
    step,
    chart,
    inside: (at) => Number.isInteger(at) && at >= 0 && at < locations,
    cellOf(node) {
      if (!lattice.inside(number(node)) || !rows) return null;
      const y = (node / width) | 0;
      return [node % width, y % rows, (y / rows) | 0];
    },
    locationOf(x, y, floor = 0) {
      for (const each of [x, y, floor]) number(each, "part of a cell");
      const inside = x >= 0 && x < width && y >= 0 && y < rows && floor >= 0 && floor < floors;
      return inside && (x % 1) + (y % 1) + (floor % 1) === 0 ? (floor * rows + y) * width + x : -1;
    },
  };
  return lattice;
}

/** Returns the arcs of a graph, or of a grid's links, in CSR form by tail. */
function arcsOf(c, grid, locations) {
  const head = (grid ? c.link_to : c.head) ?? new Int32Array(0);
  const tail = c.link_from ?? new Int32Array(head.length);
  if (grid) {
    for (let j = 1; j < tail.length; j++) if (tail[j] < tail[j - 1]) damaged("link_from falls");
    return { head, tail, first: head.length ? byEnd(tail, locations).first : null };
  }
  for (let at = 0; at < locations; at++) tail.fill(at, c.first_out[at], c.first_out[at + 1]);
  return { head, tail, first: c.first_out };
}

/** Groups arcs by one of their ends: the arcs of node i are arc[first[i]] to arc[first[i + 1] - 1]. */
export function byEnd(ends, count) {
  const first = new Int32Array(count + 1);
  for (const end of ends) first[end + 1]++;
  for (let i = 0; i < count; i++) first[i + 1] += first[i];
  const place = first.slice();
  const arc = new Int32Array(ends.length);
  ends.forEach((end, j) => (arc[place[end]++] = j));
  return { first, arc };
}

/** Returns the regions, spots, links and doors. */
function thingsOf(c) {
  const list = (group, make) =>
    (c[`${group}_name`] ?? []).map((name, i) => {
      const first = c[`${group}_first_profile`];
      const profiles = first && c[`${group}_profile`].slice(first[i], first[i + 1]);
      return { name, id: c[`${group}_id`]?.[i] ?? "", ...make(i), ...(profiles && { profiles }) };
    });
  const part = (first, values, i) => values.slice(first[i], first[i + 1]);
  return {
    regions: list("region", (i) => ({ nodes: part(c.region_first_cell, c.region_cell, i) })),
    spots: list("spot", (i) => ({ kind: c.spot_kind[i], node: c.spot_at[i] })),
    links: list("link", (i) => ({
      kind: c.link_kind[i],
      from: c.link_start[i],
      to: c.link_goal[i],
      cost: c.link_cost[i],
      bothWays: c.link_both_ways[i] === 1,
    })),
    doors: list("door", (i) => {
      const nodes = part(c.door_first_cell, c.door_cell, i);
      const first = c.door_first_state[i];
      const states = part(c.door_first_state, c.door_state_name, i).map((name, k) => {
        const terrains = part(c.door_first_terrain, c.door_terrain, first + k);
        return terrains.length === nodes.length ? { name, terrains } : damaged("column door_terrain");
      });
      return { nodes, states, baked: states[c.door_state[i] - first]?.name ?? null };
    }),
  };
}
