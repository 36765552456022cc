/** Keeps what a person changes in a level: one edit after another, each of which can be undone. */

/** How many edits can be undone, and how many characters their patches may take together. */
const MOST_EDITS = 500;
const MOST_TEXT = 2 ** 25;

/**
 * Follows the edits of a level. What the level was before an edit is kept as a patch, so undoing one
 * leads to the very same level, whatever the edit was.
 *
 * @param now what has become of the level: `follow(level)` of the reader
 */
export function editsOf(now) {
  const past = [];
  const future = [];
  const listeners = new Set();
  let kept = 0;

  function tell(what) {
    for (const listener of listeners) listener(what);
  }

  function push(list, entry) {
    list.push(entry);
    kept += entry.before.length;
    while (past.length > MOST_EDITS || (kept > MOST_TEXT && past.length > 1)) {
      kept -= past.shift().before.length;
    }
  }

  function forgetFuture() {
    for (const entry of future.splice(0)) kept -= entry.before.length;
  }

  /**
   * Makes an edit: `change` is called and may update the level; what it throws is thrown on, and
   * nothing has changed then.
   */
  function make(what, change) {
    const before = now.patch();
    try {
      change(now);
    } catch (error) {
      if (now.patch() !== before) now.applyPatch(before);
      throw error;
    }
    note(what, before);
  }

  function note(what, before) {
    if (now.patch() === before) return;
    forgetFuture();
    push(past, { what, before });
    tell(what);
  }

  /** Begins an edit of many updates, such as the stroke of a brush; all of it is undone at once. */
  function stroke(what) {
    const before = now.patch();
    return {
      update(batch) {
        now.update(batch);
        tell(what);
      },
      end: () => note(what, before),
    };
  }

  function move(from, to, word) {
    const entry = from.pop();
    if (!entry) return null;
    kept -= entry.before.length;
    const here = now.patch();
    now.applyPatch(entry.before);
    push(to, { what: entry.what, before: here });
    tell(`${word}: ${entry.what}`);
    return entry.what;
  }

  return {
    make,
    stroke,
    undo: () => move(past, future, "undone"),
    redo: () => move(future, past, "redone"),
    /** Makes the level what it was when it was baked; this can be undone, too. */
    reset: () => make("as it was baked", () => now.reset()),
    save: () => now.patch(),
    load: (text) => make("a patch", () => now.applyPatch(text)),
    get undoable() {
      return past.at(-1)?.what ?? null;
    },
    get redoable() {
      return future.at(-1)?.what ?? null;
    },
    /** Calls back with a few words after each update; returns what ends that. */
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * What is other than when the level was baked: { walls, terrain } are nodes, { doors } names, and
 * { prices } keys of arcs.
 *
 * @param prices the prices of arcs now and as they were baked, by their keys
 */
export function changesOf(now, { prices, baked }) {
  const { level } = now;
  const walls = [];
  const terrain = [];
  for (let at = 0; at < level.locations; at++) {
    if (now.hasObstacle(at)) walls.push(at);
    else if (now.terrainAt(at) !== level.terrain[at]) terrain.push(at);
  }
  const doors = level.doors.filter((door) => now.doorState(door.name) !== door.baked);
  const keys = new Set([...prices.keys(), ...baked.keys()]);
  const repriced = [...keys].filter((key) => prices.get(key)?.units !== baked.get(key)?.units);
  return { walls, terrain, doors: doors.map((door) => door.name), prices: repriced };
}
