/**
 * The tab "Search": play a search step by step, recorded in the page between start and goal, or a trace
 * of a search or of agents. Colors show the lists of a search, and the cells that agents have seen.
 */

import { disc } from "../draw/shapes.js";
import { chooser, element, fresh, offer } from "../elements.js";
import { blockedLegend, pale } from "../grounds.js";
import { drawWay, screenOf } from "../overlays.js";
import { painter } from "../repaint.js";
import { counted, placeName, placeWord, units } from "../words.js";
import { CLOSED, OPEN, playerOf, readTrace } from "./player.js";
import { METHODS, searchSteps } from "./textbook.js";
import { drawWalk, walkColour, walkFacts, walkLegend, walkPlayer, walkSummary } from "./walks.js";

const TITLES = { astar: "A*", dijkstra: "Dijkstra", weighted: "weighted A*", greedy: "greedy best-first" };
/** Steps per second, from slow to fast. */
const SPEEDS = [[4, "4 steps a second"], [30, "30 steps a second"], [240, "240 steps a second"], [4000, "4,000 steps a second"]]; // prettier-ignore

/** Adds the tab "Search", the color mode of its lists, and an overlay for the expanded place. */
export function installTraces(view, panel) {
  const inner = panel.tab("search", "Search");
  const shown = { player: null, moment: 0, playing: false, speed: 30, owed: 0, last: 0, paint: listColours() };
  const methods = chooser("Method", (method) => (weight.row.hidden = method !== "weighted"));
  offer(methods, METHODS.map((each) => [each, TITLES[each]]), "astar"); // prettier-ignore
  const weight = numberField("Weight", { min: 1, max: 1000, step: 0.1, value: 2 });
  weight.row.hidden = true;
  const search = element("button", { type: "button", onclick: begin }, "Search");
  const read = (name, text) => open(name, () => readTrace(text, view.level, view.places));
  const file = traceFile(read);
  takeDropped(read);
  const stored = chooser("Trace", (i) => i !== "" && openStored(+i));
  const about = element("p", { class: "note" });
  const controls = transport();
  const step = element("dl", { "aria-label": "The step" });
  const tracks = element("div", { hidden: true }, controls.row, controls.slider, controls.speed, step);
  inner.append(methods.row, weight.row, element("div", { class: "row" }, search, file), stored.row, about, tracks);

  view.trace = shown;
  view.layers.add(listsGround(shown));
  view.layers.add(stepLayer(shown));
  view.on("open", () => {
    if (shown.player && shown.of !== view.changes) close();
    const traces = view.contents.traces ?? [];
    offer(stored, [["", "choose one"], ...traces.map((each, i) => [String(i), titleOf(each, i)])], "");
    stored.row.hidden = traces.length === 0;
    refresh();
  });
  view.on("changed", () => {
    if (!shown.player) return;
    // The level has changed, so the search is recorded again; a trace from a file belongs to the old level.
    const { start, goal, method, weight: factor } = shown.player.trace;
    if (shown.made) open("", () => searchSteps(view, start, goal, { method, weight: factor }), shown.player.at);
  });
  view.on("state", (changed) => (changed.has("start") || changed.has("goal")) && refresh());

  function begin() {
    const { start, goal } = view;
    if (start < 0 || goal < 0) return view.say("Choose a start and a goal on the map first.");
    const method = methods.select.value;
    const factor = method === "weighted" ? Math.min(1000, Math.max(1, +weight.input.value || 1)) : 1;
    shown.made = true;
    open("", () => searchSteps(view, start, goal, { method, weight: factor }));
  }

  function openStored(i) {
    const told = view.contents.traces[i];
    open(titleOf(told, i), () => readTrace(JSON.stringify(told), view.level, view.places));
  }

  function open(name, make, at = 0) {
    pause();
    try {
      const trace = make();
      if (name) {
        shown.made = false;
        if (trace.profile !== view.nav.name) view.state.set({ profile: trace.profile });
        const textOf = (at) => (at < 0 ? "" : view.placeText(at));
        view.state.set({ start: textOf(trace.start), goal: textOf(trace.goal) });
      }
      shown.player = (trace.walk ? walkPlayer : playerOf)(trace, view.level.locations);
      shown.of = view.changes;
      shown.player.seek(trace.walk ? 1 : at);
      shown.moment++;
      view.state.set({ ground: "search" });
      view.layers.switch("search-step", true);
    } catch (error) {
      view.say(name ? `${name}: ${error.message}` : error.message);
    }
    refresh();
  }

  function close() {
    pause();
    shown.player = null;
    shown.moment++;
    refresh();
  }

  function seek(at) {
    if (!shown.player) return;
    shown.player.seek(at);
    moved();
  }

  function moved() {
    shown.moment++;
    refresh();
    view.tell("legend");
    view.redraw();
  }

  function play() {
    if (!shown.player || shown.playing) return pause();
    if (shown.player.finished) shown.player.seek(0);
    Object.assign(shown, { playing: true, last: performance.now(), owed: 0 });
    moved();
    requestAnimationFrame(pass);
  }

  function pause() {
    shown.playing = false;
    refresh();
  }

  function pass() {
    if (!shown.playing) return;
    const now = performance.now();
    shown.owed += (Math.min(250, now - shown.last) / 1000) * shown.speed;
    shown.last = now;
    const whole = Math.floor(shown.owed);
    shown.owed -= whole;
    if (whole) shown.player.seek(shown.player.at + whole);
    if (shown.player.finished) shown.playing = false;
    moved();
    if (shown.playing) requestAnimationFrame(pass);
  }

  function transport() {
    const button = (label, onclick) => element("button", { type: "button", onclick }, label);
    const toggle = button("Play", play);
    const row = element(
      "div",
      { class: "row", role: "toolbar", "aria-label": "Steps of the search" },
      button("First", () => seek(0)),
      button("Back", () => seek(shown.player.at - 1)),
      toggle,
      button("Forward", () => seek(shown.player.at + 1)),
      button("Last", () => seek(Infinity)),
    );
    const id = fresh("step");
    const range = element("input", { id, type: "range", min: 0, value: 0, oninput: () => seek(+range.value) });
    const slider = element("div", { class: "row" }, element("label", { for: id }, "Step"), range);
    const speeds = chooser("Speed", (speed) => (shown.speed = +speed));
    offer(speeds, SPEEDS.map(([speed, text]) => [String(speed), text]), "30");
    return { row, slider, speed: speeds.row, range, toggle };
  }

  function refresh() {
    const { player } = shown;
    search.disabled = view.start < 0 || view.goal < 0;
    tracks.hidden = !player;
    if (!player) {
      about.textContent = search.disabled
        ? "Choose a start and a goal on the map, or open a trace."
        : `From ${placeName(view, view.start)} to ${placeName(view, view.goal)}.`;
      return;
    }
    const { trace, at } = player;
    about.textContent = trace.walk ? walkSummary(trace) : summaryOf(view, trace);
    controls.range.max = trace.expanded;
    controls.range.value = at;
    controls.toggle.textContent = shown.playing ? "Pause" : "Play";
    const facts = trace.walk ? walkFacts(view, player) : factsOf(view, player);
    step.replaceChildren(...facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
  }
}

function numberField(title, attributes) {
  const id = fresh("number");
  const input = element("input", { id, type: "number", ...attributes });
  return { row: element("div", { class: "row" }, element("label", { for: id }, title), input), input };
}

function traceFile(read) {
  const input = element("input", { type: "file", accept: ".json,application/json", hidden: true });
  input.setAttribute("aria-label", "Open a trace");
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    const text = await file.text();
    input.value = "";
    read(file.name, text);
  });
  const open = element("button", { type: "button", onclick: () => input.click() }, "Open a trace");
  return element("span", {}, open, input);
}

