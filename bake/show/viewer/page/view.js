/**
 * The view that all modules share: one level, one of its profiles, and the state of the page.
 *
 *   view.state, view.layers, view.camera, view.palette, view.tools     see their modules
 *   view.level       the baked level (openLevel of the reader); view.changes its current state (follow)
 *   view.previous    the previous bake of the level; null: this page has seen only one
 *   view.nav         queries for the shown profile on the current level
 *   view.places      pixels of the source and names of nodes (placesOf)
 *   view.plane       positions of places
 *   view.ground      current arcs and prices for searches (see search/ground.js)
 *   view.contents    data beyond the flat file, from bake/show/viewer/contents.py
 *   view.own         the part of the contents for the profile
 *   view.snap        the report of a start or goal that moved to a walkable place, until it is shown
 *   view.hovered     the place under the pointer, -1: none
 *   view.pointed     the same for slow functions: on large levels, when the pointer rests
 *   view.version     a number that changes with the level or the profile
 *   view.kept(key, make)   caches a value until the level or the profile changes
 *   view.redraw()          draws a frame soon
 *   view.levelChanged()    clears the cache and notifies listeners; call it after each update of
 *                          view.changes
 *   view.on(event, listener)
 *       "legend" (what a color mode's colors mean has changed), "compared" (another
 *       level is compared with), "open" (another level or profile), "changed" (the level was changed), "hover", "frame"
 *       (after each frame, with the context), "state" (a set of names)
 *   view.say(text)         shows a text in the status line, also for screen readers
 */

import { follow } from "../../../../readers/js/changes.js";
import { insides, openLevel } from "../../../../readers/js/level.js";
import { parse } from "../../../../readers/js/file.js";
import { placesOf } from "../../../../readers/js/places.js";
import { createCamera } from "./camera.js";
import { drawGround } from "./draw/ground.js";
import { createLayers } from "./layers.js";
import { createPalette } from "./palette.js";
import { planeOf } from "./plane.js";
import { groundOf } from "./search/ground.js";

const KEPT = 24;

/** On levels with more places, fields follow the pointer only after it rests for these milliseconds. */
const AT_ONCE = 20_000;
const REST = 90;

