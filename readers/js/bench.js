// Times next hops: `node bench.js LEVEL.bake [MAP.scen]` prints JSON. Paths are those of the scenario,
// or of 500 pairs drawn with a seed; nanoseconds are processor time, medians of nine rounds.
import { readFileSync } from "node:fs";
import { openLevel } from "./levelbake.js";

const [, , file, scenario] = process.argv;
const bytes = readFileSync(file);
const level = openLevel(bytes);
const nav = level.profile();

function pairs() {
  if (scenario) {
    const lines = readFileSync(scenario, "utf8").trim().split("\n").slice(1);
    const cells = lines.map((line) => line.split("\t").slice(4, 8).map(Number));
    return cells.map(([x, y, u, v]) => [level.locationOf(x, y), level.locationOf(u, v)]);
  }
  let seed = 1;
  const draw = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return nav.nodes[seed % nav.nodes.length];
  };
  return Array.from({ length: 500 }, () => [draw(), draw()]);
}

/** Walks every path to its end, over and over for some milliseconds; returns the number of steps. */
function walk(all) {
  let steps = 0;
  do steps += walkOnce(all);
  while (steps > 0 && steps < 1e6);
  return steps;
}

function walkOnce(all) {
  let steps = 0;
  for (const [from, to] of all) {
    for (let at = from; at !== to; steps++) {
      at = nav.nextHop(at, to);
      if (at < 0) throw new Error(`there is no path from ${from} to ${to}`);
    }
  }
  return steps;
}

function median(run) {
  const times = [];
  run(); // compiles
  for (let i = 0; i < 9; i++) {
    const start = process.cpuUsage().user;
    const count = run();
    times.push(((process.cpuUsage().user - start) * 1000) / count);
  }
  return times.sort((a, b) => a - b)[4];
}

const all = pairs().filter(([from, to]) => nav.reachable(from, to) && from !== to);
if (!all.length) {
  console.error("error: nobody can walk there");
  process.exit(1);
}
const mixed = Array.from({ length: 200000 }, (_, i) => {
  return [all[i % all.length][0], all[(i * 7919) % all.length][1]];
});
const openings = Math.max(1, Math.ceil(2 ** 22 / bytes.length));
const found = {
  step_ns: median(() => walk(all)),
  hop_ns: median(() => {
    for (const [from, to] of mixed) nav.nextHop(from, to);
    return mixed.length;
  }),
  open_ms_a_mib: median(() => {
    for (let i = 0; i < openings; i++) openLevel(bytes);
    return (openings * bytes.length) / 2 ** 20;
  }) / 1e6,
  distances: scenario ? pairs().map(([from, to]) => nav.distance(from, to)) : undefined,
};
console.log(JSON.stringify(found));
