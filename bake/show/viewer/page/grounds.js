/** The grounds, layers that color every place by terrain, cost, distance and more. */

import { css, mixed, packed } from "./palette.js";
import { componentsOf } from "./search/components.js";
import { fieldToward } from "./search/fields.js";
import { counted, number, placeName, placeWord, shortened, units } from "./words.js";

const MOST_TERRAINS = 16;
const MOST_COMPONENTS = 12;

/** Adds all grounds to a view. */
export function addGrounds(view) {
  for (const ground of [terrain, costs, components, distances, clearance, domains]) {
    view.layers.add({ kind: "ground", ...ground });
  }
}

/** Returns the colors of blocked cells: red for obstacles, else dark, and striped where other profiles can stand. */
export function overBlocked(view) {
  const { level, palette, ground } = view;
  return view.kept("over blocked", () => {
    const fill = new Uint32Array(level.locations);
    const stripe = new Uint8Array(level.locations);
    const solid = new Uint8Array(level.locations);
    const dark = level.terrains.map(({ colour }) => mixed([...colour], palette.rgb("BLOCKED"), 0.86));
    const light = level.terrains.map(({ colour }) => mixed([...colour], palette.rgb("BLOCKED"), 0.7));
    const others = level.profiles.filter((name) => name !== view.nav.name);
    const navs = others.map((name) => view.changes.profile(name));
    const striped = palette.stripe("OTHERS_STRIPE");
    const [darkFill, lightFill] = [dark.map((each) => packed(each)), light.map((each) => packed(each))];
    const obstacle = palette.packed("CLOSED");
    for (let at = 0; at < level.locations; at++) {
      if (view.nav.stands(at)) continue;
      solid[at] = 1;
      if (ground.obstacleAt(at)) {
        fill[at] = obstacle;
        continue;
      }
      const theirs = navs.some((nav) => nav.stands(at));
      fill[at] = (theirs ? lightFill : darkFill)[ground.terrainAt(at)];
      stripe[at] = theirs ? striped : 0;
    }
    return { fill, stripe, solid };
  });
}

/** Colors each place on which the profile can stand, over a paint of blocked places. */
export function paintStanding(view, key, colourOf) {
  return view.kept(`paint ${key}`, () => {
    const below = overBlocked(view);
    const paint = { fill: below.fill.slice(), stripe: below.stripe.slice(), solid: below.solid };
    for (let at = 0; at < paint.fill.length; at++) {
      if (!below.solid[at]) colourOf(at, paint);
    }
    return paint;
  });
}

export function blockedLegend(view) {
  const { stripe, solid } = overBlocked(view);
  const { palette, ground } = view;
  const obstacles = solid.map((one, at) => one && ground.obstacleAt(at));
  const found = [];
  const blocked = { colour: palette.css("BLOCKED"), text: "blocked" };
  const theirs = {
    colour: "rgb(120 114 122)",
    text: "blocked for this profile",
    stripe: palette.css("OTHERS_STRIPE"),
  };
  if (solid.some((one, at) => one && !stripe[at] && !obstacles[at])) found.push(blocked);
  if (obstacles.some(Boolean)) found.push({ colour: palette.css("CLOSED"), text: "wall" });
  if (stripe.some(Boolean)) found.push(theirs);
  return found;
}

const terrain = {
  id: "terrain",
  title: "Terrain",
  shortcut: "1",
  order: 1,
  legend: (view) =>
    view.kept("terrain legend", () => {
      const { level, ground, tables } = view;
      const count = new Array(level.terrains.length).fill(0);
      for (let at = 0; at < level.locations; at++) count[ground.terrainAt(at)]++;
      const used = [...count.keys()].filter((code) => count[code]);
      used.sort((a, b) => count[b] - count[a] || a - b);
      const swatches = used.slice(0, MOST_TERRAINS).map((code) => {
        const cost = tables.c.cost[code];
        const price = Number.isNaN(cost) ? "blocked" : number(cost);
        const { name, colour } = level.terrains[code];
        return { colour: css([...colour]), text: `${name} ${price}` };
      });
      return shortened(swatches, MOST_TERRAINS, "terrains", used.length);
    }),
  paint: (view) =>
    view.kept("paint terrain", () => {
      const { level, ground } = view;
      const colours = level.terrains.map(({ colour }) => packed([...colour]));
      const shut = packed(view.palette.rgb("CLOSED"));
      const fill = new Uint32Array(level.locations);
      const solid = new Uint8Array(level.locations);
      for (let at = 0; at < level.locations; at++) {
        fill[at] = ground.obstacleAt(at) ? shut : colours[ground.terrainAt(at)];
        solid[at] = view.nav.stands(at) ? 0 : 1;
      }
      return { fill, solid };
    }),
};

const costs = {
  id: "costs",
  title: "Costs",
  shortcut: "2",
  order: 2,
  range: (view) => {
    const known = view.tables.c.cost.filter((cost) => !Number.isNaN(cost));
    return [Math.min(...known), Math.max(...known)];
  },
  legend(view) {
    const [low, high] = costs.range(view);
    return [{ ramp: true, from: units(low), to: units(high) }, ...blockedLegend(view)];
  },
  paint(view) {
    const [low, high] = costs.range(view);
    const { palette, ground, tables } = view;
    const shades = [...tables.c.cost].map((cost) =>
      palette.shade(high > low ? (0.9 * Math.log(cost / low + 1e-12)) / Math.log(high / low) : 0),
    );
    return paintStanding(view, "costs", (at, { fill }) => (fill[at] = shades[ground.terrainAt(at)]));
  },
};

