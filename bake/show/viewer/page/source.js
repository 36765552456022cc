/**
 * Loads the data of the page, from elements of the page or from its server.
 *
 * The element #manifest contains JSON: {palette, levels: [{id, name, flat, contents, version}], events}.
 * `flat` and `contents` name an element of the page ("#flat-0") with deflated bytes in base64, or an
 * address relative to the page. `events` is the address of a stream of events, or null.
 */

/** Reads the manifest of the page. */
export const readManifest = (root = document) =>
  JSON.parse(root.getElementById("manifest").textContent);

/** Returns {bytes, contents} of one level of the manifest. */
export async function fetchLevel({ id, flat, contents }) {
  const [bytes, text] = await Promise.all([bytesOf(flat), bytesOf(contents)]);
  const told = JSON.parse(new TextDecoder().decode(text));
  return { bytes, contents: { ...revive(told), id } };
}

async function bytesOf(where) {
  if (where.startsWith("#")) return inflated(document.getElementById(where.slice(1)).textContent);
  const answer = await fetch(where, { cache: "no-store" });
  if (!answer.ok) {
    const said = await answer.text();
    throw Object.assign(new Error(said || `${where}: ${answer.status}`), { told: said !== "" });
  }
  return new Uint8Array(await answer.arrayBuffer());
}

async function inflated(base64) {
  const packed = fromBase64(base64.trim());
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

const TYPES = { uint8: Uint8Array, uint16: Uint16Array, int32: Int32Array, float64: Float64Array };

/** Replaces each {dtype, base64} by a typed array. */
export function revive(value) {
  if (Array.isArray(value)) return value.map(revive);
  if (!value || typeof value !== "object") return value;
  if (typeof value.base64 === "string" && TYPES[value.dtype]) {
    return new TYPES[value.dtype](fromBase64(value.base64).buffer);
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revive(each)]));
}
