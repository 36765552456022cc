/**
 * Strongly connected components of the current level. They are read from the file if the level is
 * unchanged, and otherwise computed (R. Tarjan, "Depth-first search and linear graph algorithms", 1972).
 */

/**
 * Returns {of, size, first}: the rank of the component of each location, with 0 for the largest and -1
 * for blocked locations; the size and the first place of each component by rank.
 */
export function componentsOf(view) {
  return view.kept("components", () => {
    const { tables, baked, changes, level } = view;
    const number = new Int32Array(level.locations).fill(-1);
    const said = tables.c.component;
    if (!changes.changed) {
      baked.nodes.forEach((at, row) => (number[at] = said ? said[row] : 0));
      return ranked(number, baked.nodes);
    }
    stronglyConnected(view.ground, number);
    return ranked(number, number.keys());
  });
}

/** Numbers the components, and assigns each place its component; blocked places remain -1. */
export function stronglyConnected(ground, number) {
  const count = number.length;
  const seen = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const onStack = new Uint8Array(count);
  const stack = [];
  let time = 0;
  let components = 0;
  for (let root = 0; root < count; root++) {
    if (seen[root] >= 0 || !ground.stands(root)) continue;
    const calls = [];
    enter(root);
    while (calls.length) {
      const call = calls[calls.length - 1];
      const { at, heads } = call;
      if (call.i < heads.length) {
        const head = heads[call.i++];
        if (seen[head] < 0) enter(head);
        else if (onStack[head]) low[at] = Math.min(low[at], seen[head]);
        continue;
      }
      calls.pop();
      if (calls.length) {
        const above = calls[calls.length - 1].at;
        low[above] = Math.min(low[above], low[at]);
      }
      if (low[at] !== seen[at]) continue;
      for (let one = -1; one !== at; ) {
        one = stack.pop();
        onStack[one] = 0;
        number[one] = components;
      }
      components++;
    }

    function enter(at) {
      seen[at] = low[at] = time++;
      onStack[at] = 1;
      stack.push(at);
      const heads = [];
      ground.eachArc(at, (head) => heads.push(head));
      calls.push({ at, heads, i: 0 });
    }
  }
  return number;
}

/**
 * Ranks components by size, then by number. The first place of each is the first in the order of the
 * baked rows, so that pictures name the same places.
 */
function ranked(number, places) {
  const size = [];
  const first = [];
  for (const at of places) {
    const one = number[at];
    if (one < 0) continue;
    size[one] = (size[one] ?? 0) + 1;
    first[one] ??= at;
  }
  const order = [...size.keys()].filter((one) => size[one] > 0);
  order.sort((a, b) => size[b] - size[a] || a - b);
  const rank = new Int32Array(size.length);
  order.forEach((one, i) => (rank[one] = i));
  return {
    of: number.map((one) => (one < 0 ? -1 : rank[one])),
    size: order.map((one) => size[one]),
    first: order.map((one) => first[one]),
  };
}
