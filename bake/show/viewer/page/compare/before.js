/**
 * The earlier state of a level: an older bake, or the baked level before changes in the page. Both are
 * queried through the reader, for any goal.
 */

import { follow } from "../../../../../readers/js/changes.js";
import { insides } from "../../../../../readers/js/level.js";
import { placesOf } from "../../../../../readers/js/places.js";
import { fieldToward } from "../search/fields.js";
import { groundOf } from "../search/ground.js";

/** Smaller differences are rounding errors, as ticks per unit may differ. */
export const LEAST = 1e-6;

/**
 * Returns the earlier state for the profile of a view: { name, nav, of(at), cost(at), field(goal) }; null if
 * it lacks the profile.
 *
 * @param older the older bake; null: the view's own level as it was baked
 */
export function beforeOf(view, older, name) {
  const level = older ?? view.level;
  if (!level.profiles.includes(view.nav.name)) return null;
  const changes = follow(level);
  const inside = insides.get(level);
  const tables = inside.navs.get(view.nav.name);
  const nav = changes.profile(view.nav.name);
  const fields = new Map();
  const old = { level, changes, inside, tables, nav };
  old.ground = groundOf(old);
  old.kept = (key, make) => {
    if (!fields.has(key)) {
      if (fields.size > 8) fields.clear();
      fields.set(key, make());
    }
    return fields.get(key);
  };
  const of = matching(view.level, level);
  const unit = old.ground.unit;
  return {
    name,
    nav,
    /** Returns the same place in the earlier state; -1: none. */
    of,
    /** Returns the cost of a place of the earlier state for the profile; NaN: blocked. */
    cost: (at) => tables.c.cost[level.terrain[at]],
    /** Returns the earlier distance in units from a place of the view's level to a goal; Infinity: no path. */
    field(goal) {
      const to = of(goal);
      if (to < 0 || !nav.stands(to)) return () => Infinity;
      const { ticks } = fieldToward(old, to);
      return (at) => {
        const from = of(at);
        return from < 0 ? Infinity : ticks[from] / unit;
      };
    },
  };
}

/** Matches places as `bake diff` does: cells by coordinates, nodes of graphs by name. */
function matching(level, old) {
  if (level === old) return (at) => at;
  if (level.width && level.width === old.width && level.floorRows === old.floorRows) {
    return (at) => (at < old.locations ? at : -1);
  }
  if (level.width) return (at) => old.locationOf(...level.cellOf(at));
  const named = new Map();
  const [names, olds] = [placesOf(level), placesOf(old)];
  for (let at = 0; at < old.locations; at++) named.set(String(olds.nodeName(at)), at);
  return (at) => named.get(String(names.nodeName(at))) ?? -1;
}

/**
 * Compares the distances of all places to a goal, before and now.
 *
 * @returns { change, lost, gained, most }: growth of each in units (NaN if either is unreachable), nodes
 *   that lost and that gained a path to the goal, and the largest change in units
 */
export function comparedToward(view, before, goal) {
  return view.kept(`compared with ${before.name} toward ${goal}`, () => compare(view, before, goal));
}

function compare(view, before, goal) {
  const was = before.field(goal);
  const { ticks } = fieldToward(view, goal);
  const unit = view.ground.unit;
  const change = new Float64Array(ticks.length).fill(NaN);
  const lost = [];
  const gained = [];
  let most = 0;
  for (let at = 0; at < ticks.length; at++) {
    const now = ticks[at] / unit;
    const then = was(at);
    if (now < Infinity && then < Infinity) {
      change[at] = Math.abs(now - then) < LEAST ? 0 : now - then;
      most = Math.max(most, Math.abs(change[at]));
    } else if (then < Infinity && view.nav.stands(at)) lost.push(at);
    else if (now < Infinity && before.of(at) >= 0 && before.nav.stands(before.of(at))) gained.push(at);
  }
  return { change, lost, gained, most };
}
