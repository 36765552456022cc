/** The way from start to goal, as each method finds it. */

import { element, table } from "./elements.js";
import { wayWidth } from "./overlays.js";
import { duration, placeName, units } from "./words.js";

/** Adds the section "Ways" to the panel, and the ways themselves to the view. */
export function installWays(view, panel) {
  const inner = panel.section("ways", "Ways", { order: 50 });
  const ends = element("p", { class: "note" });
  const place = element("div");
  inner.append(ends, place);

  function refresh() {
    const { start, goal } = view;
    view.ways = [];
    place.replaceChildren();
    if (start < 0 || goal < 0) {
      ends.textContent = start < 0 ? "Choose a start and a goal." : `From ${placeName(view, start)}: choose a goal.`;
      return;
    }
    ends.textContent = `From ${placeName(view, start)} to ${placeName(view, goal)}`;
    const found = byTable(view, start, goal);
    view.ways = [
      { nodes: found.nodes, colour: view.palette.css("PATH"), width: wayWidth(view.room), dash: [] },
    ];
    place.append(table("Ways", ["method", "cost", "steps", "time"], [
      ["table", units(found.cost), Math.max(0, found.nodes.length - 1), duration(found.time)],
    ]));
  }
  view.on("open", refresh);
  view.on("changed", refresh);
  view.on("state", (changed) => {
    if (["start", "goal"].some((each) => changed.has(each))) refresh();
  });
}

/** The path that the reader gives: by the tables, or by its search after changes. */
export function byTable(view, start, goal) {
  const begun = performance.now();
  const nodes = view.nav.path(start, goal);
  const time = performance.now() - begun;
  return { nodes, cost: view.nav.distance(start, goal), time };
}
