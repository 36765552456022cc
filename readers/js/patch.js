/** Writes and reads patches: the differences from a baked level as text (docs/updates.md). */

import { LevelError, quoted, refuse } from "./file.js";

export function writePatch(level, { terrain, obstacle, prices }) {
  const changes = { terrain: [], obstacles: [], arcs: [] };
  for (let at = 0; at < level.locations; at++) {
    if (terrain[at] !== level.terrain[at]) changes.terrain.push([at, terrain[at]]);
    if (obstacle[at]) changes.obstacles.push(at);
  }
  for (const [arc, { units }] of prices) {
    const [from, to] = arc.split(",").map(Number);
    changes.arcs.push([from, to, units === Infinity ? "closed" : units]);
  }
  changes.arcs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const text = `${JSON.stringify(changes)}\n`;
  return `levelbake-patch 1 ${level.fingerprint} ${sha256(text)}\n${text}`;
}

/** Returns the level state of a patch, and whether it has changes; `check` validates its entries. */
export function readPatch(level, patch, check) {
  if (typeof patch !== "string") refuse(`a patch is ${quoted(patch)}, expected text`);
  const end = patch.indexOf("\n") + 1;
  const [kind, version, asset, digest] = patch.slice(0, Math.max(0, end - 1)).split(" ");
  if (kind !== "levelbake-patch") refuse("this is not a patch");
  if (version !== "1") refuse(`version ${version} of patches, expected 1: no links, no new arcs`);
  if (asset !== level.fingerprint) refuse("this patch belongs to another asset");
  const text = patch.slice(end);
  if (sha256(text) !== digest) refuse("the patch is damaged: its digest does not fit");
  try {
    const said = JSON.parse(text);
    const terrain = level.terrain.slice();
    const obstacle = new Uint8Array(level.locations);
    const prices = new Map();
    for (const [at, code] of said.terrain) {
      terrain[check.place(at)] = check.terrainOf(code);
    }
    for (const at of said.obstacles) obstacle[check.place(at)] = 1;
    for (const [from, to, units] of said.arcs) {
      const price = check.price(units === "closed" ? Infinity : units);
      prices.set(check.arc(check.place(from), check.place(to)), price);
    }
    const says = [said.terrain, said.obstacles, said.arcs].some((each) => each.length);
    return { terrain, obstacle, prices, says };
  } catch (error) {
    const why = error instanceof LevelError ? error.message : "it says nothing of this level";
    return refuse(`the patch is damaged: ${why}`);
  }
}

/** Returns the SHA-256 of a text (FIPS 180-4); the browsers' own function is asynchronous. */
export function sha256(text) {
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const fraction = (number) => ((number - Math.floor(number)) * 2 ** 32) | 0;
  const constants = primes.map((p) => fraction(Math.cbrt(p)));
  const hash = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
  const bytes = new TextEncoder().encode(text);
  const size = (bytes.length + 72) & ~63;
  const data = new DataView(new ArrayBuffer(size));
  bytes.forEach((byte, i) => data.setUint8(i, byte));
  data.setUint8(bytes.length, 0x80);
  data.setUint32(size - 8, Math.floor(bytes.length / 2 ** 29));
  data.setUint32(size - 4, bytes.length << 3);
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  const w = new Int32Array(64);
  for (let block = 0; block < size; block += 64) {
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      if (i < 16) w[i] = data.getInt32(block + 4 * i);
      else {
        const [x, y] = [w[i - 15], w[i - 2]];
        const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
        const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
      }
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + constants[i] + w[i]) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] = (hash[i] + word) | 0));
  }
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
