/**
 * Looks at the plane that a level is drawn in: which point is in the middle, and how large a unit is.
 *
 * A unit is a cell; on graphs it is chosen so that nodes lie about as far apart as cells do. All
 * pixels are those of style sheets, whatever the screen has.
 */

const LEAST_ZOOM = 0.02;
const MOST_ZOOM = 160;

/** Makes a camera, which keeps x, y and zoom in the state. */
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
    /** Pixels of a unit. */
    get zoom() {
      return state.zoom;
    },
    /** Where a point of the plane lies on the canvas, in pixels. */
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
    /** The part of the plane that is seen: {left, top, right, bottom}. */
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
    /** Moves what is seen by some pixels. */
    pan(dx, dy) {
      state.set({ x: state.x - dx / state.zoom, y: state.y - dy / state.zoom });
    },
    /** Makes everything larger by a factor; the point under a pixel stays where it is. */
    zoomBy(factor, px = camera.width / 2, py = camera.height / 2) {
      const [x, y] = camera.toPlane(px, py);
      const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, state.zoom * factor));
      const left = px - camera.width / 2;
      const top = py - camera.height / 2;
      state.set({ zoom, x: x - left / zoom, y: y - top / zoom });
    },
    /** Shows a rectangle of the plane as a whole. */
    fit({ left, top, right, bottom }) {
      const wide = camera.width / Math.max(right - left, 1e-9);
      const high = camera.height / Math.max(bottom - top, 1e-9);
      const zoom = Math.min(MOST_ZOOM / 3, Math.max(LEAST_ZOOM, Math.min(wide, high) * 0.94));
      state.set({ zoom, x: (left + right) / 2, y: (top + bottom) / 2 });
    },
    /** Brings a point into the middle, and near enough to be made out. */
    goTo(x, y, least = 0) {
      state.set({ x, y, zoom: Math.max(state.zoom, least) });
    },
  };
  return camera;
}
