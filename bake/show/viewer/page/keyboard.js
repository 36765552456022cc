/** Operates the map by keys while it has the focus. */

import { setEnd } from "./snapping.js";
import { placeName } from "./words.js";

const PAN = 60;

export const KEYS = [
  ["Arrows", "move the pointer to the next cell or node"],
  ["Shift + arrows", "move the map"],
  ["+, -", "zoom in, zoom out"],
  ["0", "show the whole level"],
  ["Enter", "use the tool, like a click"],
  ["s, g", "set the start, set the goal"],
  ["Escape", "clear start and goal"],
  ["Page Up, Page Down", "go up a floor, go down a floor"],
  ["p", "switch to the next profile"],
  ["1 to 8", "choose the colors of the cells"],
  ["h", "show or hide next hops"],
  ["v, w, o, t, c", "choose the tool: Look, Wall, Open, Paint, Price"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
];

export function installKeyboard(view) {
  const { canvas, camera, state } = view;

  canvas.addEventListener("keydown", (event) => {
    if (!view.level || event.ctrlKey || event.metaKey || event.altKey) return;
    if (act(event)) event.preventDefault();
  });

  function act({ key, shiftKey }) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (arrows[key]) return shiftKey ? pan(arrows[key]) : step(arrows[key]);
    if (key === "+" || key === "=") return done(camera.zoomBy(1.25));
    if (key === "-" || key === "_") return done(camera.zoomBy(0.8));
    if (key === "0") return done(camera.fit(view.plane.bounds));
    if (key === "Escape") return done(state.set({ start: "", goal: "" }));
    if (key === "PageUp" || key === "PageDown") return floor(key === "PageUp" ? 1 : -1);
    if (key === "p") return profile();
    const at = view.hovered;
    if (at >= 0 && key === "Enter") return done(useTool(at));
    if (at >= 0 && key === "s") return done(setEnd(view, "start", at));
    if (at >= 0 && key === "g") return done(setEnd(view, "goal", at));
    const layer = [...view.layers.grounds(), ...view.layers.overlays()].find(
      ({ shortcut }) => shortcut === key,
    );
    if (layer && view.layers.available(layer, view)) {
      if (layer.kind === "ground") state.set({ ground: layer.id });
      else view.layers.switch(layer.id);
      view.say(layer.title);
      return true;
    }
    const tool = view.tools.all().find((each) => each.key === key);
    return tool ? done(state.set({ tool: tool.id })) : false;
  }

  const done = () => true;

  /** Performs a click on a place. */
  function useTool(at) {
    const tool = view.tools.current();
    if (tool.down?.(at)) tool.up?.(at);
    else tool.click?.(at);
  }

  function pan([dx, dy]) {
    camera.pan(-dx * PAN, -dy * PAN);
    return true;
  }

  /** Moves the pointer to the next cell, or to the nearest node in a direction. */
  function step([dx, dy]) {
    const { plane, level } = view;
    let next = -1;
    if (view.hovered < 0) {
      next = nearestTo(state.x, state.y);
    } else if (level.kind === "graph") {
      next = nodeToward(view.hovered, dx, dy);
    } else {
      const [x, y, on] = level.cellOf(view.hovered);
      next = level.locationOf(x + dx, y + dy, on);
    }
    if (next < 0) return true;
    view.hover(next);
    view.say(placeName(view, next));
    const [px, py] = camera.toScreen(plane.x(next), plane.y(next));
    const margin = 40;
    const right = Math.min(0, camera.width - margin - px) + Math.max(0, margin - px);
    const down = Math.min(0, camera.height - margin - py) + Math.max(0, margin - py);
    if (right || down) camera.pan(right, down);
    return true;
  }

  function nearestTo(x, y) {
    const { plane, nav } = view;
    let found = -1;
    let least = Infinity;
    for (const at of nav.nodes) {
      if (plane.floorOf(at) !== state.floor) continue;
      const far = (plane.x(at) - x) ** 2 + (plane.y(at) - y) ** 2;
      if (far < least) [found, least] = [at, far];
    }
    return found;
  }

  function nodeToward(from, dx, dy) {
    const { plane, nav } = view;
    let found = -1;
    let least = Infinity;
    for (const at of nav.nodes) {
      const [ax, ay] = [plane.x(at) - plane.x(from), plane.y(at) - plane.y(from)];
      const along = ax * dx + ay * dy;
      const aside = Math.abs(ax * dy) + Math.abs(ay * dx);
      if (along <= 1e-9 || aside > along) continue;
      if (along + 2 * aside < least) [found, least] = [at, along + 2 * aside];
    }
    return found;
  }

  function floor(by) {
    const next = state.floor + by;
    if (next >= 0 && next < view.level.floors) {
      view.hover(-1);
      state.set({ floor: next });
      view.say(`floor ${next}`);
    }
    return true;
  }

  function profile() {
    const { profiles } = view.level;
    const next = profiles[(profiles.indexOf(state.profile) + 1) % profiles.length];
    state.set({ profile: next });
    view.say(`profile ${next}`);
    return true;
  }
}
