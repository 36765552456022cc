@tool
class_name LevelBake
extends RefCounted
## A baked level, opened from a .bake file: nodes, points and entities.
##
## Nodes are ints: on grids (floor * floor_rows + y) * width + x, on graphs the node's number.
## [code]
## var level := LevelBake.new()
## var problem := level.open(FileAccess.get_file_as_bytes("res://cave.bake"))
## var nav := level.profile()
## var next := nav.next_hop(nav.node_at(1, 1), nav.node_at(18, 5))
## [/code]

const FlatFile := preload("res://addons/levelbake/flat_file.gd")
const Nav := preload("res://addons/levelbake/level_bake_nav.gd")
const Changes := preload("res://addons/levelbake/level_bake_changes.gd")
const KINDS := ["graph", "squares", "hexagons"]
const LAYOUTS := ["", "odd-r", "even-r", "odd-q", "even-q"]

var name := ""
## "graph", "squares" or "hexagons".
var kind := ""
## "odd-r", "even-r", "odd-q" or "even-q"; empty on other levels.
var hex_layout := ""
var width := 0
## Rows of one floor.
var floor_rows := 0
var floors := 1
## Number of nodes, walkable or not; nodes count from 0.
var locations := 0
var ticks_per_unit := 1
## Fingerprint of the asset, in hexadecimal.
var fingerprint := ""
var profiles := []
## Dictionaries of name and colour.
var terrains := []
## Dictionaries of name, id and nodes.
var regions := []
## Dictionaries of name, id, kind, node and profiles (empty = all profiles).
var spots := []
## Dictionaries of name, id, kind, from, to, cost, both_ways and profiles.
var links := []
## Dictionaries of name, id, nodes, states (name and terrains) and baked, an index of states or -1.
var doors := []

# Internal, for the other scripts of this reader. Columns are dictionaries of FlatFile.
var file: FlatFile
var columns := {}
var lengths := {}
var directions := 0
var layout := 0
var corners := 0
var cost_rule := 0
var usual_terrain := 0
var heading := [2, 4, 8, 1, 6, 12, 9, 3]
var step_x := [1, 0, -1, 0, 1, -1, -1, 1, 1, 0, -1, 0, 1, -1, -1, 1]
var step_y := [0, 1, 0, -1, 1, 1, -1, -1, 0, 1, 0, -1, 1, 1, -1, -1]
## Arcs of a graph, or of a grid's links, by tail; empty if there are none.
var first_arc := PackedInt32Array()
var arc_tail := PackedInt32Array()
var arc_head := PackedInt32Array()
## Baked costs of single arcs, [units, ticks] by from << 32 | to.
var prices := {}
var chart_x := 0
var chart_y := 0


## Opens a level from the bytes of a .bake file; returns an error in one line, or "".
##
## With [param trusted], skips verification, for bytes that were verified on import.
func open(bytes: PackedByteArray, trusted: bool = false) -> String:
	if file != null:
		return "this level was opened before: make another LevelBake"
	file = FlatFile.new()
	if file.parse(bytes, trusted):
		_read_level()
	if file.problem == "":
		_read_arcs()
	if file.problem == "":
		_read_things()
	for i in range(profiles.size()):
		if file.problem == "":
			var nav := Nav.new()
			nav.setup(self, i, not trusted)
	if file.problem != "":
		profiles = []
	# Navs created later share these numbers.
	file.trusted = true
	return file.problem


## Returns the queries for one agent profile; the first by default. Null if it does not exist.
##
## If the file has no next hops, queries search.
func profile(profile_name: String = "") -> Nav:
	var i := 0 if profile_name == "" else profiles.find(profile_name)
	if i < 0 or i >= profiles.size():
		push_error("no profile %s, expected one of %s" % [profile_name, str(profiles)])
		return null
	var nav := Nav.new()
	nav.setup(self, i, false)
	if nav.has_hops:
		return nav
	var now := Changes.new()
	now.follow(self)
	return now.profile(profile_name)


