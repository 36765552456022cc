/**
 * Follows changes of the assets: the server sends the levels, their versions and errors after each
 * change. If the open level was baked again, it is reopened.
 */

/** Listens to the page's server; a page from disk has none. */
export function installFollowing(view) {
  const { manifest } = view;
  if (!manifest.events) return;
  const versions = new Map(manifest.levels.map(({ id, version }) => [id, version]));
  const stream = new EventSource(manifest.events);
  let troubles = [];
  let lost = false;

  stream.addEventListener("state", async ({ data }) => {
    const told = JSON.parse(data);
    manifest.levels = told.levels;
    if (troubles.length && !told.troubles.length) view.complain("");
    troubles = told.troubles;
    if (lost) view.say("The server is back.");
    lost = false;
    if (view.level) view.tell("state", new Set(["level"]));
    const id = view.state.level || told.levels[0]?.id;
    const entry = told.levels.find((each) => each.id === id);
    if (!entry) troubles = [...troubles, { level: id, text: `${id}: its asset is gone` }];
    const changed = entry && versions.get(id) !== entry.version;
    for (const each of told.levels) versions.set(each.id, each.version);
    if (changed && (await view.reopen())) view.say(`${entry.name} was baked again.`);
    complain();
  });
  stream.addEventListener("error", () => {
    if (!lost) view.say("The server has ended, so this page follows no changes any longer.");
    lost = true;
  });
  // Opening a level clears the error of the previous one.
  view.on("open", () => setTimeout(complain));

  function complain() {
    if (troubles.length) view.complain(troubles.map(({ text }) => text).join("\n"));
  }
}
