/**
 * Counts how many shortest paths cross each place, over all pairs of places. Toward one goal, the next
 * hops form a tree, along which counts add up. Goals are processed in an evenly spread order as time
 * allows, so that a part of them approximates the result for all.
 */

import { placesToStand } from "../crowd/walkers.js";

/** Creates a count for the current level and profile. */
export function createTraffic(view) {
  const { nav, level } = view;
  const goals = placesToStand(nav);
  const count = new Float64Array(level.locations);
  const waiting = new Int32Array(level.locations);
  const below = new Float64Array(level.locations);
  const queue = new Int32Array(level.locations);
  let done = 0;
  let most = 0;

  /** Adds the paths toward one goal, without counting the goal itself. */
  function add(goal) {
    const next = nav.hopsTo(goal);
    waiting.fill(0);
    below.fill(0);
    for (let at = 0; at < next.length; at++) {
      if (next[at] < 0) continue;
      below[at] = 1;
      if (at !== goal) waiting[next[at]]++;
    }
    let end = 0;
    for (let at = 0; at < next.length; at++) if (next[at] >= 0 && !waiting[at]) queue[end++] = at;
    for (let i = 0; i < end; i++) {
      const at = queue[i];
      if (at === goal) continue;
      count[at] += below[at];
      if (count[at] > most) most = count[at];
      below[next[at]] += below[at];
      if (!--waiting[next[at]]) queue[end++] = next[at];
    }
    done++;
  }

  const stride = coprime(goals.length);
  return {
    /** The number of counted paths that start at or cross each place. */
    count,
    goals: goals.length,
    get done() {
      return done;
    },
    /** The highest count. */
    get most() {
      return most;
    },
    get isWhole() {
      return done >= goals.length;
    },
    /** Continues for some milliseconds, with at least one more goal. */
    advance(milliseconds) {
      const end = performance.now() + milliseconds;
      while (done < goals.length) {
        add(goals[(done * stride) % goals.length]);
        if (performance.now() > end) break;
      }
    },
  };
}

/** Returns a step near the golden ratio of a count and coprime to it, which spreads goals evenly. */
function coprime(count) {
  const divides = (a, b) => (b ? divides(b, a % b) : a);
  let found = Math.max(1, Math.floor(count * 0.618));
  while (divides(count, found) > 1) found++;
  return found;
}
