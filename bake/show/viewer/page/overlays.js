/** The overlays, layers above the ground: things of the level, next hops, and paths. */

import { sizesOf } from "./draw/graph.js";
import { arrow, arrowBitmap, arrowHead, bent, casedLine, disc, markGoal, markStart } from "./draw/shapes.js";
import { fieldToward } from "./search/fields.js";
import { counted, placeWord } from "./words.js";

/** The least pixels of an arrow; blocks of smaller cells share an arrow. */
const ROOM_FOR_ARROW = 12;
const LONGEST_ARROW = 48;

export function addOverlays(view) {
  for (const overlay of [regions, doors, things, hops, way]) {
    view.layers.add({ kind: "overlay", ...overlay });
  }
}

/** Returns the position of a place on the canvas. */
export const screenOf = ({ camera, plane }, at) => camera.toScreen(plane.x(at), plane.y(at));

export const onFloor = (view, at) => view.plane.floorOf(at) === view.state.floor;

const regions = {
  id: "regions",
  title: "Regions",
  order: 10,
  missing: ({ level }) => (level.regions.length ? "" : "The level has no regions."),
  legend: (view) =>
    view.level.regions.slice(0, 12).map(({ name, nodes }, i) => ({
      colour: colourOf(view.palette, i),
      text: `${name} (${counted(nodes.length, placeWord(view))})`,
      at: nodes[0],
    })),
  draw(ctx, view) {
    view.level.regions.forEach(({ nodes }, i) => {
      outlineAll(ctx, view, nodes);
      ctx.fillStyle = colourOf(view.palette, i, 0.45);
      ctx.fill();
    });
  },
};

const colourOf = (palette, i, opacity = 1) => {
  const [red, green, blue] = palette.vivid[i % palette.vivid.length];
  return `rgb(${red} ${green} ${blue} / ${opacity})`;
};

function outlineAll(ctx, view, nodes) {
  ctx.beginPath();
  for (const at of nodes) if (onFloor(view, at)) view.plane.outline(ctx, at, view.camera);
}

const doors = {
  id: "doors",
  title: "Doors",
  order: 20,
  missing: ({ level }) => (level.doors.length ? "" : "The level has no doors."),
  legend: (view) => view.level.doors.slice(0, 12).map((door, i) => ({
    colour: colourOf(view.palette, i),
    text: `${door.name}: ${view.changes.doorState(door.name) ?? "in no state"}`,
    at: door.nodes[0],
  })),
  draw(ctx, view) {
    view.level.doors.forEach(({ nodes }, i) => {
      outlineAll(ctx, view, nodes);
      ctx.lineWidth = 4;
      ctx.strokeStyle = view.palette.css("INK");
      ctx.stroke();
      ctx.lineWidth = 2;
      ctx.strokeStyle = colourOf(view.palette, i);
      ctx.stroke();
    });
  },
};

const things = {
  id: "things",
  title: "Links and spots",
  order: 50,
  initially: true,
  missing: ({ level }) => (level.links.length + level.spots.length ? "" : "The level has neither."),
  legend(view) {
    const { palette } = view;
    const [links, spots] = [linksOf(view), spotsOf(view)];
    const exits = spots.filter(({ kind }) => kind === "exit").length;
    const found = [];
    if (links.length) found.push({ colour: palette.css("INK"), text: counted(links.length, "link") });
    if (spots.length > exits) {
      found.push({ colour: palette.css("START"), text: counted(spots.length - exits, "spot") });
    }
    if (exits) found.push({ colour: palette.css("GOAL"), text: counted(exits, "exit") });
    return found;
  },
  draw(ctx, view) {
    const { camera, palette } = view;
    for (const link of linksOf(view)) drawLink(ctx, view, link);
    const size = Math.min(7, Math.max(2.5, 0.24 * camera.zoom));
    for (const { node, kind } of spotsOf(view)) {
      if (!onFloor(view, node)) continue;
      const [px, py] = screenOf(view, node);
      disc(ctx, px, py, size + 1, palette.css("INK"));
      disc(ctx, px, py, size, palette.css(kind === "exit" ? "GOAL" : "START"));
    }
  },
};

const mine = (view) => ({ profiles }) => !profiles.length || profiles.includes(view.nav.name);
export const linksOf = (view) => view.level.links.filter(mine(view));
export const spotsOf = (view) => view.level.spots.filter(mine(view));

function drawLink(ctx, view, { from, to, bothWays }) {
  const { palette, camera } = view;
  const here = onFloor(view, from);
  if (!here && !onFloor(view, to)) return;
  const width = Math.min(3, Math.max(1.4, 0.1 * camera.zoom));
  const ends = [screenOf(view, from), screenOf(view, to)];
  const points = bent(...ends);
  const between = onFloor(view, from) && onFloor(view, to);
  // Half of a link to another floor is visible, dashed.
  const dash = between ? [] : [width * 2, width * 2];
  casedLine(ctx, points, width, palette.css("INK"), 1.6, palette.css("CASING"), dash);
  const head = Math.max(5, 0.4 * camera.zoom);
  const tip = (last, before) => {
    const [x, y] = points.at(last);
    const [bx, by] = points.at(before);
    const along = Math.hypot(x - bx, y - by) || 1;
    ctx.beginPath();
    arrow(ctx, palette.arrowHead, x - ((x - bx) / along) * head * 0.5, y - ((y - by) / along) * head * 0.5, x - bx, y - by, head);
    ctx.fillStyle = palette.css("INK");
    ctx.fill();
  };
  tip(-1, -4);
  if (bothWays) tip(0, 3);
  disc(ctx, ...points[0], width * 1.2, palette.css("INK"));
}

