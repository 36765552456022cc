// Asks the page's modules that need no page, for each line of JSON that names the files: a level,
// questions, and answers. See tests/support/page_modules.py.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { changesOf, editsOf } from "../../bake/show/viewer/page/editing/edits.js";
import { searchSteps } from "../../bake/show/viewer/page/traces/textbook.js";
import { groundOf } from "../../bake/show/viewer/page/search/ground.js";
import { CLOSED, OPEN, playerOf, readTrace } from "../../bake/show/viewer/page/traces/player.js";
import { walkPlayer } from "../../bake/show/viewer/page/traces/walks.js";
import { crowdOf, highest } from "../../bake/show/viewer/page/crowd/walkers.js";
import { follow } from "../../readers/js/changes.js";
import { insides, LevelError, openLevel } from "../../readers/js/level.js";
import { placesOf } from "../../readers/js/places.js";

let level, now, places, edits, view;

/** Opens a level that nobody has changed. */
function open(flat) {
  level = openLevel(readFileSync(flat));
  now = follow(level);
  places = placesOf(level);
  edits = editsOf(now);
  choose(level.profiles[0]);
}

/** Makes what view.js makes of a profile. */
function choose(profile) {
  const inside = insides.get(level);
  const tables = inside.navs.get(profile);
  const baked = level.profile(profile);
  view = { level, changes: now, inside, tables, places, baked, nav: now.profile(profile) };
  view.kept = (key, make) => make();
  view.ground = groundOf(view);
}

const nameOf = (node) => {
  if (node < 0) return null;
  const cell = level.cellOf(node);
  if (cell) return level.floors > 1 ? cell : cell.slice(0, 2);
  const name = places.nodeName(node);
  return typeof name === "bigint" ? Number(name) : name;
};

/** Writes a trace down in the words of `bake path --trace`. */
function told(trace) {
  const { place, parent, first, g, h, f, openedPlace, openedG, openedF } = trace;
  const steps = Array.from(place, (node, i) => {
    const opened = [];
    for (let k = first[i]; k < first[i + 1]; k++) {
      opened.push({ place: nameOf(openedPlace[k]), g: openedG[k], f: openedF[k] });
    }
    return { place: nameOf(node), parent: nameOf(parent[i]), g: g[i], h: h[i], f: f[i], opened };
  });
  const { method, heuristic, weight, admissible, consistent, cost, expanded } = trace;
  const path = trace.path?.map(nameOf) ?? null;
  return { method, heuristic, weight, admissible, consistent, cost, path, expanded, steps };
}

/** Both lists at some steps, visited in this order. */
function listsAt(trace, steps) {
  const player = playerOf(trace, level.locations);
  return steps.map((step) => {
    const at = player.seek(step);
    const list = (kind) => Array.from(player.state.keys()).filter((node) => player.state[node] === kind);
    const costs = (nodes) => nodes.map((node) => [node, player.g[node]]);
    const counts = [player.open, player.closed];
    const current = player.current;
    return { at, open: costs(list(OPEN)), closed: costs(list(CLOSED)), counts, current, way: player.wayBack() };
  });
}

const commands = {
  terrains: () => level.terrains.length,
  profile: (name) => choose(name),
  update(batch) {
    const prices = batch.prices?.map(([a, b, units]) => [a, b, units === "closed" ? Infinity : units]);
    edits.make("an edit", () => now.update({ ...batch, ...(prices && { prices }) }));
  },
  stroke(batches) {
    const stroke = edits.stroke("a stroke");
    for (const batch of batches) stroke.update(batch);
    stroke.end();
  },
  door: (name, state) => edits.make("a door", () => now.setDoor(name, state)),
  undo: () => edits.undo(),
  redo: () => edits.redo(),
  reset: () => edits.reset(),
  save: () => edits.save(),
  load: (text) => edits.load(text),
  undoable: () => [edits.undoable, edits.redoable],
  changed: () => now.changed,
  changes: () => {
    const { prices } = insides.get(now).now;
    return changesOf(now, { prices, baked: view.inside.prices });
  },
  arcs(node) {
    const found = [];
    view.ground.eachArc(node, (head, ticks) => found.push([head, ticks]));
    return found;
  },
  hops: (pairs) => pairs.map(([from, to]) => view.nav.nextHop(from, to)),
  distances: (pairs) =>
    pairs.map(([from, to]) => {
      const units = view.nav.distance(from, to);
      return units === Infinity ? null : units;
    }),
  trace: (from, to, options) => told(searchSteps(view, from, to, options)),
  lists: (from, to, options, steps) => listsAt(searchSteps(view, from, to, options), steps),
  read: (text, steps) => {
    const trace = readTrace(text, level, places);
    return { told: told(trace), lists: listsAt(trace, steps) };
  },
  walk: (text, steps) => {
    const player = walkPlayer(readTrace(text, level, places), level.locations);
    return steps.map((step) => {
      player.seek(step);
      const nodes = (wanted) => Array.from(player.state.keys()).filter((at) => wanted.includes(player.state[at]));
      const agents = player.step?.agents.map(({ place, goal, plan }) => [place, goal, plan && Array.from(plan)]);
      return { at: player.at, seen: player.seen, known: nodes([3, 4]), searched: nodes([4]), agents: agents ?? [], way: player.wayBack() };
    });
  },
  highest: (numbers, wanted) => highest(view.ground, numbers, wanted),
  crowd(options, frames, seconds) {
    const crowd = crowdOf(view, options);
    const walked = [];
    for (let frame = 0; frame < frames; frame++) {
      const before = Array.from(crowd.at);
      crowd.pass(seconds);
      walked.push([before, Array.from(crowd.at), Array.from(crowd.next), Array.from(crowd.goals)]);
    }
    return { walked, visits: Array.from(crowd.visits), most: crowd.most, arrived: crowd.arrived };
  },
};

function answer([command, ...words]) {
  try {
    return { answer: commands[command](...words) ?? null };
  } catch (error) {
    if (!(error instanceof LevelError)) throw error;
    return { error: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { flat, questions, answers } = JSON.parse(line);
  open(flat);
  writeFileSync(answers, JSON.stringify(JSON.parse(readFileSync(questions, "utf8")).map(answer)));
  console.log("done");
}
