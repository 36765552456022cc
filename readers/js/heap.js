/** Creates a binary min-heap of nodes by key; the order of equal keys is unspecified. */
export function createHeap() {
  let nodes = [];
  let keys = [];
  return {
    get size() {
      return nodes.length;
    },
    /** The lowest key; Infinity if empty. */
    get least() {
      return keys.length ? keys[0] : Infinity;
    },
    push(node, key) {
      let i = nodes.length;
      for (let up; i > 0 && keys[(up = (i - 1) >> 1)] > key; i = up) {
        nodes[i] = nodes[up];
        keys[i] = keys[up];
      }
      nodes[i] = node;
      keys[i] = key;
    },
    /** Removes and returns all nodes, in unspecified order. */
    clear() {
      const all = nodes;
      [nodes, keys] = [[], []];
      return all;
    },
    /** Removes and returns the node with the lowest key; -1 if empty. */
    pop() {
      if (!nodes.length) return -1;
      const found = nodes[0];
      const node = nodes.pop();
      const key = keys.pop();
      const count = nodes.length;
      if (!count) return found;
      let i = 0;
      for (let down; (down = 2 * i + 1) < count; i = down) {
        if (down + 1 < count && keys[down + 1] < keys[down]) down++;
        if (keys[down] >= key) break;
        nodes[i] = nodes[down];
        keys[i] = keys[down];
      }
      nodes[i] = node;
      keys[i] = key;
      return found;
    },
  };
}