/** Opens traces that are dropped onto the page. */
function takeDropped(read) {
  const isTrace = ({ name }) => name.toLowerCase().endsWith(".json");
  addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  addEventListener("drop", async (event) => {
    const file = [...(event.dataTransfer?.files ?? [])].find(isTrace);
    event.preventDefault();
    if (file) read(file.name, await file.text());
  });
}

const titleOf = ({ method, start, goal }, i) =>
  `${i + 1}: ${TITLES[method] ?? method}` +
  (start === undefined ? "" : ` from ${JSON.stringify(start)} to ${JSON.stringify(goal)}`);

/** Returns a description of the search and its result. */
function summaryOf(view, trace) {
  const { method, heuristic, weight, path, cost, expanded } = trace;
  const by = heuristic ? ` by ${heuristic}${weight > 1 ? ` times ${weight}` : ""}` : "";
  const found = path ? `a path of ${units(cost)} units, ${counted(path.length - 1, "step")}` : "no path";
  return `${TITLES[method] ?? method}${by}: ${found}; ${counted(expanded, placeWord(view))} taken.`;
}

function factsOf(view, player) {
  const { trace, at, current, open, closed } = player;
  const facts = [
    ["step", `${at.toLocaleString("en")} of ${trace.expanded.toLocaleString("en")}`],
    ["open list", String(open)],
    ["closed list", String(closed)],
  ];
  if (current < 0) return facts;
  facts.push(["taken", placeName(view, current)]);
  const from = trace.parent[at - 1];
  facts.push(["reached from", from < 0 ? "it is the start" : placeName(view, from)]);
  facts.push(["g + h", `${units(trace.g[at - 1])} + ${units(trace.h[at - 1])}`]);
  facts.push(["f", units(trace.f[at - 1])]);
  facts.push(["opened", String(trace.first[at] - trace.first[at - 1])]);
  return facts;
}

