/**
 * The panel beside the map: tabs for activities, and below them collapsible sections.
 *
 * Other modules add their own: panel.tab("crowd", "Crowd") and panel.section("here", "Here", { order: 40 })
 * return the element to fill. Sections are sorted by order: colors 20, layers 30, here 40, what changed 58,
 * findings 70, more 90. Sections for experts go into More: { isExpert: true }.
 */

import { chooser, element, fresh, offer } from "./elements.js";
import { KEYS } from "./keyboard.js";
import { counted, placeWord } from "./words.js";

/** The tabs, from left to right. */
const TABS = ["path", "crowd", "search", "draw"];

/** Color modes from this order on show results of the page instead of the level. */
const RESULTS_FROM = 20;

/** Creates the panel with the choice of the level, tabs, sections of layers, and keys. */
export function createPanel(view, root, manifest, openLevel) {
  const { state } = view;
  const name = element("span");
  const choosers = element("div", { class: "row choosers" });
  const about = element("p", { class: "note" });
  const tablist = element("div", { class: "tabs", role: "tablist", "aria-label": "What to do" });
  const pages = element("div");
  root.replaceChildren(
    element("h1", {}, element("span", { class: "brand" }, "bake"), " ", name),
    choosers,
    about,
    tablist,
    pages,
  );
  const tabs = [];
  state.declare("tab", "path");

  const panel = {
    name,
    /** Adds a tab, and returns its content element. */
    tab(id, title) {
      const inner = element("section", { id: `section-${id}`, role: "tabpanel", "aria-label": title });
      const onclick = () => state.set({ tab: id });
      const attributes = { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": inner.id, onclick };
      tabs.push({ id, inner, button: element("button", attributes, title) });
      tabs.sort((a, b) => TABS.indexOf(a.id) - TABS.indexOf(b.id));
      tablist.replaceChildren(...tabs.map(({ button }) => button));
      pages.append(inner);
      showTab();
      return inner;
    },
    /** Adds a section, and returns its content element. */
    section(id, title, { order = 50, open = true, isExpert = false } = {}) {
      const { section, inner } = disclosure(id, title, open);
      section.dataset.order = order;
      const parent = isExpert ? more : root;
      const next = [...parent.children].find((each) => Number(each.dataset.order) > order) ?? null;
      parent.insertBefore(section, next);
      return inner;
    },
    /** Opens a section. */
    show(id) {
      const button = root.querySelector(`#section-${id} h2 button`);
      if (button.getAttribute("aria-expanded") === "false") button.click();
    },
  };

  function showTab() {
    const current = tabs.find(({ id }) => id === state.tab) ?? tabs[0];
    for (const { inner, button } of tabs) {
      const isCurrent = inner === current.inner;
      inner.hidden = !isCurrent;
      button.setAttribute("aria-selected", String(isCurrent));
      button.tabIndex = isCurrent ? 0 : -1;
    }
  }

  tablist.addEventListener("keydown", ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!step) return;
    const current = tabs.findIndex(({ button }) => button === document.activeElement);
    const { id, button } = tabs[(current + step + tabs.length) % tabs.length];
    state.set({ tab: id });
    button.focus();
  });
  state.listen((changed) => changed.has("tab") && showTab());
  const more = panel.section("more", "More", { order: 90, open: false });
  levelChoosers(view, { panel, choosers, about, more }, manifest, openLevel);
  groundSection(view, panel);
  layerSection(view, panel);
  keySection(panel);
  return panel;
}

/** Creates a section with a heading that opens and closes it. */
function disclosure(id, title, open) {
  const inner = element("div", { id: fresh(id) });
  inner.hidden = !open;
  const button = element("button", { type: "button", "aria-expanded": String(open), "aria-controls": inner.id }, title);
  button.addEventListener("click", () => {
    inner.hidden = !inner.hidden;
    button.setAttribute("aria-expanded", String(!inner.hidden));
    inner.dispatchEvent(new Event("shown"));
  });
  const attributes = { id: `section-${id}`, "aria-label": title };
  return { inner, section: element("section", attributes, element("h2", {}, button), inner) };
}

function levelChoosers(view, { panel, choosers, about, more }, manifest, openLevel) {
  const { state } = view;
  const levels = chooser("Level", openLevel);
  const profiles = chooser("Profile", (profile) => state.set({ profile }));
  const floors = chooser("Floor", (floor) => state.set({ floor: +floor }));
  const themes = chooser("Theme", (theme) => state.set({ theme }));
  offer(themes, [["", "System"], ["light", "Light"], ["dark", "Dark"]], state.theme); // prettier-ignore
  choosers.append(levels.row, profiles.row, floors.row);
  more.append(themes.row);

  const refresh = () => {
    const { level } = view;
    panel.name.textContent = level.name;
    document.title = `${level.name} · bake`;
    offer(levels, manifest.levels.map(({ id, name }) => [id, name]), state.level);
    offer(profiles, level.profiles.map((name) => [name, name]), state.profile);
    const above = Array.from({ length: level.floors }, (_, i) => [String(i), `Floor ${i}`]);
    offer(floors, above, String(state.floor));
    const walkable = counted(walkableCount(view), `walkable ${placeWord(view)}`);
    const floorsText = level.floors > 1 ? `, ${level.floors} floors` : "";
    about.textContent = level.width
      ? `${level.width} × ${level.floorRows} ${level.kind}${floorsText}, ${walkable}`
      : `${level.locations.toLocaleString("en")} nodes, ${walkable}`;
  };
  view.on("open", refresh);
  view.on("changed", refresh);
  view.on("state", (changed) => {
    if (["level", "profile", "floor"].some((name) => changed.has(name))) refresh();
  });
}

