/** Reads the flat files of bake: `openLevel(buffer).profile().nextHop(from, to)`. */

export { LevelError, openLevel } from "./level.js";
