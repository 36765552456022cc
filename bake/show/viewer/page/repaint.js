/** Colours places anew many times a second: by a crowd, by a search, by what is counted. */

import { overBlocked } from "./grounds.js";

/**
 * Returns a function that paints a ground: paint(view, moment, ...more). Where the profile stands,
 * `colourOf(view, at, ...more)` says the colour, packed; below that is what cannot be stood on. The same
 * moment of the same level gives the same paint again, without a look at any place.
 */
export function painter(colourOf) {
  let known = { version: -1, moment: null, paint: null };
  return function paint(view, moment, ...more) {
    if (known.version === view.version && known.moment === moment) return known.paint;
    const { fill: below, stripe, solid } = overBlocked(view);
    const fill = known.paint?.fill.length === below.length ? known.paint.fill : new Uint32Array(below.length);
    fill.set(below);
    for (let at = 0; at < fill.length; at++) if (!solid[at]) fill[at] = colourOf(view, at, ...more);
    known = { version: view.version, moment, paint: { fill, stripe, solid } };
    return known.paint;
  };
}
