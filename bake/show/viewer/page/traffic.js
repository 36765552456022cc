/** The ground of shortest paths per place, whose count continues while it is visible. */

import { highest } from "./crowd/walkers.js";
import { blockedLegend } from "./grounds.js";
import { painter } from "./repaint.js";
import { createTraffic } from "./search/traffic.js";
import { counted, placeName } from "./words.js";

/** Milliseconds of counting between two frames. */
const SLICE = 120;
/** The number of choke points in the list. */
const LISTED = 6;

const trafficOf = (view) => view.kept("traffic", () => createTraffic(view));

// The square root makes side paths visible beside choke points.
const paint = painter((view, at, { count }, most) => view.palette.shade(Math.sqrt(count[at] / most)));

export const traffic = {
  id: "traffic",
  title: "Shortest paths that cross",
  kind: "ground",
  shortcut: "7",
  order: 7,
  shaded: true,
  legend(view) {
    const found = trafficOf(view);
    const goals = counted(found.goals, "goal");
    const said = found.isWhole ? `to all of ${goals}` : `to ${found.done.toLocaleString("en")} of ${goals} so far`;
    const points = found.isWhole ? highest(view.ground, found.count, LISTED) : [];
    return [
      { ramp: true, from: "0", to: counted(found.most, "path") },
      { text: `from everywhere ${said}` },
      ...points.map(([at, times]) => ({ text: `${placeName(view, at)}: ${times.toLocaleString("en")}`, at })),
      ...blockedLegend(view),
    ];
  },
  paint(view) {
    const found = trafficOf(view);
    if (!found.isWhole) goOn(view, found);
    return paint(view, found.done, found, Math.max(1, found.most));
  },
};

let going = null;

function goOn(view, found) {
  if (going) return;
  going = setTimeout(() => {
    going = null;
    if (view.layers.ground(view) !== traffic || trafficOf(view) !== found) return;
    found.advance(SLICE);
    view.tell("legend");
    view.redraw();
  });
}
