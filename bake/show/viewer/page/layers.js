/**
 * Lists what can be shown. A layer is an object:
 *
 *   id          unique; the address names it
 *   title       what people read, in a few words
 *   kind        "ground": gives every place a colour, one is shown at a time;
 *               "overlay": draws above it, any number are shown
 *   order       overlays are drawn, and all are listed, from low to high; 50 if it is not there
 *   initially   whether an overlay is shown at first
 *   shortcut    a key that switches it, if it has one
 *   missing(view)     why it cannot be shown of this level and profile, in one sentence;
 *                     "" or nothing: it can. `available(layer)` asks this
 *   hidden(view)      true: it is not listed for this level
 *   follows     "hover": what it shows depends on the place that is pointed at
 *   legend(view)      [{colour, text, stripe?}] with colours of style sheets, or {ramp, from, to}
 *   shaded            true: of a graph the roads have the colours of their ends, too
 *   paint(view)       of a ground: {fill, stripe?, solid?, edge?}
 *                       fill    Uint32Array (location), colours as `packed` of palette.js makes them
 *                       stripe  Uint8Array (location), 0 or one more than the place in palette.stripes
 *                       solid   Uint8Array (location), 1 where no lines between cells are drawn
 *                     Keep it with view.kept(): it is asked for in every frame, and what is drawn
 *                     is made anew when another object comes back.
 *   draw(ctx, view)   of an overlay: the context counts pixels of style sheets. view.camera and
 *                     view.plane say where places lie; look at what is seen only.
 *
 * Any module adds its own: view.layers.add({...}). The panel makes a switch of each.
 */

/** Makes the list; which layers are shown is kept in the state. */
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
    /** Why a layer cannot be shown; "": it can. */
    missing: (layer, view) => layer.missing?.(view) || "",
    available: (layer, view) => !layers.missing(layer, view),
    /** The ground that is shown: the one chosen, or terrain where that one is not there. */
    ground(view) {
      const chosen = all.get(state.ground);
      const fits = chosen?.kind === "ground" && layers.available(chosen, view);
      return fits ? chosen : all.get("terrain");
    },
    isOn: (id) => state.layers.includes(id),
    /** Shows an overlay, or hides it. */
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
