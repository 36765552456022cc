/**
 * The camera: which point of the plane is in the middle of the canvas, and how large a unit is.
 *
 * A unit is a cell; on graphs it is chosen so that nodes are about as far apart as cells. All pixels
 * are CSS pixels, independent of the screen.
 */

const LEAST_ZOOM = 0.02;
const MOST_ZOOM = 160;

/** Creates a camera, whose x, y and zoom are values of the state. */
export function createCamera(state) {
  const camera = {
    width: 1,
    height: 1,
    get x() {
      return state.x;
    },
    get y() {
      return state.y;
    },
    /** Pixels per unit. */
    get zoom() {
      return state.zoom;
    },
    /** Returns the position of a point of the plane on the canvas, in pixels. */
    toScreen(x, y) {
      return [
        (x - state.x) * state.zoom + camera.width / 2,
        (y - state.y) * state.zoom + camera.height / 2,
      ];
    },
    toPlane(px, py) {
      return [
        (px - camera.width / 2) / state.zoom + state.x,
        (py - camera.height / 2) / state.zoom + state.y,
      ];
    },
    /** Returns the visible part of the plane: {left, top, right, bottom}. */
    seen(margin = 0) {
      const across = (camera.width / 2 + margin) / state.zoom;
      const down = (camera.height / 2 + margin) / state.zoom;
      return {
        left: state.x - across,
        right: state.x + across,
        top: state.y - down,
        bottom: state.y + down,
      };
    },
    /** Pans by some pixels. */
    pan(dx, dy) {
      state.set({ x: state.x - dx / state.zoom, y: state.y - dy / state.zoom });
    },
    /** Zooms by a factor around a pixel. */
    zoomBy(factor, px = camera.width / 2, py = camera.height / 2) {
      const [x, y] = camera.toPlane(px, py);
      const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, state.zoom * factor));
      const left = px - camera.width / 2;
      const top = py - camera.height / 2;
      state.set({ zoom, x: x - left / zoom, y: y - top / zoom });
    },
    /** Fits a rectangle of the plane into the canvas. */
    fit({ left, top, right, bottom }) {
      const wide = camera.width / Math.max(right - left, 1e-9);
      const high = camera.height / Math.max(bottom - top, 1e-9);
      const zoom = Math.min(MOST_ZOOM / 3, Math.max(LEAST_ZOOM, Math.min(wide, high) * 0.94));
      state.set({ zoom, x: (left + right) / 2, y: (top + bottom) / 2 });
    },
    /** Centers a point, and zooms in until it is recognizable. */
    goTo(x, y, least = 0) {
      state.set({ x, y, zoom: Math.max(state.zoom, least) });
    },
  };
  return camera;
}
