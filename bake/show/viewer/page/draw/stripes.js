/** Draws the diagonal stripes that distinguish places without color, as in `bake render`. */

import { css } from "../palette.js";
import { bitmap } from "./tiles.js";

const PERIOD = 8;
/** Cells of fewer pixels have no room for stripes, only for color. */
const STRIPES_FROM = 5;

const patterns = new Map();

/** Draws the stripes of all visible cells, with runs of equal cells at once. */
export function drawStripes(ctx, view, { stripe }) {
  const { camera, plane, level, state } = view;
  if (!stripe || camera.zoom < STRIPES_FROM) return;
  const seen = camera.seen();
  const [top, bottom] = plane.rows(seen);
  const [left, right] = plane.columns(seen);
  const kinds = view.palette.stripes.length;
  for (let kind = 1; kind <= kinds; kind++) {
    const hexagons = plane.kind === "hexagons";
    ctx.fillStyle = patternOf(ctx, view.palette.stripes[kind - 1]);
    ctx.beginPath();
    for (let row = top; row <= bottom; row++) {
      const first = (state.floor * level.floorRows + row) * level.width;
      for (let column = left; column <= right; column++) {
        if (stripe[first + column] !== kind) continue;
        if (hexagons) {
          plane.outline(ctx, first + column, camera);
          continue;
        }
        const begins = column;
        while (column < right && stripe[first + column + 1] === kind) column++;
        // Filling single rectangles is much faster than filling a path of many.
        const [px, py] = camera.toScreen(begins, row).map(Math.round);
        const [endX, endY] = camera.toScreen(column + 1, row + 1).map(Math.round);
        ctx.fillRect(px, py, endX - px, endY - py);
      }
    }
    if (hexagons) ctx.fill();
  }
}

function patternOf(ctx, colour) {
  const key = `${colour}`;
  if (!patterns.has(key)) {
    const tile = bitmap(PERIOD, PERIOD);
    const pen = tile.getContext("2d");
    pen.strokeStyle = css(colour);
    pen.lineWidth = (PERIOD / 2) * Math.SQRT1_2;
    pen.beginPath();
    for (const shift of [-PERIOD, 0, PERIOD]) {
      pen.moveTo(shift - 2, PERIOD + 2);
      pen.lineTo(shift + PERIOD + 2, -2);
    }
    pen.stroke();
    patterns.set(key, ctx.createPattern(tile, "repeat"));
  }
  return patterns.get(key);
}
