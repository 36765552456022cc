/**
 * The panel beside the map: sections with headings that open and close.
 *
 * Other modules add their own: panel.section("crowd", "Crowd", { order: 60 }) returns the element to
 * fill. Sections lie in the order of their numbers: level 10, tools 15, ground 20, layers 30, here 40,
 * ways 50, findings 70, bytes 90, keys 95.
 */

import { chooser, element, fresh, offer } from "./elements.js";
import { KEYS } from "./keyboard.js";

/** Makes the panel, with the sections of the level, the tools, what is shown, and the keys. */
export function createPanel(view, root, manifest, openLevel) {
  const heading = element("h1", {}, "bake view");
  root.replaceChildren(heading);
  const sections = [];

  const panel = {
    /** Adds a section, and returns the element that is inside of it. */
    section(id, title, { order = 50, open = true } = {}) {
      const inner = element("div", { id: fresh(id) });
      inner.hidden = !open;
      const button = element(
        "button",
        { type: "button", "aria-expanded": String(open), "aria-controls": inner.id },
        title,
      );
      button.addEventListener("click", () => {
        inner.hidden = !inner.hidden;
        button.setAttribute("aria-expanded", String(!inner.hidden));
        inner.dispatchEvent(new Event("shown"));
      });
      const section = element(
        "section",
        { id: `section-${id}`, "aria-label": title },
        element("h2", {}, button),
        inner,
      );
      const at = sections.findIndex((each) => each.order > order);
      const next = at < 0 ? null : sections[at].section;
      sections.splice(at < 0 ? sections.length : at, 0, { section, order });
      root.insertBefore(section, next);
      return inner;
    },
    /** Opens a section. */
    show(id) {
      const button = root.querySelector(`#section-${id} h2 button`);
      if (button.getAttribute("aria-expanded") === "false") button.click();
    },
    heading,
  };
  levelSection(view, panel, manifest, openLevel);
  toolSection(view, panel);
  groundSection(view, panel);
  layerSection(view, panel);
  keySection(panel);
  return panel;
}

function levelSection(view, panel, manifest, openLevel) {
  const { state } = view;
  const inner = panel.section("level", "Level", { order: 10 });
  const levels = chooser("Level", openLevel);
  const profiles = chooser("Profile", (profile) => state.set({ profile }));
  const floors = chooser("Floor", (floor) => state.set({ floor: +floor }));
  const themes = chooser("Theme", (theme) => state.set({ theme }));
  const about = element("p", { class: "note" });
  offer(themes, [["", "as the system"], ["light", "light"], ["dark", "dark"]], state.theme); // prettier-ignore
  inner.append(levels.row, profiles.row, floors.row, themes.row, about);

  const refresh = () => {
    const { level } = view;
    panel.heading.textContent = level.name;
    document.title = `${level.name} · bake view`;
    offer(levels, manifest.levels.map(({ id, name }) => [id, name]), state.level);
    offer(profiles, level.profiles.map((name) => [name, name]), state.profile);
    const above = Array.from({ length: level.floors }, (_, i) => [String(i), `floor ${i}`]);
    offer(floors, above, String(state.floor));
    const size = level.width ? `${level.width} x ${level.floorRows}` : "";
    const floorsText = level.floors > 1 ? ` on ${level.floors} floors` : "";
    const standing = view.nav.nodes.length.toLocaleString("en");
    about.textContent = level.width
      ? `${level.kind}, ${size}${floorsText}; ${view.nav.name} stands on ${standing} cells`
      : `a graph; ${view.nav.name} stands on ${standing} nodes`;
  };
  view.on("open", refresh);
  view.on("state", (changed) => {
    if (["level", "profile", "floor"].some((name) => changed.has(name))) refresh();
  });
}

function toolSection(view, panel) {
  const inner = panel.section("tools", "Tools", { order: 15 });
  const bar = element("div", { class: "row", role: "toolbar", "aria-label": "What a click does" });
  inner.append(bar);
  const refresh = () => {
    inner.parentElement.hidden = view.tools.all().length < 2;
    bar.replaceChildren(
      ...view.tools.all().map((tool) => {
        const pressed = view.tools.current() === tool;
        const onclick = () => view.state.set({ tool: tool.id });
        return element("button", { type: "button", "aria-pressed": String(pressed), onclick }, tool.title);
      }),
    );
  };
  view.tools.listen(refresh);
  view.on("state", (changed) => changed.has("tool") && refresh());
  refresh();
}

function groundSection(view, panel) {
  const { layers, state } = view;
  const inner = panel.section("ground", "Colours", { order: 20 });
  const group = element("div", { class: "choices", role: "radiogroup", "aria-label": "What colours the places" });
  const legend = element("ul", { class: "legend", "aria-label": "What the colours mean" });
  inner.append(group, legend);
  const name = fresh("ground");
  const refresh = () => {
    if (!view.level) return;
    const shown = layers.ground(view);
    group.replaceChildren(
      ...layers.grounds().map((layer) => {
        const why = layers.missing(layer, view);
        const onchange = () => state.set({ ground: layer.id });
        const input = element("input", {
          type: "radio", name, value: layer.id, disabled: why !== "", onchange,
        }); // prettier-ignore
        input.checked = layer === shown;
        return element("label", { class: why ? "off" : "", title: why }, input, layer.title);
      }),
    );
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
  const inner = panel.section("layers", "Layers", { order: 30 });
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

/** Lists what the colours of a layer mean. Entries with a place lead there. */
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
  const inner = panel.section("keys", "Keys", { order: 95, open: false });
  inner.append(
    element("p", { class: "note" }, "While the map has the focus:"),
    element("dl", {}, ...KEYS.flatMap(([key, text]) => [
      element("dt", {}, element("kbd", {}, key)),
      element("dd", {}, text),
    ])),
  );
}
