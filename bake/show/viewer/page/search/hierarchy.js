/**
 * HPA* over the clusters and transitions of the asset (A. Botea, M. Mueller, J. Schaeffer, "Near
 * Optimal Hierarchical Path-Finding", Journal of Game Development 1(1), 2004): connect start and goal
 * to the transitions of their clusters, search the transitions, refine cluster by cluster, smooth.
 */

import { createHeap } from "../../../../../readers/js/heap.js";
import { fittingHeuristic } from "../traces/norms.js";
import { smooth } from "./smooth.js";

/** Returns why HPA* is not available; "": it is. */
export function hierarchyMissing(view) {
  if (!view.own.layers?.length) return "The asset holds no hierarchy.";
  return view.changes.changed ? "The hierarchy is that of the level as it was baked." : "";
}

/** Returns the heuristic for the profile, cached because it is computed from every arc. */
export const normOf = (view) => view.kept("norm", () => fittingHeuristic(view));

/** Returns the data of the first layer for searches. */
export function firstLayer(view) {
  return view.kept("first layer", () => {
    const { rowAt } = view.tables;
    const clusterOfRow = view.own.clusters.of;
    const layer = view.own.layers[0];
    const inCluster = Array.from({ length: layer.clusters }, () => []);
    layer.cluster.forEach((cluster, i) => inCluster[cluster].push(i));
    return {
      ...layer,
      inCluster,
      clusterOf: (at) => (rowAt[at] >= 0 ? clusterOfRow[rowAt[at]] : -1),
    };
  });
}

/**
 * Finds a path from one place to another.
 *
 * @returns {plan, refined, smoothed}, each {nodes, ticks, time, expanded}; a plan's nodes are the
 *   start, transitions, and the goal. Without a path, nodes are empty and ticks is Infinity.
 */
export function hpa(view, start, goal) {
  normOf(view);
  const begun = performance.now();
  const plan = planned(view, start, goal);
  const afterPlan = performance.now();
  const refined = refine(view, plan.nodes);
  const afterRefined = performance.now();
  const smoothed = smooth(view, refined);
  const end = performance.now();
  return {
    plan: { ...plan, time: afterPlan - begun },
    refined: { ...refined, expanded: plan.expanded, time: afterRefined - begun },
    smoothed: { ...smoothed, expanded: plan.expanded, time: end - begun },
  };
}

/** Returns the cheapest route over transitions: nodes, ticks, and the number of expansions. */
function planned(view, start, goal) {
  const { ground } = view;
  const layer = firstLayer(view);
  const none = { nodes: [], ticks: Infinity, expanded: 0 };
  if (!ground.stands(start) || !ground.stands(goal)) return none;
  if (start === goal) return { nodes: [start], ticks: 0, expanded: 0 };
  const [here, there] = [layer.clusterOf(start), layer.clusterOf(goal)];
  const away = within(view, start, here);
  const toward = within(view, goal, there, true);
  let best = here === there ? (away.ticks.get(goal) ?? Infinity) : Infinity;
  let last = -1;
  const count = layer.at.length;
  const found = new Float64Array(count).fill(Infinity);
  const parent = new Int32Array(count).fill(-1);
  const closed = new Uint8Array(count);
  const open = createHeap();
  const estimate = normOf(view).toward(goal);
  for (const i of layer.inCluster[here]) {
    const ticks = away.ticks.get(layer.at[i]);
    if (ticks === undefined) continue;
    found[i] = ticks;
    open.push(i, ticks + estimate(layer.at[i]));
  }
  let expanded = 0;
  while (open.size) {
    const i = open.pop();
    if (closed[i]) continue;
    closed[i] = 1;
    if (found[i] + estimate(layer.at[i]) >= best) break;
    expanded++;
    if (layer.cluster[i] === there) {
      const rest = toward.ticks.get(layer.at[i]);
      if (rest !== undefined && found[i] + rest < best) [best, last] = [found[i] + rest, i];
    }
    for (let j = layer.first_out[i]; j < layer.first_out[i + 1]; j++) {
      const head = layer.head[j];
      const ticks = found[i] + layer.ticks[j];
      if (ticks >= found[head]) continue;
      found[head] = ticks;
      parent[head] = i;
      open.push(head, ticks + estimate(layer.at[head]));
    }
  }
  if (best === Infinity) return { ...none, expanded };
  const nodes = [];
  for (let i = last; i >= 0; i = parent[i]) nodes.push(layer.at[i]);
  const whole = [start, ...nodes.reverse(), goal];
  return { nodes: whole.filter((at, i) => at !== whole[i - 1]), ticks: best, expanded };
}

/**
 * Searches one cluster from a place, or toward it.
 *
 * @param stop ends the search when this place is reached
 * @returns {ticks: Map, parent: Map} by place
 */
function within(view, from, cluster, back = false, stop = -1) {
  const { ground } = view;
  const { clusterOf } = firstLayer(view);
  const each = back ? ground.eachBack : ground.eachArc;
  const ticks = new Map([[from, 0]]);
  const parent = new Map();
  const closed = new Set();
  const open = createHeap();
  open.push(from, 0);
  while (open.size) {
    const at = open.pop();
    if (closed.has(at)) continue;
    closed.add(at);
    if (at === stop) break;
    const here = ticks.get(at);
    each(at, (other, price) => {
      if (clusterOf(other) !== cluster) return;
      const sum = here + price;
      if (sum >= (ticks.get(other) ?? Infinity)) return;
      ticks.set(other, sum);
      parent.set(other, at);
      open.push(other, sum);
    });
  }
  return { ticks, parent };
}

/** Refines a plan to a path of single steps. */
function refine(view, plan) {
  const { ground } = view;
  const { clusterOf } = firstLayer(view);
  if (!plan.length) return { nodes: [], ticks: Infinity };
  const nodes = [plan[0]];
  let ticks = 0;
  for (let i = 1; i < plan.length; i++) {
    const [from, to] = [plan[i - 1], plan[i]];
    if (clusterOf(from) !== clusterOf(to)) {
      ticks += ground.ticksBetween(from, to);
      nodes.push(to);
      continue;
    }
    const { ticks: known, parent } = within(view, from, clusterOf(from), false, to);
    const part = [];
    for (let at = to; at !== from; at = parent.get(at)) part.push(at);
    nodes.push(...part.reverse());
    ticks += known.get(to);
  }
  return { nodes, ticks };
}
