extends SceneTree
# Answers the questions of a file with the GDScript reader: see tests/support/readers.py. It runs with
# `godot --headless -s`, and in the words of Godot 3 (see tests/support/godot3.py) with its server.

const Level := preload("res://addons/levelbake/level_bake.gd")
const Changes := preload("res://addons/levelbake/level_bake_changes.gd")

var bytes := PackedByteArray()
var level
var now
var nav
var used := false


func _init():
	var arguments := OS.get_cmdline_user_args()  # 3: var arguments := OS.get_cmdline_args()
	var paths := []
	for argument in arguments:
		if argument.ends_with(".questions") or argument.ends_with(".answers"):
			paths.append(argument)
	var questions := FileAccess.open(paths[0], FileAccess.READ)  # 3: var questions := File.new(); questions.open(paths[0], File.READ)
	var answers := FileAccess.open(paths[1], FileAccess.WRITE)  # 3: var answers := File.new(); answers.open(paths[1], File.WRITE)
	for line in questions.get_as_text().split("\n", false):
		answers.store_string(str(answer(line.split(" "))) + "\n")
	answers.close()
	quit()


func answer(words):
	if words[0] == "load":
		return load_level(words)
	if now == null:
		return "error: no level"
	var n := []
	for i in range(1, words.size()):
		n.append(words[i].to_int())
	if nav.damage != "" and words[0] != "profile":
		return "error: " + nav.damage
	var told = ask(words, n)
	return "error: " + nav.damage if nav.damage != "" else told


func ask(words, n):
	match words[0]:
		"profile":
			return use_profile(n[0])
		"about":
			return about()
		"hop":
			return nav.next_hop(n[0], n[1])
		"path":
			var nodes = nav.path(n[0], n[1])
			return "none" if nodes.size() == 0 else joined(nodes)
		"ticks":
			var units = nav.distance(n[0], n[1])
			return -1 if units == INF else int(round(units * level.ticks_per_unit))
		"reach":
			return 1 if nav.reachable(n[0], n[1]) else 0
		"stands":
			return 1 if nav.stands(n[0]) else 0
		"node_at":
			return nav.node_at(n[0], n[1], n[2])
		"cell":
			var cell = level.cell_of(n[0])
			return "none" if cell.size() == 0 else joined(cell)
		"nearest":
			return nav.nearest(words[1].to_float(), words[2].to_float(), n[2])
		"point":
			var point = level.to_point(n[0])
			return "none" if point.size() == 0 else exact(point[0]) + " " + exact(point[1])
		"to_node":
			return level.to_node(words[1].to_float(), words[2].to_float(), n[2])
		"hops_to":
			return joined(nav.hops_to(n[0]))
		"hops_from":
			var hops := []
			for to in range(level.locations):
				hops.append(nav.next_hop(n[0], to))
			return joined(hops)
		"door_state":
			if n[0] >= level.doors.size():
				return "error: no such door"
			var state = now.door_state(level.doors[n[0]]["name"])
			return "none" if state == "" else state
		"patch":
			return now.patch().replace("\n", "|")
	return change(words, n)


func change(words, n):
	if not used:
		used = true
		nav = now.profile(nav.profile_name)
	var wrong := ""
	match words[0]:
		"block":
			wrong = now.block(n)
		"open":
			wrong = now.open(n)
		"terrain":
			wrong = now.set_terrain(n[0], n[1])
		"price":
			var units = words[3].to_float()
			if words[3] == "usual":
				units = null
			elif words[3] == "closed":
				units = INF
			wrong = now.set_price(n[0], n[1], units)
		"door":
			wrong = "no such door"
			if n[0] < level.doors.size() and n[1] < level.doors[n[0]]["states"].size():
				var door = level.doors[n[0]]
				wrong = now.set_door(door["name"], door["states"][n[1]]["name"])
		"fresh":
			now.reset()
		"apply":
			var text := ""
			for i in range(1, words.size()):
				text += words[i] + " "
			wrong = now.apply_patch(text.substr(0, text.length() - 1).replace("|", "\n"))
		_:
			wrong = "no command " + words[0]
	return "ok" if wrong == "" else "error: " + wrong


func load_level(words):
	if words[1] != "=":
		var found := FileAccess.open(words[1], FileAccess.READ)  # 3: var found := File.new(); found.open(words[1], File.READ)
		bytes = found.get_buffer(found.get_length())  # 3: bytes = found.get_buffer(found.get_len())
	var data := PackedByteArray()
	data.append_array(bytes)
	for i in range(2, words.size()):
		var change = words[i].split(":")
		if change[0] == "size":
			var before := data.size()
			data.resize(change[1].to_int())
			for at in range(before, data.size()):
				data[at] = 0
			continue
		var length: int = change[1].length() / 2
		for k in range(length * change[2].to_int()):
			var digits: String = change[1].substr(k % length * 2, 2)
			data[change[0].to_int() + k] = ("0x" + digits).hex_to_int()
	now = null
	level = Level.new()
	var problem = level.open(data)
	if problem != "":
		return "error: " + problem
	now = Changes.new()
	now.follow(level)
	used = false
	return use_profile(0)


func use_profile(i):
	if i >= level.profiles.size():
		return "error: no such profile"
	nav = now.profile(level.profiles[i]) if used else level.profile(level.profiles[i])
	return "ok"


func joined(list):
	var words := PackedStringArray()
	for each in list:
		words.append(str(each))
	return " ".join(words)  # 3: return words.join(" ")


# A 64-bit number as whole number / power of two, as neither Godot writes all its digits.
func exact(number):
	var power := 0
	while number != floor(number) and power < 1000:
		number *= 2
		power += 1
	return "%d/%d" % [int(number), power]


func about():
	var names := []
	for node in range(level.locations if level.width == 0 else 0):
		names.append(level.node_name(node))
	var terrains := []
	for each in level.terrains:
		terrains.append(each["name"])
	var spots := []
	for s in level.spots:
		spots.append([s["name"], s["kind"], s["node"], s["profiles"], s["id"]])
	var regions := []
	for r in level.regions:
		regions.append([r["name"], r["nodes"], r["id"]])
	var doors := []
	for d in level.doors:
		var states := []
		for state in d["states"]:
			states.append([state["name"], state["terrains"]])
		var baked = null if d["baked"] < 0 else d["states"][d["baked"]]["name"]
		doors.append([d["name"], d["nodes"], baked, states, d["id"]])
	var links := []
	for l in level.links:
		var ways := [l["name"], l["kind"], l["from"], l["to"], l["cost"], l["both_ways"]]
		links.append(ways + [l["profiles"], l["id"]])
	var said := {
		"name": level.name,
		"kind": level.kind,
		"profiles": level.profiles,
		"width": level.width,
		"height": level.floor_rows,
		"floors": level.floors,
		"terrains": terrains,
		"spots": spots,
		"regions": regions,
		"doors": doors,
		"links": links,
		"names": names,
	}
	return JSON.stringify(said)  # 3: return to_json(said)
