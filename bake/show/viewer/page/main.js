/** Builds the page. */

import { installBytes } from "./bytes.js";
import { installCompare } from "./compare/section.js";
import { installCrowd } from "./crowd/section.js";
import { installChanges } from "./editing/section.js";
import { installFindings } from "./findings.js";
import { installFollowing } from "./following.js";
import { addGrounds } from "./grounds.js";
import { installHere } from "./here.js";
import { installKeyboard } from "./keyboard.js";
import { installMinimap } from "./minimap.js";
import { addOverlays } from "./overlays.js";
import { createPanel } from "./panel.js";
import { installPointer } from "./pointer.js";
import { fetchLevel, readManifest } from "./source.js";
import { reach } from "./reach.js";
import { createState } from "./state.js";
import { addTransitions } from "./transitions.js";
import { createView } from "./view.js";
import { traffic } from "./traffic.js";
import { installTraces } from "./traces/section.js";
import { installWays } from "./ways.js";

/** Independent parts of the page; each is called with the view and the panel. */
const PARTS = [
  installHere,
  installWays,
  installFindings,
  installBytes,
  installChanges,
  installCrowd,
  installTraces,
  installCompare,
  installFollowing,
];

function start() {
  const manifest = readManifest();
  const find = (id) => document.getElementById(id);
  const state = createState(location.hash);
  const view = createView(state, find("map"), manifest.palette);
  view.manifest = manifest;
  installPointer(view);
  addGrounds(view);
  addTransitions(view);
  view.layers.add(reach);
  view.layers.add(traffic);
  addOverlays(view);
  const panel = createPanel(view, find("panel"), manifest, open);
  installKeyboard(view);
  installMinimap(view, find("minimap"));
  for (const part of PARTS) part(view, panel);

  /** Opens or reopens a level of the manifest, and returns whether that worked. */
  async function open(id) {
    const entry = manifest.levels.find((each) => each.id === id) ?? manifest.levels[0];
    if (!entry) {
      complain("No level is baked yet.");
      return false;
    }
    if (view.level && entry.id !== state.level) {
      state.set({ start: "", goal: "", floor: 0, zoom: 0 });
    }
    try {
      const { bytes, contents } = await fetchLevel(entry);
      view.open(bytes, contents);
      complain("");
      return true;
    } catch (error) {
      complain(error.told ? error.message : `${entry.name}: ${error.message}`);
      return false;
    }
  }
  view.reopen = () => open(state.level);

  /** Shows an error until it is resolved. */
  function complain(text) {
    find("trouble").textContent = text;
    find("trouble").hidden = !text;
  }
  view.complain = complain;

  const theme = () => {
    document.documentElement.dataset.theme = state.theme;
    // A canvas does not accept the text of the property --paper, only the computed color.
    const { backgroundColor, color } = getComputedStyle(document.body);
    [view.paper, view.ink] = [backgroundColor, color];
    view.redraw();
  };
  let writing = null;
  state.listen((changed) => {
    if (changed.has("theme")) theme();
    clearTimeout(writing);
    writing = setTimeout(() => history.replaceState(null, "", `#${state.toAddress()}`), 200);
  });
  addEventListener("hashchange", () => {
    const before = state.level;
    state.fromAddress(location.hash);
    if (state.level !== before) open(state.level);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
  const hint = () => {
    const needsEnds = ["path", "search"].includes(state.tab) && state.tool === "look";
    find("hint").hidden = !view.level || !needsEnds || (view.start >= 0 && view.goal >= 0);
  };
  for (const event of ["open", "state"]) view.on(event, hint);
  view.on("say", (text) => (find("status").textContent = text));
  find("zoom-in").addEventListener("click", () => view.camera.zoomBy(1.4));
  find("zoom-out").addEventListener("click", () => view.camera.zoomBy(1 / 1.4));
  find("zoom-all").addEventListener("click", () => view.camera.fit(view.plane.bounds));
  new ResizeObserver(() => view.resize()).observe(find("map"));
  theme();
  view.resize();
  // Tests and the console use the same view.
  globalThis.bakeView = view;
  view.ready = open(state.level);
}

start();
