/** Formats numbers and places as `bake render` and `bake lint` do. */

/** "1 cell", "5,203 cells". */
export const counted = (count, what) =>
  `${count.toLocaleString("en")} ${what}${count === 1 ? "" : /[sx]$/.test(what) ? "es" : "s"}`;

/** Formats a cost as in pictures: at most two decimals, commas between thousands. */
export const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 2 });

/**
 * What is shown of a list: all of it, or all but the last ones and a line that counts these, which has the
 * color of the first of them.
 */
export function shortened(swatches, limit, what, count = swatches.length) {
  if (count <= limit) return swatches;
  const more = (count - limit + 1).toLocaleString("en");
  const { colour } = swatches[limit - 1];
  return [...swatches.slice(0, limit - 1), { colour, text: `and ${more} more ${what}` }];
}

/** Formats units with the significant decimals. */
export function units(value) {
  if (!Number.isFinite(value)) return "no path";
  const places = value < 10 ? 2 : value < 1000 ? 1 : 0;
  return String(+value.toFixed(places));
}

/** Formats a time with three digits. */
export function duration(milliseconds) {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toPrecision(3)} s`;
  if (milliseconds >= 1) return `${milliseconds.toPrecision(3)} ms`;
  return `${(milliseconds * 1000).toPrecision(3)} µs`;
}

export function bytesText(count) {
  if (count < 1024) return `${count} B`;
  if (count < 1024 ** 2) return `${(count / 1024).toFixed(1)} KiB`;
  return `${(count / 1024 ** 2).toFixed(1)} MiB`;
}

/** Formats a place for sentences: "(3, 4)", or the name of a node. */
export function placeName(view, at) {
  const text = view.placeText(at);
  return view.level.kind === "graph" ? text : `(${text.split(",").join(", ")})`;
}

export const placeWord = (view) => (view.level.kind === "graph" ? "node" : "cell");
