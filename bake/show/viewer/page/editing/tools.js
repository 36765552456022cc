/**
 * The tools that edit the level with the pointer: walls, opened cells, terrain, and prices of arcs. A
 * stroke is one edit, whatever its number of updates.
 */

import { insides } from "../../../../../readers/js/level.js";
import { counted, placeName } from "../words.js";
import { changesOf } from "./edits.js";

/**
 * Adds the tools to a view.
 *
 * @param brush {terrain, price, tail}: the terrain to paint, the price of arcs, and the tail of the next arc
 */
export function addTools(view, brush) {
  const painter = (id, title, key, what, batchOf) => {
    let stroke = null;
    let last = -1;
    let waiting = [];
    const flush = () => {
      const nodes = waiting;
      waiting = [];
      if (!nodes.length || !stroke) return;
      try {
        stroke.update(batchOf(nodes));
      } catch (error) {
        view.say(error.message);
      }
    };
    const paint = (at) => {
      if (at < 0 || at === last) return;
      if (!waiting.length) requestAnimationFrame(flush);
      waiting.push(...(last < 0 ? [at] : between(view, last, at)));
      last = at;
    };
    view.tools.add({
      id,
      title,
      key,
      down(at) {
        if (at < 0) return false;
        stroke = view.edits.stroke(what);
        last = -1;
        paint(at);
        return true;
      },
      move: paint,
      up() {
        flush();
        stroke?.end();
        stroke = null;
        view.say(summary(view));
      },
    });
  };
  painter("wall", "Wall", "w", "walls", (nodes) => ({ blocked: nodes }));
  painter("open", "Open", "o", "opened cells", (nodes) => ({ opened: nodes }));
  painter("terrain", "Paint", "t", "terrain", (nodes) => ({
    terrain: nodes.map((at) => [at, brush.terrain]),
  }));
  view.tools.add({ id: "price", title: "Price", key: "c", isExpert: true, click: (at) => priceTo(view, brush, at) });
}

/** Returns the places under a line from one place to another, without the first. */
function between(view, from, to) {
  const { plane } = view;
  if (plane.kind === "graph") return [to];
  const [x, y] = [plane.x(from), plane.y(from)];
  const [dx, dy] = [plane.x(to) - x, plane.y(to) - y];
  const parts = Math.ceil(2 * Math.hypot(dx, dy));
  const found = new Set();
  for (let i = 1; i <= parts; i++) {
    const at = plane.locationAt(x + (dx * i) / parts, y + (dy * i) / parts, plane.floorOf(to));
    if (at >= 0 && at !== from) found.add(at);
  }
  return [...found.add(to)];
}

/** The first click sets the tail of an arc, the second its head. */
function priceTo(view, brush, at) {
  if (at < 0) return;
  if (brush.tail < 0 || brush.tail === at) {
    brush.tail = brush.tail === at ? -1 : at;
    view.say(brush.tail < 0 ? "" : `from ${placeName(view, at)}: click where the arc leads`);
    return;
  }
  const tail = brush.tail;
  brush.tail = -1;
  const units = brush.price;
  const worked = attempt(view, "a price", (now) => now.setPrice(tail, at, units));
  if (worked) view.say(`from ${placeName(view, tail)} to ${placeName(view, at)}: ${priceWord(units)}`);
}

/** Runs an edit; an error is reported in the status line. */
export function attempt(view, what, change) {
  try {
    view.edits.make(what, change);
    return true;
  } catch (error) {
    view.say(error.message);
    return false;
  }
}

/** Undoes an edit, or redoes it. */
export function undo(view, word) {
  const what = view.edits[word]();
  view.say(what ? `${word === "undo" ? "undone" : "redone"}: ${what}` : `nothing to ${word}`);
}

export const priceWord = (units) =>
  units === null ? "its usual price" : units === Infinity ? "closed" : counted(units, "unit");

/** Parses a price; undefined: it is invalid. */
export function readPrice(text) {
  const said = text.trim().toLowerCase();
  if (said === "" || said === "usual") return null;
  if (said === "closed") return Infinity;
  const units = Number(said);
  return units > 0 && units < Infinity ? units : undefined;
}

/** Returns the differences from the baked level. */
export function changesNow(view) {
  return view.kept("changes", () => {
    return changesOf(view.changes, { prices: pricesNow(view), baked: view.inside.prices });
  });
}

/** Returns a short description of the differences from the baked level. */
export function summary(view) {
  const { walls, terrain, doors, prices } = changesNow(view);
  const parts = [];
  if (walls.length) parts.push(counted(walls.length, "wall"));
  if (terrain.length) parts.push(`${counted(terrain.length, "place")} of other terrain`);
  if (doors.length) parts.push(counted(doors.length, "door"));
  if (prices.length) parts.push(counted(prices.length, "price"));
  return parts.length ? `Changed: ${parts.join(", ")}.` : "Nothing is changed.";
}

/** Returns the current prices of arcs by their keys. */
export const pricesNow = (view) => insides.get(view.changes).now.prices;