func _read_level() -> void:
	var n := file.numbers(-1, 14)
	if n.size() == 0:
		return
	var grid: bool = n[0] > 0
	var fits: bool = n[0] >= 0 and n[0] <= 2 and n[3] > 0 and n[8] > 0 and n[9] >= 0
	fits = fits and n[4] in [[0], [4, 8], [6]][n[0]]
	fits = fits and (n[5] >= 1 and n[5] <= 4 if n[0] == 2 else n[5] == 0)
	fits = fits and n[6] >= 0 and n[6] <= 2 and n[7] >= 0 and n[7] <= 1
	fits = fits and n[11] >= 1 and n[11] <= 256 and n[12] >= 1 and n[13] >= 0 and n[13] < n[11]
	if fits and grid:
		fits = n[1] > 0 and n[2] > 0 and n[1] * n[2] == n[9] and n[2] % n[3] == 0
	if not fits:
		file.damaged("the numbers of the level contradict each other")
		return
	lengths = {"L": n[9], "T": n[11], "P": n[12]}
	columns = file.checked(-1, lengths, grid, false)
	if columns.size() == 0:
		return
	kind = KINDS[n[0]]
	width = n[1] if grid else 0
	floors = n[3]
	floor_rows = _divided(n[2], n[3]) if grid else 0
	directions = n[4]
	layout = n[5]
	hex_layout = LAYOUTS[layout]
	corners = n[6]
	cost_rule = n[7]
	ticks_per_unit = n[8]
	locations = n[9]
	usual_terrain = n[13]
	if columns.has("step") and lengths["S"] != (3 if layout > 0 else 2):
		file.damaged("column step")
	if columns.has("centre") and lengths["F"] != 1 and lengths["F"] != floors:
		file.damaged("column centre")
	name = file.text(columns["name"], 0)
	for i in range(24, 56):
		fingerprint += "%02x" % file.bytes[i]
	profiles = _texts("profile_name")
	if layout > 0:
		_lay_out_hexagons()


func _divided(number: int, by: int) -> int:
	return number / by


## Sets the steps of hexagonal grids, by the parity of the line.
func _lay_out_hexagons() -> void:
	var by_column := layout > 2
	heading = [4, 12, 9, 1, 3, 6] if by_column else [2, 6, 12, 8, 9, 3]
	var across := [0, 1, 1, 0, -1, -1]
	for parity in range(2):
		var s := 1 if parity == layout % 2 else 0
		var along := [1, s, s - 1, -1, s - 1, s]
		for m in range(6):
			step_x[parity * 8 + m] = -across[m] if by_column else along[m]
			step_y[parity * 8 + m] = along[m] if by_column else across[m]


func _read_prices() -> void:
	if not columns.has("price_from"):
		return
	var from := _ints("price_from")
	var to := _ints("price_to")
	var ticks := _ints("price_ticks")
	for i in range(from.size()):
		prices[key(from[i], to[i])] = [file.real(columns["price_units"], i), ticks[i]]


func _read_arcs() -> void:
	_read_prices()
	var grid := width > 0
	var heads: String = "link_to" if grid else "head"
	if not columns.has(heads):
		return
	arc_head = _ints(heads)
	if grid:
		arc_tail = _ints("link_from")
		for j in range(1, arc_tail.size()):
			if arc_tail[j] < arc_tail[j - 1]:
				file.damaged("column link_from")
				return
		first_arc = by_end(arc_tail, [])
	else:
		first_arc = _ints("first_out")
		arc_tail.resize(arc_head.size())
		for at in range(locations):
			for j in range(first_arc[at], first_arc[at + 1]):
				arc_tail[j] = at


func key(from: int, to: int) -> int:
	return from << 32 | to


## Groups arcs by an end: the arcs of node i are order[first[i]] to order[first[i + 1] - 1].
func by_end(ends: PackedInt32Array, order: Array) -> PackedInt32Array:
	var counts := []
	for _i in range(locations + 1):
		counts.append(0)
	for end in ends:
		counts[end + 1] += 1
	for i in range(locations):
		counts[i + 1] += counts[i]
	var first := PackedInt32Array(counts)
	order.resize(ends.size())
	for j in range(ends.size()):
		order[counts[ends[j]]] = j
		counts[ends[j]] += 1
	return first


func _ints(column: String) -> PackedInt32Array:
	return PackedInt32Array(file.numbers_in(columns[column]) if columns.has(column) else [])


func _texts(column: String) -> Array:
	var found := []
	if columns.has(column):
		for i in range(columns[column]["shape"][0]):
			found.append(file.text(columns[column], i))
	return found


# -- places ------------------------------------------------------------------------------------


func inside(node: int) -> bool:
	return node >= 0 and node < locations


