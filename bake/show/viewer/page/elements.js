/** Creates elements of the page. Text of level files is never interpreted as markup. */

/**
 * Creates an element: `element("button", { type: "button", onclick, "aria-pressed": "true" }, "Look")`.
 * Names that begin with "on" are listeners; true and false set and remove an attribute.
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, String(value));
  }
  made.append(...children.filter((each) => each != null).map((each) => (each instanceof Node ? each : String(each))));
  return made;
}

let count = 0;

/** Returns a unique id for an element. */
export const fresh = (what) => `${what}-${++count}`;

/** Creates a select element with its label: {row, select}. */
export function chooser(title, onchange) {
  const id = fresh("choose");
  const select = element("select", { id, onchange: () => onchange(select.value) });
  const row = element("div", { class: "row" }, element("label", { for: id }, title), select);
  return { row, select };
}

/** Sets the options of a select element, [[value, text], ...]. With fewer than two it is hidden. */
export function offer({ row, select }, options, value) {
  select.replaceChildren(...options.map(([each, text]) => element("option", { value: each }, text)));
  select.value = value;
  row.hidden = options.length < 2;
}

/** Creates a table from column titles and rows of texts or elements. */
export function table(caption, titles, rows) {
  const cells = (name, texts) => texts.map((text, i) => {
    const scope = name === "th" ? { scope: "col" } : {};
    return element(i === 0 && name === "td" ? "th" : name, i === 0 && name === "td" ? { scope: "row" } : scope, text);
  });
  return element(
    "table",
    { "aria-label": caption },
    element("thead", {}, element("tr", {}, ...cells("th", titles))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row)))),
  );
}
