/**
 * Reads and verifies the columns of a flat file (docs/format.md).
 *
 * `parse` verifies the header and the table of columns, `columnsOf` the elements of the columns.
 * Columns are typed arrays over the bytes of the file.
 */

export const BLOCKED = 0x7fffffff;
export const NO_CLASS = 0xffff;
export const MAX_WEIGHT = 1 << 29;
const MAGIC = [0x8b, 0x42, 0x4b, 0x45, 13, 10, 26, 10];
// The first bytes of Git LFS pointers; until 2014, Git LFS was called Hawser.
const LFS = /^version https:\/\/(git-lfs|hawser)\.github\.com\/spec\//;
const TYPES = [
  null,
  Uint8Array,
  Uint16Array,
  Uint32Array,
  Int32Array,
  BigInt64Array,
  Float64Array,
  Uint8Array,
];
const TEXT = 7;

/** The error for an invalid file, patch or argument; the message is one line. */
export class LevelError extends Error {
  name = "LevelError";
}

export function refuse(what) {
  throw new LevelError(what);
}

/** Formats an argument for an error. */
export function quoted(what) {
  if (typeof what === "string") return JSON.stringify(what.slice(0, 40));
  return what === null || typeof what === "number" ? what : typeof what;
}

/** Throws unless an argument is a number; does not check for a valid node or cell. */
export function number(what, name = "a node") {
  return typeof what === "number" ? what : refuse(`${name} is ${quoted(what)}, expected a number`);
}

export function damaged(what) {
  return refuse(`the file is damaged: ${what}`);
}

// Each line declares a column: name, numbers of the allowed types, dimensions, when the column is
// required, and the constraint on its elements. A letter is a length, equal in all columns; "+" adds
// one, and "z" is the width of text, which is not checked. Required: always (*), on grids (#), on
// graphs (&), never (? and -), together with the last column above marked with ? (=), or with links
// (l). Elements: less than a length (<); -1 or less than a length (-); offsets into a list (^:
// from 0 to its length, nondecreasing; %: increasing); ticks ($); or classes (~).
export const LEVEL = `
numbers 4 14 *
name 7 1,z *
recipe 7 1,z *
profile_name 7 P,z *
terrain_name 7 T,z *
terrain_colour 1 T,3 *
terrain 1 L * <T
barred 1 L -
first_out 4 L+ & ^A
head 4 A & <L
length 6 A &
position 6 L,2 -
elevation 6 L -
cell 4 L,3 -
node_name 7 L,z -
node_number 5 L -
centre 6 F,2 ?
step 6 S,2 =
link_from 4 l ? <L
link_to 4 l = <L
link_ticks 4 l = $
link_number 4 l = <i
link_name 7 i,z =
link_id 7 i,z -
link_kind 7 i,z =
link_start 4 i = <L
link_goal 4 i = <L
link_cost 6 i =
link_both_ways 1 i =
link_first_profile 4 i+ = ^j
link_profile 7 j,z =
price_from 4 p ? <L
price_to 4 p = <L
price_ticks 4 p = $
price_units 6 p =
region_name 7 g,z ?
region_id 7 g,z -
region_first_cell 4 g+ = ^c
region_cell 4 c = <L
spot_name 7 s,z ?
spot_id 7 s,z -
spot_kind 7 s,z =
spot_at 4 s = <L
spot_first_profile 4 s+ = ^t
spot_profile 7 t,z =
door_name 7 d,z ?
door_id 7 d,z -
door_first_cell 4 d+ = ^e
door_cell 4 e = <L
door_first_state 4 d+ = ^f
door_state_name 7 f,z =
door_state 4 d = -f
door_first_terrain 4 f+ = ^h
door_terrain 1 h = <T`;

export const PROFILE = `
numbers 4 8 *
cost 6 T *
class 2 T * ~C
step_ticks 4 2,C,C # $
may_enter 1 T,T -
row_at 4 L * -R
component 4 R - <K
reach 1 K,b -
first_run 3 R+ ? %u
run_start 23 u =
run_move 123 u =
greedy_kind 123 R ? <k
greedy_move 123 k,18 =
link_open 1 l l
weight 4 A & $
slope 6 4 -
label_away 4 q ?
label_parent 4 R = -R
label_top 4 R = <R
first_label 3 R+ = %q
label_toward 4 q -`;

