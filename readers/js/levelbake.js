/** Reader of flat files (.bake): `openLevel(buffer).profile().nextHop(from, to)`. */

export { LevelError, openLevel } from "./level.js";
