/** Draws the ground, the layer that colors every place: squares, hexagons, or the nodes of a graph. */

import { drawGraph } from "./graph.js";
import { drawHexagons } from "./hexagons.js";
import { drawSquares } from "./squares.js";

/** Draws a ground layer with its stripes and lines. */
export function drawGround(ctx, view, layer) {
  const paint = layer.paint(view);
  if (view.plane.kind === "graph") drawGraph(ctx, view, paint, layer);
  else if (view.plane.kind === "hexagons") drawHexagons(ctx, view, paint);
  else drawSquares(ctx, view, paint);
}
