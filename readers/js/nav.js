/** Queries of one profile from the baked tables. */

import { BLOCKED, columnsOf, damaged, NO_CLASS, number as checked, PROFILE, refuse } from "./file.js";

const NO_WAY = 2 ** 30;
const NO_HOPS = "the file holds no next hops: ask follow(level) of levelbake/changes, which searches";

export function navOf(level, inside, file, number, known) {
  const { width, locations, ticksPerUnit } = level;
  const { lattice, arcs } = inside;
  const { directions, step, chart } = lattice;
  const numbers = file.numbers(number, 8);
  const [rows, components, , says, size, classes] = numbers;
  if (rows < 0 || rows > locations || components < 0 || size < 1 || size > 16 || classes < 0) {
    damaged("the numbers of a profile");
  }
  const reachWidth = (components + 7) >> 3;
  const lengths = { ...known, R: rows, K: components, C: classes, b: reachWidth };
  const c = columnsOf(file, PROFILE, number, lengths, width, inside.c);
  const { first_run: firstRun, run_start: start, run_move: moves, row_at: rowAt } = c;
  const { greedy_kind: kind, greedy_move: greedy, component, reach, class: classOf } = c;
  const { label_parent: parent, label_top: top, first_label: firstLabel, label_away: away } = c;
  const toward = c.label_toward ?? away;
  const steps = c.step_ticks;
  const saysNone = says === 1;
  const hasHops = start !== undefined;
  const none = 2 ** (8 * moves?.BYTES_PER_ELEMENT) - 1;
  const places = new Int32Array(rows).fill(-1);
  const nav = { name: level.profiles[number], size, nodes: places };
  check();

  /** Verifies the constraints between elements of the tables. */
  function check() {
    let count = 0;
    for (let at = 0; at < locations; at++) {
      if (rowAt[at] < 0) continue;
      places[rowAt[at]] = at;
      count++;
    }
    if (count !== rows || places.includes(-1)) damaged("column row_at");
    for (let row = 0; row < rows; row++) {
      if (start) {
        const end = firstRun[row + 1];
        let last = -1;
        for (let i = firstRun[row]; i < end; last = start[i++]) {
          if (start[i] <= last || (last < 0 && start[i])) damaged("column run_start");
        }
        if (last >= rows) damaged("column run_start");
      }
      if (parent) {
        const above = parent[row] < 0 ? -1 : depth(parent[row]);
        if (depth(row) !== above + 1 || depth(top[row]) > depth(row)) damaged("columns of labels");
      }
    }
  }

  /** Returns the move from one row toward another; -1 without a path. */
  function moveOf(row, goal, from, to) {
    if (!saysNone && !joined(row, goal)) return -1;
    let low = firstRun[row];
    let length = firstRun[row + 1] - low;
    while (length > 1) {
      const half = length >> 1;
      if (start[low + half] <= goal) low += half;
      length -= half;
    }
    let m = moves[low];
    if (m === none - 1) {
      const { dx, dy } = chart(from, to);
      const steep = (dx < 0 ? -dx : dx) < (dy < 0 ? -dy : dy) ? 1 : 0;
      const sector = ((dx > 0) - (dx < 0) + 1) * 3 + ((dy > 0) - (dy < 0)) + 1;
      m = kind ? greedy[kind[row] * 18 + sector * 2 + steep] : damaged("column greedy_kind");
    }
    return m === none ? -1 : m;
  }

  /** Returns the node that a move leads to; throws if there is none. */
  function target(at, m) {
    let head = -1;
    if (m < directions) head = step(at, m);
    else if (arcs.first) {
      const j = arcs.first[at] + m - directions;
      if (j < arcs.first[at + 1]) head = arcs.head[j];
    }
    return head >= 0 && rowAt[head] >= 0 ? head : damaged("a next hop leads nowhere");
  }

  /** Returns whether the components of two rows are connected. */
  function joined(row, goal) {
    if (!component) return true;
    const a = component[row];
    const b = component[goal];
    if (a === b) return true;
    return reach !== undefined && ((reach[a * reachWidth + (b >> 3)] >> (7 - (b & 7))) & 1) === 1;
  }

  function nextHop(from, to) {
    const row = rowAt[checked(from)];
    const goal = rowAt[checked(to)];
    if (!(row >= 0 && goal >= 0)) return -1;
    if (row === goal) return from;
    if (!hasHops) refuse(NO_HOPS);
    const m = moveOf(row, goal, from, to);
    return m < 0 ? -1 : target(from, m);
  }

  function path(from, to) {
    const nodes = [];
    let at = from;
    let next = nextHop(from, to);
    if (next < 0) return nodes;
    nodes.push(from);
    while (at !== to) {
      if (nodes.push(next) > rows) damaged("a path leads in circles");
      at = next;
      if ((next = nextHop(at, to)) < 0) damaged("a path ends before its goal");
    }
    return nodes;
  }

  function hopsTo(goal) {
    const found = new Int32Array(locations).fill(-1);
    checked(goal);
    for (const at of places) found[at] = nextHop(at, goal);
    return found;
  }

  function hopsFrom(from) {
    const found = new Int32Array(locations).fill(-1);
    const row = rowAt[checked(from)];
    if (!(row >= 0)) return found;
    if (!hasHops) refuse(NO_HOPS);
    const end = firstRun[row + 1];
    for (let i = firstRun[row]; i < end; i++) {
      const stop = i + 1 < end ? start[i + 1] : rows;
      const plain = moves[i] < none - 1;
      let next = -1;
      for (let goal = start[i]; goal < stop; goal++) {
        if (goal === row || !plain) found[places[goal]] = nextHop(from, places[goal]);
        else if (saysNone || joined(row, goal)) {
          found[places[goal]] = next = next < 0 ? target(from, moves[i]) : next;
        }
      }
    }
    return found;
  }

  /** Returns the highest baked class under the footprint. */
  function bakedClass(at) {
    let most = classOf[level.terrain[at]];
    for (let i = 1; i < size * size; i++) {
      const cell = at + ((i / size) | 0) * width + (i % size);
      most = Math.max(most, classOf[level.terrain[cell]] ?? NO_CLASS);
    }
    return most;
  }

  /** Returns the baked cost of a move in ticks. */
  function price(at, m, head) {
    const own = inside.prices.size && inside.prices.get(`${at},${head}`);
    if (own) return own.ticks;
    if (!width) return c.weight[arcs.first[at] + m];
    if (m >= directions) return inside.c.link_ticks[arcs.first[at] + m - directions];
    const diagonal = m > 3 && directions === 8 ? classes : 0;
    const ticks = steps[(diagonal + bakedClass(at)) * classes + bakedClass(head)];
    return ticks < BLOCKED ? ticks : damaged("a next hop leads where no step does");
  }

  function ticks(from, to) {
    const row = rowAt[checked(from)];
    const goal = rowAt[checked(to)];
    if (!(row >= 0 && goal >= 0)) return Infinity;
    if (row === goal) return 0;
    if (away) return byLabels(row, goal);
    let total = 0;
    let at = from;
    for (let count = 0; at !== to; count++) {
      if (count > rows) damaged("a path leads in circles");
      const next = nextHop(at, to);
      if (next < 0) return Infinity;
      total += price(at, moveOf(rowAt[at], goal, at, to), next);
      at = next;
    }
    return total;
  }

  function depth(row) {
    return firstLabel[row + 1] - firstLabel[row] - 1;
  }

  function byLabels(row, goal) {
    let one = row;
    let other = goal;
    while (top[one] !== top[other]) {
      if (depth(top[one]) < depth(top[other])) [one, other] = [other, one];
      if ((one = parent[top[one]]) < 0) return Infinity;
    }
    let least = NO_WAY;
    for (let k = Math.min(depth(one), depth(other)); k >= 0; k--) {
      least = Math.min(least, away[firstLabel[row] + k] + toward[firstLabel[goal] + k]);
    }
    return least < NO_WAY ? least : Infinity;
  }

  function reachable(from, to) {
    const row = rowAt[checked(from)];
    const goal = rowAt[checked(to)];
    if (!(row >= 0 && goal >= 0)) return false;
    if (joined(row, goal)) return true;
    return saysNone && reach === undefined && nextHop(from, to) >= 0;
  }

  inside.navs ??= new Map();
  inside.navs.set(nav.name, { nav, c, rowAt, classes, hasHops, rows, moveOf, target, price });
  return Object.assign(nav, {
    ...standing(level, (at) => rowAt[checked(at)] >= 0),
    nextHop,
    nextHops: manyOf(nextHop),
    hopsTo,
    hopsFrom,
    path,
    distance: (from, to) => ticks(from, to) / ticksPerUnit,
    reachable,
  });
}

/** Returns a function for the next hops of many pairs. */
export function manyOf(nextHop) {
  return (from, to, out = new Int32Array(from?.length ?? 0)) => {
    const fits = from?.length >= 0 && from.length === to?.length && out?.length >= from.length;
    if (!fits) refuse("expected as many nodes in one list as in the other, and room for as many hops");
    for (let i = 0; i < from.length; i++) out[i] = nextHop(from[i], to[i]);
    return out;
  };
}

/** Returns the members of a Nav that concern walkable nodes. */
export function standing(level, stands) {
  return {
    level,
    stands,
    cellOf: level.cellOf,
    nodeAt(x, y, floor) {
      const at = level.locationOf(x, y, floor);
      return stands(at) ? at : -1;
    },
  };
}
