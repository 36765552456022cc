/** The toolbar, whose buttons select the tool for clicks on the map. */

import { element } from "./elements.js";

/** Returns a toolbar with the tools that `accepts` allows; the selected one is pressed. */
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
