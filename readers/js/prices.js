/** Computes the costs of one profile's arcs on a level state, by the rules of the bake. */

import { BLOCKED, MAX_WEIGHT, NO_CLASS } from "./file.js";

/** The two straight directions that each diagonal direction consists of. */
const FLANKS = [[0, 1], [2, 1], [2, 3], [0, 3]]; // prettier-ignore

/** Rounds to the nearest integer, halves to even. */
export function even(number) {
  const down = Math.floor(number);
  const rest = number - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down;
}

/** Returns the cost functions of one profile. A ground is a level state {terrain, obstacle, prices}. */
export function pricesOf(level, inside, { nav, c, classes }) {
  const { width, floorRows, ticksPerUnit, terrain: baked } = level;
  const { lattice, arcs, prices: bakedPrices, corners, rule } = inside;
  const { barred, link_ticks: linkTicks, length, elevation } = inside.c;
  const { directions, heading, step } = lattice;
  const { cost, weight, may_enter: enter, slope, link_open: linkOpen, step_ticks: stepTicks } = c;
  const { size } = nav;
  const classOf = c.class;
  const terrains = level.terrains.length;

  /** Returns the highest class under the footprint; NO_CLASS if it does not fit. */
  function classAt(at, { terrain, obstacle }) {
    if (size === 1) return obstacle[at] ? NO_CLASS : classOf[terrain[at]];
    const y = (at / width) | 0;
    if (at - y * width + size > width || (y % floorRows) + size > floorRows) return NO_CLASS;
    let most = 0;
    for (let i = 0; i < size * size; i++) {
      const cell = at + ((i / size) | 0) * width + (i % size);
      most = Math.max(most, obstacle[cell] ? NO_CLASS : classOf[terrain[cell]]);
    }
    return most;
  }

  /** Returns whether terrain and ledges allow the whole footprint to step between two nodes. */
  function mayStep(tail, head, bits, terrain) {
    if (!barred && !enter) return true;
    for (let i = 0; i < size * size; i++) {
      const away = ((i / size) | 0) * width + (i % size);
      const a = tail + away;
      const b = head + away;
      if (enter && !enter[terrain[a] * terrains + terrain[b]]) return false;
      if (barred && (barred[a] | barred[b]) & bits) return false;
    }
    return true;
  }

  function stepPrice(at, m, head, ground) {
    const a = classAt(at, ground);
    const b = classAt(head, ground);
    const bits = heading[m];
    const { terrain } = ground;
    if (a === NO_CLASS || b === NO_CLASS || !mayStep(at, head, bits, terrain)) return BLOCKED;
    const diagonal = m > 3 && directions === 8;
    if (diagonal && corners < 2) {
      let free = 0;
      for (const flank of FLANKS[m - 4]) {
        const side = step(at, flank);
        const part = heading[flank];
        const walks =
          classAt(side, ground) < NO_CLASS &&
          mayStep(at, side, part, terrain) &&
          mayStep(side, head, bits & ~part, terrain) &&
          !(barred && barred[side] & bits);
        if (walks) free++;
      }
      if (free < 2 && (!free || corners === 0)) return BLOCKED;
    }
    return stepTicks[((diagonal ? classes : 0) + a) * classes + b];
  }

  /** Returns the additional cost of a graph arc's slope in units; Infinity if too steep. */
  function slopeOf(at, head) {
    const rise = slope && elevation ? elevation[head] - elevation[at] : 0;
    if (!rise) return 0;
    if (!(rise <= slope[2] && -rise <= slope[3])) return Infinity;
    return rise > 0 ? slope[0] * rise : slope[1] * -rise;
  }

  /** Returns the cost of a graph arc or a link in ticks. */
  function arcPrice(j, at, head, ground) {
    const { terrain } = ground;
    if (inside.c.cell) return weight[j]; // Such levels cannot change, so the baked cost is valid.
    if (classAt(at, ground) === NO_CLASS || classAt(head, ground) === NO_CLASS) return BLOCKED;
    if (width) return linkOpen[j] ? linkTicks[j] : BLOCKED;
    if (!mayStep(at, head, 0, terrain)) return BLOCKED;
    if (terrain[at] === baked[at] && terrain[head] === baked[head]) {
      if (ground.prices === bakedPrices || !bakedPrices.has(`${at},${head}`)) return weight[j];
    }
    const after = cost[terrain[head]];
    const unit = rule ? after : (cost[terrain[at]] + after) / 2;
    const ticks = even((unit * length[j] + slopeOf(at, head)) * ticksPerUnit);
    return ticks >= 1 && ticks <= MAX_WEIGHT ? ticks : BLOCKED;
  }

  /** Returns the cost in ticks of move m, or of arc j if given. */
  function price(at, m, head, ground, j = arcs.first?.[at] + m - directions) {
    const step = m < directions;
    const ticks = step ? stepPrice(at, m, head, ground) : arcPrice(j, at, head, ground);
    if (ticks === BLOCKED || !ground.prices.size) return ticks;
    return ground.prices.get(`${at},${head}`)?.ticks ?? ticks;
  }

  return { classAt, price };
}
