/**
 * The tab "Draw": edit walls, terrain, prices of arcs and states of doors. The reader updates the level,
 * and the whole page follows at once. Each edit can be undone, and all edits can be saved as a patch for
 * `bake apply` and games.
 */

import { insides } from "../../../../../readers/js/level.js";
import { chooser, element, fresh, offer } from "../elements.js";
import { toolbar } from "../toolbar.js";
import { editsOf } from "./edits.js";
import { addTools, attempt, priceWord, pricesNow, readPrice, summary, undo } from "./tools.js";

/** The most links in the list; the prices of others can be changed with the tool. */
const MOST_LINKS = 60;

/** Adds the tools, the tab "Draw" and the section "Prices". */
export function installChanges(view, panel) {
  const inner = panel.tab("draw", "Draw");
  const expert = panel.section("prices", "Prices", { order: 60, open: false, isExpert: true });
  const brush = { terrain: 0, price: 1, tail: -1 };
  const drawn = new Map(); // the history of each level that was open
  let edits = null;

  view.on("open", () => {
    // Edits remain when another profile of the same level is chosen.
    if (edits?.now === view.changes) return refresh();
    edits = view.edits = Object.assign(editsOf(view.changes), { now: view.changes });
    edits.listen(() => view.levelChanged());
    brush.tail = -1;
    const before = drawn.get(view.state.level);
    if (before?.changed) keep(view, before);
    drawn.set(view.state.level, view.changes);
    refresh();
  });
  view.on("changed", refresh);

  addTools(view, brush);
  const { parts, refresh: refreshParts } = sectionParts(view, brush);
  inner.append(toolbar(view, "What to draw", ({ isExpert }) => !isExpert), ...parts.draw);
  expert.append(toolbar(view, "Prices", ({ isExpert }) => isExpert), ...parts.prices);
  followTab(view);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input, select, textarea");
    if (!edits || typing || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    undo(view, event.shiftKey ? "redo" : "undo");
  });

  function refresh() {
    if (edits) refreshParts();
  }
}

/** Selects a drawing tool with the tab Draw, and Look with other tabs; a tool's key shows its tab. */
function followTab({ state, tools }) {
  const draws = () => tools.current().id !== "look" && !tools.current().isExpert;
  if (draws()) state.set({ tab: "draw" });
  state.listen((changed) => {
    if (changed.has("tool") && draws()) state.set({ tab: "draw" });
    else if (changed.has("tab") && state.tab === "draw" && !draws()) state.set({ tool: "wall" });
    else if (changed.has("tab") && state.tab !== "draw") state.set({ tool: "look" });
  });
}

/** Applies the edits of a level again when it is reopened or was baked again. */
function keep(view, before) {
  const { level, changes } = view;
  if (before.level.width !== level.width || before.level.locations !== level.locations) {
    return view.say("What was drawn is gone: the level has another size now.");
  }
  const names = before.level.terrains.map(({ name }) => name);
  const known = new Set(level.terrains.map(({ name }) => name));
  const blocked = [];
  const terrain = [];
  for (let at = 0; at < level.locations; at++) {
    if (before.hasObstacle(at)) blocked.push(at);
    const code = before.terrainAt(at);
    if (code !== before.level.terrain[at] && known.has(names[code])) terrain.push([at, names[code]]);
  }
  attempt(view, "what was drawn before", () => {
    changes.update({ blocked, terrain });
    const { prices } = insides.get(before).now;
    const baked = insides.get(before.level).prices;
    for (const key of new Set([...prices.keys(), ...baked.keys()])) {
      const units = prices.get(key)?.units ?? null;
      if (units === (baked.get(key)?.units ?? null)) continue;
      const [from, to] = key.split(",").map(Number);
      try {
        changes.setPrice(from, to, units);
      } catch (error) {
        view.say(error.message); // the arc is gone
      }
    }
  });
}

