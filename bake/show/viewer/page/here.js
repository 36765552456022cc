/** Shows information about the place under the pointer. */

import { element } from "./elements.js";
import { componentsOf } from "./search/components.js";
import { clusterOf } from "./transitions.js";
import { placeName, units } from "./words.js";

/** Adds the section "Here" to the panel. */
export function installHere(view, panel) {
  const inner = panel.section("here", "Here", { order: 40 });
  const list = element("dl", { "aria-label": "The place that is pointed at" });
  const note = element("p", { class: "note" }, "Point at the map.");
  inner.append(note, list);
  const refresh = () => {
    note.hidden = view.hovered >= 0;
    const facts = note.hidden ? factsOf(view, view.hovered) : [];
    list.replaceChildren(
      ...facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]),
    );
  };
  for (const event of ["hover", "open", "changed"]) view.on(event, refresh);
  view.on("state", (changed) => {
    if (changed.has("goal") || changed.has("start")) refresh();
  });
}

/** Returns [[name, text], ...] about a place. */
export function factsOf(view, at) {
  const { level, ground, nav, places, tables } = view;
  const facts = [[level.kind === "graph" ? "node" : "cell", placeName(view, at)]];
  const point = places.toPoint(at);
  if (point) facts.push([level.kind === "graph" ? "position" : "pixels", point.map(rounded).join(", ")]);
  const { name } = level.terrains[ground.terrainAt(at)];
  const cost = tables.c.cost[ground.terrainAt(at)];
  facts.push(["terrain", ground.obstacleAt(at) ? `${name}, with an obstacle` : name]);
  facts.push(["cost", Number.isNaN(cost) ? "blocked" : units(cost)]);
  if (!nav.stands(at)) {
    facts.push(["stands", `${nav.name} cannot stand here`]);
  } else {
    const { of, size } = componentsOf(view);
    const rank = of[at];
    const named = rank === 0 ? "the largest" : `number ${rank + 1}`;
    facts.push(["component", `${named}, ${size[rank].toLocaleString("en")} of ${view.nav.nodes.length.toLocaleString("en")}`]);
    const cluster = clusterOf(view, at);
    if (cluster >= 0) facts.push(["cluster", String(cluster)]);
    for (const [word, other] of [["start", view.start], ["goal", view.goal]]) {
      if (other < 0) continue;
      const [from, to] = word === "start" ? [other, at] : [at, other];
      facts.push([word === "start" ? "from start" : "to goal", units(nav.distance(from, to))]);
    }
    if (view.goal >= 0 && view.goal !== at) {
      const next = nav.nextHop(at, view.goal);
      facts.push(["next hop", next < 0 ? "no path" : placeName(view, next)]);
    }
  }
  for (const [what, list] of thingsAt(view, at)) facts.push([what, list.join(", ")]);
  return facts;
}

const rounded = (number) => String(Math.round(number * 100) / 100);

function thingsAt({ level, changes }, at) {
  const titled = ({ name, kind }) => (kind ? `${name} (${kind})` : name);
  const found = [
    ["spots", level.spots.filter(({ node }) => node === at).map(titled)],
    ["regions", level.regions.filter(({ nodes }) => nodes.includes(at)).map(({ name }) => name)],
    ["doors", level.doors.filter(({ nodes }) => nodes.includes(at)).map(({ name }) => `${name}: ${changes.doorState(name) ?? "in no state"}`)],
    ["links from", level.links.filter(({ from }) => from === at).map(titled)],
    ["links to", level.links.filter(({ to }) => to === at).map(titled)],
  ];
  return found.filter(([, names]) => names.length);
}
