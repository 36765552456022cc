/**
 * Validates baked paths on a changed level without cheaper arcs. No path costs less than the baked one
 * there, so no search is needed if the baked path is intact, or if another path costs as much.
 */

import { BLOCKED, damaged } from "./file.js";

/** The state of the baked path from a node. TIED: another path costs as much; LONGER: none does. */
const BROKEN = 0;
const WHOLE = 1;
const TIED = 2;
const LONGER = 3;

/** Returns the cache for a goal, by node: [baked distance in ticks, state of the baked path]. */
export const walksTo = (goal) => new Map([[goal, [0, WHOLE]]]);

/** Returns the queries of one profile; pass a cache of {@link walksTo} made since the last change. */
export function walksOf({ baked, now, out }, { nav, rowAt, rows, moveOf, target }, price) {
  /** Walks the baked path to the first cached node; Infinity without a path. */
  function walk(known, from, to) {
    const walked = [];
    let at = from;
    while (!known.has(at)) {
      const m = moveOf(rowAt[at], rowAt[to], at, to);
      if (walked.length > (m < 0 ? 0 : rows)) damaged("a path leads astray");
      if (m < 0) return known.set(at, [Infinity, WHOLE]).get(at);
      walked.push([at, m]);
      at = target(at, m);
    }
    for (const [tail, m] of walked.reverse()) {
      const [left, fate] = known.get(at);
      const ticks = price(tail, m, at, baked);
      const whole = fate === WHOLE && price(tail, m, at, now) === ticks;
      known.set(tail, [left + ticks, whole ? WHOLE : BROKEN]);
      at = tail;
    }
    return known.get(from);
  }

  /** Returns the next nodes of all paths that may cost as much as the baked one. */
  function ahead(known, at, to) {
    return out(at).flatMap(([m, head]) => {
      const ticks = price(at, m, head, now);
      const [left, fate] = ticks < BLOCKED ? walk(known, head, to) : [0, LONGER];
      return fate < LONGER && left + ticks === known.get(at)[0] ? head : [];
    });
  }

  /** Returns the distance d in ticks if a path costs as much as the baked one, otherwise -2 - d. */
  function least(known, from, to) {
    const one = walk(known, from, to);
    const stack = one[1] ? [] : [[one, ahead(known, from, to)]];
    while (stack.length) {
      const [last, heads] = stack.at(-1);
      const head = heads.pop();
      const next = known.get(head);
      if (!next) [last[1]] = [LONGER, stack.pop()];
      else if (!next[1]) stack.push([next, ahead(known, head, to)]);
      else if (next[1] !== LONGER) while (stack.length) stack.pop()[0][1] = TIED;
    }
    return one[1] === LONGER ? -2 - one[0] : one[0];
  }

  /** Returns the next hop; -1 without a path, -2 if every path costs more than the baked one. */
  function hop(known, from, to) {
    if (least(known, from, to) < 0) return -2;
    const baked = nav.nextHop(from, to);
    if (known.get(from)[1] === WHOLE) return baked;
    const heads = ahead(known, from, to).filter((head) => least(known, head, to) >= 0);
    return heads.includes(baked) ? baked : heads[0];
  }

  return { hop, least };
}
