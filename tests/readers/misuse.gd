extends SceneTree
# Calls functions of the GDScript reader with arguments that nobody should give it. Each returns a value,
# or a line that does not blame the file; nothing ends in an error of a script. Writes a line for each that
# does not, and how many calls there were.

const Level := preload("res://addons/levelbake/level_bake.gd")
const Changes := preload("res://addons/levelbake/level_bake_changes.gd")

var wrong := []
var calls := 0


func _init():
	var arguments := OS.get_cmdline_user_args()  # 3: var arguments := OS.get_cmdline_args()
	var paths := []
	for argument in arguments:
		if argument.ends_with(".questions") or argument.ends_with(".answers"):
			paths.append(argument)
	var list := FileAccess.open(paths[0], FileAccess.READ)  # 3: var list := File.new(); list.open(paths[0], File.READ)
	var levels := []
	for path in list.get_as_text().split("\n", false):
		levels.append(opened(path))
	for level in levels:
		var now := Changes.new()
		refused("", now.follow(level), "following")
		ask(level, level.profile())
		ask(level, now.profile())
		change(now)
		ask(level, now.profile())
	of_others(levels)
	var answers := FileAccess.open(paths[1], FileAccess.WRITE)  # 3: var answers := File.new(); answers.open(paths[1], File.WRITE)
	for line in wrong:
		answers.store_string(line + "\n")
	answers.store_string(str(calls) + "\n")
	answers.close()
	quit()


func opened(path):
	var found := FileAccess.open(path, FileAccess.READ)  # 3: var found := File.new(); found.open(path, File.READ)
	var level := Level.new()
	refused("", level.open(found.get_buffer(found.get_length())), path)  # 3: refused("", level.open(found.get_buffer(found.get_len())), path)
	return level


# Whether what was said has a word, or is nothing where nothing is wanted.
func refused(word, said, what):
	calls += 1
	var fits: bool = said == "" if word == "" else said.find(word) >= 0
	if not fits or said.find("file is damaged") >= 0 or said.find("\n") >= 0:
		wrong.append("%s: '%s', expected '%s'" % [what, said, word])


func ask(level, nav):
	for a in [-1, 0, 1, 1 << 31, 1 << 62, -(1 << 62)]:
		for b in [-1, 0, 1, 1 << 31, 1 << 62]:
			calls += 1
			nav.next_hop(a, b)
			nav.path(a, b)
			nav.distance(a, b)
			nav.reachable(a, b)
			nav.node_at(a, b, a)
			level.location_of(a, b, a)
		nav.stands(a)
		nav.cell_of(a)
		level.to_point(a)
		level.node_name(a)
	nav.hops_to(-1)
	for point in [NAN, INF, -INF, 1.0e300, -1.5]:
		calls += 1
		nav.nearest(point, 0.0, -1)
		nav.nearest(0.0, point)
		level.to_node(point, 0.0)
		level.to_node(0.0, point, 99)
	level.node_named("none")
	if nav.damage != "":
		wrong.append(nav.damage)


func change(now):
	var is_cells: bool = now.level.columns.has("cell")
	for at in [-1, 1 << 31, "0", null, 1.5, [], {}]:
		refused("cells" if is_cells else "no node", now.block([at]), "block")
		refused("cells" if is_cells else "no node", now.open([at]), "open")
		refused("cells" if is_cells else "no node", now.update([], [], [[at, 0]], []), "update")
		refused("cells" if is_cells else "no node", now.update([], [], [], [[at, 0, 1.0]]), "update")
		refused("cells" if is_cells else "no terrain", now.update([], [], [[0, at]], []), "update")
		refused("cells" if is_cells else "expected", now.update([], [], [at], []), "update")
		refused("cells" if is_cells else "expected", now.update([], [], [], [at]), "update")
	refused("cells" if is_cells else "both", now.update([0], [0], [], []), "update")
	for units in [-1, 0, NAN, "2", [], {}]:
		refused("cells" if is_cells else "a", now.set_price(0, 1, units), "set_price")
	refused("no door", now.set_door("none", "none"), "set_door")
	refused("no patch", now.apply_patch(""), "apply_patch")
	refused("another asset", now.apply_patch("levelbake-patch 1 a b\n"), "apply_patch")
	refused("", now.apply_patch(now.patch()), "apply_patch")
	now.door_state("none")
	now.terrain_at(-1)
	now.has_obstacle(-1)
	if not is_cells:
		refused("", now.block([0]), "block")


func of_others(levels):
	var failed := Level.new()
	refused("no .bake file", failed.open(PackedByteArray()), "open")
	var pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:0123456789abcdef\nsize 9\n".to_ascii_buffer()  # 3: var pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:0123456789abcdef\nsize 9\n".to_ascii()
	refused("LFS", Level.new().open(pointer), "open")
	refused("opened before", levels[0].open(PackedByteArray()), "open")
	var now := Changes.new()
	for other in [failed, Level.new(), null, 5, "x", {}, now]:
		refused("this level did not open" if other is Level else "expected a LevelBake", now.follow(other), "follow")
	refused("no level", now.block([0]), "block")
	refused("no level", now.set_terrain(0, 0), "set_terrain")
	refused("no level", now.apply_patch("x"), "apply_patch")
	refused("no door", now.set_door("a", "b"), "set_door")
	now.reset()
	now.terrain_at(0)
	now.has_obstacle(0)
	now.door_state("a")
	refused("", now.follow(levels[0]), "follow")
	refused("another level", now.follow(levels[1]), "follow")
	refused("", now.block([0]), "block")
	refused("", now.follow(levels[0]), "follow")
	if now.has_obstacle(0):
		wrong.append("followed again, a level is as it was baked")
	var bare = levels[3].profile()
	if bare.next_hop(0, 1) != 1 or bare.distance(0, 1) != 1.0 or not bare.reachable(0, 1):
		wrong.append("no next hops")
