import type { Level, Nav } from "./levelbake.js";

/** Where the nodes of a level lie, and what they are called. */
export interface Places {
  /** The middle of a node's cell, or where a graph's node lies; null: nothing says so. */
  toPoint(node: number): [x: number, y: number] | null;
  /** The node whose cell a point lies in, whether or not anybody can stand there; -1: outside. */
  toNode(x: number, y: number, floor?: number): number;
  /** The node that a point lies in, if the profile can stand there, or else the nearest one; -1: none. */
  nearest(nav: Nav, x: number, y: number, floor?: number): number;
  /** The name of a graph's node: text, or a BigInt; null: nodes have none. */
  nodeName(node: number): string | bigint | null;
  /** The node of a name; -1: there is none. Numbers beyond 2^53 are given as text or BigInt. */
  nodeNamed(name: string | number | bigint): number;
}

export function placesOf(level: Level): Places;
