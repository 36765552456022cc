/**
 * Arcs and prices of the current level for searches in the page, computed by the rules of the reader, so
 * that costs agree with it.
 */

import { BLOCKED, NO_CLASS } from "../../../../../readers/js/file.js";
import { insides } from "../../../../../readers/js/level.js";
import { pricesOf } from "../../../../../readers/js/prices.js";

/** Returns {size, stands, classAt, eachArc, eachBack, price, unit} of a view's profile. */
export function groundOf({ level, changes, inside, tables }) {
  const { lattice, arcs } = inside;
  const { directions, step, layout } = lattice;
  const { now, into } = insides.get(changes);
  const { classAt, price } = pricesOf(level, inside, tables);
  const opposite = layout ? [3, 4, 5, 0, 1, 2] : [2, 3, 0, 1, 6, 7, 4, 5];
  const first = arcs.first;

  /** Calls back with the head of each arc that leaves a place, its ticks and its move. */
  function eachArc(at, visit) {
    const more = first ? first[at + 1] - first[at] : 0;
    for (let m = 0; m < directions + more; m++) {
      const head = m < directions ? step(at, m) : arcs.head[first[at] + m - directions];
      if (head < 0) continue;
      const ticks = price(at, m, head, now);
      if (ticks !== BLOCKED) visit(head, ticks, m);
    }
  }

  /** Calls back with the tail of each arc that leads to a place, and its ticks. */
  function eachBack(at, visit) {
    const more = into ? into.first[at + 1] - into.first[at] : 0;
    for (let m = 0; m < directions + more; m++) {
      const j = m < directions ? -1 : into.arc[into.first[at] + m - directions];
      const tail = j < 0 ? step(at, opposite[m]) : arcs.tail[j];
      if (tail < 0) continue;
      const ticks = j < 0 ? price(tail, m, at, now) : price(tail, m, at, now, j);
      if (ticks !== BLOCKED) visit(tail, ticks);
    }
  }

  /** Returns the ticks of the cheapest arc from one place to another; BLOCKED: none. */
  function ticksBetween(from, to) {
    let least = BLOCKED;
    eachArc(from, (head, ticks) => {
      if (head === to && ticks < least) least = ticks;
    });
    return least;
  }

  return {
    locations: level.locations,
    lattice,
    hasLinks: arcs.head.length > 0,
    hasPrices: () => now.prices.size > 0,
    stepTicks: tables.c.step_ticks,
    isGrid: level.width > 0,
    terrainAt: (at) => now.terrain[at],
    obstacleAt: (at) => now.obstacle[at],
    stands: (at) => lattice.inside(at) && classAt(at, now) !== NO_CLASS,
    classAt: (at) => classAt(at, now),
    eachArc,
    eachBack,
    ticksBetween,
    unit: level.ticksPerUnit,
  };
}
