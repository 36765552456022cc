/**
 * Draws hexagons from bitmaps of blocks of cells, prepared at a few sizes and scaled down. The outline
 * is the same as for the pointer, so that both agree.
 */

import { drawStripes } from "./stripes.js";
import { createTiles } from "./tiles.js";

const CELLS = 32;
const SIZES = [2, 4, 8, 16];
/** Cells of at least this many pixels are filled one by one, as few are visible. */
const SINGLY_FROM = 22;
const LINES_FROM = 8;
const tiles = SIZES.map(() => createTiles());

export function drawHexagons(ctx, view, paint) {
  const { camera } = view;
  if (camera.zoom >= SINGLY_FROM) drawSingly(ctx, view, paint);
  else drawTiles(ctx, view, paint);
  drawStripes(ctx, view, paint);
  if (camera.zoom >= LINES_FROM) drawLines(ctx, view, paint);
}

function drawSingly(ctx, view, paint) {
  const pen = { ...view.camera, zoom: view.camera.zoom + 0.6, toScreen: view.camera.toScreen };
  eachSeen(view, (at) => {
    ctx.beginPath();
    view.plane.outline(ctx, at, pen);
    ctx.fillStyle = cssOf(paint.fill[at]);
    ctx.fill();
  });
}

function drawTiles(ctx, view, paint) {
  const { camera, plane, level, state } = view;
  const which = Math.max(0, SIZES.findIndex((size) => size >= camera.zoom));
  const size = camera.zoom > SIZES[SIZES.length - 1] ? SIZES[SIZES.length - 1] : SIZES[which];
  const store = tiles[SIZES.indexOf(size)];
  store.of(paint);
  const seen = camera.seen();
  const [top, bottom] = plane.rows(seen);
  const [left, right] = plane.columns(seen);
  const [stepX, stepY] = plane.inRows ? [1, plane.pitch] : [plane.pitch, 1];
  ctx.imageSmoothingEnabled = true;
  for (let v = Math.floor(top / CELLS); v * CELLS <= bottom; v++) {
    for (let u = Math.floor(left / CELLS); u * CELLS <= right; u++) {
      // A tile is a box around its cells, which overlaps the next tile by the corners of cells.
      const x = u * CELLS * stepX;
      const y = v * CELLS * stepY;
      const wide = CELLS * stepX + 1.2;
      const high = CELLS * stepY + 1.2;
      const key = `${state.floor} ${u} ${v}`;
      const tile = store.get(key, Math.ceil(wide * size), Math.ceil(high * size), (pen) => {
        const part = {
          zoom: size + 0.5,
          toScreen: (px, py) => [(px - x) * size, (py - y) * size],
        };
        const lastRow = Math.min(level.floorRows, (v + 1) * CELLS);
        const lastColumn = Math.min(level.width, (u + 1) * CELLS);
        for (let row = v * CELLS; row < lastRow; row++) {
          for (let column = u * CELLS; column < lastColumn; column++) {
            const at = (state.floor * level.floorRows + row) * level.width + column;
            pen.beginPath();
            plane.outline(pen, at, part);
            pen.fillStyle = cssOf(paint.fill[at]);
            pen.fill();
          }
        }
      });
      const [px, py] = camera.toScreen(x, y);
      const scale = camera.zoom / size;
      ctx.drawImage(tile, px, py, tile.width * scale, tile.height * scale);
    }
  }
}

function drawLines(ctx, view, { solid }) {
  ctx.beginPath();
  eachSeen(view, (at) => {
    if (!solid?.[at]) view.plane.outline(ctx, at, view.camera);
  });
  ctx.lineWidth = 1;
  ctx.strokeStyle = `rgb(0 0 0 / ${view.camera.zoom >= 14 ? 0.11 : 0.07})`;
  ctx.stroke();
}

function eachSeen({ camera, plane, level, state }, visit) {
  const seen = camera.seen();
  const [top, bottom] = plane.rows(seen);
  const [left, right] = plane.columns(seen);
  for (let row = top; row <= bottom; row++) {
    const first = (state.floor * level.floorRows + row) * level.width;
    for (let column = left; column <= right; column++) visit(first + column);
  }
}

const names = new Map();

/** Returns a packed color as a CSS color. */
export function cssOf(packed) {
  let name = names.get(packed);
  if (!name) {
    name = `rgb(${packed & 255} ${(packed >> 8) & 255} ${(packed >> 16) & 255})`;
    names.set(packed, name);
  }
  return name;
}
