/** A binary heap of numbers by their keys; equal keys come out in no order that matters. */
export function createHeap() {
  let nodes = [];
  let keys = [];
  return {
    get size() {
      return nodes.length;
    },
    /** The lowest key; Infinity: there is none. */
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
    /** Takes all nodes, in no order that matters. */
    clear() {
      const all = nodes;
      [nodes, keys] = [[], []];
      return all;
    },
    /** Takes the node of the lowest key; -1: there is none. */
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
