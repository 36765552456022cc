/** The history of edits of a level, each of which can be undone. */

/** The most edits that can be undone, and the most characters of all their patches. */
const MOST_EDITS = 500;
const MOST_TEXT = 2 ** 25;

/**
 * Returns the history of a level. The state before each edit is stored as a patch, so undoing any edit
 * restores exactly the same level.
 *
 * @param now the changing level: `follow(level)` of the reader
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
   * Runs an edit: `change` is called and may update the level. If it throws, the level is unchanged and
   * the error is rethrown.
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

  /** Begins an edit of many updates, such as a brush stroke, which is undone as a whole. */
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
    /** Restores the level as it was baked; this can be undone, too. */
    reset: () => make("as it was baked", () => now.reset()),
    save: () => now.patch(),
    load: (text) => make("a patch", () => now.applyPatch(text)),
    get undoable() {
      return past.at(-1)?.what ?? null;
    },
    get redoable() {
      return future.at(-1)?.what ?? null;
    },
    /** Calls back with a short text after each update; returns a function that stops. */
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Returns the differences from the baked level: { walls, terrain } as nodes, { doors } as names, and
 * { prices } as keys of arcs.
 *
 * @param prices the current and the baked prices of arcs by their keys
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
