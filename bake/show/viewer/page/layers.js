/**
 * The list of layers. A layer is an object:
 *
 *   id          unique, used in the address
 *   title       a short title
 *   kind        "ground": colors every place, one is shown at a time;
 *               "overlay": is drawn above the ground, any number are shown
 *   order       the position in the list and, for overlays, in drawing; default 50
 *   initially   whether an overlay is shown at first
 *   shortcut    a key that toggles it, optional
 *   missing(view)     why it cannot be shown for this level and profile, in one sentence;
 *                     "" or undefined: it can. See `available(layer)`
 *   hidden(view)      true: it is not listed for this level
 *   follows     "hover": it depends on the place under the pointer
 *   legend(view)      [{colour, text, stripe?}] with CSS colors, or {ramp, from, to}
 *   shaded            true: the roads of a graph get the colors of their ends, too
 *   paint(view)       for a ground: {fill, stripe?, solid?, edge?}
 *                       fill    Uint32Array (location), colors from `packed` of palette.js
 *                       stripe  Uint8Array (location), 0 or one more than the index in palette.stripes
 *                       solid   Uint8Array (location), 1: no lines between cells
 *                     Cache it with view.kept(): every frame requests it, and another object
 *                     discards all drawn tiles.
 *   draw(ctx, view)   for an overlay: the context uses CSS pixels. Positions come from view.camera
 *                     and view.plane; draw only visible places.
 *
 * Any module can add layers: view.layers.add({...}). The panel shows a switch for each.
 */

/** Creates the list; the state stores which layers are shown. */
export function createLayers(state) {
  const all = new Map();
  const listeners = new Set();

  const sorted = (kind) =>
    [...all.values()]
      .filter((layer) => layer.kind === kind)
      .sort((a, b) => (a.order ?? 50) - (b.order ?? 50));

  const layers = {
    add(layer) {
      if (all.has(layer.id)) throw new Error(`there is a layer ${layer.id}`);
      all.set(layer.id, layer);
      for (const listener of listeners) listener(layer);
    },
    get: (id) => all.get(id),
    grounds: () => sorted("ground"),
    overlays: () => sorted("overlay"),
    /** Returns why a layer cannot be shown; "": it can. */
    missing: (layer, view) => layer.missing?.(view) || "",
    available: (layer, view) => !layers.missing(layer, view),
    /** Returns the shown ground: the chosen one, or terrain if that is not available. */
    ground(view) {
      const chosen = all.get(state.ground);
      const fits = chosen?.kind === "ground" && layers.available(chosen, view);
      return fits ? chosen : all.get("terrain");
    },
    isOn: (id) => state.layers.includes(id),
    /** Shows or hides an overlay. */
    switch(id, on = !layers.isOn(id)) {
      const others = state.layers.filter((each) => each !== id);
      state.set({ layers: on ? [...others, id] : others });
    },
    shown: (view) =>
      layers.overlays().filter((layer) => layers.isOn(layer.id) && layers.available(layer, view)),
    /** Calls back when a layer is added. */
    listen: (listener) => listeners.add(listener),
  };
  return layers;
}
