/**
 * A* over the level as it is now (P. Hart, N. Nilsson, B. Raphael, "A Formal Basis for the Heuristic
 * Determination of Minimum Cost Paths", 1968).
 */

import { estimateOf } from "./estimate.js";
import { createHeap } from "./heap.js";

/** Steps of a trace that are kept; a search that takes more goes on without writing them down. */
export const MOST_STEPS = 200_000;

/**
 * Finds a shortest path.
 *
 * @param options {trace: whether to write down each step, estimate: another lower bound in ticks}
 * @returns {nodes, ticks, expanded, time, steps?}: places from start to goal, empty where there is no
 *   path, and Infinity ticks then. Places taken from the open list are expanded, the goal with them.
 *   A step is {at, parent, g, h, f, opened: [{at, g, f}]} in units; the parent of the start is -1.
 */
export function astar(view, start, goal, { trace = false, estimate = estimateOf(view) } = {}) {
  const { ground } = view;
  const begun = performance.now();
  const found = new Float64Array(ground.locations).fill(Infinity);
  const parent = new Int32Array(ground.locations).fill(-1);
  const closed = new Uint8Array(ground.locations);
  const open = createHeap();
  const steps = trace ? [] : undefined;
  const { unit } = ground;
  let expanded = 0;
  if (ground.stands(start) && ground.stands(goal)) {
    found[start] = 0;
    open.push(start, estimate(start, goal));
  }
  while (open.size) {
    const at = open.pop();
    if (closed[at]) continue;
    closed[at] = 1;
    expanded++;
    const write = steps && steps.length < MOST_STEPS;
    const opened = [];
    if (at !== goal) {
      ground.eachArc(at, (head, ticks) => {
        const g = found[at] + ticks;
        if (g >= found[head]) return;
        found[head] = g;
        parent[head] = at;
        const f = g + estimate(head, goal);
        open.push(head, f);
        if (write) opened.push({ at: head, g: g / unit, f: f / unit });
      });
    }
    if (write) {
      const [g, h] = [found[at] / unit, estimate(at, goal) / unit];
      steps.push({ at, parent: parent[at], g, h, f: g + h, opened });
    }
    if (at === goal) break;
  }
  const nodes = [];
  if (closed[goal]) for (let at = goal; at >= 0; at = parent[at]) nodes.push(at);
  const ticks = nodes.length ? found[goal] : Infinity;
  return { nodes: nodes.reverse(), ticks, expanded, time: performance.now() - begun, steps };
}
