/**
 * Changes of a level: doors, walls, terrain and costs. After an update returns, all answers are exact:
 * from baked paths while no arc is cheaper and a baked path is still shortest, otherwise by a search.
 */

import { BLOCKED, damaged, MAX_WEIGHT, NO_CLASS, number, quoted, refuse } from "./file.js";
import { fieldOf } from "./field.js";
import { byEnd, insides } from "./level.js";
import { manyOf, standing } from "./nav.js";
import { readPatch, writePatch } from "./patch.js";
import { even, pricesOf } from "./prices.js";
import { walksOf, walksTo } from "./walks.js";

/** The number of goals with cached results per profile. */
const GOALS = 8;

const BATCH = ["blocked", "opened", "terrain", "prices"];

/** Returns a changeable view of a level, at first as baked; the level itself is not modified. */
export function follow(level) {
  const inside = insides.get(level);
  if (!inside?.c) refuse("expected a level that openLevel gave");
  const { lattice, arcs, usual, prices: bakedPrices } = inside;
  const { width, locations, doors, terrains } = level;
  const nowhere = new Uint8Array(locations);
  const baked = { terrain: level.terrain, obstacle: nowhere, prices: bakedPrices };
  const now = { terrain: null, obstacle: null, prices: null };
  const into = arcs.head.length ? byEnd(arcs.head, locations) : null;
  const state = { inside, lattice, arcs, into, baked, now, out, version: 0, changed: false };
  const navs = new Map(level.profiles.map((name) => [name, liveNav(level, state, name)]));
  let differing = 0;
  let last;
  reset();

  function reset() {
    now.terrain = level.terrain.slice();
    now.obstacle = nowhere.slice();
    now.prices = new Map(bakedPrices);
    last = doors.map((door) => door.states.findIndex((each) => each.name === door.baked));
    differing = 0;
    state.changed = false;
    state.version++;
    for (const nav of navs.values()) nav.cheaper = 0;
  }

  /** Returns the moves out of a node as [move, head], in the order that breaks ties. */
  function out(at) {
    const found = [];
    for (let m = 0; m < lattice.directions; m++) found.push([m, lattice.step(at, m)]);
    const end = arcs.first?.[at + 1];
    for (let j = arcs.first?.[at]; j < end; j++) found.push([found.length, arcs.head[j]]);
    return found.filter(([, head]) => head >= 0);
  }

  const place = (at) => (lattice.inside(number(at)) ? at : refuse(`there is no node ${at}`));

  function listed(some, what) {
    const isList = some != null && typeof some === "object" && Symbol.iterator in some;
    return isList ? [...some] : refuse(`${what} is ${quoted(some)}, expected a list`);
  }

  /** Throws if cells are nodes in the file, which has no movement rules then. */
  function checkCells() {
    if (inside.c.cell) refuse("cells are nodes in this file, which lacks the rules of their steps");
  }

  function terrainOf(code) {
    const there = Number.isInteger(code) && terrains[code];
    return there ? code : refuse(`there is no terrain ${quoted(code)}`);
  }

  function price(units) {
    const exact = number(units, "a price") * level.ticksPerUnit;
    const ticks = units === Infinity ? BLOCKED : even(exact);
    const fits = ticks === BLOCKED || (ticks >= 1 && ticks <= MAX_WEIGHT);
    return fits ? { units, ticks } : refuse(`an arc cannot cost ${units}`);
  }

  /** Returns the key of prices for an arc; throws if no step or arc connects the nodes. */
  function arc(from, to) {
    const joined = out(from).some(([, head]) => head === to);
    return joined ? `${from},${to}` : refuse(`no arc leads from ${from} to ${to}`);
  }

  function update(batch) {
    checkCells();
    const isBatch = batch !== null && typeof batch === "object";
    if (!isBatch) refuse(`an update is ${quoted(batch)}, expected an object`);
    const other = Object.keys(batch).find((key) => !BATCH.includes(key));
    if (other !== undefined) refuse(`an update has no ${quoted(other)}, expected ${BATCH.join(", ")}`);
    const [blocked, opened, terrain, prices] = BATCH.map((key) => listed(batch[key] ?? [], key));
    const shut = new Set(blocked.map(place));
    const open = opened.map(place);
    for (const at of open) if (shut.has(at)) refuse(`node ${at} is both blocked and opened`);
    const ground = terrain.map((pair) => {
      const [at, what] = listed(pair, "a node and its terrain");
      const named = terrains.findIndex(({ name }) => name === what);
      return [place(at), terrainOf(named < 0 ? what : named)];
    });
    const own = prices.map((each) => {
      const [from, to, units] = listed(each, "an arc and its price");
      return [arc(place(from), place(to)), units == null ? null : price(units)];
    });
    apply([...shut, ...open, ...ground.map(([at]) => at)], own.map(([key]) => key), () => {
      for (const at of shut) now.obstacle[at] = 1;
      for (const at of open) {
        now.obstacle[at] = 0;
        const solid = ([, nav]) => nav.classOf[now.terrain[at]] === NO_CLASS;
        if ([...navs].every(solid)) now.terrain[at] = usual;
      }
      for (const [at, code] of ground) now.terrain[at] = code;
      for (const [key, one] of own) one ? now.prices.set(key, one) : now.prices.delete(key);
    });
  }

  /** Applies a change of nodes and arcs, and updates the counts of differences and cheaper arcs. */
  function apply(nodes, keys, change) {
    const each = [...new Set(nodes)];
    const tails = keys.map((key) => parseInt(key));
    const differ = (at) => now.obstacle[at] || now.terrain[at] !== level.terrain[at];
    const near = [...navs.values()].map((nav) => [nav, nav.touched(each, tails)]);
    for (const [nav, some] of near) nav.cheaper -= nav.countCheaper(some);
    differing -= each.filter(differ).length;
    change();
    differing += each.filter(differ).length;
    for (const [nav, some] of near) nav.cheaper += nav.countCheaper(some);
    let repriced = now.prices.size !== bakedPrices.size;
    for (const [key, { units }] of now.prices) repriced ||= bakedPrices.get(key)?.units !== units;
    state.changed = differing > 0 || repriced;
    last = doors.map((_, i) => (stateOf(i) < 0 ? last[i] : stateOf(i)));
    state.version++;
  }

  function stateOf(i) {
    const { nodes, states } = doors[i];
    const is = (one) => one && nodes.every((at, k) => now.terrain[at] === one.terrains[k]);
    return is(states[last[i]]) ? last[i] : states.findIndex(is);
  }

  function doorOf(name) {
    const i = doors.findIndex((door) => door.name === name);
    return i < 0 ? refuse(`there is no door ${quoted(name)}`) : i;
  }

  const changes = {
    level,
    get changed() {
      return state.changed;
    },
    update,
    block: (...nodes) => update({ blocked: nodes }),
    open: (...nodes) => update({ opened: nodes }),
    setTerrain: (node, terrain) => update({ terrain: [[node, terrain]] }),
    setPrice: (from, to, units) => update({ prices: [[from, to, units]] }),
    reset,
    terrainAt: (node) => now.terrain[number(node)] ?? -1,
    hasObstacle: (node) => now.obstacle[number(node)] === 1,
    doorState(name) {
      const i = doorOf(name);
      return doors[i].states[stateOf(i)]?.name ?? null;
    },
    setDoor(name, wanted) {
      const i = doorOf(name);
      const { nodes, states } = doors[i];
      const k = states.findIndex((each) => each.name === wanted);
      if (k < 0) refuse(`door ${name} has no state ${quoted(wanted)}`);
      update({ terrain: Array.from(nodes, (at, n) => [at, states[k].terrains[n]]) });
      last[i] = k;
    },
    patch: () => writePatch(level, now),
    applyPatch(text) {
      const found = readPatch(level, text, { place, terrainOf, arc, price });
      if (found.says) checkCells();
      reset();
      const nodes = [];
      for (let at = 0; at < locations; at++) {
        if (found.obstacle[at] || found.terrain[at] !== now.terrain[at]) nodes.push(at);
      }
      const keys = [...found.prices.keys(), ...bakedPrices.keys()];
      const { terrain, obstacle, prices } = found;
      apply(nodes, keys, () => Object.assign(now, { terrain, obstacle, prices }));
    },
    profile: (name = level.profiles[0]) => navs.get(level.profile(name).name).nav,
  };
  insides.set(changes, state);
  return changes;
}