const components = {
  id: "components",
  title: "Components",
  shaded: true,
  shortcut: "6",
  order: 6,
  legend(view) {
    const { size, first } = componentsOf(view);
    const what = placeWord(view);
    const swatches = size.slice(0, MOST_COMPONENTS).map((count, rank) => {
      const text = rank
        ? `${counted(count, what)} at ${placeName(view, first[rank])}${oneWayNote(view, first[rank], first[0])}`
        : `${counted(count, what)} in the largest`;
      return { colour: css(componentColour(view, rank)), text, at: first[rank] };
    });
    return [...shortened(swatches, MOST_COMPONENTS, "components", size.length), ...blockedLegend(view)];
  },
  paint(view) {
    const { of } = componentsOf(view);
    const { level, ground } = view;
    const largest = componentColour(view, 0);
    // The terrain shows through the largest component, as in bake render.
    const share = level.width ? 0.8 : 1;
    const muted = level.terrains.map(({ colour }) => packed(mixed([...colour], largest, share)));
    return paintStanding(view, "components", (at, { fill }) => {
      fill[at] = of[at] ? packed(componentColour(view, of[at])) : muted[ground.terrainAt(at)];
    });
  },
};

/** Returns the color of a component by its rank; the largest is muted, so that islands stand out. */
function componentColour({ level, palette }, rank) {
  if (rank) return palette.component(rank);
  return palette.rgb(level.width ? "LARGEST" : "LARGEST_ON_PAPER");
}

/** Returns a note if paths lead only from or only to the largest component. */
function oneWayNote({ nav, changes, columns, level }, here, there) {
  const isOneWay = columns.get(`${level.profiles.indexOf(nav.name)} numbers`).values[2] === 1;
  if (!isOneWay && !changes.changed) return "";
  if (nav.reachable(here, there)) return " (path out only)";
  return nav.reachable(there, here) ? " (path in only)" : " (cut off)";
}

const distances = {
  id: "distances",
  title: "Distances",
  shaded: true,
  shortcut: "3",
  order: 3,
  follows: "hover",
  legend(view) {
    if (view.toward < 0) return [{ text: "Point at a place, or choose a goal." }];
    const { greatest, ticks } = fieldToward(view, view.toward);
    const swatches = [{ ramp: true, from: "0", to: `${units(greatest / view.ground.unit)} units` }];
    const lost = {
      colour: view.palette.css("UNREACHABLE"),
      text: "no path to the goal",
      stripe: view.palette.css("UNREACHABLE_STRIPE"),
    };
    if (ticks.some((each, at) => each === Infinity && view.nav.stands(at))) swatches.push(lost);
    return [...swatches, ...blockedLegend(view)];
  },
  paint(view) {
    const goal = view.toward;
    if (goal < 0 || !view.nav.stands(goal)) return pale(view);
    const { ticks, greatest } = fieldToward(view, goal);
    const { palette } = view;
    const lost = palette.packed("UNREACHABLE");
    const striped = palette.stripe("UNREACHABLE_STRIPE");
    const scale = 1 / Math.max(greatest, 1e-9);
    return paintStanding(view, `distances ${goal}`, (at, { fill, stripe }) => {
      fill[at] = ticks[at] < Infinity ? palette.shade(ticks[at] * scale) : lost;
      if (ticks[at] === Infinity) stripe[at] = striped;
    });
  },
};

const domains = {
  id: "domains",
  title: "Domains",
  order: 8,
  hidden: (view) => !view.own?.plane?.domains,
  missing: (view) => (view.own?.plane?.domains ? "" : "Only Dirichlet domains have colors of their own."),
  legend: () => [{ text: "Neighboring domains differ in color." }],
  paint: (view) => terrain.paint(view),
};

/** Returns a pale paint of the terrain, on which marks stand out. */
export function pale(view) {
  const { level, ground, palette } = view;
  return view.kept("paint pale", () => {
    const colours = level.terrains.map(({ colour }) => packed(mixed([...colour], palette.rgb("PAPER"), 0.8)));
    return paintStanding(view, "pale", (at, { fill }) => (fill[at] = colours[ground.terrainAt(at)]));
  });
}

const clearance = {
  id: "clearance",
  title: "Agent clearance",
  shortcut: "4",
  order: 4,
  missing: (view) => (view.level.kind === "squares" ? "" : "Footprints are squares of cells."),
  // Little clearance is dark, so the ramp is reversed.
  legend: (view) => [
    { ramp: true, from: "16 cells and more", to: "1 cell wide" },
    ...blockedLegend(view),
  ],
  paint(view) {
    const room = clearanceOf(view);
    return paintStanding(view, "clearance", (at, { fill }) => {
      fill[at] = view.palette.shade(1 - (Math.min(16, room[at]) - 1) / 15);
    });
  },
};

/**
 * Returns the clearance of each cell: the side of the largest passable square with this north-west cell,
 * which is one more than the minimum of the three next cells.
 */
export function clearanceOf(view) {
  return view.kept("clearance", () => {
    const { level, ground, tables } = view;
    const { width, floorRows, locations } = level;
    const room = new Uint16Array(locations);
    for (let at = locations - 1; at >= 0; at--) {
      const x = at % width;
      const y = Math.floor(at / width) % floorRows;
      const open = !ground.obstacleAt(at) && !Number.isNaN(tables.c.cost[ground.terrainAt(at)]);
      if (!open) continue;
      const inner = x + 1 < width && y + 1 < floorRows;
      room[at] = inner ? 1 + Math.min(room[at + 1], room[at + width], room[at + width + 1]) : 1;
    }
    return room;
  });
}
