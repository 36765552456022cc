/**
 * Plays a search step by step, forward and backward, with its open and closed lists. Traces are recorded
 * in the page (textbook.js), or read from files (docs/traces.md).
 */

import { LevelError, refuse } from "../../../../../readers/js/file.js";
import { stepLists } from "./textbook.js";
import { readWalk } from "./walks.js";

/** The states of a node at a step. */
export const OPEN = 1;
export const CLOSED = 2;

/**
 * Returns a player of a trace. Its `at` is the number of steps taken, and its `state` says of each
 * node whether it is on the open list, the closed one, or on neither (0).
 *
 * @param trace see searchSteps
 * @param locations how many nodes the level has
 */
export function playerOf(trace, locations) {
  const { place, first, openedPlace, openedG } = trace;
  const state = new Uint8Array(locations);
  const g = new Float64Array(locations).fill(NaN);
  // The previous values of the places of a step, for undoing it.
  const takenBefore = new Uint8Array(place.length);
  const stateBefore = new Uint8Array(openedPlace.length);
  const gBefore = new Float64Array(openedPlace.length);
  const counts = [0, 0, 0];
  let at = 0;
  if (trace.expanded) {
    set(trace.start, OPEN);
    g[trace.start] = 0;
  }

  function set(node, to) {
    counts[state[node]]--;
    counts[to]++;
    state[node] = to;
  }

  function forward() {
    takenBefore[at] = state[place[at]];
    set(place[at], CLOSED);
    for (let i = first[at]; i < first[at + 1]; i++) {
      const node = openedPlace[i];
      stateBefore[i] = state[node];
      gBefore[i] = g[node];
      g[node] = openedG[i];
      set(node, OPEN);
    }
    at++;
  }

  function back() {
    at--;
    for (let i = first[at + 1] - 1; i >= first[at]; i--) {
      const node = openedPlace[i];
      g[node] = gBefore[i];
      set(node, stateBefore[i]);
    }
    set(place[at], takenBefore[at]);
  }

  return {
    trace,
    state,
    /** The known cost of each node from the start; NaN: not visited. */
    g,
    get at() {
      return at;
    },
    get open() {
      return counts[OPEN];
    },
    get closed() {
      return counts[CLOSED];
    },
    get finished() {
      return at === place.length;
    },
    /** The last expanded node; -1 before the first step. */
    get current() {
      return at ? place[at - 1] : -1;
    },
    /** Goes to a step by applying or undoing steps. */
    seek(step) {
      const wanted = Math.min(Math.max(Math.round(step) || 0, 0), place.length);
      while (at < wanted) forward();
      while (at > wanted) back();
      return at;
    },
    /** Returns the path to the last expanded node, as known at this step. */
    wayBack() {
      if (!at) return [];
      const parents = new Map();
      for (let i = 0; i < at; i++) parents.set(place[i], trace.parent[i]);
      // Several states of a search may have the same place, so a path may contain a cycle.
      const way = new Set([place[at - 1]]);
      for (let up = trace.parent[at - 1]; up >= 0 && !way.has(up); up = parents.get(up) ?? -1) way.add(up);
      return [...way].reverse();
    },
  };
}

/**
 * Reads a trace of a search or of agents (docs/traces.md).
 *
 * @throws LevelError if it is not a trace, or belongs to another level.
 */
export function readTrace(text, level, places) {
  let told;
  try {
    told = JSON.parse(text);
  } catch {
    return refuse("this is no trace: it is not JSON");
  }
  if (told?.format !== "bake-trace") refuse('this is no trace: its format is not "bake-trace"');
  if (told.version !== 1) refuse(`version ${told.version} of traces, expected 1`);
  if (told.level !== level.name) {
    refuse(`this trace is of level ${told.level}, and this is ${level.name}`);
  }
  if (!level.profiles.includes(told.profile)) refuse(`the trace is of profile ${told.profile}`);
  if (typeof told.method !== "string") refuse(`no method ${told.method}`);
  const nodeOf = nodesOf(level, places);
  try {
    if (told.walk !== undefined) {
      return { profile: told.profile, method: told.method, ...readWalk(told, nodeOf) };
    }
    const lists = stepLists();
    for (const step of told.steps) {
      const parent = step.parent === null ? -1 : nodeOf(step.parent);
      lists.step(nodeOf(step.place), parent, ...["g", "h", "f"].map((name) => number(step[name])));
      for (const one of step.opened) lists.open(nodeOf(one.place), number(one.g), number(one.f));
      lists.close();
    }
    const steps = lists.take();
    const [start, goal] = [nodeOf(told.start), nodeOf(told.goal)];
    if (steps.place.length && steps.place[0] !== start) refuse("its first step is not its start");
    return {
      profile: told.profile,
      start,
      goal,
      method: told.method,
      heuristic: (told.heuristic ?? null) === null ? null : String(told.heuristic),
      weight: number(told.weight),
      admissible: told.admissible ?? null,
      consistent: told.consistent ?? null,
      path: told.path === null ? null : Array.from(told.path, nodeOf),
      cost: told.cost === null ? null : number(told.cost),
      expanded: steps.place.length,
      ...steps,
    };
  } catch (error) {
    const why = error instanceof LevelError ? error.message : "a step lacks something";
    return refuse(`the trace is damaged: ${why}`);
  }
}

function number(value) {
  return Number.isFinite(value) ? value : refuse(`${value} is no number`);
}

/** Returns a function from places, as traces write them, to nodes. */
function nodesOf(level, places) {
  const none = (place) => refuse(`there is no place ${JSON.stringify(place)}`);
  if (level.width) {
    return (place) => {
      const at = Array.isArray(place) ? level.locationOf(...place) : -1;
      return at >= 0 ? at : none(place);
    };
  }
  const named = new Map();
  for (let at = 0; at < level.locations; at++) named.set(String(places.nodeName(at)), at);
  return (place) => named.get(String(place)) ?? none(place);
}