/** Returns the queries of one profile on the current level. */
function liveNav(level, state, name) {
  const { inside, lattice, arcs, into, baked, now } = state;
  const { width, locations, ticksPerUnit } = level;
  const tables = inside.navs.get(name);
  const { nav, c, rowAt, rows, hasHops, moveOf, target } = tables;
  const { classAt, price } = pricesOf(level, inside, tables);
  const { hop, least } = walksOf(state, tables, price);
  let kept = [];
  let version = -1;

  /** Returns the nodes whose arcs may change their cost, for changed nodes and tails of arcs. */
  function touched(nodes, tails) {
    const near = new Set(tails);
    const [low, high] = width ? [-nav.size, 1] : [0, 0];
    for (const at of nodes) {
      for (let dy = low; dy <= high; dy++) {
        for (let dx = low; dx <= high; dx++) {
          // Past an edge this wraps to the opposite one, which adds a harmless extra node.
          const one = at + dy * width + dx;
          if (!lattice.inside(one)) continue;
          near.add(one);
          for (let i = into?.first[one]; i < into?.first[one + 1]; i++) near.add(arcs.tail[into.arc[i]]);
        }
      }
    }
    return near;
  }

  /** Counts the arcs out of nodes that cost less than in the bake. */
  function countCheaper(nodes) {
    let count = 0;
    for (const at of nodes) {
      for (const [m, head] of state.out(at)) {
        if (price(at, m, head, now) < price(at, m, head, baked)) count++;
      }
    }
    return count;
  }

  const stands = (at) =>
    lattice.inside(number(at)) && (state.changed ? classAt(at, now) < NO_CLASS : rowAt[at] >= 0);

  /** Returns the results for a goal cached since the last change: {goal, walks, field}. */
  function known(goal) {
    if (version !== state.version) kept = [];
    version = state.version;
    let found = kept.find((each) => each.goal === goal);
    if (!found) kept = [...kept.slice(1 - GOALS), (found = { goal, walks: walksTo(goal) })];
    return found;
  }

  /** What walks answer; -2 where paths were not baked, or some arc costs less than it did. */
  function walked(answer, from, to) {
    const walks = hasHops && !tools.cheaper && rowAt[from] >= 0 && rowAt[to] >= 0;
    return walks ? answer(known(to).walks, from, to) : -2;
  }

  function field(goal, from) {
    const stepTicks = c.step_ticks;
    const found = (known(goal).field ??= fieldOf({ ...state, level, price, stepTicks }, goal));
    found.settle(from);
    return found;
  }

  function nextHop(from, to) {
    if (!stands(from) || !stands(to)) return -1;
    if (from === to) return from;
    if (!state.changed && hasHops) return nav.nextHop(from, to);
    const found = walked(hop, from, to);
    return found > -2 ? found : field(to, from).hop(from, hasHops ? nav.nextHop(from, to) : -1);
  }

  function path(from, to) {
    const nodes = [];
    let at = from;
    for (let next = nextHop(from, to); next >= 0; next = nextHop(at, to)) {
      nodes.push(at);
      if (at === to) break;
      if (nodes.length > locations) damaged("a path leads in circles");
      at = next;
    }
    return nodes;
  }

  function distance(from, to) {
    const answers = hasHops || c.label_away;
    if (!state.changed && answers) return nav.distance(from, to);
    if (!stands(from) || !stands(to)) return Infinity;
    const ticks = from === to ? 0 : walked(least, from, to);
    return (ticks < 0 ? field(to, from).dist[from] : ticks) / ticksPerUnit;
  }

  function hopsTo(goal) {
    number(goal);
    if (!state.changed && hasHops) return nav.hopsTo(goal);
    if (stands(goal)) field(goal, -1);
    return Int32Array.from({ length: locations }, (_, at) => nextHop(at, goal));
  }

  function hopsFrom(from) {
    number(from);
    if (!state.changed && hasHops) return nav.hopsFrom(from);
    return Int32Array.from({ length: locations }, (_, to) => nextHop(from, to));
  }

  const tools = {
    cheaper: 0,
    classOf: c.class,
    touched,
    countCheaper,
    nav: {
      ...standing(level, stands),
      name,
      size: nav.size,
      nodes: nav.nodes,
      nextHop,
      nextHops: manyOf(nextHop),
      hopsTo,
      hopsFrom,
      path,
      distance,
      reachable: (from, to) => nextHop(from, to) >= 0,
    },
  };
  return tools;
}
