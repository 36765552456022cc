// Answers the questions of a file with the JavaScript reader: see tests/readers/readers.py.
import { readFileSync, writeFileSync } from "node:fs";
import { follow } from "../../readers/js/changes.js";
import { LevelError, openLevel } from "../../readers/js/levelbake.js";
import { placesOf } from "../../readers/js/places.js";

let level;
let now;
let nav;
let live;
let places;
let bytes;

const commands = {
  load(path, ...changes) {
    if (path !== "=") bytes = readFileSync(path);
    let data = Uint8Array.from(bytes);
    for (const change of changes) {
      const [at, raw, times] = change.split(":");
      if (at === "size") {
        const cut = new Uint8Array(+raw);
        cut.set(data.subarray(0, +raw));
        data = cut;
      } else data.set(Buffer.from(raw.repeat(+times), "hex"), +at);
    }
    level = now = nav = null;
    level = openLevel(data.buffer);
    now = follow(level);
    places = placesOf(level);
    commands.profile("0");
    return "ok";
  },
  profile(i) {
    nav = level.profile(level.profiles[+i]);
    live = now.profile(level.profiles[+i]);
    if (now.used || searches()) nav = live;
    return "ok";
  },
  about: () =>
    JSON.stringify({
      name: level.name,
      kind: level.kind,
      profiles: level.profiles,
      width: level.width,
      height: level.floorRows,
      floors: level.floors,
      terrains: level.terrains.map((each) => each.name),
      spots: level.spots.map((each) => [each.name, each.kind, each.node, each.profiles, each.id]),
      regions: level.regions.map((each) => [each.name, [...each.nodes], each.id]),
      doors: level.doors.map((door) => [
        door.name,
        [...door.nodes],
        door.baked,
        door.states.map((state) => [state.name, [...state.terrains]]),
        door.id,
      ]),
      links: level.links.map((each) => {
        const { name, kind, from, to, cost, bothWays, profiles, id } = each;
        return [name, kind, from, to, cost, bothWays, profiles, id];
      }),
      names: Array.from({ length: level.width ? 0 : level.locations }, (_, i) => {
        return String(places.nodeName(i));
      }),
    }),
  hop: (a, b) => nav.nextHop(+a, +b),
  path: (a, b) => nav.path(+a, +b).join(" ") || "none",
  ticks(a, b) {
    const units = nav.distance(+a, +b);
    return units === Infinity ? -1 : Math.round(units * level.ticksPerUnit);
  },
  units: (a, b) => nav.distance(+a, +b),
  reach: (a, b) => +nav.reachable(+a, +b),
  stands: (a) => +nav.stands(+a),
  node_at: (x, y, floor) => nav.nodeAt(+x, +y, +floor),
  cell: (a) => nav.cellOf(+a)?.join(" ") ?? "none",
  nearest: (x, y, floor) => places.nearest(nav, +x, +y, +floor),
  point: (a) => places.toPoint(+a)?.join(" ") ?? "none",
  to_node: (x, y, floor) => places.toNode(+x, +y, +floor),
  hops_to: (goal) => nav.hopsTo(+goal).join(" "),
  hops_from: (from) => nav.hopsFrom(+from).join(" "),
  block: (...nodes) => change(() => now.block(...nodes.map(Number))),
  open: (...nodes) => change(() => now.open(...nodes.map(Number))),
  terrain: (node, code) => change(() => now.setTerrain(+node, +code)),
  price: (from, to, said) =>
    change(() => {
      const units = { closed: Infinity, usual: null };
      now.setPrice(+from, +to, said in units ? units[said] : +said);
    }),
  door: (i, k) =>
    change(() => now.setDoor(level.doors[+i]?.name, level.doors[+i]?.states[+k]?.name)),
  door_state: (i) => now.doorState(level.doors[+i]?.name) ?? "none",
  fresh: () => change(() => now.reset()),
  patch: () => now.patch().replaceAll("\n", "|"),
  apply: (...words) => change(() => now.applyPatch(words.join(" ").replaceAll("|", "\n"))),
};

/** Whether the file holds no next hops of the profile, and the reader says what to ask instead. */
function searches() {
  try {
    if (nav.nodes.length) nav.hopsFrom(nav.nodes[0]);
    return false;
  } catch (error) {
    return error.message.includes("ask follow(level)");
  }
}

function change(make) {
  now.used = true;
  nav = live;
  make();
  return "ok";
}

const [, , questions, answers] = process.argv;
const told = readFileSync(questions, "utf8").trimEnd().split("\n").map((line) => {
  const [command, ...words] = line.split(" ");
  if (!now && command !== "load") return "error: no level";
  try {
    return commands[command](...words);
  } catch (error) {
    if (!(error instanceof LevelError)) throw error;
    return `error: ${error.message}`;
  }
});
writeFileSync(answers, `${told.join("\n")}\n`);
