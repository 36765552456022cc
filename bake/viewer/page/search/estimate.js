/**
 * A lower bound of the ticks between two places, from where they lie. Along any arc it falls by no
 * more than the arc costs, so A* expands no place twice.
 */

import { BLOCKED } from "../../../../readers/js/file.js";

/** Room for what floating-point numbers round away, far below a tick. */
const JUST_BELOW = 1 - 1e-12;

/** Returns estimate(from, to) in ticks for the level as it is now. */
export function estimateOf(view) {
  return view.kept("estimate", () => {
    const far = view.ground.isGrid ? gridDistance(view) : planeDistance(view);
    if (!far) return () => 0;
    const scale = leastRatio(view, far) * JUST_BELOW;
    return scale > 0 ? (from, to) => far(from, to) * scale : () => 0;
  });
}

/** Ticks across open ground of the cheapest kind; floors lie below one another, as links join them. */
function gridDistance({ ground }) {
  const { lattice, stepTicks } = ground;
  const { chart, layout, directions } = lattice;
  const half = stepTicks.length / 2;
  const least = (some) => some.reduce((a, b) => Math.min(a, b), BLOCKED);
  const straight = least(stepTicks.subarray(0, half));
  const slanted = directions === 8 ? least(stepTicks.subarray(half)) : BLOCKED;
  if (straight === BLOCKED && slanted === BLOCKED) return null;
  const diagonal = Math.min(2 * straight, slanted);
  return (from, to) => {
    const away = chart(from, to);
    const dx = Math.abs(away.dx);
    const dy = Math.abs(away.dy);
    if (layout) return Math.max(dx, dy, Math.abs(away.dx + away.dy)) * straight;
    return Math.abs(dx - dy) * straight + Math.min(dx, dy) * diagonal;
  };
}

/** How far nodes lie apart, if the source says where they lie. */
function planeDistance({ plane }) {
  if (plane.invented) return null;
  return (from, to) => Math.hypot(plane.xs[from] - plane.xs[to], plane.ys[from] - plane.ys[to]);
}

/**
 * The least price of an arc for each unit of `far`. Steps of a grid cost at least what `far` says,
 * so only links and arcs with prices of their own have to be looked at.
 */
function leastRatio({ ground, level }, far) {
  let least = ground.isGrid ? 1 : Infinity;
  const look = (from) =>
    ground.eachArc(from, (to, ticks) => {
      const apart = far(from, to);
      if (apart > 0) least = Math.min(least, ticks / apart);
    });
  if (!ground.isGrid || ground.hasPrices()) {
    for (let at = 0; at < level.locations; at++) look(at);
  } else {
    for (const { from, to, bothWays } of level.links) {
      look(from);
      if (bothWays) look(to);
    }
  }
  return Number.isFinite(least) ? least : 0;
}
