/** The tab "Crowd": agents that walk, and the places where many of them meet. */

import { disc } from "../draw/shapes.js";
import { element, fresh } from "../elements.js";
import { blockedLegend, pale } from "../grounds.js";
import { painter } from "../repaint.js";
import { counted, placeName } from "../words.js";
import { crowdOf } from "./walkers.js";

/** The milliseconds of each frame for queries of agents. */
const ASKING = 6;
const LISTED = 6;

/** Adds the tab "Crowd", a layer with its agents, and a ground with counts of their steps. */
export function installCrowd(view, panel) {
  const inner = panel.tab("crowd", "Crowd");
  const clock = { crowd: null, walking: false, paused: false, last: 0, listed: 0, steps: null, heat: heater() };
  const start = element("button", { type: "button", "aria-pressed": "false", onclick: () => walk(!clock.walking) }, "Walk");
  const restart = element("button", { type: "button", onclick: () => gather() }, "Restart");
  const countId = fresh("agents");
  const agents = element("input", {
    id: countId, type: "number", min: 1, max: 2000, value: 300, onchange: () => gather(),
  }); // prettier-ignore
  const together = element("input", { type: "checkbox", onchange: () => gather() });
  const about = element("p", { class: "note", "aria-label": "What the crowd did" });
  const list = element("ul", { class: "list", "aria-label": "Choke points" });
  inner.append(
    element("div", { class: "row" }, element("label", { for: countId }, "Agents"), agents, start, restart),
    element("label", { class: "row" }, together, "All walk to the goal that is chosen"),
    about,
    list,
  );
  view.crowd = () => clock.crowd;
  view.layers.add(agentsLayer(clock));
  view.layers.add(stepsGround(clock));

  view.on("open", () => {
    if (clock.crowd) gather();
  });
  view.on("changed", () => clock.crowd?.changed());
  view.on("state", (changed) => {
    if (clock.crowd && together.checked && changed.has("goal")) gather();
  });

  function gather() {
    const count = Math.min(2000, Math.max(1, Math.round(+agents.value) || 300));
    agents.value = count;
    const goal = together.checked ? view.goal : -1;
    clock.crowd = crowdOf(view, { count, goal: view.nav.stands(goal) ? goal : -1 });
    countSteps();
    tell();
    view.redraw();
  }

  /** Copies the counts, so that the map and its legend agree while the crowd walks on. */
  function countSteps() {
    const { visits, most } = clock.crowd;
    clock.steps = { visits: visits.slice(), most };
    if (view.layers.ground(view).id === "crowd-steps") view.tell("legend");
  }

  function walk(on) {
    clock.walking = on;
    start.setAttribute("aria-pressed", String(on));
    start.textContent = on ? "Stop" : "Walk";
    clock.paused = false;
    if (!on && clock.crowd) {
      countSteps();
      view.redraw();
    }
    if (!on) return tell();
    if (!clock.crowd) gather();
    view.layers.switch("crowd", true);
    clock.last = performance.now();
    requestAnimationFrame(pass);
  }

  function pass(time) {
    if (!clock.walking) return;
    requestAnimationFrame(pass);
    const now = performance.now();
    const seconds = Math.min(0.1, Math.max(0, (now - clock.last) / 1000));
    clock.last = now;
    if (Boolean(view.trace?.playing) !== clock.paused) {
      clock.paused = !clock.paused;
      tell();
    }
    if (clock.paused) return;
    clock.crowd.pass(seconds, () => performance.now() - now > ASKING);
    if (time - clock.listed > 500) {
      clock.listed = time;
      countSteps();
      tell();
    }
    view.redraw();
  }

  function tell() {
    const { crowd } = clock;
    if (!crowd) return;
    const paused = clock.paused ? "; paused while a search plays" : "";
    about.textContent = `${counted(crowd.count, "agent")}; ${counted(crowd.arrived, "arrival")}${paused}`;
    list.replaceChildren(...crowd.chokePoints(LISTED).map(([at, times]) => lineTo(view, at, times, "step")));
  }
}

/** Creates a line with the name of a place; a click goes there. */
function lineTo(view, at, times, what) {
  const text = `${placeName(view, at)}: ${counted(times, what)}`;
  return element("li", {}, element("button", { type: "button", onclick: () => view.goTo(at) }, text));
}

const agentsLayer = (clock) => ({
  id: "crowd",
  title: "Crowd",
  kind: "overlay",
  order: 80,
  draw(ctx, view) {
    if (!clock.crowd) return;
    const { at, next, share, count } = clock.crowd;
    const { camera, plane, palette, state } = view;
    const largest = plane.kind === "graph" ? 3.5 : 6;
    const radius = Math.min(largest, Math.max(1.5, 0.28 * view.room));
    const [edge, inside] = [palette.css("CASING"), palette.css("ACROSS")];
    for (let i = 0; i < count; i++) {
      const from = at[i];
      if (from < 0 || plane.floorOf(from) !== state.floor) continue;
      const walks = next[i] >= 0 && plane.floorOf(next[i]) === state.floor;
      const to = walks ? next[i] : from;
      const part = walks ? Math.min(1, share[i]) : 0;
      const x = plane.x(from) + part * (plane.x(to) - plane.x(from));
      const y = plane.y(from) + part * (plane.y(to) - plane.y(from));
      const [px, py] = camera.toScreen(x, y);
      if (px < -9 || py < -9 || px > camera.width + 9 || py > camera.height + 9) continue;
      disc(ctx, px, py, radius + 1, edge);
      disc(ctx, px, py, radius, inside);
    }
  },
});

const stepsGround = (clock) => ({
  id: "crowd-steps",
  order: 20,
  title: "Steps of the crowd",
  kind: "ground",
  legend: (view) =>
    clock.steps
      ? [{ ramp: true, from: "0", to: counted(clock.steps.most, "step") }, ...blockedLegend(view)]
      : [{ text: "Let a crowd walk in the tab Crowd." }],
  paint: (view) =>
    clock.steps ? clock.heat(view, clock.steps, clock.steps.visits, Math.max(1, clock.steps.most)) : pale(view),
});

/**
 * Returns a function that colors places by counts, from pale to dark on a square-root scale, because
 * few counts are much larger than others. It repaints when its second argument changes.
 */
function heater() {
  return painter((view, at, numbers, most) => view.palette.shade(Math.sqrt(numbers[at] / most)));
}
