/** Reads the flat files of bake. Nodes are locations: see docs/format.md. */

/** What is wrong with a file, a patch or a question, in one line. */
export class LevelError extends Error {}

/**
 * Opens the bytes of a .bake file. They are used where they lie, so leave them as they are; only
 * Buffers that begin off a multiple of 8 are copied.
 *
 * @throws LevelError the file is no .bake file, is damaged, or is 2 GiB or larger.
 */
export function openLevel(source: ArrayBuffer | SharedArrayBuffer | ArrayBufferView): Level;

/** A level as it was baked. It never changes; `follow` in changes.js keeps what has become of it. */
export interface Level {
  readonly name: string;
  readonly kind: "graph" | "squares" | "hexagons";
  readonly hexLayout: "odd-r" | "even-r" | "odd-q" | "even-q" | null;
  /** Cells from west to east; 0 on graphs. */
  readonly width: number;
  /** Rows of one floor. */
  readonly floorRows: number;
  readonly floors: number;
  /** How many nodes there may be, from 0. */
  readonly locations: number;
  readonly ticksPerUnit: number;
  /** The recipe that took effect, as JSON. */
  readonly recipe: string;
  readonly bakeRevision: number;
  /** Of the asset, in hexadecimal. */
  readonly fingerprint: string;
  readonly profiles: readonly string[];
  readonly terrains: readonly { readonly name: string; readonly colour: Uint8Array }[];
  /** The number of the terrain of each node. */
  readonly terrain: Uint8Array;
  readonly regions: readonly { name: string; id: string; nodes: Int32Array }[];
  readonly spots: readonly Spot[];
  readonly links: readonly Link[];
  readonly doors: readonly Door[];
  /** The node at a cell, whether or not anybody can stand there; -1: there is no such cell. */
  locationOf(x: number, y: number, floor?: number): number;
  /** [x, y, floor] of a node; null on graphs, and where there is no such node. */
  cellOf(node: number): [number, number, number] | null;
  /** Answers questions of one kind of agents; without a name, of the first. */
  profile(name?: string): Nav;
}

export interface Spot {
  name: string;
  id: string;
  kind: string;
  node: number;
  /** Whom it is for; empty: everybody. */
  profiles: string[];
}

export interface Link {
  name: string;
  id: string;
  kind: string;
  from: number;
  to: number;
  /** In units. */
  cost: number;
  bothWays: boolean;
  profiles: string[];
}

export interface Door {
  name: string;
  id: string;
  nodes: Int32Array;
  /** Each state gives every node of the door a terrain. */
  states: { name: string; terrains: Uint8Array }[];
  /** The state that the level was baked in; null: none of them. */
  baked: string | null;
}

/**
 * Answers the questions of one profile. What cannot be reached is a value, and so is a node on which
 * the profile cannot stand. A LevelError says that an argument is no number, that the file holds no
 * next hops (follow(level) of changes.js searches), or that it is damaged.
 */
export interface Nav {
  readonly level: Level;
  readonly name: string;
  /** Cells along one side of the footprint. */
  readonly size: number;
  /** The nodes on which the profile could stand when the level was baked. */
  readonly nodes: Int32Array;
  /** Whether the profile can stand on a node. */
  stands(node: number): boolean;
  /** The node at a cell; -1: nobody of the profile stands there. */
  nodeAt(x: number, y: number, floor?: number): number;
  cellOf(node: number): [number, number, number] | null;
  /** The node to step to on a shortest path; `from` itself when it is there; -1: no path. */
  nextHop(from: number, to: number): number;
  /** Next hops of many pairs; `out` takes them if it is given. */
  nextHops(from: ArrayLike<number>, to: ArrayLike<number>, out?: Int32Array): Int32Array;
  /** The next hop of every node toward one goal; -1: no path, or nobody stands there. */
  hopsTo(goal: number): Int32Array;
  /** The next hop from one node toward every node, whole runs of the tables at once. */
  hopsFrom(from: number): Int32Array;
  /** All nodes of a shortest path, both ends with it; empty: there is none. */
  path(from: number, to: number): number[];
  /** Units of a shortest path; Infinity: there is none. */
  distance(from: number, to: number): number;
  /** Whether there is a path. */
  reachable(from: number, to: number): boolean;
}
