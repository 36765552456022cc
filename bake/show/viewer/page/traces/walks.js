/**
 * Plays traces of agents step by step, forward and backward: agents that explore a level, and crowds.
 * docs/traces.md describes the file, and `bake render --trace` draws the same.
 */

import { refuse } from "../../../../../readers/js/file.js";
import { disc, markGoal, markStart } from "../draw/shapes.js";
import { drawWay, onFloor, screenOf } from "../overlays.js";
import { css, mixed, packed } from "../palette.js";
import { counted, placeName } from "../words.js";

/** The states of a node at a step; see the states of searches in player.js. */
const SEEN = 3;
const SEARCHED = 4;

/**
 * Reads the steps of a walk.
 *
 * @param told the decoded file
 * @param nodeOf a function from places, as traces write them, to nodes
 * @returns { walk, sees, start, goal, expanded, steps }, each step with the nodes seen and searched and
 *   its agents: { place, goal, plan }, goal -1 where there is none, plan null where no way is known
 */
export function readWalk(told, nodeOf) {
  const nodes = (places) => Int32Array.from(places ?? [], nodeOf);
  let before = [];
  const steps = told.walk.map((step) => {
    if (step.agents.length !== before.length) before = [];
    before = step.agents.map((agent, i) => {
      const last = before[i];
      if (!last && agent.plan === undefined) refuse("an agent has no plan, and none before");
      const goal = agent.goal === undefined ? (last?.goal ?? -1) : agent.goal === null ? -1 : nodeOf(agent.goal);
      const rest = () => last.plan?.subarray(1) ?? null;
      const plan = agent.plan === undefined ? rest() : agent.plan === null ? null : nodes(agent.plan);
      return { place: nodeOf(agent.place), goal, plan, anew: agent.plan !== undefined };
    });
    return { seen: nodes(step.seen), searched: nodes(step.searched), agents: before };
  });
  if (!steps.length) refuse("it has no steps");
  const first = steps[0].agents;
  const alone = first.length === 1 ? first[0] : { place: -1, goal: -1 };
  return { walk: true, sees: told.sees === true, start: alone.place, goal: alone.goal, expanded: steps.length, steps };
}

/** Returns a player of a walk, with the interface of the player of a search. */
export function walkPlayer(trace, locations) {
  const { steps } = trace;
  const state = new Uint8Array(locations);
  const looks = new Uint16Array(locations); // number of steps so far in which a place was seen
  let at = 0;
  let fog = locations;

  const searched = (step, on) => {
    for (const node of step.searched) state[node] = on ? SEARCHED : looks[node] ? SEEN : 0;
  };
  const see = (step, by) => {
    for (const node of step.seen) {
      looks[node] += by;
      fog += by > 0 ? -(looks[node] === 1) : looks[node] === 0;
      state[node] = looks[node] ? SEEN : 0;
    }
  };

  return {
    trace,
    state,
    get at() {
      return at;
    },
    get finished() {
      return at === steps.length;
    },
    /** The current step; null before the first. */
    get step() {
      return at ? steps[at - 1] : null;
    },
    /** The number of seen places. */
    get seen() {
      return locations - fog;
    },
    get current() {
      return at ? (steps[at - 1].agents[0]?.place ?? -1) : -1;
    },
    seek(step) {
      const wanted = Math.min(Math.max(Math.round(step) || 0, 0), steps.length);
      if (at) searched(steps[at - 1], false);
      while (at < wanted) see(steps[at++], 1);
      while (at > wanted) see(steps[--at], -1);
      if (at) searched(steps[at - 1], true);
      return at;
    },
    /** The trail of the first agent. */
    wayBack: () => steps.slice(0, at).map((step) => step.agents[0]?.place ?? -1),
  };
}

/** Returns the color of a place: in fog, seen, or searched at this step. */
export function walkColour(palette, player, at, below) {
  const now = player.state[at];
  if (now === SEARCHED) return packed(palette.rgb("SEARCHED"));
  if (now === SEEN || !player.trace.sees) return below;
  const colour = [below & 255, (below >> 8) & 255, (below >> 16) & 255];
  return packed(mixed(colour, palette.rgb("UNSEEN"), 0.7));
}

export function walkLegend({ palette }, { trace }) {
  const seen = [
    { colour: palette.css("UNSEEN"), text: "not seen yet" },
    { colour: palette.css("SEARCHED"), text: "searched at this step" },
  ];
  const alone = trace.steps[0].agents.length === 1;
  const lines = [
    { colour: palette.css("START"), text: "where it has been" },
    { colour: palette.css("PATH"), text: "planned" },
  ];
  return [...(trace.sees ? seen : []), ...(alone ? lines : [])];
}

export function walkSummary({ method, steps }) {
  const agents = steps[0].agents.length;
  return `${method}: ${counted(agents, "agent")}, ${counted(steps.length, "step")}.`;
}

export function walkFacts(view, player) {
  const { trace, at, step } = player;
  const facts = [["step", `${at.toLocaleString("en")} of ${trace.expanded.toLocaleString("en")}`]];
  if (!step) return facts;
  if (trace.sees) {
    facts.push(["seen", `${player.seen.toLocaleString("en")}, ${step.seen.length} at this step`]);
    facts.push(["searched", String(step.searched.length)]);
  }
  const { agents } = step;
  const there = agents.filter(({ place, goal }) => place === goal).length;
  if (agents.length > 1) facts.push(["at their goals", `${there} of ${agents.length}`]);
  facts.push(["planned anew", agents.length > 1 ? String(agents.filter((each) => each.anew).length) : agents[0]?.anew ? "yes" : "no"]); // prettier-ignore
  if (agents.length !== 1) return facts;
  const [{ place, plan }] = agents;
  facts.push(["agent", placeName(view, place)]);
  facts.push(["plan", there ? "it has arrived" : plan ? counted(plan.length, "step") : "no path is left"]);
  return facts;
}

/** Draws agents and their planned paths; for a single agent also its trail. */
export function drawWalk(ctx, view, player) {
  const { step } = player;
  if (!step) return;
  const { palette } = view;
  const alone = step.agents.length === 1;
  const width = Math.min(alone ? 6 : 3, Math.max(1.2, (alone ? 0.24 : 0.12) * view.room));
  const colour = (i) => (alone ? palette.css("PATH") : css(palette.vivid[i % palette.vivid.length]));
  if (alone) drawWay(ctx, view, player.wayBack(), palette.css("START"), 0.6 * width, []);
  step.agents.forEach(({ place, plan }, i) => {
    if (plan?.length) drawWay(ctx, view, [place, ...plan], colour(i), width, []);
  });
  const room = view.plane.kind === "graph" ? 18 : view.camera.zoom;
  step.agents.forEach(({ place, goal }, i) => {
    if (alone && goal >= 0 && onFloor(view, goal)) markGoal(ctx, palette, screenOf(view, goal), room);
    if (!onFloor(view, place)) return;
    const at = screenOf(view, place);
    if (alone) return markStart(ctx, palette, at, room);
    disc(ctx, ...at, Math.max(2.5, 0.36 * view.room) + 1, palette.css("INK"));
    disc(ctx, ...at, Math.max(2.5, 0.36 * view.room), colour(i));
  });
}