const hops = {
  id: "hops",
  title: "Next hops",
  order: 60,
  shortcut: "h",
  legend: (view) => [
    {
      colour: view.palette.css("ARROW"),
      text: view.toward < 0 ? "Point at a place, or choose a goal." : "toward the goal",
    },
  ],
  draw(ctx, view) {
    const goal = view.toward;
    if (goal < 0 || !view.nav.stands(goal)) return;
    if (view.plane.kind === "graph") return drawHopsOfGraph(ctx, view, goal);
    const { camera } = view;
    const hop = hopsToward(view, goal);
    const shared = Math.ceil(ROOM_FOR_ARROW / camera.zoom);
    const length = Math.min(LONGEST_ARROW, (shared === 1 ? 0.74 : 0.7) * shared * camera.zoom);
    for (const at of sampled(view, shared)) {
      const next = hop(at);
      if (next < 0 || next === at) continue;
      const [x, y] = screenOf(view, at);
      const [nx, ny] = screenOf(view, next);
      const arrow = arrowBitmap(view.palette, nx - x, ny - y, length);
      ctx.drawImage(arrow.bitmap, x - arrow.half, y - arrow.half, 2 * arrow.half, 2 * arrow.half);
    }
  },
};

/**
 * Returns next hops toward a goal, looked up one by one if there are tables. Otherwise one search for all
 * places is faster than a search for each visible place.
 */
function hopsToward(view, goal) {
  if (view.isLookedUp) return (at) => view.nav.nextHop(at, goal);
  const { next } = fieldToward(view, goal);
  return (at) => next[at];
}

/** Draws a line along each next hop, and a head in the middle of those with room for one. */
function drawHopsOfGraph(ctx, view, goal) {
  const { nav, palette } = view;
  const { road, node } = sizesOf(view);
  const size = road * 2 + 6;
  const hop = hopsToward(view, goal);
  const hops = [];
  for (const at of nav.nodes) {
    const next = hop(at);
    if (next >= 0 && next !== at) hops.push([screenOf(view, at), screenOf(view, next)]);
  }
  ctx.beginPath();
  for (const [from, to] of hops) {
    ctx.moveTo(...from);
    ctx.lineTo(...to);
  }
  ctx.lineWidth = Math.max(1.2, road * 0.45);
  ctx.strokeStyle = ctx.fillStyle = palette.css("ARROW");
  ctx.stroke();
  for (const [from, to] of hops) {
    const roomy = Math.hypot(to[0] - from[0], to[1] - from[1]) > 2 * node + size;
    if (roomy) arrowHead(ctx, palette.arrowHead, from, to, size);
  }
}

/** Returns the visible walkable places, in each block of cells the one nearest to its middle. */
function* sampled(view, block) {
  const { plane, camera, level, nav, state } = view;
  const seen = camera.seen();
  const [top, bottom] = plane.rows(seen);
  const [left, right] = plane.columns(seen);
  const half = Math.floor(block / 2);
  for (let v = Math.floor(top / block); v * block <= bottom; v++) {
    for (let u = Math.floor(left / block); u * block <= right; u++) {
      let found = -1;
      let least = Infinity;
      for (let row = v * block; row < Math.min(level.floorRows, (v + 1) * block); row++) {
        for (let column = u * block; column < Math.min(level.width, (u + 1) * block); column++) {
          const far = (column - u * block - half) ** 2 + (row - v * block - half) ** 2;
          const at = (state.floor * level.floorRows + row) * level.width + column;
          if (far < least && nav.stands(at)) [found, least] = [at, far];
        }
      }
      if (found >= 0) yield found;
    }
  }
}

const way = {
  id: "way",
  title: "Start, goal and path",
  order: 90,
  initially: true,
  draw(ctx, view) {
    const { start, goal, camera, palette } = view;
    for (const { nodes, colour, share, dash } of view.ways ?? []) {
      drawWay(ctx, view, nodes, colour, Math.max(1.6, share * wayWidth(view.room)), dash);
    }
    const room = view.plane.kind === "graph" ? 18 : camera.zoom;
    if (goal >= 0 && onFloor(view, goal)) markGoal(ctx, palette, screenOf(view, goal), room);
    if (start >= 0 && onFloor(view, start)) markStart(ctx, palette, screenOf(view, start), room);
    if (view.hovered >= 0 && onFloor(view, view.hovered)) {
      ctx.beginPath();
      view.plane.outline(ctx, view.hovered, camera);
      ctx.lineWidth = 3;
      ctx.strokeStyle = palette.css("INK");
      ctx.stroke();
      ctx.lineWidth = 1.5;
      ctx.strokeStyle = palette.css("CASING");
      ctx.stroke();
    }
  },
};

/** Draws the part of a path on the visible floor. */
export function drawWay(ctx, view, nodes, colour, width, dash) {
  let part = [];
  const end = () => {
    casedLine(ctx, part, width, colour, Math.max(2, 0.7 * width), view.palette.css("CASING"), dash);
    part = [];
  };
  for (const at of nodes) {
    if (onFloor(view, at)) part.push(screenOf(view, at));
    else end();
  }
  end();
}

/** Returns the width of a path for a distance between places in pixels. */
export const wayWidth = (room) => Math.min(7, Math.max(2.5, 0.26 * room));
