/** The section "Bytes": the size of each column in the flat file and in its asset. */

import { element } from "./elements.js";
import { bytesText } from "./words.js";

/** Adds the section "Bytes". */
export function installBytes(view, panel) {
  const inner = panel.section("bytes", "Bytes by column", { order: 90, open: false, isExpert: true });
  let drawn = null;
  const refresh = () => {
    if (inner.hidden || drawn === view.level) return;
    drawn = view.level;
    inner.replaceChildren(...fileOf(view), ...assetOf(view));
  };
  view.on("open", refresh);
  inner.addEventListener("shown", refresh);
}

/** The columns of the flat file, which stores equal columns once. */
function fileOf({ columns, level }) {
  const seen = new Set();
  const rows = [...columns].map(([key, { values }]) => {
    const [number, name] = key.split(" ");
    const where = `${values.byteOffset} ${values.byteLength}`;
    const again = seen.has(where) && values.byteLength > 0;
    seen.add(where);
    const whose = +number < 0 ? name : `${level.profiles[+number]}: ${name}`;
    return [whose, again ? 0 : values.byteLength, again ? "as above" : ""];
  });
  return table("flat file", rows);
}

function assetOf({ contents }) {
  return table(contents.asset ?? "asset", (contents.bytes ?? []).map(([name, size]) => [name, size, ""]));
}

function table(title, rows) {
  const total = rows.reduce((sum, [, size]) => sum + size, 0);
  const most = rows.reduce((largest, [, size]) => Math.max(largest, size), 1);
  rows.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const body = rows.map(([name, size, note]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, name),
      element("td", {}, note || bytesText(size)),
      element("td", { "aria-hidden": "true" }, element("meter", { min: 0, max: most, value: size })),
    ),
  );
  return [
    element("h3", {}, `${title}: ${bytesText(total)} of columns`),
    element(
      "table",
      { "aria-label": `Bytes by column: ${title}` },
      element("tbody", {}, ...body),
    ),
  ];
}