/** Creates a view that draws on a canvas; no level is open yet. */
export function createView(state, canvas, palette) {
  const first = { level: "", profile: "", floor: 0, x: 0, y: 0, zoom: 0 };
  const second = { ground: "terrain", layers: ["things", "changes", "way"], tool: "look", start: "", goal: "" };
  for (const [name, value] of Object.entries({ ...first, ...second, theme: "" })) {
    state.declare(name, value);
  }
  const ctx = canvas.getContext("2d", { alpha: false });
  const listeners = new Map();
  const memory = new Map();
  const bakes = new Map(); // the last two bakes of each level, by id
  let awaited = false;
  let resting = null;

  const view = {
    state,
    canvas,
    camera: createCamera(state),
    layers: createLayers(state),
    palette: createPalette(palette),
    level: null,
    previous: null,
    contents: null,
    snap: "",
    hovered: -1,
    pointed: -1,
    version: 0,
    frames: 0,
    on(event, listener) {
      if (!listeners.has(event)) listeners.set(event, new Set());
      listeners.get(event).add(listener);
      return () => listeners.get(event).delete(listener);
    },
    tell(event, what) {
      for (const listener of [...(listeners.get(event) ?? [])]) listener(what);
    },
    say: (text) => view.tell("say", text),
    kept(key, make) {
      if (memory.has(key)) {
        const found = memory.get(key);
        memory.delete(key);
        memory.set(key, found);
        return found;
      }
      const made = make();
      memory.set(key, made);
      if (memory.size > KEPT) memory.delete(memory.keys().next().value);
      return made;
    },
    redraw() {
      if (awaited || !view.level) return;
      awaited = true;
      requestAnimationFrame(frame);
    },

    /** Opens a level from the bytes of a flat file and its additional contents. */
    open(bytes, contents) {
      const level = openLevel(bytes);
      const again = view.level !== null && state.level === (contents.id ?? level.name);
      view.level = level;
      view.previous = previousOf(contents.id ?? level.name, level);
      view.columns = parse(bytes).columns;
      view.inside = insides.get(level);
      view.changes = follow(level);
      view.places = placesOf(level);
      view.plane = planeOf(level, contents);
      view.contents = contents;
      const profile = level.profiles.includes(state.profile) ? state.profile : level.profiles[0];
      const floor = Math.min(Math.max(0, Math.round(state.floor)), level.floors - 1);
      state.set({ level: contents.id ?? level.name, profile, floor });
      choose();
      if (!again && !(state.zoom > 0)) view.camera.fit(view.plane.bounds);
      view.redraw();
    },
    levelChanged() {
      forget();
      view.tell("changed");
      view.redraw();
    },
    hover(at) {
      if (at === view.hovered) return;
      view.hovered = at;
      followPointer();
      view.tell("hover");
      view.redraw();
    },

    /** Formats a place: "3,4", "3,4,1" on floor 1 of several, or the name of a node. */
    placeText(at) {
      const cell = view.level.cellOf(at);
      if (cell) return (view.level.floors > 1 ? cell : cell.slice(0, 2)).join(",");
      return at >= 0 ? String(view.places.nodeName(at) ?? at) : "";
    },
    /** Parses a place; -1: invalid. */
    placeAt(text) {
      if (!text) return -1;
      if (view.level.kind === "graph") return view.places.nodeNamed(text);
      const [x, y, floor = 0] = text.split(",").map(Number);
      return view.level.locationOf(x, y, floor);
    },
    get start() {
      return view.placeAt(state.start);
    },
    get goal() {
      return view.placeAt(state.goal);
    },
    /** Returns the goal of fields: the goal, or else the place under the pointer; -1: none. */
    get toward() {
      return view.goal >= 0 ? view.goal : view.pointed;
    },
    /** Returns whether next hops are looked up instead of searched. */
    get isLookedUp() {
      return view.tables.hasHops && !view.changes.changed;
    },
    /** Returns the pixels between neighboring places. */
    get room() {
      return state.zoom;
    },
    /** Brings a place into view. */
    goTo(at) {
      const floor = view.plane.floorOf(at);
      if (floor !== state.floor) state.set({ floor });
      view.camera.goTo(view.plane.x(at), view.plane.y(at), 14);
    },
    /** Updates the size of the canvas. */
    resize() {
      const { width, height } = canvas.getBoundingClientRect();
      const ratio = globalThis.devicePixelRatio || 1;
      view.camera.width = Math.max(1, width);
      view.camera.height = Math.max(1, height);
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
      view.redraw();
    },
  };

  /** Fields of large levels follow when the pointer rests; searched fields need a goal. */
  function followPointer() {
    clearTimeout(resting);
    const { hovered, level } = view;
    if (level.locations <= AT_ONCE || hovered < 0) {
      view.pointed = hovered;
    } else if (view.isLookedUp) {
      resting = setTimeout(() => {
        view.pointed = hovered;
        view.tell("hover");
        view.redraw();
      }, REST);
    } else {
      view.pointed = -1;
    }
  }

  /** Records a bake of a level, and returns the previous bake; null: none is comparable. */
  function previousOf(id, level) {
    const { last, previous } = bakes.get(id) ?? { last: level, previous: null };
    const isSame = last.fingerprint === level.fingerprint;
    const before = isSame ? previous : last;
    const isComparable = before !== null && before.kind === level.kind && before.hexLayout === level.hexLayout;
    bakes.set(id, { last: level, previous: isComparable ? before : null });
    return bakes.get(id).previous;
  }

  function forget() {
    memory.clear();
    view.version++;
  }

  function choose() {
    view.nav = view.changes.profile(state.profile);
    view.baked = view.level.profile(state.profile);
    view.tables = view.inside.navs.get(state.profile);
    view.own = view.contents.profiles?.[state.profile] ?? {};
    view.ground = groundOf(view);
    forget();
    view.tell("open");
  }

  function frame() {
    awaited = false;
    const ratio = globalThis.devicePixelRatio || 1;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = view.paper;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawGround(ctx, view, view.layers.ground(view));
    for (const layer of view.layers.shown(view)) {
      ctx.save();
      layer.draw(ctx, view);
      ctx.restore();
    }
    view.frames++;
    view.tell("frame", ctx);
  }

  state.listen((changed) => {
    if (!view.level) return;
    if (changed.has("profile") && view.nav?.name !== state.profile) {
      const known = view.level.profiles.includes(state.profile);
      if (!known) state.set({ profile: view.level.profiles[0] });
      choose();
    }
    view.tell("state", changed);
    view.redraw();
  });
  return view;
}
