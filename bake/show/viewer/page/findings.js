/** Findings of lint: a list with links to the places, and marks on the map. */

import { element } from "./elements.js";
import { screenOf } from "./overlays.js";
import { css } from "./palette.js";

/** Adds the marks, and the section "Findings". */
export function installFindings(view, panel) {
  view.layers.add(marks);
  const inner = panel.section("findings", "Findings", { order: 70 });
  const list = element("ul", { class: "list", "aria-label": "What lint finds" });
  inner.append(list);
  const refresh = () => {
    const found = findingsOf(view);
    const none = element("li", { class: "note" }, "Lint finds nothing in this asset.");
    list.replaceChildren(...(found.length ? found.map((each) => line(view, each)) : [none]));
  };
  view.on("open", refresh);
}

const findingsOf = (view) => view.own.findings ?? [];

function line(view, { rule, message, places }) {
  const show = () => {
    if (!view.layers.isOn("findings")) view.layers.switch("findings", true);
    if (places.length) view.goTo(places[0]);
    view.say(message);
  };
  return element(
    "li",
    {},
    element("button", { type: "button", disabled: !places.length, onclick: show }, `${rule}: ${message}`),
  );
}

const marks = {
  id: "findings",
  title: "Lint findings",
  kind: "overlay",
  order: 70,
  missing: (view) => (findingsOf(view).length ? "" : "Lint finds nothing in this asset."),
  legend(view) {
    const { marked } = view.palette;
    return Object.entries(marked).flatMap(([rule, [colour, text]]) => {
      const count = findingsOf(view).filter((each) => each.rule === rule).reduce((sum, each) => sum + each.count, 0);
      return count ? [{ colour: css(colour), text: `${text} (${count.toLocaleString("en")})` }] : [];
    });
  },
  draw(ctx, view) {
    const { camera, palette, plane, state } = view;
    const radius = Math.max(1, 0.26 * view.room);
    const rim = Math.min(1.5, 0.1 * view.room);
    for (const { rule, places } of findingsOf(view)) {
      const [colour] = palette.marked[rule] ?? [palette.rgb("ISLAND")];
      for (const [size, fill] of [[radius + rim, palette.css("CASING")], [radius, css(colour)]]) {
        ctx.beginPath();
        for (const at of places) {
          if (plane.floorOf(at) !== state.floor) continue;
          const [px, py] = screenOf(view, at);
          if (px < -20 || py < -20 || px > camera.width + 20 || py > camera.height + 20) continue;
          ctx.moveTo(px + size, py);
          ctx.arc(px, py, size, 0, 2 * Math.PI);
        }
        ctx.fillStyle = fill;
        ctx.fill();
      }
    }
  },
};
