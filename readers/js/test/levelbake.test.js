// What a user of the package does, on the levels of tests/vectors. Python's tests ask the rest.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { follow } from "levelbake/changes";
import { LevelError, openLevel } from "levelbake";
import { placesOf } from "levelbake/places";

const read = (name) => readFileSync(new URL(`../../../tests/vectors/${name}.bake`, import.meta.url));
const told = (name) =>
  JSON.parse(readFileSync(new URL(`../../../tests/vectors/${name}.json`, import.meta.url), "utf8"));

test("a level answers what its vectors say", () => {
  const level = openLevel(read("tower"));
  const { profiles } = told("tower");
  for (const [name, { questions }] of Object.entries(profiles)) {
    const nav = level.profile(name);
    for (const [from, to, hop, ticks] of questions) {
      assert.equal(nav.nextHop(from, to), hop);
      assert.equal(nav.reachable(from, to), ticks >= 0);
      assert.equal(nav.distance(from, to), ticks < 0 ? Infinity : ticks / level.ticksPerUnit);
    }
  }
});

test("Buffers may begin anywhere", () => {
  const bytes = read("rooms");
  const shifted = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);
  assert.equal(openLevel(shifted).name, "rooms");
  assert.equal(openLevel(new Uint8Array(bytes).buffer).name, "rooms");
  assert.equal(openLevel(new DataView(new Uint8Array(bytes).buffer)).name, "rooms");
});

test("files of 2 GiB and more are refused in one line", () => {
  const bytes = new Uint8Array(read("rooms"));
  new DataView(bytes.buffer).setUint32(16, 2 ** 31, true);
  assert.throws(() => openLevel(bytes), { name: "LevelError", message: /larger than 2 GiB/ });
});

test("what is no level is refused", () => {
  for (const wrong of [null, undefined, 5, "text", {}, new Uint8Array(0), new Uint8Array(4096)]) {
    assert.throws(() => openLevel(wrong), LevelError);
  }
  assert.throws(() => openLevel(read("rooms")).profile("nobody"), LevelError);
});

test("a Git LFS pointer is named", () => {
  for (const host of ["git-lfs", "hawser"]) {
    const pointer = `version https://${host}.github.com/spec/v1\noid sha256:0\nsize 9\n`;
    assert.throws(() => openLevel(new TextEncoder().encode(pointer)), /LFS pointer/);
  }
});

test("fields say what single questions say", () => {
  for (const name of ["tower", "roads", "hex-odd-q"]) {
    const level = openLevel(read(name));
    for (const nav of level.profiles.map((each) => level.profile(each))) {
      for (const one of [0, 7, level.locations - 1]) {
        const toward = nav.hopsTo(one);
        const away = nav.hopsFrom(one);
        for (let at = 0; at < level.locations; at++) {
          assert.equal(toward[at], nav.nextHop(at, one));
          assert.equal(away[at], nav.nextHop(one, at));
        }
      }
    }
  }
});

test("a door is put into a state, and the level is saved and loaded", () => {
  const level = openLevel(read("tower"));
  const now = follow(level);
  const [door] = level.doors;
  const before = [...now.profile().hopsTo(0)];
  const other = door.states.find((state) => state.name !== door.baked);
  now.setDoor(door.name, other.name);
  now.block(1);
  assert.equal(now.doorState(door.name), other.name);
  assert.equal(now.profile().nodeAt(1, 0), -1);
  const after = [...now.profile().hopsTo(0)];
  assert.notDeepEqual(after, before);
  const patch = now.patch();
  now.reset();
  assert.equal(now.changed, false);
  assert.deepEqual([...now.profile().hopsTo(0)], before);
  now.applyPatch(patch);
  assert.deepEqual([...now.profile().hopsTo(0)], after);
  assert.equal(level.profile().nodeAt(1, 0), 1); // the level itself stays as it was baked
  for (const wrong of [patch.replace("1", "2"), patch.slice(1), `${patch} `, "", patch.replace("[", "{")]) {
    assert.throws(() => now.applyPatch(wrong), LevelError);
  }
});

test("nodes have names and points", () => {
  const roads = openLevel(read("roads"));
  const places = placesOf(roads);
  assert.equal(places.nodeNamed(places.nodeName(3)), 3);
  assert.equal(places.nodeNamed("nobody"), -1);
  const tower = openLevel(read("tower"));
  for (const [x, y, floor, ...point] of told("tower").points.middles) {
    const node = tower.locationOf(x, y, floor);
    assert.deepEqual(placesOf(tower).toPoint(node), point);
    assert.equal(placesOf(tower).toNode(...point, floor), node);
  }
});
