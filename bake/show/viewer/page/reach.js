/** The ground of the places reachable from a place, and the places that can reach it. */

import { blockedLegend, paintStanding, pale } from "./grounds.js";
import { counted, placeWord } from "./words.js";

const CUT_OFF = 0;
const OUT = 1;
const IN = 2;
const BOTH = 3;

/** Returns for each place the sum of 1, if it is reachable from the center, and 2, if it reaches the center. */
export function reachOf(view, centre) {
  return view.kept(`reach ${centre}`, () => {
    const { ground } = view;
    const found = new Uint8Array(ground.locations);
    if (!ground.stands(centre)) return found;
    for (const [bit, each] of [[OUT, ground.eachArc], [IN, ground.eachBack]]) {
      const queue = [centre];
      found[centre] |= bit;
      while (queue.length) {
        each(queue.pop(), (other) => {
          if (found[other] & bit) return;
          found[other] |= bit;
          queue.push(other);
        });
      }
    }
    return found;
  });
}

const centreOf = (view) => (view.start >= 0 ? view.start : view.pointed);

export const reach = {
  id: "reach",
  title: "One-way reach",
  shaded: true,
  kind: "ground",
  shortcut: "5",
  order: 5,
  follows: "hover",
  legend(view) {
    const centre = centreOf(view);
    if (centre < 0 || !view.nav.stands(centre)) return [{ text: "Point at a place, or choose a start." }];
    const { palette } = view;
    const found = reachOf(view, centre);
    const count = [0, 0, 0, 0];
    found.forEach((each, at) => (count[each] += view.nav.stands(at) ? 1 : 0));
    const what = placeWord(view);
    const lines = [
      [BOTH, "LARGEST", null, "there and back"],
      [OUT, "JOINED", "JOINED_STRIPE", "reached, but no path back"],
      [IN, "CUT_OFF", "CUT_OFF_STRIPE", "leads here, but cannot be reached"],
      [CUT_OFF, "UNREACHABLE", "UNREACHABLE_STRIPE", "no path in either direction"],
    ];
    const swatches = lines.filter(([kind]) => count[kind]).map(([kind, colour, stripe, text]) => ({
      colour: palette.css(colour),
      stripe: stripe && palette.css(stripe),
      text: `${counted(count[kind], what)}: ${text}`,
    }));
    return [...swatches, ...blockedLegend(view)];
  },
  paint(view) {
    const centre = centreOf(view);
    if (centre < 0 || !view.nav.stands(centre)) return pale(view);
    const found = reachOf(view, centre);
    const { palette } = view;
    const colours = ["UNREACHABLE", "JOINED", "CUT_OFF", "LARGEST"].map(palette.packed);
    const stripes = [...["UNREACHABLE_STRIPE", "JOINED_STRIPE", "CUT_OFF_STRIPE"].map(palette.stripe), 0];
    return paintStanding(view, `reach ${centre}`, (at, { fill, stripe }) => {
      fill[at] = colours[found[at]];
      stripe[at] = stripes[found[at]];
    });
  },
};
