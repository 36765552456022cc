/**
 * Dispatches pointer events to tools. A tool is {id, title, key?, isExpert?, down?(at, event), move?(at, event),
 * up?(at, event), click?(at, event)}; at is the place under the pointer, -1 outside. Dragging moves
 * the map, unless the tool has a `down` that returns true: then all goes to it until the pointer is up.
 *
 * view.tools.add(tool) adds one, and the state's `tool` names the one in use.
 */

import { setEnd } from "./snapping.js";

/** The least pixels of a drag. */
const STILL = 4;

/** Adds pointer tools to a view, with the first tool "look". */
export function installPointer(view) {
  const { canvas, camera, state } = view;
  const tools = new Map();
  const listeners = new Set();
  view.tools = {
    add(tool) {
      tools.set(tool.id, tool);
      for (const listener of listeners) listener(tool);
    },
    all: () => [...tools.values()],
    current: () => tools.get(state.tool) ?? tools.get("look"),
    listen: (listener) => listeners.add(listener),
  };
  view.tools.add({ id: "look", title: "Look", key: "v", click: (at) => at >= 0 && choose(view, at) });

  const pointers = new Map();
  let held = null;
  let pinch = 0;

  const pointOf = (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const placeOf = (event) => {
    const [x, y] = camera.toPlane(...pointOf(event));
    return view.plane ? view.plane.locationAt(x, y, state.floor) : -1;
  };
  const apart = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (!view.level || event.button > 1) return;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, pointOf(event));
    if (pointers.size === 2) pinch = apart();
    const at = placeOf(event);
    const tool = event.button === 0 && !event.altKey ? view.tools.current() : null;
    held = { from: pointOf(event), moved: false, tool, taken: tool?.down?.(at, event) === true };
  });

  canvas.addEventListener("pointermove", (event) => {
    if (!view.level) return;
    const at = placeOf(event);
    const before = pointers.get(event.pointerId);
    if (before) {
      const now = pointOf(event);
      pointers.set(event.pointerId, now);
      if (pointers.size === 2) {
        const wide = apart();
        const [a, b] = [...pointers.values()];
        camera.zoomBy(wide / (pinch || wide), (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
        pinch = wide;
        held.moved = true;
      } else if (held?.taken) {
        held.tool.move?.(at, event);
      } else if (held) {
        const far = Math.hypot(now[0] - held.from[0], now[1] - held.from[1]);
        held.moved ||= far > STILL;
        if (held.moved) camera.pan(now[0] - before[0], now[1] - before[1]);
      }
      if (held?.moved && !held.taken) return;
    }
    view.hover(at);
  });

  const let_go = (event) => {
    if (!pointers.delete(event.pointerId) || !held) return;
    const at = placeOf(event);
    if (held.taken) held.tool.up?.(at, event);
    else if (!held.moved && event.type === "pointerup") held.tool?.click?.(at, event);
    if (!pointers.size) held = null;
  };
  canvas.addEventListener("pointerup", let_go);
  canvas.addEventListener("pointercancel", let_go);
  canvas.addEventListener("pointerleave", () => pointers.size || view.hover(-1));
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      camera.zoomBy(Math.exp(-0.0016 * lines * event.deltaY), ...pointOf(event));
    },
    { passive: false },
  );
}

/** Sets a place as the start, as the goal if a start is set, or as a new start if both are set. */
export function choose(view, at) {
  const { state } = view;
  if (!state.start || state.goal) setEnd(view, "start", at, { goal: "" });
  else setEnd(view, "goal", at);
}
