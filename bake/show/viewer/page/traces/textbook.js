/**
 * Searches a level step by step: textbook A* (P. Hart, N. Nilsson, B. Raphael, 1968), Dijkstra's
 * algorithm, weighted A* and greedy best-first search. The steps equal those of `bake path --trace`, with
 * the same heuristics and the same tie-breaking.
 */

import { fittingHeuristic, NULL } from "./norms.js";

/** The methods that can be traced, named as in `bake path --method`. */
export const METHODS = ["astar", "dijkstra", "weighted", "greedy"];

/** A growing array of numbers. */
class Growing {
  constructor(Type) {
    this.values = new Type(1024);
    this.length = 0;
  }
  push(value) {
    if (this.length === this.values.length) {
      const larger = new this.values.constructor(2 * this.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }
  take = () => this.values.slice(0, this.length);
}

/** The lists of a trace; `take` closes them. */
export function stepLists() {
  const lists = {};
  for (const name of ["place", "parent", "first", "openedPlace"]) lists[name] = new Growing(Int32Array);
  for (const name of ["g", "h", "f", "openedG", "openedF"]) lists[name] = new Growing(Float64Array);
  lists.first.push(0);
  return {
    step(place, parent, g, h, f) {
      lists.place.push(place);
      lists.parent.push(parent);
      lists.g.push(g);
      lists.h.push(h);
      lists.f.push(f);
    },
    open(place, g, f) {
      lists.openedPlace.push(place);
      lists.openedG.push(g);
      lists.openedF.push(f);
    },
    close: () => lists.first.push(lists.openedPlace.length),
    take: () => Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.take()])),
  };
}

/**
 * Searches from one node to another, and records each step.
 *
 * @param options method and weight; norm is a heuristic that fittingHeuristic made before
 * @returns a trace: { profile, start, goal, method, heuristic, weight, admissible, consistent, path,
 *   cost, expanded } and the steps as arrays. Step i took place[i] from the open list, reached from
 *   parent[i] (-1 at the start), with g, h and f in units, and put openedPlace[first[i]] and on there.
 */
export function searchSteps(view, start, goal, { method = "astar", weight = 1, norm = null } = {}) {
  const { level, nav, ground } = view;
  const unit = level.ticksPerUnit;
  const heuristic = method === "dijkstra" ? NULL : (norm ?? fittingHeuristic(view));
  const gShare = method === "greedy" ? 0 : 1;
  const hShare = method === "greedy" ? 1 : weight;
  const reopens =
    method !== "greedy" && heuristic.admissible && !(weight > 1 && heuristic.consistent);
  const lists = stepLists();
  const cost = new Float64Array(level.locations).fill(Infinity);
  const parent = new Int32Array(level.locations).fill(-1);
  const number = new Float64Array(level.locations);
  const state = new Uint8Array(level.locations); // 1 waits on the open list, 2 is closed
  const estimates = new Float64Array(level.locations).fill(-1);
  const toward = heuristic.toward(goal);
  const estimate = (node) => (estimates[node] >= 0 ? estimates[node] : (estimates[node] = toward(node)));
  const heap = heapOf();
  let count = 1;
  let path = null;
  if (nav.stands(start) && nav.stands(goal)) {
    cost[start] = 0;
    state[start] = 1;
    heap.push(start, hShare * estimate(start), 0, 0);
  }
  while (heap.size() && !path) {
    const [node, f, g] = heap.pop();
    if (state[node] !== 1 || cost[node] !== g) continue;
    state[node] = 2;
    lists.step(node, parent[node], g / unit, estimate(node) / unit, f / unit);
    if (node === goal) path = pathTo(parent, goal);
    else {
      ground.eachArc(node, (head, ticks) => {
        const reached = g + ticks;
        if (cost[head] < Infinity && (cost[head] <= reached || !gShare)) return;
        if (state[head] === 2 && !reopens) return;
        cost[head] = reached;
        parent[head] = node;
        if (state[head] !== 1) number[head] = count++;
        state[head] = 1;
        const ahead = gShare * reached + hShare * estimate(head);
        heap.push(head, ahead, reached, number[head]);
        lists.open(head, reached / unit, ahead / unit);
      });
    }
    lists.close();
  }
  const steps = lists.take();
  return {
    profile: nav.name,
    start,
    goal,
    method,
    heuristic: method === "dijkstra" ? null : heuristic.name,
    weight,
    admissible: heuristic.admissible,
    consistent: heuristic.consistent,
    path,
    cost: path ? cost[goal] / unit : null,
    expanded: steps.place.length,
    ...steps,
  };
}

/** Returns the nodes from the start to a visited node. */
export function pathTo(parent, node) {
  const path = [node];
  while (parent[path.at(-1)] >= 0) path.push(parent[path.at(-1)]);
  return path.reverse();
}

/** An open list ordered by smallest f, then largest g, then first opened. */
function heapOf() {
  const lanes = [[], [], [], []]; // node, f, g, number
  const [nodes, fs, gs, numbers] = lanes;
  const before = (f, g, number, i) =>
    f !== fs[i] ? f < fs[i] : g !== gs[i] ? g > gs[i] : number < numbers[i];
  const set = (i, node, f, g, number) => {
    nodes[i] = node;
    fs[i] = f;
    gs[i] = g;
    numbers[i] = number;
  };
  const at = (i) => [nodes[i], fs[i], gs[i], numbers[i]];
  return {
    size: () => nodes.length,
    push(node, f, g, number) {
      let i = nodes.length;
      for (let up; i > 0 && before(f, g, number, (up = (i - 1) >> 1)); i = up) set(i, ...at(up));
      set(i, node, f, g, number);
    },
    pop() {
      const found = at(0);
      const [node, f, g, number] = lanes.map((lane) => lane.pop());
      const count = nodes.length;
      if (!count) return found;
      let i = 0;
      for (let down; (down = 2 * i + 1) < count; i = down) {
        const other = down + 1;
        if (other < count && before(fs[other], gs[other], numbers[other], down)) down = other;
        if (before(f, g, number, down)) break;
        set(i, ...at(down));
      }
      set(i, node, f, g, number);
      return found;
    },
  };
}
