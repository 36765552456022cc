/**
 * The state of the page, stored in the address, so that a link shows the same view.
 *
 * A state consists of named values, each declared with its initial value:
 *
 *   state.declare("floor", 0);               // numbers, texts, booleans, and lists of texts
 *   state.floor                              // read it like a property
 *   state.set({ floor: 1, start: "3,4" });   // change several at once: one call of every listener
 *   state.listen((changed) => changed.has("floor") && redraw());     // returns a function that stops
 *
 * Initial values are not in the address. Undeclared values of the address are preserved, so that a module
 * that is loaded later finds its values. Edits of the level are not part of the state: they are patches
 * with a history of their own.
 *
 * Declared by view.js: level, profile, floor, x, y, zoom, ground (id of the layer that colours
 * cells), layers (ids of those drawn above it), tool, start, goal (places, see view.placeText), theme.
 */

const CODECS = {
  number: {
    read: (text) => (text.trim() !== "" && Number.isFinite(+text) ? +text : undefined),
    write: (value) => String(Math.round(value * 1000) / 1000),
  },
  string: { read: (text) => text, write: String },
  boolean: { read: (text) => ({ yes: true, no: false })[text], write: (on) => (on ? "yes" : "no") },
  list: { read: (text) => (text ? text.split(".") : []), write: (ids) => ids.join(".") },
};

const kindOf = (value) => (Array.isArray(value) ? "list" : typeof value);

/** Creates a state from an address, the part after "#". */
export function createState(address = "") {
  const said = new Map(new URLSearchParams(address.replace(/^#/, "")));
  const values = new Map();
  const declared = new Map();
  const listeners = new Set();

  function declare(name, initial) {
    if (declared.has(name)) return;
    const codec = CODECS[kindOf(initial)];
    declared.set(name, { initial, codec });
    const found = said.has(name) ? codec.read(said.get(name)) : undefined;
    values.set(name, found === undefined ? initial : found);
    Object.defineProperty(state, name, { get: () => values.get(name), enumerable: true });
  }

  function set(some) {
    const changed = new Set();
    for (const [name, value] of Object.entries(some)) {
      if (!declared.has(name)) throw new Error(`nobody declared ${name}`);
      if (same(values.get(name), value)) continue;
      values.set(name, value);
      changed.add(name);
    }
    if (changed.size) for (const listener of [...listeners]) listener(changed);
    return changed;
  }

  function listen(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Returns whether the first address contained a value. */
  const isNamed = (name) => said.has(name);

  /** Returns the text of the address, with only the values that differ from their initial ones. */
  function toAddress() {
    const found = new URLSearchParams();
    for (const [name, text] of said) if (!declared.has(name)) found.set(name, text);
    for (const [name, { initial, codec }] of declared) {
      const value = values.get(name);
      if (!same(value, initial)) found.set(name, codec.write(value));
    }
    return found.toString().replaceAll("%2C", ",");
  }

  /** Sets the values of another address; values that it lacks are reset. */
  function fromAddress(text) {
    const other = createState(text);
    for (const [name, { initial }] of declared) other.declare(name, initial);
    set(Object.fromEntries([...declared.keys()].map((name) => [name, other[name]])));
  }

  const state = { declare, set, listen, isNamed, toAddress, fromAddress };
  return state;
}

function same(a, b) {
  if (!Array.isArray(a) || !Array.isArray(b)) return Object.is(a, b);
  return a.length === b.length && a.every((each, i) => each === b[i]);
}
