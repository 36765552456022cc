/**
 * Keeps pieces of a picture as bitmaps, so that panning and zooming only moves them.
 *
 * A tile is made when it is first seen. Those of an older paint go with it; beyond some number the
 * ones that were not seen for longest go, too.
 */

/** Tiles that are kept at once: 256 x 256 pixels each, so a quarter of a megabyte. */
const MOST_TILES = 400;

/** Makes a store of tiles; `canvasOf(width, height)` makes a bitmap. */
export function createTiles(canvasOf = bitmap) {
  let tiles = new Map();
  let paint = null;
  let form = "";

  return {
    /** Forgets the tiles of another paint, or of another form of the same. */
    of(nowPaint, nowForm = "") {
      if (nowPaint === paint && nowForm === form) return;
      [paint, form] = [nowPaint, nowForm];
      tiles = new Map();
    },
    has: (key) => tiles.has(key),
    /** The tile of a key; `draw(ctx)` draws it if it is not there. */
    get(key, width, height, draw) {
      let tile = tiles.get(key);
      if (tile) {
        tiles.delete(key);
      } else {
        tile = canvasOf(width, height);
        draw(tile.getContext("2d"));
      }
      tiles.set(key, tile);
      if (tiles.size > MOST_TILES) tiles.delete(tiles.keys().next().value);
      return tile;
    },
    get size() {
      return tiles.size;
    },
  };
}

/** Makes an empty bitmap. */
export function bitmap(width, height) {
  if (globalThis.OffscreenCanvas) return new OffscreenCanvas(width, height);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas;
}
