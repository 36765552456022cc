/** Draws the nodes and roads of a graph: both directions between two nodes are one road. */

import { cssOf } from "./hexagons.js";
import { drawAreas } from "./areas.js";
import { arrowHead } from "./shapes.js";

/** Width of roads and radius of nodes above the polygons of a mesh, in pixels, as in `bake render`. */
const MESH_ROAD = 1;
const MESH_NODE = 2.6;

/** Returns {a, b, there, back}: the roads, and the directions open to the profile. */
export function roadsOf(view) {
  return view.kept("roads", () => {
    const { c } = view.inside;
    const count = view.level.locations;
    const roads = new Map();
    for (let at = 0; at < count; at++) {
      view.ground.eachArc(at, (head) => {
        if (head === at) return;
        const key = at < head ? at * count + head : head * count + at;
        roads.set(key, (roads.get(key) ?? 0) | (at < head ? 1 : 2));
      });
      for (let j = c.first_out[at]; j < c.first_out[at + 1]; j++) {
        const head = c.head[j];
        const key = at < head ? at * count + head : head * count + at;
        if (head !== at && !roads.has(key)) roads.set(key, 0);
      }
    }
    return [...roads].map(([key, ways]) => ({
      a: Math.floor(key / count),
      b: key % count,
      there: (ways & 1) !== 0,
      back: (ways & 2) !== 0,
    }));
  });
}

/** Returns the width of roads and the radius of nodes in pixels. */
export function sizesOf(view) {
  const size = Math.max(1.2, 0.085 * view.camera.zoom);
  const [road, node] = [Math.min(6, size), Math.min(8, Math.max(2, size * 1.1))];
  return isMesh(view) ? { road: MESH_ROAD, node: Math.min(node, MESH_NODE) } : { road, node };
}

const isMesh = ({ contents }) => Boolean(contents.plane?.isMesh);

/** Returns whether a node may belong to the profile: other profiles divide the same plane into other nodes. */
const isOfProfile = ({ contents, ground, nav, tables }, at) =>
  !contents.plane || nav.stands(at) || !Number.isNaN(tables.c.cost[ground.terrainAt(at)]);

export function drawGraph(ctx, view, paint, layer) {
  const { camera, plane, palette } = view;
  const roads = roadsOf(view);
  const { road, node } = sizesOf(view);
  drawAreas(ctx, view);
  const seen = camera.seen(20);
  const isShown = (at) => isOfProfile(view, at);
  const inside = (at) =>
    isShown(at) &&
    plane.xs[at] >= seen.left &&
    plane.xs[at] <= seen.right &&
    plane.ys[at] >= seen.top &&
    plane.ys[at] <= seen.bottom;
  const near = roads.filter(({ a, b }) => isShown(a) && isShown(b) && mayBeSeen(plane, seen, a, b));
  const lines = (some, width, colour) => {
    ctx.beginPath();
    for (const { a, b } of some) {
      ctx.moveTo(...camera.toScreen(plane.xs[a], plane.ys[a]));
      ctx.lineTo(...camera.toScreen(plane.xs[b], plane.ys[b]));
    }
    ctx.lineWidth = width;
    ctx.strokeStyle = colour;
    ctx.lineCap = "round";
    ctx.stroke();
  };
  const open = near.filter(({ there, back }) => there || back);
  lines(near.filter(({ there, back }) => !there && !back), Math.max(1, road * 0.5), palette.css("ROAD_CLOSED"));
  if (road >= 1.5) lines(open, road + 2.2, palette.css("ROAD_CASING"));
  if (layer.shaded) shadedLines(ctx, view, open, road, paint);
  else lines(open, road, palette.css(road >= 1.5 ? "ROAD" : "ROAD_CASING"));
  if (road >= 1.5) {
    ctx.fillStyle = palette.css("ARROW");
    for (const { a, b, there, back } of open) {
      if (there && back) continue;
      const [from, to] = there ? [a, b] : [b, a];
      const tail = camera.toScreen(plane.xs[from], plane.ys[from]);
      const head = camera.toScreen(plane.xs[to], plane.ys[to]);
      const size = road * 2 + 6;
      if (Math.hypot(head[0] - tail[0], head[1] - tail[1]) < 2 * node + size) continue;
      arrowHead(ctx, palette.arrowHead, tail, head, size);
    }
  }
  for (let at = 0; at < view.level.locations; at++) {
    if (!inside(at)) continue;
    const [px, py] = camera.toScreen(plane.xs[at], plane.ys[at]);
    ctx.beginPath();
    ctx.arc(px, py, view.nav.stands(at) ? node : node * 0.7, 0, 2 * Math.PI);
    ctx.fillStyle = cssOf(paint.fill[at]);
    ctx.fill();
    if (node >= 2) {
      ctx.lineWidth = 1.1;
      ctx.strokeStyle = palette.css("INK");
      ctx.stroke();
    }
  }
  // The numbers of mesh nodes mean nothing to people.
  if (camera.zoom >= 34 && !isMesh(view)) writeNames(ctx, view, inside, node);
}

/** Draws roads with a color gradient between their ends. */
function shadedLines(ctx, { camera, plane }, roads, width, { fill }) {
  ctx.lineWidth = width;
  for (const { a, b } of roads) {
    const [from, to] = [a, b].map((at) => camera.toScreen(plane.xs[at], plane.ys[at]));
    if (fill[a] === fill[b]) {
      ctx.strokeStyle = cssOf(fill[a]);
    } else {
      const gradient = ctx.createLinearGradient(...from, ...to);
      gradient.addColorStop(0, cssOf(fill[a]));
      gradient.addColorStop(1, cssOf(fill[b]));
      ctx.strokeStyle = gradient;
    }
    ctx.beginPath();
    ctx.moveTo(...from);
    ctx.lineTo(...to);
    ctx.stroke();
  }
}

function mayBeSeen({ xs, ys }, { left, right, top, bottom }, a, b) {
  return (
    Math.min(xs[a], xs[b]) <= right &&
    Math.max(xs[a], xs[b]) >= left &&
    Math.min(ys[a], ys[b]) <= bottom &&
    Math.max(ys[a], ys[b]) >= top
  );
}

/** Writes names above nodes, unless they would overlap. */
function writeNames(ctx, view, inside, node) {
  const { plane, camera } = view;
  ctx.font = "12px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.fillStyle = view.ink;
  ctx.lineWidth = 3;
  ctx.strokeStyle = view.paper;
  ctx.lineJoin = "round";
  const taken = [];
  for (let at = 0; at < view.level.locations; at++) {
    if (!inside(at)) continue;
    const [px, py] = camera.toScreen(plane.xs[at], plane.ys[at]);
    const name = view.placeText(at).slice(0, 24);
    const half = 3.4 * name.length + 2;
    const covered = taken.some(([x, y, other]) => Math.abs(x - px) < half + other && Math.abs(y - py) < 14);
    if (covered) continue;
    taken.push([px, py, half]);
    ctx.strokeText(name, px, py - node - 4);
    ctx.fillText(name, px, py - node - 4);
  }
}