## Returns the neighbor in direction m; -1 outside the floor.
func step(at: int, m: int) -> int:
	var y := at / width
	var x := at - y * width
	var i := m
	if layout > 0:
		i += ((x if layout > 2 else y) & 1) << 3
	var to_x: int = x + step_x[i]
	var to_y: int = y % floor_rows + step_y[i]
	if to_x < 0 or to_x >= width or to_y < 0 or to_y >= floor_rows:
		return -1
	return at + step_y[i] * width + step_x[i]


## Sets chart_x and chart_y: the offset of two cells in coordinates where neighbors differ by one.
func chart(from: int, to: int) -> void:
	var from_y := from / width
	var to_y := to / width
	var from_x := from - from_y * width
	var to_x := to - to_y * width
	var odd := -1 if layout & 1 == 1 else 1
	if layout > 2:
		from_y -= (from_x + odd * (from_x & 1)) >> 1
		to_y -= (to_x + odd * (to_x & 1)) >> 1
	elif layout > 0:
		from_x -= (from_y + odd * (from_y & 1)) >> 1
		to_x -= (to_y + odd * (to_y & 1)) >> 1
	chart_x = to_x - from_x
	chart_y = to_y - from_y


## Returns the node at a cell, walkable or not; -1 outside the level.
func location_of(x: int, y: int, on_floor: int = 0) -> int:
	if x < 0 or x >= width or y < 0 or y >= floor_rows or on_floor < 0 or on_floor >= floors:
		return -1
	return (on_floor * floor_rows + y) * width + x


## Returns [x, y, floor] of a node; empty on graphs, or if the node does not exist.
func cell_of(node: int) -> Array:
	if width == 0 or not inside(node):
		return []
	var y := node / width
	return [node % width, y % floor_rows, y / floor_rows]


## Returns the name of a graph's node; empty if nodes have no names.
func node_name(node: int) -> String:
	if not inside(node):
		return ""
	if columns.has("node_name"):
		return file.text(columns["node_name"], node)
	return str(file.number(columns["node_number"], node)) if columns.has("node_number") else ""


## Returns the node with a name; -1 if no node has it.
func node_named(wanted: String) -> int:
	for node in range(locations if width == 0 else 0):
		if node_name(node) == wanted:
			return node
	return -1


## Returns [left, top, x and y of the step east, of the step south, side x, side y] of a floor.
func plane(on_floor: int) -> Array:
	var longer := 2.0 / sqrt(3.0)
	var even := 0.5 if layout > 0 and layout & 1 == 0 else 0.0
	var found := [0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]
	if layout > 2:
		found = [longer / 2, 0.5 + even, 0.75 * longer, 0.0, 0.0, 1.0, longer / 2, 0.0]
	elif layout > 0:
		found = [0.5 + even, longer / 2, 1.0, 0.0, 0.0, 0.75 * longer, 0.0, longer / 2]
	if columns.has("centre"):
		var i := 2 * on_floor if lengths["F"] > 1 else 0
		found[0] = file.real(columns["centre"], i)
		found[1] = file.real(columns["centre"], i + 1)
		for k in range(columns["step"]["count"]):
			found[2 + k] = file.real(columns["step"], k)
	return found


func _shift(line: float) -> float:
	return (0.5 if layout & 1 == 1 else -0.5) * abs(fmod(line, 2.0))


## Returns [x, y] of the center of a node's cell, or of a graph's node; empty if unknown. These are
## 64-bit numbers: a Vector2 would round them.
func to_point(node: int) -> Array:
	if width == 0:
		if not columns.has("position") or not inside(node):
			return []
		var position: Dictionary = columns["position"]
		return [file.real(position, 2 * node), file.real(position, 2 * node + 1)]
	var cell := cell_of(node)
	if cell.size() == 0:
		return []
	var x: float = cell[0]
	var y: float = cell[1]
	if layout > 2:
		y += _shift(x)
	elif layout > 0:
		x += _shift(y)
	var p := plane(cell[2])
	return [p[0] + x * p[2] + y * p[4], p[1] + x * p[3] + y * p[5]]


## Returns the node whose cell contains a point, walkable or not; -1 outside the level.
func to_node(x: float, y: float, on_floor: int = 0) -> int:
	if location_of(0, 0, on_floor) < 0:
		return -1
	var p := plane(on_floor)
	var cell := []
	if layout > 2:
		cell = _hexagon(x - p[0], y - p[1], p[2], p[5], p[6])
	elif layout > 0:
		var turned := _hexagon(y - p[1], x - p[0], p[5], p[2], p[7])
		cell = [turned[1], turned[0]]
	else:
		var found := square(x, y, on_floor)
		cell = [floor(found[0]), floor(found[1])]
	if not (cell[0] >= 0 and cell[0] < width and cell[1] >= 0 and cell[1] < floor_rows):
		return -1
	return location_of(int(cell[0]), int(cell[1]), on_floor)