/** Parses the header and the table of columns, without verifying the elements of columns. */
export function parse(source) {
  const view = ArrayBuffer.isView(source);
  if (!view && !(source?.byteLength >= 0)) refuse("expected an ArrayBuffer or a view of one");
  let bytes = view
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1) refuse("this machine is big-endian");
  if (bytes.byteOffset % 8) bytes = bytes.slice(); // Small Buffers of Node.js are not aligned.
  const size = bytes.length;
  if (LFS.test(String.fromCharCode(...bytes.subarray(0, 48)))) {
    refuse("this is a Git LFS pointer; run `git lfs pull`");
  }
  if (size < 64 || MAGIC.some((byte, i) => bytes[i] !== byte)) refuse("not a .bake file");
  const { buffer, byteOffset } = bytes;
  const data = new DataView(buffer, byteOffset, size);
  const word = (at) => data.getUint32(at, true);
  const half = (at) => data.getUint16(at, true);
  const long = (at) => word(at) + word(at + 4) * 2 ** 32;
  if (half(8) !== 3) refuse(`version ${half(8)} of flat files; this reader knows 3`);
  if (long(16) >= 2 ** 31) refuse("the file is larger than 2 GiB, which this reader cannot hold");
  if (long(16) !== size || size % 64) refuse(`the file has ${size} bytes, expected ${long(16)}`);
  const count = half(10);
  if (count > size / 64 - 1) refuse("the table of columns is longer than the file");
  const words = new Uint32Array(buffer, byteOffset, size / 4);
  let sum = 1;
  let sums = 0;
  for (let i = 0; i < words.length; i++) {
    if (i !== 14 && i !== 15) sum = (sum + words[i]) | 0;
    sums = (sums + sum) | 0;
  }
  if (sum >>> 0 !== words[14] || sums >>> 0 !== words[15]) {
    damaged("its checksum does not fit");
  }
  const columns = new Map();
  for (let i = 1; i <= count; i++) {
    const at = i * 64;
    const name = ascii(bytes.subarray(at, at + 24));
    const type = half(at + 28);
    const shape = [];
    for (let k = 0; k < half(at + 30) && k < 4; k++) shape.push(word(at + 32 + 4 * k));
    const offset = long(at + 48);
    const length = shape.reduce((product, each) => product * each, 1);
    const Type = TYPES[type];
    const fits =
      Type &&
      half(at + 30) === shape.length &&
      shape.length &&
      long(at + 56) === length * Type.BYTES_PER_ELEMENT &&
      offset % 64 === 0 &&
      offset >= 64 + 64 * count &&
      offset <= size &&
      long(at + 56) <= size - offset;
    if (!fits) damaged(`column ${name} does not lie in it`);
    const values = new Type(buffer, byteOffset + offset, length);
    columns.set(`${data.getInt32(at + 24, true)} ${name}`, { type, shape, values });
  }
  const numbers = (profile, count) => {
    const { type, values } = columns.get(`${profile} numbers`) ?? {};
    return type === 4 && values.length === count ? [...values] : damaged("column numbers");
  };
  return { bytes, columns, numbers, revision: word(12) };
}

function ascii(bytes) {
  const end = bytes.indexOf(0);
  return String.fromCharCode(...bytes.subarray(0, end < 0 ? bytes.length : end));
}

/** Verifies the columns of the level, or of a profile, and returns them by name. */
export function columnsOf(file, schema, profile, lengths, grid, shared = {}) {
  const found = {};
  const checks = [];
  let leader;
  for (const line of schema.trim().split("\n")) {
    const [name, types, dims, needed, check] = line.split(" ");
    const column = file.columns.get(`${profile} ${name}`);
    if (needed === "?") leader = column;
    if (!column || (needed === "=" && !leader)) {
      const wanted = "*" + (grid ? "#" : "&") + (leader ? "=" : "") + (shared.link_from ? "l" : "");
      if (wanted.includes(needed)) damaged(`it has no column ${name}`);
      continue;
    }
    const names = dims.split(",");
    let fits = types.includes(column.type) && names.length === column.shape.length;
    names.forEach((dim, i) => {
      const length = column.shape[i] - (dim[1] === "+");
      if (dim === "z" || !fits) return;
      const wanted = +dim || (lengths[dim[0]] ??= length);
      fits = length === wanted;
    });
    if (!fits) damaged(`column ${name} has another type or shape`);
    found[name] = column.type === TEXT ? texts(column) : column.values;
    if (check) checks.push([name, check[0], check[1]]);
  }
  for (const [name, kind, letter] of checks) {
    if (!numbersFit(found[name], kind, lengths[letter] ?? 0)) {
      damaged(`a number in column ${name} is out of range`);
    }
  }
  return found;
}

function numbersFit(values, kind, limit) {
  const listed = kind === "^" || kind === "%";
  if (listed && (values[0] !== 0 || values[values.length - 1] !== limit)) return false;
  let before = kind === "%" ? -1 : 0;
  for (const value of values) {
    if (listed) {
      if (value < before || (kind === "%" && value === before)) return false;
      before = value;
    } else if (kind === "$") {
      if (value < 1 || (value > MAX_WEIGHT && value !== BLOCKED)) return false;
    } else if (value >= limit ? kind !== "~" || value !== NO_CLASS : value < 0) {
      if (kind !== "-" || value !== -1) return false;
    }
  }
  return true;
}

function texts({ values, shape: [count, width] }) {
  const decoder = new TextDecoder();
  return Array.from({ length: count }, (_, i) => {
    const bytes = values.subarray(i * width, (i + 1) * width);
    const end = bytes.indexOf(0);
    return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
  });
}
