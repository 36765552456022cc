/**
 * Simulates a crowd: each agent queries its next hop, steps there, and queries again. Agents do not
 * collide; the simulation shows where shortest paths meet.
 */

import { BLOCKED } from "../../../../../readers/js/file.js";
import { componentsOf } from "../search/components.js";

/** The speed of an agent in units per second. */
const SPEED = 6;

/** On levels with at least this many places, agents share this many goals if next hops must be searched. */
const LARGE = 20_000;
const SHARED = 6;

/** Returns a seeded generator of numbers from 0 up to 1 (G. Marsaglia, "Xorshift RNGs", 2003). */
export function draws(seed) {
  let state = (seed ^ 0x9e3779b9) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/**
 * Returns a crowd on a level.
 *
 * @param view with level, nav and ground: see view.js
 * @param options {count, seed, goal}: the number of agents, the random seed, and the common goal of all
 *   agents as a node; -1: each has a goal of its own
 */
export function crowdOf(view, { count = 300, seed = 1, goal = -1 } = {}) {
  const { level, nav, ground } = view;
  const draw = draws(seed);
  let standing = placesToStand(nav);
  const at = new Int32Array(count);
  const next = new Int32Array(count).fill(-1);
  const goals = new Int32Array(count);
  const share = new Float64Array(count); // progress of the step from `at` to `next`
  const length = new Float64Array(count); // length of that step, in units
  const visits = new Uint32Array(level.locations);
  let most = 0;
  let arrived = 0;
  let shared = [];
  let turn = 0; // the next agent to query, if the time was up before all were done

  const someone = () => standing[Math.floor(draw() * standing.length)] ?? -1;

  /** Chooses a goal for an agent. Agents share goals if next hops must be searched. */
  function aim() {
    if (goal >= 0) return goal;
    const searched = view.changes.changed || !view.tables.hasHops;
    if (!searched || level.locations < LARGE) return someone();
    if (shared.length < SHARED) shared.push(someone());
    return shared[Math.floor(draw() * shared.length)];
  }

  /** Places an agent at random where its goal is reachable; nowhere, if no such place is found soon. */
  function place(i) {
    const { of } = componentsOf(view);
    goals[i] = aim();
    at[i] = next[i] = -1;
    share[i] = 0;
    for (let tries = 1; tries <= 60 && at[i] < 0; tries++) {
      const from = someone();
      if (from !== goals[i] && of[from] === of[goals[i]]) at[i] = from;
      else if (tries % 10 === 0) goals[i] = aim();
    }
  }

  /** Sets another goal for an agent, a reachable one if one is found soon. */
  function turnTo(i) {
    const { of } = componentsOf(view);
    for (let tries = 0; tries < 10; tries++) {
      goals[i] = aim();
      if (goals[i] !== at[i] && of[goals[i]] === of[at[i]]) break;
    }
  }

  function arrive(node) {
    if (++visits[node] > most) most = visits[node];
  }

  /** Queries an agent's next step; an agent that has arrived gets another goal. */
  function ask(i) {
    if (at[i] < 0) place(i);
    if (at[i] < 0) return;
    if (at[i] === goals[i] || !nav.stands(at[i])) {
      if (at[i] === goals[i]) arrived++;
      if (goal >= 0 || !nav.stands(at[i])) place(i);
      else turnTo(i);
    }
    if (at[i] < 0) return;
    const found = nav.nextHop(at[i], goals[i]);
    if (found < 0 || found === at[i]) {
      if (found < 0) place(i);
      return;
    }
    next[i] = found;
    length[i] = ground.ticksBetween(at[i], found) / level.ticksPerUnit;
  }

  for (let i = 0; i < count; i++) place(i);
  return {
    count,
    at,
    next,
    share,
    goals,
    /** The number of steps onto each node. */
    visits,
    get most() {
      return most;
    },
    get arrived() {
      return arrived;
    },
    /**
     * Advances by some seconds. Agents without a next step when `until()` ends the time for queries wait
     * for the next call.
     */
    pass(seconds, until = () => false) {
      for (let i = 0; i < count; i++) {
        if (next[i] < 0) continue;
        share[i] += (seconds * SPEED) / Math.max(length[i], 1e-9);
        if (share[i] < 1) continue;
        at[i] = next[i];
        next[i] = -1;
        arrive(at[i]);
      }
      for (let asked = 0; asked < count; asked++) {
        const i = (turn + asked) % count;
        if (next[i] >= 0) continue;
        if (until()) {
          turn = i;
          break;
        }
        const rest = share[i] >= 1 ? share[i] - 1 : 0;
        ask(i);
        share[i] = next[i] >= 0 ? Math.min(rest, 0.99) : 0;
      }
    },
    /** Cancels steps that are no longer possible; call it after changes of the level. */
    changed() {
      standing = placesToStand(nav);
      shared = [];
      for (let i = 0; i < count; i++) {
        if (next[i] >= 0 && ground.ticksBetween(at[i], next[i]) === BLOCKED) {
          next[i] = -1;
          share[i] = 0;
        }
      }
    },
    /** Returns the nodes with the most steps, at most one of neighboring nodes. */
    chokePoints: (wanted) => highest(ground, visits, wanted),
  };
}

/** Returns all nodes on which a profile can stand now. */
export function placesToStand(nav) {
  const found = [];
  for (let at = 0; at < nav.level.locations; at++) if (nav.stands(at)) found.push(at);
  return found;
}

/** The least distance in arcs between two listed choke points. */
const APART = 4;

/** Returns the nodes with the highest counts, as [node, count], with a distance between them. */
export function highest(ground, numbers, wanted) {
  const found = [];
  const near = new Set();
  const nodes = [];
  for (let at = 0; at < numbers.length; at++) if (numbers[at] > 0) nodes.push(at);
  nodes.sort((a, b) => numbers[b] - numbers[a] || a - b);
  for (const node of nodes) {
    if (found.length === wanted) break;
    if (near.has(node)) continue;
    found.push([node, numbers[node]]);
    let edge = [node];
    near.add(node);
    for (let ring = 0; ring < APART; ring++) {
      const more = [];
      for (const at of edge) {
        ground.eachArc(at, (head) => {
          if (!near.has(head)) more.push(head);
          near.add(head);
        });
      }
      edge = more;
    }
  }
  return found;
}
