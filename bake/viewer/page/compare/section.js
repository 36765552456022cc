/**
 * Shows what has changed: since an older bake (`bake view --against`), in the words and colours of
 * `bake diff`, or since the level was baked, by what was drawn in the page.
 */

import { chooser, element, offer, table } from "../elements.js";
import { blockedLegend, pale } from "../grounds.js";
import { mixed, packed } from "../palette.js";
import { counted, placeName, placeWord, units } from "../words.js";
import { beforeOf, comparedToward } from "./before.js";

/** Kinds of changes of places, in the order in which they are painted: later ones lie above. */
const KINDS = [
  ["cut_off", "CUT_OFF", "CUT_OFF_STRIPE", "lost a way to or from the rest"],
  ["joined", "JOINED", "JOINED_STRIPE", "has a way to and from the rest now"],
  ["dearer", "DEARER", null, "costs more"],
  ["cheaper", "CHEAPER", null, "costs less"],
  ["opened", "OPENED", null, "opened"],
  ["closed", "CLOSED", null, "closed"],
];
/** Places of each kind that are listed by name. */
const LISTED = 40;

/** Adds the section "What changed" and its two grounds. */
export function installCompare(view, panel) {
  const inner = panel.section("compare", "What changed", { order: 58, open: false });
  const against = chooser("Compare with", () => refresh(true));
  const about = element("div");
  inner.append(against.row, about);
  const compared = { with: () => against.select.value };
  view.compared = () => beforeNow(view, compared);
  view.layers.add(differenceGround(compared));
  view.layers.add(towardGround(compared));
  view.on("open", () => {
    const { difference } = view.contents;
    const choices = [["baked", "the level as it was baked"]];
    if (difference) choices.unshift(["older", difference.old]);
    offer(against, choices, choices[0][0]);
    refresh();
  });
  view.on("changed", () => refresh());
  view.on("state", (changed) => changed.has("goal") && refresh());

  function refresh(chosen = false) {
    about.replaceChildren(...partsOf(view, compared));
    if (!chosen) return;
    view.tell("legend");
    view.redraw();
  }
}

/** The level as it was, for the profile that is looked at; null: there is nothing to compare with. */
function beforeNow(view, compared) {
  const older = compared.with() === "older";
  if (!older && !view.changes.changed) return null;
  const { difference } = view.contents;
  return remembered(view, older ? "older" : "baked", () => {
    return older ? beforeOf(view, difference.flat, difference.old) : beforeOf(view, null, "the level as it was baked");
  });
}

const memory = new WeakMap();

/** Keeps the level as it was for as long as the same level is open. */
function remembered(view, which, make) {
  const key = `${which} ${view.nav.name}`;
  if (!memory.has(view.changes)) memory.set(view.changes, new Map());
  const found = memory.get(view.changes);
  if (!found.has(key)) found.set(key, make());
  return found.get(key);
}

/** The places that changed, by kind, as nodes: those that `bake diff` names, or those that were drawn. */
export function changedPlaces(view, compared) {
  return view.kept(`changed places ${compared.with()}`, () => {
    if (compared.with() === "older") {
      const told = view.contents.difference.profiles[view.nav.name] ?? {};
      const nodes = (kind) => (told[kind] ?? []).map((place) => nodeOf(view, place)).filter((at) => at >= 0);
      return Object.fromEntries(KINDS.map(([kind]) => [kind, nodes(kind)]));
    }
    const found = Object.fromEntries(KINDS.map(([kind]) => [kind, []]));
    const { baked, nav, tables, ground, level } = view;
    for (let at = 0; at < level.locations; at++) {
      const [was, is] = [baked.stands(at), nav.stands(at)];
      const [before, after] = [tables.c.cost[level.terrain[at]], tables.c.cost[ground.terrainAt(at)]];
      if (was && !is) found.closed.push(at);
      else if (!was && is) found.opened.push(at);
      else if (was && before !== after) found[after > before ? "dearer" : "cheaper"].push(at);
    }
    return found;
  });
}

/** A place as `bake diff --json` writes it. */
function nodeOf(view, place) {
  if (!view.level.width) return view.places.nodeNamed(place);
  return Array.isArray(place) ? view.level.locationOf(...place) : -1;
}

// -- the section ----------------------------------------------------------------------------------

function partsOf(view, compared) {
  const note = (text) => element("p", { class: "note" }, text);
  const before = beforeNow(view, compared);
  if (!before) {
    const lacks = compared.with() === "older";
    return [
      note(
        lacks
          ? `${view.contents.difference.old} has no profile ${view.nav.name}.`
          : "Nothing is changed. Draw a wall, or open the page with bake view NEW.h5 --against OLD.h5.",
      ),
    ];
  }
  const parts = [];
  const told = compared.with() === "older" ? view.contents.difference : null;
  if (told) {
    const lines = element("pre", { class: "lines", "aria-label": "What bake diff says" });
    lines.textContent = told.lines.join("\n");
    parts.push(lines);
  }
  const places = changedPlaces(view, compared);
  for (const [kind, , , text] of KINDS) if (places[kind].length) parts.push(listOf(view, kind, text, places[kind]));
  const most = told?.profiles[view.nav.name]?.distances?.most ?? [];
  if (most.length) parts.push(pairsOf(view, most));
  const { goal } = view;
  if (goal >= 0 && view.nav.stands(goal)) {
    const { lost, gained, change } = comparedToward(view, before, goal);
    const longer = change.reduce((count, each) => count + (each > 0), 0);
    const shorter = change.reduce((count, each) => count + (each < 0), 0);
    const what = placeWord(view);
    parts.push(
      note(
        `Toward ${placeName(view, goal)}: ${counted(longer, what)} farther, ${shorter.toLocaleString("en")} nearer, ` +
          `${lost.length.toLocaleString("en")} lost the way, ${gained.length.toLocaleString("en")} gained one.`,
      ),
    );
  } else parts.push(note("Choose a goal to see which distances grew."));
  return parts;
}