/** Returns the number of places on which the profile can stand now. */
function walkableCount(view) {
  if (!view.changes.changed) return view.nav.nodes.length;
  return view.kept("walkable", () => {
    let count = 0;
    for (let at = 0; at < view.level.locations; at++) count += view.nav.stands(at) ? 1 : 0;
    return count;
  });
}

function groundSection(view, panel) {
  const { layers, state } = view;
  const inner = panel.section("ground", "Colors", { order: 20 });
  const modes = chooser("Color by", (ground) => state.set({ ground }));
  const legend = element("ul", { class: "legend", "aria-label": "What the colors mean" });
  inner.append(modes.row, legend);
  const optionOf = (layer) => {
    const why = layers.missing(layer, view);
    return element("option", { value: layer.id, disabled: why !== "", title: why }, layer.title);
  };
  const refresh = () => {
    if (!view.level) return;
    const isResult = ({ order }) => order >= RESULTS_FROM;
    const grounds = layers.grounds().filter((layer) => !layer.hidden?.(view));
    modes.select.replaceChildren(
      element("optgroup", { label: "Level" }, ...grounds.filter((layer) => !isResult(layer)).map(optionOf)),
      element("optgroup", { label: "Results" }, ...grounds.filter(isResult).map(optionOf)),
    );
    modes.select.value = layers.ground(view).id;
  };
  const explain = () => {
    if (view.level) fillLegend(legend, view, layers.ground(view));
  };
  const both = () => (refresh(), explain());
  layers.listen(both);
  view.on("open", both);
  view.on("changed", both);
  view.on("hover", () => layers.ground(view).follows === "hover" && soon(explain));
  view.on("legend", explain);
  view.on("state", (changed) => {
    if (changed.has("ground")) refresh();
    if (["ground", "goal", "start", "layers"].some((each) => changed.has(each))) explain();
  });
}

function layerSection(view, panel) {
  const { layers } = view;
  const inner = panel.section("layers", "Layers", { order: 30, open: false });
  const group = element("div", { class: "choices", role: "group", "aria-label": "What is drawn above" });
  inner.append(group);
  const refresh = () => {
    if (!view.level) return;
    const had = document.activeElement?.value;
    group.replaceChildren(
      ...layers.overlays().filter((layer) => !layer.hidden?.(view)).flatMap((layer) => {
        const why = layers.missing(layer, view);
        const on = layers.isOn(layer.id) && !why;
        const onchange = () => layers.switch(layer.id);
        const input = element("input", { type: "checkbox", value: layer.id, disabled: why !== "", onchange });
        input.checked = on;
        const label = element("label", { class: why ? "off" : "", title: why }, input, layer.title);
        const legend = element("ul", { class: "legend" });
        if (on) fillLegend(legend, view, layer);
        return legend.children.length ? [label, legend] : [label];
      }),
    );
    if (had) group.querySelector(`input[value="${CSS.escape(had)}"]`)?.focus();
  };
  layers.listen(refresh);
  for (const event of ["open", "changed", "compared"]) view.on(event, refresh);
  view.on("state", (changed) => changed.has("layers") && refresh());
}

let waiting = null;

/** Calls back once, when the pointer has rested for a moment. */
function soon(call) {
  clearTimeout(waiting);
  waiting = setTimeout(call, 120);
}

/** Shows the legend of a layer. A click on an entry with a place goes there. */
function fillLegend(list, view, layer) {
  const entries = layer.legend?.(view) ?? [];
  list.replaceChildren(
    ...entries.map((entry) => {
      if (entry.ramp) {
        return element("li", {}, entry.from, rampOf(view.palette), entry.to);
      }
      const text = entry.at === undefined
        ? entry.text
        : element("button", { type: "button", class: "link", onclick: () => view.goTo(entry.at) }, entry.text);
      return element("li", {}, entry.colour ? swatch(entry) : null, text);
    }),
  );
}

function swatch({ colour, stripe }) {
  const canvas = element("canvas", { width: 16, height: 12, "aria-hidden": "true" });
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = colour;
  ctx.fillRect(0, 0, 16, 12);
  if (stripe) {
    ctx.strokeStyle = stripe;
    ctx.lineWidth = 2.5;
    ctx.beginPath();
    for (let x = -12; x < 24; x += 8) {
      ctx.moveTo(x, 13);
      ctx.lineTo(x + 14, -1);
    }
    ctx.stroke();
  }
  return canvas;
}

function rampOf(palette) {
  const canvas = element("canvas", { width: 120, height: 12, "aria-hidden": "true" });
  const ctx = canvas.getContext("2d");
  for (let x = 0; x < 120; x++) {
    ctx.fillStyle = palette.shadeCss(x / 119);
    ctx.fillRect(x, 0, 1, 12);
  }
  return canvas;
}

function keySection(panel) {
  const inner = panel.section("keys", "Keys", { order: 95, open: false, isExpert: true });
  inner.append(
    element("p", { class: "note" }, "While the map has the focus:"),
    element("dl", {}, ...KEYS.flatMap(([key, text]) => [
      element("dt", {}, element("kbd", {}, key)),
      element("dd", {}, text),
    ])),
  );
}
