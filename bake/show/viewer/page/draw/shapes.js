/** Draws arrows, lines with casings, and the marks of starts and goals, as `bake render` does. */

import { bitmap } from "./tiles.js";

/**
 * Adds an arrow to the path of a context.
 *
 * @param outline corners (along, aside) of an arrow of length 1, relative to its center
 */
export function arrow(ctx, outline, x, y, dx, dy, length) {
  const scale = length / (Math.hypot(dx, dy) || 1);
  const [ax, ay] = [dx * scale, dy * scale];
  outline.forEach(([along, aside], i) => {
    ctx[i ? "lineTo" : "moveTo"](x + ax * along - ay * aside, y + ay * along + ax * aside);
  });
  ctx.closePath();
}

/** Cached arrows of one length by direction, of which a grid has six or eight. */
let arrows = { length: 0, ratio: 0, byDirection: new Map() };

/**
 * Returns an arrow as a bitmap, which draws several times faster than its outline: {bitmap, half}, where
 * half is half the side of its square in CSS pixels.
 */
export function arrowBitmap(palette, dx, dy, length) {
  const ratio = globalThis.devicePixelRatio || 1;
  if (arrows.length !== length || arrows.ratio !== ratio) {
    arrows = { length, ratio, byDirection: new Map() };
  }
  const turn = Math.round((Math.atan2(dy, dx) * 180) / Math.PI);
  let found = arrows.byDirection.get(turn);
  if (!found) {
    const half = Math.ceil(length / 2 + 1);
    const made = bitmap(Math.ceil(2 * half * ratio), Math.ceil(2 * half * ratio));
    const pen = made.getContext("2d");
    pen.scale(ratio, ratio);
    pen.beginPath();
    arrow(pen, palette.arrow, half, half, dx, dy, length);
    pen.fillStyle = palette.css("ARROW");
    pen.fill();
    found = { bitmap: made, half };
    arrows.byDirection.set(turn, found);
  }
  return found;
}

/** Fills an arrowhead in the middle between two points. */
export function arrowHead(ctx, outline, [x0, y0], [x1, y1], size) {
  ctx.beginPath();
  arrow(ctx, outline, (x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0, size);
  ctx.fill();
}

/** Draws a line through points, [[x, y], ...], over a wider light line. */
export function casedLine(ctx, points, width, colour, casing, casingColour, dash = []) {
  if (points.length < 2) return;
  ctx.beginPath();
  points.forEach(([x, y], i) => ctx[i ? "lineTo" : "moveTo"](x, y));
  ctx.lineJoin = ctx.lineCap = "round";
  if (casing > 0) {
    ctx.lineWidth = width + casing;
    ctx.strokeStyle = casingColour;
    ctx.stroke();
  }
  ctx.setLineDash(dash);
  ctx.lineWidth = width;
  ctx.strokeStyle = colour;
  ctx.stroke();
  ctx.setLineDash([]);
}

export function disc(ctx, x, y, radius, colour) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fillStyle = colour;
  ctx.fill();
}

const markRadius = (room) => Math.min(15, Math.max(6.5, 0.36 * room));

/** Draws a disc that marks a start. */
export function markStart(ctx, palette, [x, y], room) {
  const radius = markRadius(room);
  disc(ctx, x, y, radius + 1.2, palette.css("INK"));
  disc(ctx, x, y, radius, palette.css("CASING"));
  disc(ctx, x, y, radius * 0.72, palette.css("START"));
}

/** Draws rings that mark a goal. */
export function markGoal(ctx, palette, [x, y], room) {
  const radius = markRadius(room) * 1.12;
  disc(ctx, x, y, radius + 1.2, palette.css("INK"));
  for (const [share, name] of [[1, "CASING"], [0.78, "GOAL"], [0.48, "CASING"], [0.24, "GOAL"]]) {
    disc(ctx, x, y, radius * share, palette.css(name));
  }
}

/** Returns the points of a bent curve, so that links in opposite directions do not overlap. */
export function bent([x0, y0], [x1, y1], bend = 0.14, count = 24) {
  const middle = [(x0 + x1) / 2 - bend * (y1 - y0), (y0 + y1) / 2 + bend * (x1 - x0)];
  return Array.from({ length: count }, (_, i) => {
    const t = i / (count - 1);
    const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t * t];
    return [a * x0 + b * middle[0] + c * x1, a * y0 + b * middle[1] + c * y1];
  });
}
