/**
 * Counts how many shortest paths cross each place, if agents go from everywhere to everywhere by next
 * hops: the flow that the tables would make. Toward one goal the next hops are a tree, in which what
 * comes from behind adds up; goals are taken one after the other, spread evenly, as long as there is
 * time, so that a part of them shows what all of them would.
 */

import { placesToStand } from "../crowd/walkers.js";

/** Makes a count of one profile as it is now. */
export function createTraffic(view) {
  const { nav, level } = view;
  const goals = placesToStand(nav);
  const count = new Float64Array(level.locations);
  const waiting = new Int32Array(level.locations);
  const below = new Float64Array(level.locations);
  const queue = new Int32Array(level.locations);
  let done = 0;
  let most = 0;

  /** Adds the paths toward one goal, its own end not counted. */
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
    /** Paths that leave a place or cross it, of all those counted so far. */
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
    /** Goes on for some milliseconds, toward one more goal at least. */
    advance(milliseconds) {
      const end = performance.now() + milliseconds;
      while (done < goals.length) {
        add(goals[(done * stride) % goals.length]);
        if (performance.now() > end) break;
      }
    },
  };
}

/** A number near the golden share of another one, without a common divisor: steps that spread. */
function coprime(count) {
  const divides = (a, b) => (b ? divides(b, a % b) : a);
  let found = Math.max(1, Math.floor(count * 0.618));
  while (divides(count, found) > 1) found++;
  return found;
}
