/**
 * Computes positions for a graph without positions: first on rings, in the order of a breadth-first
 * search, then by forces (T. Fruchterman, E. Reingold, "Graph Drawing by Force-directed Placement",
 * 1991). The layout is deterministic.
 */

/** Graphs with more nodes stay on rings, as forces act between all pairs of nodes. */
const MOST_PUSHED = 1200;
const ROUNDS = 120;

/** Returns x and y of each node, interleaved. */
export function layOut(firstOut, head) {
  const count = firstOut.length - 1;
  const order = breadthFirst(firstOut, head, count);
  const point = new Float64Array(2 * count);
  order.forEach((at, i) => {
    // Like sunflower seeds: evenly spread, and neighbors in the order have similar radii.
    const turn = i * Math.PI * (3 - Math.sqrt(5));
    point[2 * at] = Math.sqrt(i + 0.5) * Math.cos(turn);
    point[2 * at + 1] = Math.sqrt(i + 0.5) * Math.sin(turn);
  });
  if (count > 1 && count <= MOST_PUSHED) push(point, firstOut, head, count);
  return point;
}

function breadthFirst(firstOut, head, count) {
  const seen = new Uint8Array(count);
  const order = [];
  for (let root = 0; root < count; root++) {
    if (seen[root]) continue;
    seen[root] = 1;
    order.push(root);
    for (let i = order.length - 1; i < order.length; i++) {
      for (let j = firstOut[order[i]]; j < firstOut[order[i] + 1]; j++) {
        if (seen[head[j]]) continue;
        seen[head[j]] = 1;
        order.push(head[j]);
      }
    }
  }
  return order;
}

function push(point, firstOut, head, count) {
  const move = new Float64Array(2 * count);
  const apart = 1.6;
  for (let round = 0; round < ROUNDS; round++) {
    const most = (Math.sqrt(count) / 5) * (1 - round / ROUNDS) + 0.02;
    move.fill(0);
    for (let a = 0; a < count; a++) {
      for (let b = 0; b < a; b++) {
        const dx = point[2 * a] - point[2 * b];
        const dy = point[2 * a + 1] - point[2 * b + 1];
        const force = (apart * apart) / (dx * dx + dy * dy + 1e-6);
        move[2 * a] += dx * force;
        move[2 * a + 1] += dy * force;
        move[2 * b] -= dx * force;
        move[2 * b + 1] -= dy * force;
      }
      for (let j = firstOut[a]; j < firstOut[a + 1]; j++) {
        const b = head[j];
        const dx = point[2 * a] - point[2 * b];
        const dy = point[2 * a + 1] - point[2 * b + 1];
        const force = Math.hypot(dx, dy) / apart / 2;
        move[2 * a] -= dx * force;
        move[2 * a + 1] -= dy * force;
        move[2 * b] += dx * force;
        move[2 * b + 1] += dy * force;
      }
    }
    for (let a = 0; a < count; a++) {
      const far = Math.hypot(move[2 * a], move[2 * a + 1]) || 1;
      const step = Math.min(far, most) / far;
      point[2 * a] += move[2 * a] * step;
      point[2 * a + 1] += move[2 * a + 1] * step;
    }
  }
}
