import type { Level, Nav } from "./levelbake.js";

/** One batch of changes, applied completely or not at all. */
export interface Update {
  /** Nodes to block with an obstacle, for all profiles. */
  blocked?: Iterable<number>;
  /**
   * Nodes to remove the obstacle from. If no profile can stand on the terrain of such a node, the
   * terrain becomes the level's most common walkable one.
   */
  opened?: Iterable<number>;
  /** New terrain by node, as a name or an index of `Level.terrains`. */
  terrain?: Iterable<[node: number, terrain: string | number]>;
  /** New costs of single arcs in units; Infinity closes an arc, null restores its usual cost. */
  prices?: Iterable<[from: number, to: number, units: number | null]>;
}

/**
 * The changes of a level. After an update returns, all answers match a fresh bake of the changed level.
 *
 * @example
 * const changes = follow(level);
 * changes.setDoor("gate", "shut");
 * const path = changes.profile("guard").path(from, to);
 */
export interface Changes {
  readonly level: Level;
  /** Whether the level differs from the baked one. */
  readonly changed: boolean;
  /**
   * Changes nodes and arcs for all profiles in one batch.
   *
   * @throws LevelError a node, terrain or arc does not exist, or cells are nodes in the file; the level
   * stays unchanged.
   */
  update(batch: Update): void;
  block(...nodes: number[]): void;
  open(...nodes: number[]): void;
  setTerrain(node: number, terrain: string | number): void;
  setPrice(from: number, to: number, units: number | null): void;
  /** Restores the baked level. */
  reset(): void;
  /** Returns the current terrain of a node; -1 if the node does not exist. */
  terrainAt(node: number): number;
  hasObstacle(node: number): boolean;
  /** Returns the name of a door's current state; null if its nodes match no state. */
  doorState(door: string): string | null;
  /** Changes a door to one of its states. */
  setDoor(door: string, state: string): void;
  /** Returns the differences from the baked level as text for a saved game; see docs/updates.md. */
  patch(): string;
  /**
   * Restores the level that a patch describes; this replaces all other changes.
   *
   * @throws LevelError the patch is damaged, or belongs to another level; the level stays unchanged.
   */
  applyPatch(text: string): void;
  /** Returns the queries for one agent profile on the current level; the first profile by default. */
  profile(name?: string): Nav;
}

/** Returns a changeable view of a level, at first as baked; the level itself is not modified. */
export function follow(level: Level): Changes;
