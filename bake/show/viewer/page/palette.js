/** The colors of `bake.show.colours`, so that the page and pictures agree. */

/** Returns a color as a number in the memory order of canvases: red, green, blue, opaque. */
export const packed = ([red, green, blue], opacity = 255) =>
  ((opacity << 24) | (blue << 16) | (green << 8) | red) >>> 0;

export const css = ([red, green, blue], opacity = 1) =>
  opacity === 1 ? `rgb(${red} ${green} ${blue})` : `rgb(${red} ${green} ${blue} / ${opacity})`;

export const mixed = (colour, other, share) =>
  colour.map((part, i) => Math.round(part * (1 - share) + other[i] * share));

/**
 * Creates the palette of a page.
 *
 * @param told {colours: {NAME: [r, g, b]}, ways, stripes, ramp, vivid, arrow, arrowHead}, as
 *   `bake/show/viewer/contents.py` writes it
 */
export function createPalette(told) {
  const ramp = Uint32Array.from(told.ramp, (colour) => packed(colour));
  const last = ramp.length - 1;
  const step = (fraction) => Math.round(Math.min(1, Math.max(0, fraction)) * last);
  return {
    ...told,
    /** Returns a color of the ramp from near, 0, to far, 1, as a packed number. */
    shade: (fraction) => ramp[step(fraction)],
    shadeCss: (fraction) => css(told.ramp[step(fraction)]),
    css: (name, opacity) => css(told.colours[name], opacity),
    packed: (name) => packed(told.colours[name]),
    rgb: (name) => told.colours[name],
    /** Returns the number of a stripe color in paints. */
    stripe: (name) => told.stripes.findIndex((one) => `${one}` === `${told.colours[name]}`) + 1,
    /** Returns the color of a component by rank; the largest is muted, so that islands stand out. */
    component: (rank) =>
      rank === 0 ? told.colours.LARGEST : told.vivid[(rank - 1) % told.vivid.length],
    way: (layer) => told.ways[(layer - 1) % told.ways.length],
  };
}