function listOf(view, kind, text, nodes) {
  const title = `${counted(nodes.length, placeWord(view))}: ${text}`;
  const list = element("ul", { class: "list", "aria-label": title });
  for (const at of nodes.slice(0, LISTED)) {
    const button = element("button", { type: "button", onclick: () => view.goTo(at) }, placeName(view, at));
    list.append(element("li", {}, button));
  }
  if (nodes.length > LISTED) list.append(element("li", {}, "..."));
  const open = kind === "opened" || kind === "closed";
  return element("details", { open }, element("summary", {}, title), list);
}

/** The pairs whose distance changed most; a click makes one of them start and goal. */
function pairsOf(view, most) {
  const rows = most.map(({ start, goal, before, after }) => {
    const ends = [start, goal].map((place) => nodeOf(view, place));
    const onclick = () => view.state.set({ start: view.placeText(ends[0]), goal: view.placeText(ends[1]) });
    const text = ends.map((at) => placeName(view, at)).join(" to ");
    return [element("button", { type: "button", class: "link", onclick }, text), units(before), units(after)];
  });
  return table("Distances that changed most", ["pair", "before", "after"], rows);
}

// -- the grounds ----------------------------------------------------------------------------------

const differenceGround = (compared) => ({
  id: "difference",
  order: 22,
  title: "What changed",
  kind: "ground",
  legend(view) {
    if (!beforeNow(view, compared)) return [{ text: "Nothing to compare with: see What changed." }];
    const places = changedPlaces(view, compared);
    const { palette } = view;
    const shown = KINDS.filter(([kind]) => places[kind].length).map(([kind, colour, stripe, text]) => ({
      colour: palette.css(colour),
      stripe: stripe && palette.css(stripe),
      text: `${places[kind].length.toLocaleString("en")} ${text}`,
      at: places[kind][0],
    }));
    return shown.length ? shown : [{ colour: palette.css("LARGEST"), text: "nothing changed" }];
  },
  paint(view) {
    const below = pale(view);
    if (!beforeNow(view, compared)) return below;
    return view.kept(`difference ${compared.with()}`, () => {
      const { palette } = view;
      const paint = { fill: below.fill.slice(), stripe: below.stripe.slice(), solid: below.solid };
      const places = changedPlaces(view, compared);
      for (const [kind, colour, stripe] of KINDS) {
        for (const at of places[kind]) {
          paint.fill[at] = palette.packed(colour);
          paint.stripe[at] = stripe ? palette.stripe(stripe) : 0;
        }
      }
      return paint;
    });
  },
});

const towardGround = (compared) => ({
  id: "farther",
  order: 23,
  title: "Distances that grew",
  kind: "ground",
  follows: "hover",
  legend(view) {
    const before = beforeNow(view, compared);
    if (!before) return [{ text: "Nothing to compare with: see What changed." }];
    const goal = view.toward;
    if (goal < 0) return [{ text: "Point at a place, or choose a goal." }];
    const { lost, gained, most } = comparedToward(view, before, goal);
    const { palette } = view;
    const found = [
      { colour: palette.css("LARGEST"), text: "as far as before" },
      { colour: palette.css("DEARER"), text: `farther, by up to ${units(most)} units` },
      { colour: palette.css("CHEAPER"), text: "nearer" },
    ];
    const mark = (nodes, colour, text) => {
      if (!nodes.length) return;
      const stripe = palette.css(`${colour}_STRIPE`);
      found.push({ colour: palette.css(colour), stripe, text: `${counted(nodes.length, placeWord(view))} ${text}`, at: nodes[0] });
    };
    mark(lost, "CUT_OFF", "lost the way");
    mark(gained, "JOINED", "gained a way");
    return [...found, ...blockedLegend(view)];
  },
  paint(view) {
    const before = beforeNow(view, compared);
    const goal = view.toward;
    const below = pale(view);
    if (!before || goal < 0 || !view.nav.stands(goal)) return below;
    return view.kept(`farther ${compared.with()} ${goal}`, () => {
      const { palette } = view;
      const { change, lost, gained, most } = comparedToward(view, before, goal);
      const paint = { fill: below.fill.slice(), stripe: below.stripe.slice(), solid: below.solid };
      const [same, longer, shorter] = ["LARGEST", "DEARER", "CHEAPER"].map(palette.rgb);
      for (let at = 0; at < change.length; at++) {
        if (Number.isNaN(change[at])) continue;
        // Small changes are seen as well: half of the colour at least.
        const share = change[at] ? 0.5 + (0.5 * Math.abs(change[at])) / most : 0;
        paint.fill[at] = packed(mixed(same, change[at] > 0 ? longer : shorter, share));
      }
      for (const [nodes, colour] of [[lost, "CUT_OFF"], [gained, "JOINED"]]) {
        for (const at of nodes) {
          paint.fill[at] = palette.packed(colour);
          paint.stripe[at] = palette.stripe(`${colour}_STRIPE`);
        }
      }
      return paint;
    });
  },
});
