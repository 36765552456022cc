/** Next hops and distances of all places toward one goal, from the reader's answers. */

/**
 * Returns {next, ticks, greatest}: the next hop of each place (-1: none) and its distance to the goal in
 * ticks (Infinity: unreachable). Distances are summed along next hops, with each place visited once.
 */
export function fieldToward(view, goal) {
  return view.kept(`field ${goal}`, () => {
    const { ground, nav } = view;
    const next = nav.hopsTo(goal);
    const count = next.length;
    const ticks = new Float64Array(count).fill(Infinity);
    const stack = [];
    let greatest = 0;
    if (next[goal] < 0) return { next, ticks, greatest };
    ticks[goal] = 0;
    for (let start = 0; start < count; start++) {
      let at = start;
      while (next[at] >= 0 && ticks[at] === Infinity) {
        if (stack.push(at) > count) throw new Error("next hops lead in circles");
        at = next[at];
      }
      let sum = ticks[at];
      while (stack.length) {
        const tail = stack.pop();
        sum += ground.ticksBetween(tail, next[tail]);
        ticks[tail] = sum;
      }
      if (sum < Infinity && sum > greatest) greatest = sum;
    }
    return { next, ticks, greatest };
  });
}
