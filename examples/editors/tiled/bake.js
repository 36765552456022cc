/*
 * An extension for Tiled 1.9 and newer: bakes levels after a save, and shows what bake lint finds.
 *
 * Copy this file into the folder of extensions (Edit > Preferences > Plugins). It needs the command
 * `bake`: on the path of programs, named by the variable BAKE of the environment, or by the custom
 * property "bake" of a map. See docs/watching.md of levelbake.
 */

(function () {
    "use strict";

    const RECIPE = "bake.toml";
    /* Folders above a map in which a recipe is looked for. */
    const MOST_FOLDERS = 64;

    const after = tiled.registerAction("BakeAfterSaving", function () {});
    after.text = "Bake after saving";
    after.checkable = true;
    after.checked = true;

    const bake = tiled.registerAction("BakeNow", function () {
        const map = openMap();
        if (!map) return;
        const saved = map.modified;
        if (saved && !map.save()) return;
        if (!saved || !after.checked) build(map); // Otherwise saving has done it.
    });
    bake.text = "Bake";
    bake.shortcut = "Ctrl+Shift+B";

    const lint = tiled.registerAction("BakeLint", function () {
        const map = openMap();
        if (map && (!map.modified || map.save())) find(map);
    });
    lint.text = "Find mistakes with bake lint";

    tiled.extendMenu("Map", [
        { separator: true },
        { action: "BakeNow" },
        { action: "BakeAfterSaving" },
        { action: "BakeLint" },
    ]);

    tiled.assetSaved.connect(function (asset) {
        if (after.checked) build(asset);
    });

    /* Returns the map that is open and has a file, or null after saying why there is none. */
    function openMap() {
        const asset = tiled.activeAsset;
        if (asset && asset.isTileMap && asset.fileName) return asset;
        tiled.warn("bake: open a map, and save it first", nothing);
        return null;
    }

    function nothing() {}

    /* Returns the folder of the nearest recipe, in the folder of a file or above it; "" if there is none. */
    function folderOfRecipe(file) {
        let folder = FileInfo.path(file);
        for (let i = 0; i < MOST_FOLDERS; i++) {
            if (File.exists(folder + "/" + RECIPE)) return folder;
            const above = FileInfo.path(folder);
            if (above === folder || above === ".") break;
            folder = above;
        }
        return "";
    }

    /*
     * Runs bake, and returns what it printed as JSON; null after saying what went wrong.
     * Mistakes of levels and recipes are said here, a line each.
     */
    function run(asset, folder, args) {
        const process = new Process();
        process.codec = "UTF-8";
        process.workingDirectory = folder;
        const own = asset.property ? asset.property("bake") : undefined;
        const program = (typeof own === "string" && own) || process.getEnv("BAKE") || "bake";
        let code = -1;
        try {
            code = process.exec(program, args.concat("--json"), false);
        } catch (error) {
            code = -1;
        }
        const printed = code === -1 ? "" : process.readStdOut();
        const errors = code === -1 ? "" : process.readStdErr();
        process.close();
        if (code === -1) {
            tiled.error(
                "bake: the command '" + program + "' cannot be run; install levelbake, or set the variable BAKE",
                nothing
            );
            return null;
        }
        errors.split(/\r?\n/).forEach(function (line) {
            if (line.indexOf("error: ") === 0) tiled.error("bake: " + line.slice(7), nothing);
            else if (line.indexOf("warning: ") === 0) tiled.warn("bake: " + line.slice(9), nothing);
        });
        try {
            return JSON.parse(printed);
        } catch (error) {
            if (!errors) tiled.error("bake: the command '" + program + "' ended with " + code, nothing);
            return null;
        }
    }

    /* Bakes what is not up to date: all levels of a recipe, or the map alone where there is none. */
    function build(asset) {
        const folder = folderOfRecipe(asset.fileName);
        if (!folder && !asset.isTileMap) return; // A tileset alone is no level.
        const told = folder
            ? run(asset, folder, ["build"])
            : run(asset, FileInfo.path(asset.fileName), ["build", asset.fileName]);
        if (!told) return;
        told.levels.forEach(function (level) {
            if (level.status !== "baked") return;
            tiled.log("bake: " + level.level + ": " + level.nodes + " nodes in " + level.seconds + " s");
        });
        (told.findings || []).forEach(function (found) {
            tiled.warn("bake: " + found.level + ": " + found.message, selecting(asset, found));
        });
    }

    /* Writes what bake lint finds into the window of issues; a double click selects the cell. */
    function find(map) {
        const folder = folderOfRecipe(map.fileName) || FileInfo.path(map.fileName);
        const told = run(map, folder, ["lint", map.fileName]);
        if (!told) return;
        told.findings.forEach(function (found) {
            const who = found.profile ? " profile " + found.profile + ":" : "";
            const text = "bake: [" + found.rule + "]" + who + " " + found.message;
            const say = found.severity === "error" ? tiled.error : tiled.warn;
            say(text, selecting(map, found));
        });
        const count = told.findings.length;
        tiled.log("bake: " + (count === 0 ? "lint finds nothing" : count + " findings, in the window of issues"));
    }

    /* Returns a function that selects the first cell of a finding, and brings it to the middle. */
    function selecting(map, found) {
        const cell = found.cell;
        // Cells of staggered maps are those of another lattice.
        const shown = map.isTileMap && Array.isArray(cell) && map.orientation !== TileMap.Staggered;
        if (!shown) return nothing;
        const fileName = map.fileName;
        return function () {
            const opened = tiled.open(fileName);
            if (!opened) return;
            const first = firstTile(opened);
            const x = first.x + cell[0];
            const y = first.y + cell[1];
            opened.selectedArea.set(Qt.rect(x, y, 1, 1));
            const view = tiled.mapEditor && tiled.mapEditor.currentMapView;
            if (view) {
                const at = opened.tileToScreen(x, y);
                view.centerOn(at.x, at.y);
            }
        };
    }

    /* Returns the tile that is cell (0, 0): on infinite maps the westernmost and northernmost one. */
    function firstTile(map) {
        const first = { x: 0, y: 0 };
        if (!map.infinite) return first;
        let any = false;
        eachTileLayer(map, function (layer) {
            const rect = layer.region().boundingRect;
            if (rect.width === 0) return;
            first.x = any ? Math.min(first.x, rect.x) : rect.x;
            first.y = any ? Math.min(first.y, rect.y) : rect.y;
            any = true;
        });
        return first;
    }

    function eachTileLayer(group, call) {
        for (let i = 0; i < group.layerCount; i++) {
            const layer = group.layerAt(i);
            if (layer.isGroupLayer) eachTileLayer(layer, call);
            else if (layer.isTileLayer) call(layer);
        }
    }
})();
