/** Draws the divided plane below a graph: mesh polygons or areas between walls, as `bake render` does. */

/** Widths in pixels. */
const PORTAL_WIDTH = 1;
const WALL_WIDTH = 2;
/** The opacity of a domain's color. */
const DOMAIN_TINT = 0.55;

/** Draws the part of the plane in which the profile can stand, if the level divides a plane. */
export function drawAreas(ctx, view) {
  const { camera, plane, palette, own } = view;
  if (!own.plane) return;
  const { fills, portals, walls } = view.kept("plane", () => outlinesOf(view));
  const scale = camera.zoom * plane.scale;
  const [left, top] = camera.toScreen(0, 0);
  ctx.save();
  ctx.transform(scale, 0, 0, scale, left - plane.low[0] * scale, top - plane.low[1] * scale);
  ctx.lineCap = "round";
  for (const { path, colour } of fills) {
    ctx.fillStyle = colour ?? view.paper;
    ctx.fill(path);
    if (colour && view.layers.ground(view).id === "domains") drawDomains(ctx, view, path);
  }
  for (const [path, width, name] of [[portals, PORTAL_WIDTH, "PORTAL"], [walls, WALL_WIDTH, "WALL"]]) {
    ctx.lineWidth = width / scale;
    ctx.strokeStyle = palette.css(name);
    ctx.stroke(path);
  }
  ctx.restore();
}

/** Draws the colors of domains over an area, with the opacity of `bake render`. */
function drawDomains(ctx, view, path) {
  const { low, step, width, height } = view.own.plane.domains;
  ctx.save();
  ctx.clip(path);
  ctx.globalAlpha = DOMAIN_TINT;
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(view.kept("domains", () => domainPicture(view.own.plane.domains)), low[0], low[1], width * step, height * step);
  ctx.restore();
}

function domainPicture({ width, height, colour }) {
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [width, height];
  const pixels = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    pixels.data.set([colour[3 * i], colour[3 * i + 1], colour[3 * i + 2], 255], 4 * i);
  }
  picture.getContext("2d").putImageData(pixels, 0, 0);
  return picture;
}

/** Returns {fills, portals, walls}, where consecutive rings of one color share a path; a hole has no color. */
function outlinesOf({ contents, own }) {
  const { point, colour } = contents.plane;
  const { ring, first, terrain, walls, portals } = own.plane;
  const cssOf = (code) => (code < 0 ? null : `rgb(${colour[3 * code]} ${colour[3 * code + 1]} ${colour[3 * code + 2]})`);
  const fills = [];
  for (let i = 0; i < terrain.length; i++) {
    if (!i || terrain[i] !== terrain[i - 1]) fills.push({ path: new Path2D(), colour: cssOf(terrain[i]) });
    const { path } = fills.at(-1);
    for (let j = first[i]; j < first[i + 1]; j++) {
      path[j === first[i] ? "moveTo" : "lineTo"](point[2 * ring[j]], point[2 * ring[j] + 1]);
    }
    path.closePath();
  }
  const lines = (ends) => {
    const path = new Path2D();
    for (let i = 0; i < ends.length; i += 2) {
      path.moveTo(point[2 * ends[i]], point[2 * ends[i] + 1]);
      path.lineTo(point[2 * ends[i + 1]], point[2 * ends[i + 1] + 1]);
    }
    return path;
  };
  return { fills, portals: lines(portals), walls: lines(walls) };
}