## Returns the column and row of a point on a square grid, as fractions.
func square(x: float, y: float, on_floor: int) -> Array:
	var p := plane(on_floor)
	var u: float = x - (p[0] - (p[2] + p[4]) / 2)
	var v: float = y - (p[1] - (p[3] + p[5]) / 2)
	var area: float = p[2] * p[5] - p[3] * p[4]
	if p[3] == 0 and p[4] == 0:
		return [u / p[2], v / p[5]]
	return [(u * p[5] - v * p[4]) / area, (v * p[2] - u * p[3]) / area]


## Returns line and index of the hexagon that contains an offset across and along the lines.
func _hexagon(across: float, along: float, pitch: float, pace: float, side: float) -> Array:
	var even := 1.0 if layout & 1 == 0 else 0.0
	var line: float = 2 * floor((across - even * pitch + side / 2) / (2 * pitch)) + even
	var place: float = floor(along / pace + 0.5 * even + 0.5)
	var found := [-1.0, -1.0]
	var least := INF
	for each in [[0, 0], [1, -1], [1, 0], [2, 0]]:
		var l: float = line + each[0]
		var p: float = place + each[1]
		var u := across - l * pitch
		var v := along - (p + _shift(l)) * pace
		if u * u + v * v < least:
			least = u * u + v * v
			found = [l, p]
	return found


# -- entities ----------------------------------------------------------------------------------


func _read_things() -> void:
	var terrain_names := _texts("terrain_name")
	for i in range(terrain_names.size()):
		var at: int = columns["terrain_colour"]["at"] + 3 * i
		var colour := Color8(file.bytes[at], file.bytes[at + 1], file.bytes[at + 2])
		terrains.append({"name": terrain_names[i], "colour": colour})
	var names := _texts("region_name")
	for i in range(names.size()):
		var nodes := _part(_ints("region_first_cell"), _ints("region_cell"), i)
		regions.append({"name": names[i], "id": _id("region", i), "nodes": nodes})
	names = _texts("spot_name")
	for i in range(names.size()):
		var spot := {"name": names[i], "id": _id("spot", i), "kind": _texts("spot_kind")[i]}
		spot["node"] = _ints("spot_at")[i]
		spot["profiles"] = _part(_ints("spot_first_profile"), _texts("spot_profile"), i)
		spots.append(spot)
	names = _texts("link_name")
	for i in range(names.size()):
		var link := {"name": names[i], "id": _id("link", i), "kind": _texts("link_kind")[i]}
		link["from"] = _ints("link_start")[i]
		link["to"] = _ints("link_goal")[i]
		link["cost"] = file.real(columns["link_cost"], i)
		link["both_ways"] = file.number(columns["link_both_ways"], i) == 1
		link["profiles"] = _part(_ints("link_first_profile"), _texts("link_profile"), i)
		links.append(link)
	names = _texts("door_name")
	for i in range(names.size()):
		_read_door(names[i], i)


func _read_door(door_name: String, i: int) -> void:
	var nodes := _part(_ints("door_first_cell"), _ints("door_cell"), i)
	var firsts := _ints("door_first_state")
	var states := []
	for state_name in _part(firsts, _texts("door_state_name"), i):
		var number := firsts[i] + states.size()
		var state := _part(_ints("door_first_terrain"), _ints("door_terrain"), number)
		if state.size() != nodes.size():
			file.damaged("column door_terrain")
		states.append({"name": state_name, "terrains": state})
	var baked := _ints("door_state")[i] - firsts[i]
	if baked < 0 or baked >= states.size():
		baked = -1
	var id := _id("door", i)
	doors.append({"name": door_name, "id": id, "nodes": nodes, "states": states, "baked": baked})


func _id(group: String, i: int) -> String:
	var ids := _texts(group + "_id")
	return ids[i] if ids.size() > 0 else ""


func _part(first: PackedInt32Array, values, i: int) -> Array:
	var found := []
	for k in range(first[i], first[i + 1]):
		found.append(values[k])
	return found
