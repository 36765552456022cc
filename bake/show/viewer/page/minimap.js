/** Draws a small map of the whole floor with the visible part; a click goes there. */

import { roadsOf } from "./draw/graph.js";

export function installMinimap(view, canvas) {
  const { camera, state } = view;
  let drawn = { paint: null, floor: -1, picture: null };
  let scale = 1;
  let left = 0;
  let top = 0;

  function picture(paint) {
    const { bounds } = view.plane;
    const wide = bounds.right - bounds.left;
    const high = bounds.bottom - bounds.top;
    scale = Math.min(200 / wide, 150 / high);
    const ratio = globalThis.devicePixelRatio || 1;
    canvas.width = Math.max(8, Math.round(wide * scale * ratio));
    canvas.height = Math.max(8, Math.round(high * scale * ratio));
    canvas.style.width = `${canvas.width / ratio}px`;
    canvas.style.height = `${canvas.height / ratio}px`;
    [left, top] = [bounds.left, bounds.top];
    const pixels = new ImageData(canvas.width, canvas.height);
    const out = new Uint32Array(pixels.data.buffer);
    for (let v = 0; v < canvas.height; v++) {
      for (let u = 0; u < canvas.width; u++) {
        const x = (u + 0.5) / (scale * ratio) + left;
        const y = (v + 0.5) / (scale * ratio) + top;
        const at = view.plane.kind === "graph" ? -1 : view.plane.locationAt(x, y, state.floor);
        out[v * canvas.width + u] = at < 0 ? 0 : paint.fill[at];
      }
    }
    return pixels;
  }

  /** Hidden if everything is visible. */
  function isNeeded(seen) {
    const { bounds } = view.plane;
    const wide = seen.left > bounds.left || seen.right < bounds.right;
    return wide || seen.top > bounds.top || seen.bottom < bounds.bottom;
  }

  function draw() {
    const seen = camera.seen();
    canvas.hidden = !isNeeded(seen);
    if (canvas.hidden) return;
    const paint = view.layers.ground(view).paint(view);
    if (drawn.paint !== paint || drawn.floor !== state.floor) {
      drawn = { paint, floor: state.floor, picture: picture(paint) };
    }
    const ctx = canvas.getContext("2d");
    const ratio = globalThis.devicePixelRatio || 1;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.putImageData(drawn.picture, 0, 0);
    ctx.scale(scale * ratio, scale * ratio);
    ctx.translate(-left, -top);
    if (view.plane.kind === "graph") drawRoads(ctx);
    const box = [seen.left, seen.top, seen.right - seen.left, seen.bottom - seen.top];
    for (const [width, colour] of [[3.5, "CASING"], [1.5, "GOAL"]]) {
      ctx.lineWidth = width / scale;
      ctx.strokeStyle = view.palette.css(colour);
      ctx.strokeRect(...box);
    }
  }

  function drawRoads(ctx) {
    const { plane, palette } = view;
    ctx.beginPath();
    for (const { a, b } of roadsOf(view)) {
      ctx.moveTo(plane.xs[a], plane.ys[a]);
      ctx.lineTo(plane.xs[b], plane.ys[b]);
    }
    ctx.lineWidth = 1.2 / scale;
    ctx.strokeStyle = palette.css("ROAD_CASING");
    ctx.stroke();
  }

  const goTo = (event) => {
    if (!event.buttons) return;
    const box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) / scale + left;
    const y = (event.clientY - box.top) / scale + top;
    state.set({ x, y });
  };
  canvas.addEventListener("pointerdown", goTo);
  canvas.addEventListener("pointermove", goTo);
  view.on("frame", draw);
}