function sectionParts(view, brush) {
  const button = (text, onclick) => element("button", { type: "button", onclick }, text);
  const back = button("Undo", () => undo(view, "undo"));
  const again = button("Redo", () => undo(view, "redo"));
  const reset = button("Reset", () => attemptReset(view));
  const about = element("p", { class: "note", role: "status", "aria-label": "What was changed" });
  const terrains = chooser("Terrain", (code) => {
    brush.terrain = +code;
    view.state.set({ tool: "terrain" });
  });
  const price = priceField("Price", (units) => {
    brush.price = units;
    view.state.set({ tool: "price" });
  });
  const doors = element("div", { role: "group", "aria-label": "Doors" });
  const links = element("div", { role: "group", "aria-label": "Links" });
  const file = fileField(view);
  const save = button("Save patch", () => savePatch(view));
  const note = element(
    "p",
    { class: "note" },
    "Price sets the cost of the arc between two clicks.",
  );
  let shownLevel = null;

  function refresh() {
    const { level, edits } = view;
    back.disabled = !edits.undoable;
    back.title = edits.undoable ?? "";
    again.disabled = !edits.redoable;
    again.title = edits.redoable ?? "";
    reset.disabled = !view.changes.changed;
    about.textContent = summary(view);
    if (shownLevel !== level) {
      shownLevel = level;
      brush.terrain = Math.min(brush.terrain, level.terrains.length - 1);
      offer(terrains, level.terrains.map(({ name }, code) => [String(code), name]), String(brush.terrain));
    }
    const focused = document.activeElement?.id;
    doors.replaceChildren(...level.doors.map((door, i) => doorRow(view, door, i)));
    const shown = level.links.slice(0, MOST_LINKS);
    links.replaceChildren(...shown.map((link, i) => linkRow(view, link, i)));
    if (focused && !document.activeElement?.id) document.getElementById(focused)?.focus();
  }

  const draw = [
    element("div", { class: "row", role: "toolbar", "aria-label": "Edits" }, back, again, reset),
    about,
    terrains.row,
    doors,
    element("div", { class: "row" }, save, file),
  ];
  return { parts: { draw, prices: [note, price, links] }, refresh };
}

function attemptReset(view) {
  if (attempt(view, "reset", (now) => now.reset())) view.say("The level is as it was baked.");
}

function doorRow(view, door, i) {
  const id = `door-${i}`;
  const state = view.changes.doorState(door.name);
  const onchange = (event) => {
    const wanted = event.target.value;
    if (!attempt(view, `door ${door.name}`, (now) => now.setDoor(door.name, wanted))) return;
    view.say(`door ${door.name}: ${wanted}`);
  };
  const names = door.states.map(({ name }) => name);
  const options = [...(state === null ? [["", "in no state"]] : []), ...names.map((name) => [name, name])];
  const select = element("select", { id, onchange });
  select.append(...options.map(([value, text]) => element("option", { value }, text)));
  select.value = state ?? "";
  return element("div", { class: "row" }, element("label", { for: id }, `Door ${door.name}`), select);
}

function linkRow(view, link, i) {
  const { from, to, bothWays, name } = link;
  const units = pricesNow(view).get(`${from},${to}`)?.units ?? null;
  const text = units === null ? "" : units === Infinity ? "closed" : String(units);
  return priceField(`Link ${name}`, (wanted) => {
    const ends = bothWays ? [[from, to], [to, from]] : [[from, to]]; // prettier-ignore
    const prices = ends.map(([a, b]) => [a, b, wanted]);
    if (attempt(view, `link ${name}`, (now) => now.update({ prices }))) {
      view.say(`link ${name}: ${priceWord(wanted)}`);
    }
  }, { id: `link-${i}`, text, usual: link.cost }); // prettier-ignore
}

/** Creates a field for a price: a number of units, "closed", or empty for the usual price. */
function priceField(title, onprice, { id = fresh("price"), text = "1", usual = null } = {}) {
  const onchange = () => {
    const units = readPrice(input.value);
    input.setAttribute("aria-invalid", String(units === undefined));
    if (units !== undefined) onprice(units);
  };
  const placeholder = usual === null ? "usual" : `${usual}, as baked`;
  const input = element("input", { id, type: "text", size: 12, placeholder, onchange });
  input.value = text;
  input.title = 'a number of units, "closed", or nothing for the usual price';
  return element("div", { class: "row" }, element("label", { for: id }, title), input);
}

// -- patches --------------------------------------------------------------------------------------

function savePatch(view) {
  const url = URL.createObjectURL(new Blob([view.edits.save()], { type: "text/plain" }));
  const download = `${view.level.name.replace(/[^\w.-]+/g, "_") || "level"}.patch`;
  const link = element("a", { href: url, download });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  view.say(`saved ${download}: bake apply ASSET ${download} -o NEW.h5`);
}

function fileField(view) {
  const id = fresh("patch");
  const input = element("input", { id, type: "file", accept: ".patch,text/plain", hidden: true });
  const label = "Load patch";
  input.setAttribute("aria-label", label);
  input.addEventListener("change", async () => {
    const [file] = input.files;
    if (!file) return;
    const text = await file.text();
    input.value = "";
    if (attempt(view, `patch ${file.name}`, (now) => now.applyPatch(text))) view.say(summary(view));
  });
  const open = element("button", { type: "button", onclick: () => input.click() }, label);
  return element("span", {}, open, input);
}
