/**
 * The section "What changed": changes since an older bake (`bake view --against`), with the words and
 * colors of `bake diff`; since the previous bake, in a page that follows its assets; or edits in the
 * page since the bake.
 */

import { openLevel } from "../../../../../readers/js/level.js";
import { changesNow } from "../editing/tools.js";
import { chooser, element, offer, table } from "../elements.js";
import { blockedLegend, pale } from "../grounds.js";
import { onFloor } from "../overlays.js";
import { mixed, packed } from "../palette.js";
import { counted, placeName, placeWord, units } from "../words.js";
import { beforeOf, comparedToward } from "./before.js";

/** Kinds of changes of places in the order of painting, where later ones cover earlier ones. */
const KINDS = [
  ["cut_off", "CUT_OFF", "CUT_OFF_STRIPE", "lost its path to or from the rest"],
  ["joined", "JOINED", "JOINED_STRIPE", "has a path to and from the rest now"],
  ["dearer", "DEARER", null, "costs more"],
  ["cheaper", "CHEAPER", null, "costs less"],
  ["opened", "OPENED", null, "opened"],
  ["closed", "CLOSED", null, "closed"],
];
/** The most places of each kind that are listed by name. */
const LISTED = 40;

/** Adds the section "What changed", its two color modes and the layer that marks changed places. */
export function installCompare(view, panel) {
  const inner = panel.section("compare", "What changed", { order: 58, open: false });
  let chosen = "";
  const against = chooser("Compare with", (id) => {
    chosen = id;
    refresh(true);
  });
  const about = element("div");
  inner.append(against.row, about);
  const compared = {
    with() {
      const ids = choicesOf(view).map(([id]) => id);
      return ids.includes(chosen) ? chosen : ids[0];
    },
  };
  view.compared = () => beforeNow(view, compared);
  view.layers.add(differenceGround(compared));
  view.layers.add(towardGround(compared));
  view.layers.add(changedLayer(compared));
  let isFirst = true;
  view.on("open", () => {
    offer(against, choicesOf(view), compared.with());
    refresh();
    if (isFirst && view.contents.difference) {
      panel.show("compare");
      if (!view.state.isNamed("ground")) view.state.set({ ground: "difference" });
    }
    isFirst = false;
  });
  view.on("changed", () => refresh());
  view.on("state", (changed) => changed.has("goal") && refresh());

  function refresh(isChosen = false) {
    about.replaceChildren(...partsOf(view, compared));
    if (!isChosen) return;
    view.tell("compared");
    view.tell("legend");
    view.redraw();
  }
}

/** Returns the states that the level can be compared with, [[id, name], ...], the default first. */
function choicesOf({ contents, previous }) {
  const choices = [];
  if (contents.difference) choices.push(["older", contents.difference.old]);
  if (previous) choices.push(["previous", "the previous bake"]);
  return [...choices, ["baked", "the level as it was baked"]];
}

/** Returns the selected earlier state for the shown profile; null: there is none. */
function beforeNow(view, compared) {
  const id = compared.with();
  if (id === "baked" && !view.changes.changed) return null;
  const [, name] = choicesOf(view).find(([each]) => each === id);
  const older = { older: () => openLevel(view.contents.difference.flat), previous: () => view.previous, baked: () => null };
  return remembered(view, id, () => beforeOf(view, older[id](), name));
}

const memory = new WeakMap();

/** Caches the earlier state while the same level is open. */
function remembered(view, which, make) {
  const key = `${which} ${view.nav.name}`;
  if (!memory.has(view.changes)) memory.set(view.changes, new Map());
  const found = memory.get(view.changes);
  if (!found.has(key)) found.set(key, make());
  return found.get(key);
}

