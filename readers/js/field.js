/** Searches a changed level on demand: distances and next hops toward one goal. */

import { BLOCKED } from "./file.js";
import { createHeap } from "./heap.js";

/**
 * Returns a field of distances to a goal. Backward A* extends the field from the goal to each queried
 * node, and reuses the results of earlier queries.
 *
 * @param follow {level, lattice, arcs, into, now, out, price, stepTicks}: see changes.js
 */
export function fieldOf(follow, goal) {
  const { level, lattice, arcs, into, now, out, price } = follow;
  const { directions, step, chart, layout } = lattice;
  const opposite = (m) => (layout ? (m + 3) % 6 : m ^ 2);
  const dist = new Float64Array(level.locations).fill(Infinity);
  const done = new Uint8Array(level.locations); // 1: distance final; 2: also expanded
  const plain = level.width && !arcs.head.length && !now.prices.size;
  const [straight, diagonal] = plain ? cheapest(follow.stepTicks, directions) : [0, 0];
  const open = createHeap();
  let aim = -1;
  open.push(goal, 0);
  dist[goal] = 0;

  /** Returns a lower bound of the distance between two cells in ticks. */
  function estimate(from, to) {
    if (from < 0 || !plain) return 0;
    const away = chart(from, to);
    const dx = Math.abs(away.dx);
    const dy = Math.abs(away.dy);
    if (layout) return Math.max(dx, dy, Math.abs(away.dx + away.dy)) * straight;
    return Math.abs(dx - dy) * straight + Math.min(dx, dy) * diagonal;
  }

  /** Adds a node to the open list; ties go to the node farthest from the goal. */
  function push(at) {
    open.push(at, dist[at] + estimate(aim, at) - Math.min(dist[at] * 2 ** -32, 0.5));
  }

  /**
   * Sets the node that the heuristic aims at, and rebuilds the open list, unless the new node may be on
   * a shortest path from the current one. Returns the slack to add to keys in that case.
   */
  function aimAt(from) {
    const away = estimate(from, aim);
    if (aim >= 0 && dist[from] + away <= dist[aim]) return away;
    aim = from;
    for (const at of new Set(open.clear())) if (done[at] < 2) push(at);
    return 0;
  }

  /** Expands the node with the lowest key. */
  function expand() {
    const at = open.pop();
    if (done[at] === 2) return;
    done[at] = 2;
    const more = into ? into.first[at + 1] - into.first[at] : 0;
    for (let m = 0; m < directions + more; m++) {
      const j = m < directions ? -1 : into.arc[into.first[at] + m - directions];
      const tail = j < 0 ? step(at, opposite(m)) : arcs.tail[j];
      if (tail < 0 || done[tail]) continue;
      const ticks = price(tail, m, at, now, j);
      if (ticks === BLOCKED || dist[at] + ticks >= dist[tail]) continue;
      dist[tail] = dist[at] + ticks;
      push(tail);
    }
  }

  /** Searches until the distance of a node is final; -1 = of all nodes. */
  function settle(from) {
    if (done[from]) return;
    aimAt(from);
    while (open.size && !done[from]) expand();
  }

  /** Returns whether an open node may be on a shortest path from a settled node. */
  function mayLie(from) {
    if (open.least > dist[from] + estimate(from, aim)) return false;
    return dist[from] + aimAt(from) >= open.least;
  }

  /** Returns the baked next node if it starts a shortest path, else the first that does; -1: none. */
  function hop(from, baked) {
    settle(from);
    const heads = done[from] ? out(from) : [];
    for (const [m, head] of [...heads.filter(([, one]) => one === baked), ...heads]) {
      const ticks = price(from, m, head, now);
      const left = ticks === BLOCKED ? -1 : dist[from] - ticks;
      while (left >= 0 && dist[head] > left && !done[head] && mayLie(from)) expand();
      if (dist[head] !== left) continue;
      done[head] ||= 1;
      return head;
    }
    return -1;
  }

  return { dist, settle, hop };
}

/** Returns the costs in ticks of the cheapest straight step, and of the cheapest diagonal move. */
function cheapest(stepTicks, directions) {
  const half = stepTicks.length / 2;
  const least = (some) => some.reduce((a, b) => Math.min(a, b), BLOCKED);
  const straight = least(stepTicks.subarray(0, half));
  const diagonal = directions === 8 ? least(stepTicks.subarray(half)) : BLOCKED;
  return [straight, Math.min(2 * straight, diagonal)];
}
