// A night in the harbour, in JavaScript: what play.py does, from the flat file that bake exports.
//
//     bake export baked/harbour.h5 -o baked/harbour.bake
//     npm install ../readers/js
//     node play.mjs [baked/harbour.bake]
import { readFileSync } from "node:fs";
import { LevelError, openLevel } from "levelbake";
import { follow } from "levelbake/changes";
import { placesOf } from "levelbake/places";

const FRAMES = 120;
const CROWD = 400;

/** Townsfolk stroll from home to home: one call a frame moves them all. */
function evening(level) {
  const nav = level.profile("townsfolk");
  const homes = level.spots.filter((spot) => spot.kind === "home").map((spot) => spot.node);
  let here = Int32Array.from({ length: CROWD }, (_, i) => homes[i % homes.length]);
  const goal = Int32Array.from({ length: CROWD }, (_, i) => homes[(i * 7 + 1) % homes.length]);
  let steps = 0;
  for (let frame = 0; frame < FRAMES; frame++) {
    const next = nav.nextHops(here, goal);
    for (let i = 0; i < CROWD; i++) {
      if (next[i] !== here[i]) steps++;
      if (next[i] === goal[i]) goal[i] = homes[(i + frame) % homes.length];
    }
    here = next;
  }
  const moved = `${steps.toLocaleString("en")} steps in ${FRAMES} frames`;
  console.log(`evening: ${CROWD} townsfolk between ${homes.length} homes, ${moved}`);
}

/** A cart blocks a lane; whoever has to pass walks around it, and a savegame remembers it. */
function market(level) {
  const now = follow(level);
  const nav = now.profile("townsfolk");
  const [from, to] = level.spots.filter((spot) => spot.kind === "home").map((spot) => spot.node);
  const path = nav.path(from, to);
  const cart = path[path.length >> 1];
  const before = nav.distance(from, to);
  now.block(cart);
  const after = nav.distance(from, to);
  const place = level.cellOf(cart).slice(0, 2).join(", ");
  console.log(`market: a cart at (${place}) lengthens a path of ${before.toFixed(2)} to ${after.toFixed(2)}`);
  const saved = now.patch();
  now.reset();
  now.applyPatch(saved);
  const held = nav.distance(from, to) === after ? "still there" : "gone";
  console.log(`        a patch of ${saved.length} characters saves it: it is ${held}`);
}

/** A guard is sent where a player clicks, in pixels of the map that the harbour was drawn in. */
function night(level) {
  const guard = level.profile("guard");
  const places = placesOf(level);
  const post = places.nearest(guard, 478, 244);
  const spawns = level.spots.filter((spot) => spot.profiles.includes("guard")).map((spot) => spot.node);
  spawns.sort((a, b) => guard.distance(a, post) - guard.distance(b, post));
  const [start, end] = [spawns[0], post].map((node) => level.cellOf(node).slice(0, 2).join(", "));
  console.log(`night: a guard goes from (${start}) to (${end}), to pixel (${places.toPoint(post).join(", ")})`);
}

try {
  const level = openLevel(readFileSync(process.argv[2] ?? "baked/harbour.bake"));
  for (const scene of [evening, market, night]) scene(level);
} catch (error) {
  if (!(error instanceof LevelError) && error.code !== "ENOENT") throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
