/** Draws square cells: magnified bitmaps of one pixel per cell, with lines and stripes above them. */

import { drawStripes } from "./stripes.js";
import { bitmap, createTiles } from "./tiles.js";

const TILE = 256;
const tiles = createTiles();
const smallTiles = createTiles();

/** Cells of at least this many pixels have lines between them. */
const LINES_FROM = 8;

export function drawSquares(ctx, view, paint) {
  const { camera, level, state } = view;
  const { width, floorRows } = level;
  const { zoom } = camera;
  const seen = camera.seen();
  tiles.of(paint);
  // Below half a pixel per cell, bitmaps of a quarter of the size look better and cost less.
  const shrink = zoom < 0.35 ? 4 : 1;
  smallTiles.of(paint);
  const side = TILE * shrink;
  ctx.imageSmoothingEnabled = zoom < 1;
  const top = Math.max(0, Math.floor(seen.top / side));
  const left = Math.max(0, Math.floor(seen.left / side));
  const bottom = Math.min(Math.ceil(floorRows / side) - 1, Math.floor(seen.bottom / side));
  const right = Math.min(Math.ceil(width / side) - 1, Math.floor(seen.right / side));
  for (let v = top; v <= bottom; v++) {
    for (let u = left; u <= right; u++) {
      const cells = {
        x: u * side,
        y: v * side,
        width: Math.min(side, width - u * side),
        height: Math.min(side, floorRows - v * side),
        floor: state.floor,
      };
      const tile = shrink === 1 ? full(view, paint, cells, u, v) : small(view, paint, cells, u, v, shrink);
      const [px, py] = camera.toScreen(cells.x, cells.y);
      const [endX, endY] = camera.toScreen(cells.x + cells.width, cells.y + cells.height);
      // Use whole pixels, as otherwise thin gaps would show between tiles.
      const [x, y] = [Math.round(px), Math.round(py)];
      const across = Math.round(endX) - x;
      const down = Math.round(endY) - y;
      ctx.drawImage(tile, 0, 0, tile.width, tile.height, x, y, across, down);
    }
  }
  drawStripes(ctx, view, paint);
  if (zoom >= LINES_FROM) drawLines(ctx, view, seen);
}

function full(view, paint, cells, u, v) {
  const key = `${cells.floor} ${u} ${v}`;
  return tiles.get(key, cells.width, cells.height, (ctx) => put(ctx, view, paint, cells));
}

function put(ctx, { level }, paint, { x, y, width, height, floor }) {
  const pixels = new Uint32Array(width * height);
  for (let row = 0; row < height; row++) {
    const first = (floor * level.floorRows + y + row) * level.width + x;
    pixels.set(paint.fill.subarray(first, first + width), row * width);
  }
  ctx.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), width, height), 0, 0);
}

/** Draws a reduced tile of several times as many cells. */
function small(view, paint, cells, u, v, shrink) {
  const width = Math.ceil(cells.width / shrink);
  const height = Math.ceil(cells.height / shrink);
  return smallTiles.get(`${cells.floor} ${u} ${v}`, width, height, (ctx) => {
    const whole = bitmap(cells.width, cells.height);
    put(whole.getContext("2d"), view, paint, cells);
    ctx.imageSmoothingEnabled = true;
    ctx.imageSmoothingQuality = "high";
    ctx.drawImage(whole, 0, 0, width, height);
  });
}

function drawLines(ctx, { camera, plane, level }, seen) {
  const [top, bottom] = plane.rows(seen);
  const [left, right] = plane.columns(seen);
  if (bottom < top || right < left) return;
  ctx.beginPath();
  const [x0, y0] = camera.toScreen(left, top);
  const [x1, y1] = camera.toScreen(Math.min(level.width, right + 1), Math.min(level.floorRows, bottom + 1));
  for (let column = left; column <= right + 1; column++) {
    const px = Math.round(camera.toScreen(column, 0)[0]) + 0.5;
    ctx.moveTo(px, y0);
    ctx.lineTo(px, y1);
  }
  for (let row = top; row <= bottom + 1; row++) {
    const py = Math.round(camera.toScreen(0, row)[1]) + 0.5;
    ctx.moveTo(x0, py);
    ctx.lineTo(x1, py);
  }
  ctx.lineWidth = 1;
  ctx.strokeStyle = `rgb(0 0 0 / ${camera.zoom >= 14 ? 0.11 : 0.07})`;
  ctx.stroke();
}
