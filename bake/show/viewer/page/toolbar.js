/** Buttons that choose what a click on the map does. */

import { element } from "./elements.js";

/** Returns a toolbar of the tools that `accepts` takes; the one in use is pressed. */
export function toolbar(view, title, accepts) {
  const bar = element("div", { class: "row", role: "toolbar", "aria-label": title });
  const refresh = () => {
    const tools = view.tools.all().filter(accepts);
    bar.replaceChildren(
      ...tools.map((tool) => {
        const pressed = view.tools.current() === tool;
        const onclick = () => view.state.set({ tool: tool.id });
        return element("button", { type: "button", "aria-pressed": String(pressed), onclick }, tool.title);
      }),
    );
  };
  view.tools.listen(refresh);
  view.on("state", (changed) => changed.has("tool") && refresh());
  refresh();
  return bar;
}
