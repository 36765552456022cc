/**
 * Runs the extension for Tiled without Tiled: `node tiled_runner.mjs EXTENSION STEPS.json`.
 *
 * What the extension asks of Tiled is here, as the definitions of Tiled's scripting interface have it;
 * processes and files are real. The answer, on standard output, is a list of what happened.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import vm from "node:vm";

const [extension, stepsFile] = process.argv.slice(2);
const { maps, steps } = JSON.parse(readFileSync(stepsFile, "utf8"));
const happened = [];
const issues = [];
const actions = new Map();
const saved = [];

const signal = (listeners) => ({ connect: (listener) => listeners.push(listener) });

class TileMap {
  constructor(given) {
    const { properties = {}, layers = [], ...rest } = given;
    Object.assign(this, { isTileMap: true, modified: false, infinite: false, orientation: 1 }, rest);
    this.layers = layers.map((rect) => ({ isTileLayer: true, region: () => ({ boundingRect: rect }) }));
    this.properties = properties;
    this.selectedArea = { set: (rect) => happened.push({ selected: rect }) };
  }
  get layerCount() {
    return this.layers.length;
  }
  layerAt(i) {
    return this.layers[i];
  }
  property(name) {
    return this.properties[name];
  }
  save() {
    this.modified = false;
    for (const listener of saved) listener(this);
    return true;
  }
  tileToScreen(x, y) {
    return { x: 16 * x + 8, y: 16 * y + 8 };
  }
}
TileMap.Staggered = 3;

class Process {
  constructor() {
    this.codec = "";
    this.workingDirectory = "";
  }
  getEnv(name) {
    return process.env[name] ?? "";
  }
  exec(program, args, throwOnError = true) {
    happened.push({ ran: args, in: this.workingDirectory });
    const done = spawnSync(program, [...args], { cwd: this.workingDirectory, encoding: "utf8" });
    if (done.error) {
      if (throwOnError) throw done.error;
      return -1;
    }
    this.done = done;
    return done.status;
  }
  readStdOut() {
    return this.done.stdout;
  }
  readStdErr() {
    return this.done.stderr;
  }
  close() {}
}

const opened = maps.map((map) => new TileMap(map));
const issue = (kind) => (text, activated) => {
  happened.push({ [kind]: text });
  issues.push(activated);
};
const tiled = {
  activeAsset: opened[0] ?? null,
  assetSaved: signal(saved),
  mapEditor: { currentMapView: { centerOn: (x, y) => happened.push({ centred: [x, y] }) } },
  registerAction(id, callback) {
    const action = { id, callback, checked: false };
    actions.set(id, action);
    return action;
  },
  extendMenu: (menu, items) => happened.push({ menu, items: items.map(({ action }) => action ?? "-") }),
  log: (text) => happened.push({ log: text }),
  warn: issue("warning"),
  error: issue("error"),
  open: (fileName) => opened.find((map) => map.fileName === fileName) ?? null,
};
const context = vm.createContext({
  tiled,
  TileMap,
  Process,
  File: { exists: existsSync },
  FileInfo: { path: (file) => (file.includes("/") ? file.slice(0, Math.max(1, file.lastIndexOf("/"))) : ".") },
  Qt: { rect: (x, y, width, height) => ({ x, y, width, height }) },
});
vm.runInContext(readFileSync(extension, "utf8"), context, { filename: extension });

for (const [what, argument] of steps) {
  if (what === "save") opened[argument].save();
  if (what === "trigger") actions.get(argument).callback(actions.get(argument));
  if (what === "uncheck") actions.get(argument).checked = false;
  if (what === "modify") opened[argument].modified = true;
  if (what === "activate") issues.at(argument)();
}
process.stdout.write(JSON.stringify({ happened, separator: delimiter }));