/** Returns the changed places by kind, as nodes: from `bake diff`, or compared in the page. */
export function changedPlaces(view, compared) {
  return view.kept(`changed places ${compared.with()}`, () => {
    if (compared.with() === "older") {
      const told = view.contents.difference.profiles[view.nav.name] ?? {};
      const nodes = (kind) => (told[kind] ?? []).map((place) => nodeOf(view, place)).filter((at) => at >= 0);
      return Object.fromEntries(KINDS.map(([kind]) => [kind, nodes(kind)]));
    }
    const found = Object.fromEntries(KINDS.map(([kind]) => [kind, []]));
    const old = beforeNow(view, compared);
    if (!old) return found;
    const { nav, tables, ground, level } = view;
    for (let at = 0; at < level.locations; at++) {
      const place = old.of(at);
      const [was, is] = [place >= 0 && old.nav.stands(place), nav.stands(at)];
      const [before, after] = [old.cost(place), tables.c.cost[ground.terrainAt(at)]];
      if (was && !is) found.closed.push(at);
      else if (!was && is) found.opened.push(at);
      else if (was && before !== after) found[after > before ? "dearer" : "cheaper"].push(at);
    }
    return found;
  });
}

/** Returns a place in the form of `bake diff --json`. */
function nodeOf(view, place) {
  if (!view.level.width) return view.places.nodeNamed(place);
  return Array.isArray(place) ? view.level.locationOf(...place) : -1;
}

// -- the section ----------------------------------------------------------------------------------

function partsOf(view, compared) {
  const note = (text) => element("p", { class: "note" }, text);
  const before = beforeNow(view, compared);
  if (!before) {
    const id = compared.with();
    const [, name] = choicesOf(view).find(([each]) => each === id);
    return [
      note(
        id !== "baked"
          ? `${name[0].toUpperCase()}${name.slice(1)} has no profile ${view.nav.name}.`
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

/** Lists the pairs whose distance changed most; a click sets start and goal. */
function pairsOf(view, most) {
  const rows = most.map(({ start, goal, before, after }) => {
    const ends = [start, goal].map((place) => nodeOf(view, place));
    const onclick = () => view.state.set({ start: view.placeText(ends[0]), goal: view.placeText(ends[1]) });
    const text = ends.map((at) => placeName(view, at)).join(" to ");
    return [element("button", { type: "button", class: "link", onclick }, text), units(before), units(after)];
  });
  return table("Distances that changed most", ["pair", "before", "after"], rows);
}

// -- the layer ------------------------------------------------------------------------------------

/** Returns the marks of the layer, [{nodes, colour, text}, ...]: differences from the earlier state, and edits. */
function marksOf(view, compared) {
  return view.kept(`marks ${compared.with()}`, () => {
    const { palette } = view;
    const word = placeWord(view);
    const marks = [];
    const add = (nodes, colour, text) => nodes.length && marks.push({ nodes, colour: palette.css(colour), text });
    if (compared.with() !== "baked") {
      const places = changedPlaces(view, compared);
      for (const [kind, colour, , text] of KINDS) add(places[kind], colour, `${counted(places[kind].length, word)}: ${text}`);
    }
    if (view.changes.changed) {
      const { walls, terrain } = changesNow(view);
      add(walls, "CLOSED", counted(walls.length, "wall"));
      add(terrain, "OPENED", `${counted(terrain.length, word)} of other terrain`);
    }
    return marks;
  });
}

/** Draws outlines around the changed places, above any color mode. */
const changedLayer = (compared) => ({
  id: "changes",
  title: "Changed places",
  kind: "overlay",
  order: 55,
  missing: (view) => (marksOf(view, compared).length ? "" : "Nothing is changed."),
  legend: (view) => marksOf(view, compared).map(({ nodes, colour, text }) => ({ colour, text, at: nodes[0] })),
  draw(ctx, view) {
    ctx.lineWidth = Math.min(3, Math.max(1, view.room / 8));
    for (const { nodes, colour } of marksOf(view, compared)) {
      ctx.beginPath();
      for (const at of nodes) if (onFloor(view, at)) view.plane.outline(ctx, at, view.camera);
      ctx.strokeStyle = colour;
      ctx.stroke();
    }
  },
});

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
    mark(lost, "CUT_OFF", "lost the path");
    mark(gained, "JOINED", "gained a path");
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
        // At least half of the color, so that small changes are visible.
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
