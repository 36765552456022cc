/**
 * Smooths a path: segments are replaced by two straight runs if these cost no more, once from the start
 * and once from the goal, as in the Python reader (section 3.4 of the paper on HPA*).
 */

/** How often extending a segment may fail before the next one begins. */
const PATIENCE = 12;

/** Returns {nodes, ticks} of the smoothed path; paths on graphs are returned unchanged. */
export function smooth(view, { nodes, ticks }) {
  if (!view.ground.isGrid || nodes.length < 3) return { nodes, ticks };
  const ahead = once(view, nodes, 1);
  const both = once(view, ahead, -1);
  let sum = 0;
  for (let i = 1; i < both.length; i++) sum += view.ground.ticksBetween(both[i - 1], both[i]);
  return { nodes: both, ticks: sum };
}

function once(view, path, move) {
  const { ground } = view;
  const at = move > 0 ? path : [...path].reverse();
  const price = (i) =>
    move > 0 ? ground.ticksBetween(at[i], at[i + 1]) : ground.ticksBetween(at[i + 1], at[i]);
  const out = [at[0]];
  let here = 0;
  while (here < at.length - 1) {
    let other = here + 1;
    let cost = price(here);
    const way = headingOf(view, at[here], at[other]);
    while (other < at.length - 1 && way && way === headingOf(view, at[other], at[other + 1])) {
      cost += price(other++);
    }
    let [best, run] = [other, null];
    for (let vain = 0; other < at.length - 1 && vain < PATIENCE; vain++) {
      cost += price(other++);
      const [a, b] = move > 0 ? [at[here], at[other]] : [at[other], at[here]];
      const found = twoRuns(view, a, b, cost);
      if (found) [best, run, vain] = [other, found, -1];
    }
    if (!run) out.push(...at.slice(here + 1, best + 1));
    else out.push(...(move > 0 ? run : run.reverse()).slice(1));
    here = best;
  }
  return move > 0 ? out : out.reverse();
}

/** Returns the direction of a step as a text; "" for a link. */
function headingOf({ ground }, from, to) {
  const { dx, dy } = ground.lattice.chart(from, to);
  return Math.abs(dx) <= 1 && Math.abs(dy) <= 1 ? `${dx} ${dy}` : "";
}

/** Returns the cells of two straight runs between two cells within a cost limit, or null. */
function twoRuns(view, from, to, most) {
  const { lattice } = view.ground;
  if (view.plane.floorOf(from) !== view.plane.floorOf(to)) return null;
  const { dx, dy } = lattice.chart(from, to);
  const [sx, sy] = [Math.sign(dx), Math.sign(dy)];
  const [ax, ay] = [Math.abs(dx), Math.abs(dy)];
  if (!ax && !ay) return null;
  const slanted = lattice.layout ? sx * sy < 0 : lattice.directions === 8;
  const few = slanted ? Math.min(ax, ay) : 0;
  const runs = [[sx, sy, few], [sx, 0, ax - few], [0, sy, ay - few]].filter(([, , n]) => n > 0); // prettier-ignore
  for (const [first, second] of [runs, [...runs].reverse()]) {
    const nodes = [from];
    const one = straight(view, nodes, first);
    const other = one >= 0 && second ? straight(view, nodes, second) : 0;
    if (one >= 0 && other >= 0 && one + other <= most) return nodes;
  }
  return null;
}

/** Adds straight steps of equal cost; returns the ticks, or -1 if a step is impossible. */
function straight({ ground }, nodes, [dx, dy, count]) {
  const { lattice } = ground;
  let each = 0;
  for (let i = 0; i < count; i++) {
    const at = nodes[nodes.length - 1];
    let next = -1;
    let price = 0;
    ground.eachArc(at, (head, ticks, m) => {
      if (m >= lattice.directions) return;
      const away = lattice.chart(at, head);
      if (away.dx === dx && away.dy === dy) [next, price] = [head, ticks];
    });
    if (next < 0 || (each && price !== each)) return -1;
    each = price;
    nodes.push(next);
  }
  return each * count;
}
