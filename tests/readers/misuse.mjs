// Calls every function of the JavaScript reader with arguments that nobody should give it. Each call
// returns, or throws a LevelError that does not blame the file. Writes a line for each that does not,
// and how many calls there were.
import { readFileSync, writeFileSync } from "node:fs";
import { follow } from "../../readers/js/changes.js";
import { LevelError, openLevel } from "../../readers/js/levelbake.js";
import { placesOf } from "../../readers/js/places.js";

const [, , list, report] = process.argv;
const levels = readFileSync(list, "utf8").trim().split("\n").map((path) => openLevel(readFileSync(path)));
const wrong = [];
let calls = 0;

const others = [undefined, null, true, "21", "", "3.5", {}, [], ["x"], [[1]], () => 1, Symbol("s"), 5n, NaN];
others.push(Infinity, -Infinity, 1.5, -1, 0, 2 ** 31, 2 ** 53, Object.create(null), levels[0]);

function call(what, make) {
  calls++;
  try {
    make();
    return "";
  } catch (error) {
    const isClear = error instanceof LevelError && !/damaged|\n/.test(error.message);
    if (!isClear) wrong.push(`${what}: ${String(error.stack).slice(0, 300).replaceAll("\n", " ")}`);
    return error.message;
  }
}

for (const level of levels) {
  const now = follow(level);
  const objects = { level, nav: level.profile(), now, live: now.profile(), places: placesOf(level) };
  for (const [kind, object] of Object.entries(objects)) {
    for (const [name, method] of Object.entries(object)) {
      if (typeof method !== "function") continue;
      for (const a of others) {
        call(`${kind}.${name}(${typeof a})`, () => method(a));
        for (const b of others.filter((_, i) => i % 3 === 0)) {
          call(`${kind}.${name}(${typeof a}, ${typeof b})`, () => method(a, b));
          call(`${kind}.${name}(.., ${typeof b})`, () => method(0, a, b));
        }
      }
    }
    if (kind === "now") {
      for (const key of ["blocked", "opened", "terrain", "prices", "other"]) {
        for (const a of others) call(`update ${key}`, () => now.update({ [key]: a }));
      }
    }
  }
}
for (const a of others) for (const make of [openLevel, follow, placesOf]) call(make.name, () => make(a));
call("placesOf(changes)", () => placesOf(follow(levels[0])));

const expect = (holds, what) => holds || wrong.push(what);
const refuses = (what, make, word) => expect(call(what, make).includes(word), `${what} is refused for ${word}`);
const [doors, numbered, cells, bare] = levels;
const live = follow(numbered);
for (const nav of [numbered.profile(), live.profile()]) {
  for (const name of ["nextHop", "path", "distance", "reachable"]) {
    refuses(name, () => nav[name]("0", 1), '"0"');
    refuses(name, () => nav[name](0, undefined), "undefined");
  }
  for (const name of ["hopsTo", "hopsFrom", "stands", "cellOf"]) refuses(name, () => nav[name]("0"), '"0"');
  refuses("nextHops", () => nav.nextHops([0, 1], [0]), "as many");
  refuses("nextHops", () => nav.nextHops([0, 1], [0, 1], new Int32Array(1)), "room");
}
refuses("block", () => live.block("0"), '"0"');
refuses("a number for a list", () => live.update({ blocked: 5 }), "blocked");
refuses("a misspelt key", () => live.update({ block: [0] }), '"block"');
refuses("a price as text", () => live.setPrice(0, 1, "2"), '"2"');
refuses("nodeAt", () => doors.profile().nodeAt("1", 0), '"1"');
refuses("changes of cells", () => follow(cells).block(0), "cells are nodes");
expect(follow(cells).applyPatch(follow(cells).patch()) === undefined, "nothing is no change");
refuses("no next hops", () => bare.profile().nextHop(0, 1), "follow(level)");
expect(bare.profile().reachable(0, 1) === true, "reachable needs no next hops");
expect(follow(bare).profile().nextHop(0, 1) === 1, "changes search");
refuses("a rounded number", () => placesOf(numbered).nodeNamed(2 ** 53), "BigInt");
const node = placesOf(numbered).nodeNamed(9007199254740993n);
expect(node >= 0 && placesOf(numbered).nodeName(node) === 9007199254740993n, "a large number");
writeFileSync(report, `${[...wrong, calls].join("\n")}\n`);
