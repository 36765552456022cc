// Opens a level as the page does, without a page, and answers what modules of the page say of it: a
// JSON of questions goes in, one of answers comes out. See tests/support/page_view.py.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { addGrounds, clearanceOf } from "../../bake/show/viewer/page/grounds.js";
import { factsOf } from "../../bake/show/viewer/page/here.js";
import { addOverlays } from "../../bake/show/viewer/page/overlays.js";
import { reach, reachOf } from "../../bake/show/viewer/page/reach.js";
import { componentsOf } from "../../bake/show/viewer/page/search/components.js";
import { fieldToward } from "../../bake/show/viewer/page/search/fields.js";
import { hierarchyMissing, hpa } from "../../bake/show/viewer/page/search/hierarchy.js";
import { createTraffic } from "../../bake/show/viewer/page/search/traffic.js";
import { revive } from "../../bake/show/viewer/page/source.js";
import { createState } from "../../bake/show/viewer/page/state.js";
import { traffic } from "../../bake/show/viewer/page/traffic.js";
import { addTransitions, clusterOf } from "../../bake/show/viewer/page/transitions.js";
import { createView } from "../../bake/show/viewer/page/view.js";
import { blockedAt, byAstar, byTable } from "../../bake/show/viewer/page/ways.js";

const json = (path) => JSON.parse(readFileSync(path, "utf8"));

globalThis.requestAnimationFrame = () => {};
const canvas = { getContext: () => ({}), getBoundingClientRect: () => ({ width: 800, height: 600 }) };
let state, view;

/** Opens a level in a view of its own. */
function open(flat, contents, palette) {
  state = createState("");
  view = createView(state, canvas, json(palette));
  view.resize();
  addGrounds(view);
  addTransitions(view);
  addOverlays(view);
  view.layers.add(reach);
  view.layers.add(traffic);
  view.open(readFileSync(flat), revive(json(contents)));
}

const list = (values) => Array.from(values, (each) => (each === Infinity ? null : each));
const finite = (number) => (number === Infinity ? null : number);

const commands = {
  profile: (profile) => state.set({ profile }),
  update(batch) {
    view.changes.update(batch);
    view.levelChanged();
  },
  set: (some) => state.set(some),
  standing: () => Array.from({ length: view.level.locations }, (_, at) => at).filter(view.nav.stands),
  field(goal) {
    const { next, ticks, greatest } = fieldToward(view, goal);
    return { next: list(next), ticks: list(ticks), greatest };
  },
  components() {
    const { of, size, first } = componentsOf(view);
    return { of: list(of), size, first };
  },
  clearance: () => list(clearanceOf(view)),
  reach: (centre) => list(reachOf(view, centre)),
  cluster: (number) => Array.from({ length: view.level.locations }, (_, at) => clusterOf(view, at, number)),
  ways(start, goal) {
    const why = hierarchyMissing(view);
    const { time: _a, ...table } = byTable(view, start, goal);
    const { time: _b, ...astar } = byAstar(view, start, goal);
    const told = { why, table: { ...table, cost: finite(table.cost) }, astar: { ...astar, cost: finite(astar.cost) } };
    if (why) return told;
    for (const [id, { nodes, ticks, expanded }] of Object.entries(hpa(view, start, goal))) {
      told[id] = { nodes, ticks: finite(ticks), expanded };
    }
    return told;
  },
  traffic() {
    const found = createTraffic(view);
    let slices = 0;
    for (; !found.isWhole; slices++) found.advance(0);
    return { count: list(found.count), most: found.most, slices, goals: found.goals };
  },
  blocked: (at) => blockedAt(view, at),
  facts: (at) => factsOf(view, at),
  place: (at) => view.placeText(at),
  placeAt: (text) => view.placeAt(text),
  // The place under the middle of each place, as the pointer would find it.
  pointed: () =>
    Array.from({ length: view.level.locations }, (_, at) =>
      view.plane.locationAt(view.plane.x(at), view.plane.y(at), view.plane.floorOf(at)),
    ),
  bounds: () => view.plane.bounds,
  legend(id) {
    const layer = view.layers.get(id);
    return view.layers.missing(layer, view) ? null : layer.legend(view);
  },
  paint(id) {
    const layer = view.layers.get(id);
    if (view.layers.missing(layer, view)) return null;
    const { fill, stripe } = layer.paint(view);
    return { fill: list(fill), stripe: stripe ? list(stripe) : null };
  },
  missing: () =>
    Object.fromEntries(
      [...view.layers.grounds(), ...view.layers.overlays()].map((layer) => [layer.id, view.layers.missing(layer, view)]),
    ),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { flat, contents, palette, questions, answers } = JSON.parse(line);
  open(flat, contents, palette);
  const found = json(questions).map(([command, ...words]) => commands[command](...words) ?? null);
  writeFileSync(answers, JSON.stringify(found));
  console.log("done");
}
