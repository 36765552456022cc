/**
 * Reader of flat files (.bake). A node is a location: on grids the cell y * width + x, with floors
 * stacked from north to south; on graphs the number of the node. See docs/format.md.
 *
 * @example
 * const level = openLevel(await (await fetch("keep.bake")).arrayBuffer());
 * const nav = level.profile();
 * const next = nav.nextHop(nav.nodeAt(3, 4), nav.nodeAt(50, 41)); // -1 = unreachable
 */

/** The error for an invalid file, patch or argument; the message is one line. */
export class LevelError extends Error {}

/**
 * Opens a level from the bytes of a .bake file. The level uses these bytes without a copy, so do not
 * modify them; only views that are not aligned to 8 bytes are copied.
 *
 * @throws LevelError the bytes are not a .bake file, are damaged, or have 2 GiB or more.
 */
export function openLevel(source: ArrayBuffer | SharedArrayBuffer | ArrayBufferView): Level;

/** A baked level. Immutable: `follow` in changes.js returns a changeable view of a level. */
export interface Level {
  readonly name: string;
  readonly kind: "graph" | "squares" | "hexagons";
  readonly hexLayout: "odd-r" | "even-r" | "odd-q" | "even-q" | null;
  /** Cells from west to east; 0 on graphs. */
  readonly width: number;
  /** Rows of one floor. */
  readonly floorRows: number;
  readonly floors: number;
  /** Number of nodes, walkable or not; nodes count from 0. */
  readonly locations: number;
  readonly ticksPerUnit: number;
  /** The effective recipe, as JSON. */
  readonly recipe: string;
  readonly bakeRevision: number;
  /** Fingerprint of the asset, in hexadecimal. */
  readonly fingerprint: string;
  readonly profiles: readonly string[];
  readonly terrains: readonly { readonly name: string; readonly colour: Uint8Array }[];
  /** Terrain of each node, as an index of `terrains`. */
  readonly terrain: Uint8Array;
  readonly regions: readonly { name: string; id: string; nodes: Int32Array }[];
  readonly spots: readonly Spot[];
  readonly links: readonly Link[];
  readonly doors: readonly Door[];
  /** Returns the node at a cell, walkable or not; -1 outside the level. */
  locationOf(x: number, y: number, floor?: number): number;
  /** Returns [x, y, floor] of a node; null on graphs, or if the node does not exist. */
  cellOf(node: number): [number, number, number] | null;
  /** Returns the queries for one agent profile; the first profile by default. */
  profile(name?: string): Nav;
}

export interface Spot {
  name: string;
  id: string;
  kind: string;
  node: number;
  /** Names of the profiles that the spot is for; empty = all. */
  profiles: string[];
}

export interface Link {
  name: string;
  id: string;
  kind: string;
  from: number;
  to: number;
  /** Cost of taking the link, in units. */
  cost: number;
  bothWays: boolean;
  profiles: string[];
}

export interface Door {
  name: string;
  id: string;
  nodes: Int32Array;
  /** The states of the door, each with one terrain per node. */
  states: { name: string; terrains: Uint8Array }[];
  /** Name of the baked state; null if the nodes match no state. */
  baked: string | null;
}

/**
 * The queries for one agent profile. Unreachable goals and nodes that the profile cannot stand on are
 * values, not errors. A method throws a LevelError if an argument is not a number, if the file has no
 * next hops (use follow(level) of changes.js, which searches), or if the file is damaged.
 */
export interface Nav {
  readonly level: Level;
  readonly name: string;
  /** Side length of the square footprint, in cells. */
  readonly size: number;
  /** The nodes that the profile can stand on in the baked level. */
  readonly nodes: Int32Array;
  /** Returns whether the profile can stand on a node. */
  stands(node: number): boolean;
  /** Returns the node at a cell; -1 if the profile cannot stand there. */
  nodeAt(x: number, y: number, floor?: number): number;
  /** Returns [x, y, floor] of a node; null on graphs, or if the node does not exist. */
  cellOf(node: number): [number, number, number] | null;
  /** Returns the next node on a shortest path; `from` when already there; -1 if unreachable. */
  nextHop(from: number, to: number): number;
  /** Returns the next hops of many pairs, written to `out` if given. */
  nextHops(from: ArrayLike<number>, to: ArrayLike<number>, out?: Int32Array): Int32Array;
  /** Returns the next hop of every node toward one goal; -1 if unreachable or not walkable. */
  hopsTo(goal: number): Int32Array;
  /** Returns the next hop from one node toward every goal; faster than one call per goal. */
  hopsFrom(from: number): Int32Array;
  /** Returns the nodes of a shortest path, both ends included; empty if unreachable. */
  path(from: number, to: number): number[];
  /** Returns the cost of a shortest path in units; Infinity if unreachable. */
  distance(from: number, to: number): number;
  /** Returns whether a path exists. */
  reachable(from: number, to: number): boolean;
}
