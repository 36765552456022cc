/** Where shortest paths meet: how many of them cross each node, and which nodes stand out. */

/** All nodes on which a profile can stand now. */
export function placesToStand(nav) {
  const found = [];
  for (let at = 0; at < nav.level.locations; at++) if (nav.stands(at)) found.push(at);
  return found;
}

/** How far around a choke point, in arcs, no other one is named. */
const APART = 4;

/** Returns the nodes with the highest numbers, [node, number] each, that lie apart from each other. */
export function highest(ground, numbers, wanted) {
  const found = [];
  const near = new Set();
  const nodes = [];
  for (let at = 0; at < numbers.length; at++) if (numbers[at] > 0) nodes.push(at);
  nodes.sort((a, b) => numbers[b] - numbers[a] || a - b);
  for (const node of nodes) {
    if (found.length === wanted) break;
    if (near.has(node)) continue;
    found.push([node, numbers[node]]);
    let edge = [node];
    near.add(node);
    for (let ring = 0; ring < APART; ring++) {
      const more = [];
      for (const at of edge) {
        ground.eachArc(at, (head) => {
          if (!near.has(head)) more.push(head);
          near.add(head);
        });
      }
      edge = more;
    }
  }
  return found;
}

/**
 * Counts how many shortest paths cross each node, goal by goal: of all pairs when all goals are done.
 * Paths are those that next hops lead along; both ends count.
 *
 * @param goals the nodes whose paths are counted, in the order in which they are
 */
export function crossings(nav, goals) {
  const { locations } = nav.level;
  const total = new Float64Array(locations);
  const waiting = new Int32Array(locations); // how many nodes step onto this one and are not done
  const through = new Float64Array(locations);
  const ready = new Int32Array(locations);
  let done = 0;
  let most = 0;

  function count(goal) {
    const next = nav.hopsTo(goal);
    waiting.fill(0);
    through.fill(0);
    for (let at = 0; at < locations; at++) if (next[at] >= 0 && at !== goal) waiting[next[at]]++;
    let last = 0;
    for (let at = 0; at < locations; at++) if (next[at] >= 0 && !waiting[at]) ready[last++] = at;
    for (let i = 0; i < last; i++) {
      const at = ready[i];
      through[at]++;
      total[at] += through[at];
      if (total[at] > most) most = total[at];
      if (at === goal) continue;
      through[next[at]] += through[at];
      if (--waiting[next[at]] === 0) ready[last++] = next[at];
    }
  }

  return {
    total,
    goals: goals.length,
    get done() {
      return done;
    },
    get most() {
      return most;
    },
    /** Counts on until `until()` says that the time is up, one goal at least; false: all is done. */
    go(until = () => false) {
      while (done < goals.length) {
        count(goals[done++]);
        if (until()) break;
      }
      return done < goals.length;
    },
  };
}

/** Some nodes, spread evenly over those that a list holds. */
export function spread(nodes, wanted) {
  if (nodes.length <= wanted) return Array.from(nodes);
  return Array.from({ length: wanted }, (_, i) => nodes[Math.floor(((i + 0.5) * nodes.length) / wanted)]);
}
