/**
 * The tab "Path": paths from start to goal by each method, side by side: the table of next hops, A*, and
 * the plan, refined and smoothed path of HPA*.
 *
 * view.ways contains the drawn paths: [{id, title, nodes, colour, share, dash}].
 */

import { element, fresh } from "./elements.js";
import { hierarchyMissing, hpa, normOf } from "./search/hierarchy.js";
import { searchSteps } from "./traces/textbook.js";
import { nearestWalkable } from "./snapping.js";
import { counted, duration, placeName, placeWord, units } from "./words.js";

/** The width of a path as a fraction of the widest. Dashes distinguish paths without color. */
const METHODS = [
  { id: "table", title: "table", colour: ({ rgb }) => rgb("PATH"), share: 1, dash: [] },
  { id: "astar", title: "A*", colour: ({ ways }) => ways[3], share: 0.5, dash: [7, 7] },
  { id: "plan", title: "HPA* plan", colour: ({ ways }) => ways[0], share: 0.5, dash: [2, 6] },
  { id: "refined", title: "HPA* refined", colour: ({ ways }) => ways[1], share: 0.5, dash: [12, 6] },
  { id: "smoothed", title: "HPA* smoothed", colour: ({ ways }) => ways[2], share: 0.75, dash: [] },
];

/** Adds the tab "Path" to the panel, and the paths to the view. */
export function installWays(view, panel) {
  const { state, palette } = view;
  state.declare("ways", ["table"]);
  const inner = panel.tab("path", "Path");
  const ends = element("p", { class: "note" });
  const place = element("div");
  const note = element("p", { class: "note" });
  inner.append(ends, place, note);
  let results = new Map();
  let asked = 0;
  let told = false;

  function refresh() {
    const { start, goal } = view;
    const mine = ++asked;
    results = new Map();
    note.textContent = "";
    if (start < 0 || goal < 0) {
      // If neither is set, the hint on the map explains what to click.
      if (start >= 0) ends.textContent = `From ${placeName(view, start)}: click a goal.`;
      else ends.textContent = goal < 0 ? "No path yet." : `To ${placeName(view, goal)}: click a start.`;
      if (told) view.say("");
      told = false;
      show();
      return;
    }
    ends.textContent = `From ${placeName(view, start)} to ${placeName(view, goal)}`;
    results.set("table", byTable(view, start, goal));
    const why = hierarchyMissing(view);
    note.textContent = why && `No HPA*: ${why[0].toLowerCase()}${why.slice(1)}`;
    show();
    const found = results.get("table");
    const text = found.nodes.length
      ? `The path costs ${units(found.cost)} in ${counted(found.nodes.length - 1, "step")}.`
      : (blockedAt(view, start) ?? blockedAt(view, goal) ?? "There is no path.");
    view.say(view.snap ? `${view.snap} ${text}` : text);
    view.snap = "";
    told = true;
    // Searches of large levels take a while; show the path of the table first.
    setTimeout(() => {
      if (mine !== asked) return;
      results.set("astar", byAstar(view, start, goal));
      if (!why) {
        for (const [id, { ticks, ...each }] of Object.entries(hpa(view, start, goal))) {
          results.set(id, { ...each, cost: ticks / view.ground.unit });
        }
      }
      show();
    });
  }

  function show() {
    view.ways = METHODS.filter(({ id }) => state.ways.includes(id) && results.has(id)).map(
      ({ id, title, colour, share, dash }) => {
        const [red, green, blue] = colour(palette);
        const { nodes } = results.get(id);
        return { id, title, nodes, colour: `rgb(${red} ${green} ${blue})`, share, dash };
      },
    );
    view.results = results;
    place.replaceChildren(...(results.size ? [tableOf()] : []));
    view.redraw();
  }

  function tableOf() {
    const titles = ["method", "cost", "steps", "expanded", "time"];
    const head = titles.map((text) => element("th", { scope: "col" }, text));
    const rows = METHODS.filter(({ id }) => results.has(id)).map((method) => {
      const { cost, nodes, expanded, time } = results.get(method.id);
      const id = fresh("way");
      const onchange = () => {
        const others = state.ways.filter((each) => each !== method.id);
        state.set({ ways: state.ways.includes(method.id) ? others : [...others, method.id] });
      };
      const input = element("input", { type: "checkbox", id, onchange });
      input.checked = state.ways.includes(method.id);
      const label = element("label", { for: id }, method.title, line(method));
      const title = method.id === "plan" ? "steps between transitions" : false;
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, input, " ", label),
        element("td", {}, units(cost)),
        element("td", { title }, nodes.length ? nodes.length - 1 : "–"),
        element("td", {}, expanded === undefined ? "–" : expanded.toLocaleString("en")),
        element("td", {}, duration(time)),
      );
    });
    return element(
      "table",
      { class: "ways", "aria-label": `Paths by method; costs in units, steps in ${placeWord(view)}s` },
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows),
    );
  }

  /** Returns a sample of the line of a path. */
  function line({ colour, dash, share }) {
    const canvas = element("canvas", { width: 22, height: 8, "aria-hidden": "true" });
    const ctx = canvas.getContext("2d");
    const [red, green, blue] = colour(palette);
    ctx.strokeStyle = `rgb(${red} ${green} ${blue})`;
    ctx.lineWidth = 5 * share;
    ctx.setLineDash(dash.map((part) => part / 2));
    ctx.beginPath();
    ctx.moveTo(2, 4);
    ctx.lineTo(20, 4);
    ctx.stroke();
    return canvas;
  }

  view.on("open", refresh);
  view.on("changed", refresh);
  view.on("state", (changed) => {
    if (changed.has("start") || changed.has("goal")) refresh();
    else if (changed.has("ways")) show();
  });
}

/** Returns why a place is not walkable, and the nearest walkable place; null: it is walkable. */
export function blockedAt(view, at) {
  const { level, ground, nav } = view;
  if (nav.stands(at)) return null;
  const near = nearestWalkable(view, at);
  const terrain = level.terrains[ground.terrainAt(at)].name;
  const what = ground.obstacleAt(at) ? `${terrain}, with an obstacle` : terrain;
  const said = `${placeName(view, at)} is ${what}, on which ${nav.name} cannot stand`;
  return near < 0 ? `${said}.` : `${said}; the nearest place where it can is ${placeName(view, near)}.`;
}

/** Returns the path of A*, with the same expansions as `bake path --method astar`. */
export function byAstar(view, start, goal) {
  const norm = normOf(view);
  const begun = performance.now();
  const { path, cost, expanded } = searchSteps(view, start, goal, { norm });
  return { nodes: path ?? [], cost: cost ?? Infinity, expanded, time: performance.now() - begun };
}

/** Faster calls than these milliseconds are repeated, as the clocks of browsers are coarse. */
const LEAST_TIME = 4;

/** Returns the path of the reader: by tables, or by its search after changes. */
export function byTable(view, start, goal) {
  const first = performance.now();
  const nodes = view.nav.path(start, goal);
  let time = performance.now() - first;
  if (time < LEAST_TIME) {
    const begun = performance.now();
    let count = 0;
    for (; performance.now() - begun < LEAST_TIME; count++) view.nav.path(start, goal);
    time = (performance.now() - begun) / count;
  }
  return { nodes, cost: view.nav.distance(start, goal), time };
}