/** Returns the colors of the lists: open places stand out, closed ones are shaded by cost. */
function listColours() {
  return painter((view, at, player, below, most, opened) => {
    if (player.trace.walk) return walkColour(view.palette, player, at, below.fill[at]);
    if (player.state[at] === OPEN) return opened;
    if (player.state[at] === CLOSED) return view.palette.shade(player.g[at] / most);
    return below.fill[at];
  });
}

const listsGround = (shown) => ({
  id: "search",
  order: 21,
  title: "Search progress",
  kind: "ground",
  legend(view) {
    if (!shown.player) return [{ text: "Start a search in the tab Search." }];
    if (shown.player.trace.walk) return [...walkLegend(view, shown.player), ...blockedLegend(view)];
    return [
      { colour: view.palette.css("OPENED"), text: `${shown.player.open.toLocaleString("en")} on the open list` },
      { ramp: true, from: "closed, near", to: "far" },
      ...blockedLegend(view),
    ];
  },
  paint(view) {
    const { player } = shown;
    if (!player) return pale(view);
    const most = player.trace.walk ? 1 : Math.max(1e-9, farthest(player.trace));
    return shown.paint(view, shown.moment, player, pale(view), most, view.palette.packed("OPENED"));
  },
});

const memory = new WeakMap();

/** Returns the greatest cost of an expanded place. */
function farthest(trace) {
  if (!memory.has(trace)) memory.set(trace, trace.g.reduce((a, b) => Math.max(a, b), 0));
  return memory.get(trace);
}

/** Draws the last expanded place, the path to it, and the places that it opened. */
const stepLayer = (shown) => ({
  id: "search-step",
  title: "Step of a search",
  kind: "overlay",
  order: 90,
  draw(ctx, view) {
    const { player } = shown;
    if (!player || player.current < 0) return;
    if (player.trace.walk) return drawWalk(ctx, view, player);
    const { palette, plane, state } = view;
    const width = Math.min(5, Math.max(1.5, 0.18 * view.room));
    const colour = palette.css(player.finished && player.trace.path ? "PATH" : "ACROSS");
    drawWay(ctx, view, player.wayBack(), colour, width, []);
    if (plane.floorOf(player.current) === state.floor) {
      const [px, py] = screenOf(view, player.current);
      disc(ctx, px, py, 2 * width, palette.css("CASING"));
      disc(ctx, px, py, 1.5 * width, colour);
    }
  },
});
