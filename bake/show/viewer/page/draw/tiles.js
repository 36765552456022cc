/**
 * Caches tiles of a picture as bitmaps, so that panning and zooming only moves them.
 *
 * A tile is created when it is first visible. Tiles of an older paint are discarded; above a limit, the
 * least recently visible tiles are discarded, too.
 */

/** The most cached tiles, of 256 x 256 pixels and a quarter of a megabyte each. */
const MOST_TILES = 400;

/** Creates a cache of tiles; `canvasOf(width, height)` creates a bitmap. */
export function createTiles(canvasOf = bitmap) {
  let tiles = new Map();
  let paint = null;
  let form = "";

  return {
    /** Discards the tiles of another paint, or of another form of the same paint. */
    of(nowPaint, nowForm = "") {
      if (nowPaint === paint && nowForm === form) return;
      [paint, form] = [nowPaint, nowForm];
      tiles = new Map();
    },
    has: (key) => tiles.has(key),
    /** Returns the tile of a key; `draw(ctx)` draws it if it is missing. */
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

/** Creates an empty bitmap. */
export function bitmap(width, height) {
  if (globalThis.OffscreenCanvas) return new OffscreenCanvas(width, height);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas;
}
