/** Moves a start or a goal that was set on a wall to the nearest cell where the profile can stand. */

import { placeName, placeWord } from "./words.js";

/** Returns the walkable place nearest to a place, itself if it is walkable; -1: there is none. */
export function nearestWalkable(view, at) {
  const { level, nav, places } = view;
  if (nav.stands(at)) return at;
  const { width, floorRows } = level;
  const point = places.toPoint(at);
  return point ? places.nearest(nav, ...point, width ? Math.floor(at / (width * floorRows)) : 0) : -1;
}

/**
 * Sets the start or the goal: on a place, or on the nearest walkable one where the profile cannot stand on it.
 * The status line reports a move, before the path that it leads to.
 */
export function setEnd(view, name, at, others = {}) {
  const near = nearestWalkable(view, at);
  const end = near < 0 ? at : near;
  const wall = `${placeName(view, at)} is not walkable for ${view.nav.name}`;
  const word = placeWord(view);
  if (end !== at) view.snap = `${wall}: the ${name} is the nearest walkable ${word}, ${placeName(view, end)}.`;
  view.state.set({ [name]: view.placeText(end), ...others });
  if (view.snap) view.say(view.snap); // No path was searched, so nothing has reported the move.
  view.snap = "";
}
