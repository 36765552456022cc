import type { Level, Nav } from "./levelbake.js";

/** One batch of changes, which is applied as a whole or not at all. Nodes are locations. */
export interface Update {
  /** Nodes that get an obstacle, on which nobody can stand. */
  blocked?: Iterable<number>;
  /** Nodes whose obstacle goes. Where nobody can stand on what is below, it becomes floor. */
  opened?: Iterable<number>;
  /** Terrain of nodes, by its name or its number. */
  terrain?: Iterable<[node: number, terrain: string | number]>;
  /** Prices of arcs in units; Infinity closes an arc, null takes its price away. */
  prices?: Iterable<[from: number, to: number, units: number | null]>;
}

/** What has become of a level. Each answer is exact as soon as an update returns. */
export interface Changes {
  readonly level: Level;
  /** Whether anything is other than when the level was baked. */
  readonly changed: boolean;
  /**
   * @throws LevelError there is no such node, terrain or arc, or cells are nodes in the file; then
   * nothing has changed.
   */
  update(batch: Update): void;
  block(...nodes: number[]): void;
  open(...nodes: number[]): void;
  setTerrain(node: number, terrain: string | number): void;
  setPrice(from: number, to: number, units: number | null): void;
  /** Makes the level what it was when it was baked. */
  reset(): void;
  /** The number of a node's terrain now; -1: there is no such node. */
  terrainAt(node: number): number;
  hasObstacle(node: number): boolean;
  /** The name of the state that a door is in; null: none of them. */
  doorState(door: string): string | null;
  setDoor(door: string, state: string): void;
  /** Writes down what has become of the level, as text for a savegame: docs/updates.md. */
  patch(): string;
  /**
   * Makes the level what a patch says, whatever has become of it meanwhile.
   *
   * @throws LevelError the patch is damaged, or of another level; then nothing has changed.
   */
  applyPatch(text: string): void;
  /** Answers questions of one profile about the level as it is now. */
  profile(name?: string): Nav;
}

/** Follows a level from the moment at which it is as it was baked. */
export function follow(level: Level): Changes;
