// Prints how many bytes a page loads, minified: of the lookups alone, and of what goes with them.
// Run `npm ci` first: package-lock.json says which minifier this counts with.
import { build } from "esbuild-wasm";
import { fileURLToPath } from "node:url";

for (const name of ["levelbake", "changes", "places"]) {
  const entry = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const external = name === "levelbake" ? [] : ["./level.js", "./file.js", "./nav.js"];
  const options = { bundle: true, minify: true, format: "esm", write: false, external };
  const { outputFiles } = await build({ ...options, entryPoints: [entry], target: "es2022" });
  console.log(name, outputFiles[0].contents.length);
}
