import type { Level, Nav } from "./levelbake.js";

/** The positions and names of a level's nodes. */
export interface Places {
  /** Returns the center of a node's cell, or the position of a graph's node; null if unknown. */
  toPoint(node: number): [x: number, y: number] | null;
  /** Returns the node whose cell contains a point, walkable or not; -1 outside the level. */
  toNode(x: number, y: number, floor?: number): number;
  /** Returns the node that contains a point if walkable, otherwise the nearest walkable node; -1: none. */
  nearest(nav: Nav, x: number, y: number, floor?: number): number;
  /** Returns the name of a graph's node: text, or a BigInt; null if nodes have no names. */
  nodeName(node: number): string | bigint | null;
  /** Returns the node with a name; -1 if no node has it. Pass numbers beyond 2^53 as text or BigInt. */
  nodeNamed(name: string | number | bigint): number;
}

/** Returns the conversions between nodes, points and names of a level. */

export function placesOf(level: Level): Places;
