/** Searches a changed level: distances and next hops toward one goal, as far as they are needed. */

import { BLOCKED } from "./file.js";
import { createHeap } from "./heap.js";

/**
 * Returns a field toward a goal. It is searched by A* against the direction of the arcs, from the
 * goal toward whoever asks, and what was found for one is kept for the next.
 *
 * @param follow {level, lattice, arcs, into, now, out, price, stepTicks}: see changes.js
 */
export function fieldOf(follow, goal) {
  const { level, lattice, arcs, into, now, out, price } = follow;
  const { directions, step, chart, layout } = lattice;
  const opposite = (m) => (layout ? (m + 3) % 6 : m ^ 2);
  const dist = new Float64Array(level.locations).fill(Infinity);
  const done = new Uint8Array(level.locations); // 1: the distance is known; 2: and led on from
  const plain = level.width && !arcs.head.length && !now.prices.size;
  const [straight, diagonal] = plain ? cheapest(follow.stepTicks, directions) : [0, 0];
  const open = createHeap();
  let aim = -1;
  open.push(goal, 0);
  dist[goal] = 0;

  /** A lower bound of the ticks from one cell to another. */
  function estimate(from, to) {
    if (from < 0 || !plain) return 0;
    const away = chart(from, to);
    const dx = Math.abs(away.dx);
    const dy = Math.abs(away.dy);
    if (layout) return Math.max(dx, dy, Math.abs(away.dx + away.dy)) * straight;
    return Math.abs(dx - dy) * straight + Math.min(dx, dy) * diagonal;
  }

  /** Of nodes that may lie on equally short paths, the one farthest along comes first. */
  function push(at) {
    open.push(at, dist[at] + estimate(aim, at) - Math.min(dist[at] * 2 ** -32, 0.5));
  }

  /**
   * Orders what is open for whoever asks, but not anew for those on a shortest path from the one it
   * is ordered for. Returns how much larger the keys may be then.
   */
  function aimAt(from) {
    const away = estimate(from, aim);
    if (aim >= 0 && dist[from] + away <= dist[aim]) return away;
    aim = from;
    for (const at of new Set(open.clear())) if (done[at] < 2) push(at);
    return 0;
  }

  /** Settles the node of the lowest key. */
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

  /** Goes on until the distance of a node is known; of all of them, if that is -1. */
  function settle(from) {
    if (done[from]) return;
    aimAt(from);
    while (open.size && !done[from]) expand();
  }

  /** Whether something open may lie on a shortest path from a settled node. */
  function mayLie(from) {
    if (open.least > dist[from] + estimate(from, aim)) return false;
    return dist[from] + aimAt(from) >= open.least;
  }

  /** The baked node if it begins a shortest path, else the first one that does; -1: there is none. */
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

/** The ticks of the cheapest straight step, and of the cheapest way to go diagonally. */
function cheapest(stepTicks, directions) {
  const half = stepTicks.length / 2;
  const least = (some) => some.reduce((a, b) => Math.min(a, b), BLOCKED);
  const straight = least(stepTicks.subarray(0, half));
  const diagonal = directions === 8 ? least(stepTicks.subarray(half)) : BLOCKED;
  return [straight, Math.min(2 * straight, diagonal)];
}
