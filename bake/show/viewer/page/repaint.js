/** Paints of grounds that change many times a second: crowds, searches, counts. */

import { overBlocked } from "./grounds.js";

/**
 * Returns a function that paints a ground: paint(view, moment, ...more). `colourOf(view, at, ...more)`
 * returns the packed color of a walkable place; blocked places are painted as in other grounds. The same
 * moment of the same level returns the cached paint.
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
