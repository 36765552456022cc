/** Draws the layer that gives every place a colour: squares, hexagons, or the nodes of a graph. */

import { drawGraph } from "./graph.js";
import { drawHexagons } from "./hexagons.js";
import { drawSquares } from "./squares.js";

/** Draws a ground layer, and the stripes and lines that belong to it. */
export function drawGround(ctx, view, layer) {
  const paint = layer.paint(view);
  if (view.plane.kind === "graph") drawGraph(ctx, view, paint, layer);
  else if (view.plane.kind === "hexagons") drawHexagons(ctx, view, paint);
  else drawSquares(ctx, view, paint);
}
