/** The layers of a hierarchy: transitions between clusters, and the arcs that join them. */

import { css, packed } from "./palette.js";
import { blockedLegend, paintStanding } from "./grounds.js";
import { screenOf } from "./overlays.js";
import { counted } from "./words.js";

/** The most arcs inside clusters that are drawn; more would cover everything. */
const MOST_INSIDE = 60_000;

/** The number of switches for layers, more than any hierarchy has, as each layer halves the clusters. */
const MOST_LAYERS = 12;

const idOf = (number) => `layer-${number}`;

/** Adds the ground of clusters, and a switch for each possible layer. */
export function addTransitions(view) {
  view.layers.add(clusters);
  for (let number = 1; number <= MOST_LAYERS; number++) {
    view.layers.add({
      id: idOf(number),
      title: number === 1 ? "Transitions, layer 1" : `Layer ${number}`,
      kind: "overlay",
      order: 30 + number / 100,
      // Layers that no profile of the level has are not listed.
      hidden: ({ contents }) =>
        number > 1 &&
        !Object.values(contents.profiles).some((own) => (own.layers?.length ?? 0) >= number),
      missing: ({ own }) => {
        if (!own.layers?.length) return "The asset holds no hierarchy.";
        return own.layers.length < number ? "This profile has fewer layers." : "";
      },
      legend: (view) => legendOf(view, number),
      draw: (ctx, view) => drawLayer(ctx, view, number),
    });
  }
}

/** Returns the highest layer that is switched on, or 1. */
function chosenLayer({ layers, own }) {
  for (let number = own.layers?.length ?? 1; number > 1; number--) {
    if (layers.isOn(idOf(number))) return number;
  }
  return 1;
}

/** Returns the baked cluster of a place in a layer; -1: none. */
export function clusterOf(view, at, number = 1) {
  const row = view.tables.rowAt[at];
  if (!(row >= 0) || !view.own.clusters) return -1;
  let cluster = view.own.clusters.of[row];
  for (let i = 0; i < number - 1; i++) cluster = view.own.layers[i].parent[cluster];
  return cluster;
}

const coloursOf = ({ own }, number) =>
  number === 1 ? own.clusters.colour : own.layers[number - 1].colour;

const clusters = {
  id: "clusters",
  title: "Clusters",
  kind: "ground",
  shortcut: "8",
  order: 8,
  missing: (view) => (view.own.clusters ? "" : "The asset holds no clusters."),
  legend(view) {
    const number = chosenLayer(view);
    const colours = coloursOf(view, number);
    const of = number > 1 ? ` of layer ${number}` : "";
    const text = `${counted(colours.length / 3, "cluster")}${of}`;
    return [{ colour: css([...colours.subarray(0, 3)]), text }, ...blockedLegend(view)];
  },
  paint(view) {
    const number = chosenLayer(view);
    const colours = coloursOf(view, number);
    const shades = new Uint32Array(colours.length / 3);
    shades.forEach((_, i) => (shades[i] = packed(colours.subarray(3 * i, 3 * i + 3))));
    const opened = view.palette.packed("OPENED");
    return paintStanding(view, `clusters ${number}`, (at, { fill }) => {
      const cluster = clusterOf(view, at, number);
      fill[at] = cluster < 0 ? opened : shades[cluster];
    });
  },
};

/** Returns the pairs of places joined by arcs of a layer, each pair once: {inside, across}. */
function joined(view, number) {
  return view.kept(`layer ${number}`, () => {
    const { at, cluster, first_out: first, head } = view.own.layers[number - 1];
    const [inside, across] = [[], []];
    const seen = new Set();
    for (let tail = 0; tail < at.length; tail++) {
      for (let j = first[tail]; j < first[tail + 1]; j++) {
        const key = Math.min(tail, head[j]) * at.length + Math.max(tail, head[j]);
        if (seen.has(key)) continue;
        seen.add(key);
        (cluster[tail] === cluster[head[j]] ? inside : across).push(at[tail], at[head[j]]);
      }
    }
    return { inside, across };
  });
}

function legendOf(view, number) {
  const { palette, own } = view;
  const { inside, across } = joined(view, number);
  const hidden = inside.length / 2 <= MOST_INSIDE ? "" : " (not drawn)";
  return [
    { colour: palette.css("TRANSITION"), text: counted(own.layers[number - 1].at.length, "transition") },
    { colour: palette.css("ACROSS"), text: counted(across.length / 2, "crossing") },
    { colour: palette.css("INSIDE"), text: `${counted(inside.length / 2, "way")} inside${hidden}` },
  ];
}

function drawLayer(ctx, view, number) {
  const { camera, palette, own, plane, state } = view;
  const room = view.room;
  const { inside, across } = joined(view, number);
  const seen = camera.seen(40);
  const shown = (at) => plane.floorOf(at) === state.floor;
  const lines = (pairs, width, name) => {
    ctx.beginPath();
    for (let i = 0; i < pairs.length; i += 2) {
      const [a, b] = [pairs[i], pairs[i + 1]];
      if (!shown(a) || !shown(b)) continue;
      const [ax, ay, bx, by] = [plane.x(a), plane.y(a), plane.x(b), plane.y(b)];
      if (Math.max(ax, bx) < seen.left || Math.min(ax, bx) > seen.right) continue;
      if (Math.max(ay, by) < seen.top || Math.min(ay, by) > seen.bottom) continue;
      ctx.moveTo(...camera.toScreen(ax, ay));
      ctx.lineTo(...camera.toScreen(bx, by));
    }
    ctx.lineWidth = width;
    ctx.strokeStyle = palette.css(name);
    ctx.stroke();
  };
  if (inside.length / 2 <= MOST_INSIDE) lines(inside, Math.min(1.6, Math.max(0.6, 0.08 * room)), "INSIDE");
  lines(across, Math.min(5, Math.max(1.5, 0.3 * room)), "ACROSS");
  const size = Math.min(6, Math.max(1.4, 0.3 * room));
  for (const [radius, name] of [[size + 0.8, "INK"], [size, "TRANSITION"]]) {
    ctx.beginPath();
    for (const at of own.layers[number - 1].at) {
      if (!shown(at)) continue;
      const [px, py] = screenOf(view, at);
      if (px < -9 || py < -9 || px > camera.width + 9 || py > camera.height + 9) continue;
      ctx.moveTo(px + radius, py);
      ctx.arc(px, py, radius, 0, 2 * Math.PI);
    }
    ctx.fillStyle = palette.css(name);
    ctx.fill();
  }
}
