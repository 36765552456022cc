/**
 * Follows baked paths on a level where nothing costs less than it did. So no path takes less than
 * the baked one, and while that is whole, or another one takes as little, nobody has to search.
 */

import { BLOCKED, damaged } from "./file.js";

/** What has become of the baked path from a node: others take as little, or all take more. */
const BROKEN = 0;
const WHOLE = 1;
const TIED = 2;
const LONGER = 3;

/** What is known of a goal, by node: [the ticks of the baked path, what has become of it]. */
export const walksTo = (goal) => new Map([[goal, [0, WHOLE]]]);

/** Returns the walks of one profile; all take what {@link walksTo} gave since the last change. */
export function walksOf({ baked, now, out }, { nav, rowAt, rows, moveOf, target }, price) {
  /** Walks the baked path as far as it is not known; where there is none it takes for ever. */
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

  /** The nodes one move away through which a path may take what the baked one took. */
  function ahead(known, at, to) {
    return out(at).flatMap(([m, head]) => {
      const ticks = price(at, m, head, now);
      const [left, fate] = ticks < BLOCKED ? walk(known, head, to) : [0, LONGER];
      return fate < LONGER && left + ticks === known.get(at)[0] ? head : [];
    });
  }

  /** The ticks of the shortest path; where all take more than the baked one took, -2 - that. */
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

  /** The next hop, -1: there is none; -2 where every path takes more than the baked one took. */
  function hop(known, from, to) {
    if (least(known, from, to) < 0) return -2;
    const baked = nav.nextHop(from, to);
    if (known.get(from)[1] === WHOLE) return baked;
    const heads = ahead(known, from, to).filter((head) => least(known, head, to) >= 0);
    return heads.includes(baked) ? baked : heads[0];
  }

  return { hop, least };
}
