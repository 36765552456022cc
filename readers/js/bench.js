// Times next hops: `node bench.js LEVEL.bake [MAP.scen]` prints nanoseconds a step, one a line.
import { readFileSync } from "node:fs";
import { openLevel } from "./levelbake.js";

const [, , file, scenario] = process.argv;
const bytes = readFileSync(file);
const level = openLevel(bytes);
const nav = level.profile();

/** Pairs of nodes: the problems of a scenario, or pairs drawn with a seed. */
function pairs() {
  if (scenario) {
    const lines = readFileSync(scenario, "utf8").trim().split("\n").slice(1);
    return lines.map((line) => line.split("\t").slice(4, 8).map(Number)).map(([x, y, u, v]) => {
      return [level.locationOf(x, y), level.locationOf(u, v)];
    });
  }
  let seed = 1;
  const draw = () => nav.nodes[(seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) % nav.nodes.length];
  return Array.from({ length: 500 }, () => [draw(), draw()]);
}

function walk(all) {
  let steps = 0;
  for (const [from, to] of all) {
    for (let at = from; at !== to; steps++) if ((at = nav.nextHop(at, to)) < 0) break;
  }
  return steps;
}

function median(run) {
  const times = [];
  for (let i = 0; i < 9; i++) {
    const start = process.cpuUsage().user;
    const count = run();
    times.push(((process.cpuUsage().user - start) * 1000) / count);
  }
  return times.sort((a, b) => a - b)[4];
}

const all = pairs();
walk(all); // compiles
const random = Array.from({ length: 200000 }, (_, i) => [all[i % all.length][0], all[(i * 7919) % all.length][1]]);
const once = () => {
  for (const [from, to] of random) nav.nextHop(from, to);
  return random.length;
};
once();
const opened = median(() => (openLevel(bytes), 1)) / 1e6;
const round = (number) => Math.round(number * 10) / 10;
console.log(`open ${round(opened)} ms, ${round(opened / (bytes.length / 2 ** 20))} ms a MiB`);
console.log(`step ${round(median(() => walk(all)))} ns`);
console.log(`random ${round(median(once))} ns`);
