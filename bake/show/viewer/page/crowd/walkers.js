/**
 * Walks a crowd: each agent asks for its next hop, steps there, and asks again. Agents do not push
 * each other; what is shown is where their shortest paths meet.
 */

import { BLOCKED } from "../../../../../readers/js/file.js";
import { componentsOf } from "../search/components.js";

/** How many units an agent walks in a second. */
const SPEED = 6;

/** On levels of so many places agents share so many goals, if next hops have to be searched for. */
const LARGE = 20_000;
const SHARED = 6;

/** Numbers from 0 up to 1, the same for the same seed (G. Marsaglia, "Xorshift RNGs", 2003). */
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
 * @param view its level, nav and ground: see view.js
 * @param options {count, seed, goal}: how many agents, which numbers are drawn, and the one node that
 *   all of them walk to; -1: each has a goal of its own
 */
export function crowdOf(view, { count = 300, seed = 1, goal = -1 } = {}) {
  const { level, nav, ground } = view;
  const draw = draws(seed);
  let standing = placesToStand(nav);
  const at = new Int32Array(count);
  const next = new Int32Array(count).fill(-1);
  const goals = new Int32Array(count);
  const share = new Float64Array(count); // of the step from `at` to `next`
  const length = new Float64Array(count); // of that step, in units
  const visits = new Uint32Array(level.locations);
  let most = 0;
  let arrived = 0;
  let shared = [];
  let turn = 0; // whose turn it is to ask, if there was no time for all of them

  const someone = () => standing[Math.floor(draw() * standing.length)] ?? -1;

  /** Where an agent shall go. Where next hops have to be searched for, agents share goals. */
  function aim() {
    if (goal >= 0) return goal;
    const searched = view.changes.changed || !view.tables.hasHops;
    if (!searched || level.locations < LARGE) return someone();
    if (shared.length < SHARED) shared.push(someone());
    return shared[Math.floor(draw() * shared.length)];
  }

  /** Puts an agent anywhere from where there is a way to its goal; nowhere, if that is hard to find. */
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

  /** Gives an agent another goal, one to which there is a way if such a one is found. */
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

  /** Asks for an agent's next step; an agent that has arrived gets another goal. */
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
    /** How often agents stepped onto each node. */
    visits,
    get most() {
      return most;
    },
    get arrived() {
      return arrived;
    },
    /**
     * Lets some seconds pass. Whoever has no next step when `until()` says that the time for asking is
     * up waits for the next call.
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
    /** To be called when the level has changed: steps that cannot be taken any more are given up. */
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
    /** The nodes that agents stepped onto most often, at most one of those next to each other. */
    chokePoints: (wanted) => highest(ground, visits, wanted),
  };
}

/** All nodes on which a profile can stand now. */
export function placesToStand(nav) {
  const found = [];
  for (let at = 0; at < nav.level.locations; at++) if (nav.stands(at)) found.push(at);
  return found;
}

/** How far around a choke point, in arcs, no other one is named. */
const APART = 4;

/** Returns the nodes with the highest numbers, [node, number] each, that lie apart from each other. */
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
