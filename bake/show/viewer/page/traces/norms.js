/**
 * The heuristics of searches in the page, as in bake/search/point/estimates.py: norms of the grid,
 * scaled to be admissible on every current arc.
 */

/** Coordinates other than cells span at most this many steps; see bake/search/point/estimates.py. */
const SPAN = 2 ** 20;
/** The margin for rounding in square roots. */
const BELOW = 1 - 2 ** -34;
/** The largest estimate, below the value for unreachable. */
const LARGEST = 2 ** 30 - 1;

/**
 * Returns the geometric heuristic that fits how a profile moves, scaled so that it holds on every
 * arc there is now: { name, admissible, consistent, toward(goal) }, where toward gives a function from
 * nodes to ticks.
 *
 * @param view its level, ground and places: see view.js
 */
export function fittingHeuristic(view) {
  if (view.level.hexLayout) return hexNorm(view);
  if (view.level.width) return cellNorm(view);
  return view.places.toPoint(0) ? euclidean(view) : NULL;
}

/** The zero heuristic, for Dijkstra's algorithm and for graphs without positions. */
export const NULL = { name: "null", admissible: true, consistent: true, toward: () => () => 0 };

/** Calls back with tail, head and ticks of every arc that the profile may take now. */
function everyArc({ level, ground }, call) {
  for (let tail = 0; tail < level.locations; tail++) {
    ground.eachArc(tail, (head, ticks) => call(tail, head, ticks));
  }
}

/** Returns the coordinates of each node, (x, y) interleaved, with floors on top of each other. */
function cellsOf(level) {
  const at = new Int32Array(2 * level.locations);
  for (let node = 0; node < level.locations; node++) {
    const [x, y] = level.cellOf(node);
    at[2 * node] = x;
    at[2 * node + 1] = y;
  }
  return at;
}

/** Returns axial coordinates of hexagons, in which neighbors differ by one. */
function axialOf(level) {
  const at = new Int32Array(2 * level.locations);
  const even = level.hexLayout.startsWith("even") ? 1 : -1;
  const byColumn = level.hexLayout.endsWith("q");
  for (let node = 0; node < level.locations; node++) {
    let x = node % level.width;
    let y = (node / level.width) | 0;
    if (byColumn) y -= (x + even * (x & 1)) >> 1;
    else x -= (y + even * (y & 1)) >> 1;
    at[2 * node] = x;
    at[2 * node + 1] = y;
  }
  return at;
}

function cellNorm(view) {
  const { level } = view;
  const at = cellsOf(level);
  let straight = Infinity;
  let diagonal = Infinity;
  let jump = Infinity;
  let slanted = false;
  let jumps = false;
  everyArc(view, (tail, head, ticks) => {
    const [dx, dy, larger, smaller] = apart(at, tail, head);
    const rows = Math.abs(((tail / level.width) | 0) - ((head / level.width) | 0));
    if (dx === 1 && rows === 1) slanted = true;
    if (larger > 1) jumps = true;
    if (larger === 1 && smaller === 0) straight = Math.min(straight, ticks);
    if (dx === 1 && dy === 1) diagonal = Math.min(diagonal, ticks);
    if (larger > 0) jump = Math.min(jump, Math.floor(ticks / larger));
  });
  const name = slanted ? "octile" : "manhattan";
  if (straight === Infinity) straight = diagonal < Infinity ? diagonal : jump;
  if (straight === Infinity) return { ...NULL, name };
  let extra = straight;
  if (slanted) {
    if (diagonal === Infinity) diagonal = Math.floor(Math.SQRT2 * straight);
    straight = Math.min(straight, diagonal);
    extra = Math.min(diagonal, 2 * straight) - straight;
  }
  if (jumps) [straight, extra] = lowered(view, at, straight, extra);
  let holds = true;
  if (jumps || !slanted) {
    everyArc(view, (tail, head, ticks) => {
      const [, , larger, smaller] = apart(at, tail, head);
      if (straight * larger + extra * smaller > ticks) holds = false;
    });
  }
  return {
    name,
    admissible: holds,
    consistent: holds,
    toward: (goal) => (node) => {
      const [, , larger, smaller] = apart(at, node, goal);
      return Math.min(straight * larger + extra * smaller, LARGEST);
    },
  };
}

/** Scales a norm down until it is admissible on every jump; in integers, as products are large. */
function lowered(view, at, straight, extra) {
  let [first, second] = [BigInt(straight), BigInt(extra)];
  everyArc(view, (tail, head, ticks) => {
    const [, , larger, smaller] = apart(at, tail, head);
    const length = straight * larger + extra * smaller;
    if (larger < 2 || length <= ticks) return;
    const scaled = (part) => (BigInt(part) * BigInt(ticks)) / BigInt(length);
    if (scaled(straight) < first) first = scaled(straight);
    if (scaled(extra) < second) second = scaled(extra);
  });
  return [Number(first), Number(second)];
}

function apart(at, a, b) {
  const dx = Math.abs(at[2 * a] - at[2 * b]);
  const dy = Math.abs(at[2 * a + 1] - at[2 * b + 1]);
  return dx > dy ? [dx, dy, dx, dy] : [dx, dy, dy, dx];
}

function hexNorm(view) {
  const at = axialOf(view.level);
  const steps = (a, b) => {
    const dx = at[2 * a] - at[2 * b];
    const dy = at[2 * a + 1] - at[2 * b + 1];
    return Math.max(Math.abs(dx), Math.abs(dy), Math.abs(dx + dy));
  };
  let straight = Infinity;
  everyArc(view, (tail, head, ticks) => {
    const count = steps(tail, head);
    if (count) straight = Math.min(straight, Math.floor(ticks / count));
  });
  if (straight === Infinity) return { ...NULL, name: "hex" };
  const toward = (goal) => (node) => Math.min(straight * steps(node, goal), LARGEST);
  return { name: "hex", admissible: true, consistent: true, toward };
}

function euclidean(view) {
  const at = quantised(view);
  const far = (a, b) => {
    const dx = at[2 * a] - at[2 * b];
    const dy = at[2 * a + 1] - at[2 * b + 1];
    return Math.sqrt(dx * dx + dy * dy);
  };
  let scale = Infinity;
  everyArc(view, (tail, head, ticks) => {
    const length = far(tail, head);
    if (length > 0) scale = Math.min(scale, ticks / length);
  });
  if (scale === Infinity) return { ...NULL, name: "euclidean" };
  scale *= BELOW;
  const toward = (goal) => (node) => Math.min(Math.floor(scale * far(node, goal)), LARGEST);
  return { name: "euclidean", admissible: true, consistent: true, toward };
}

/** Returns the positions of the profile's nodes, rounded to steps of their extent. */
function quantised({ level, nav, places }) {
  const { locations } = level;
  const at = new Int32Array(2 * locations);
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  for (let node = 0; node < locations; node++) {
    if (!nav.stands(node)) continue;
    places.toPoint(node).forEach((part, i) => {
      low[i] = Math.min(low[i], part);
      high[i] = Math.max(high[i], part);
    });
  }
  const extent = Math.max(high[0] - low[0], high[1] - low[1]);
  if (!(extent > 0 && extent < Infinity)) return at;
  for (let node = 0; node < locations; node++) {
    if (!nav.stands(node)) continue;
    places.toPoint(node).forEach((part, i) => {
      at[2 * node + i] = even(((part - low[i]) / extent) * (SPAN - 1));
    });
  }
  return at;
}

function even(number) {
  const down = Math.floor(number);
  const rest = number - down;
  return rest > 0.5 || (rest === 0.5 && down % 2) ? down + 1 : down;
}
