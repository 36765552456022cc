@tool
class_name LevelBakeNav
extends RefCounted
## The queries for one agent profile on a baked level.
##
## Unreachable goals and unwalkable nodes are values, not errors: -1, [] or INF. If a
## query detects a damaged file, it sets [member damage] and returns "unreachable".

const BLOCKED := 0x7fffffff
const NO_CLASS := 0xffff
const NO_WAY := 1 << 30

var profile_name := ""
## Side length of the square footprint, in cells.
var size := 1
## The fault of the file in one line; empty if none was detected.
var damage := ""

# A LevelBake; untyped, because the scripts refer to each other.
var level
var bytes := PackedByteArray()
var rows := 0
var classes := 0
# By terrain; decoded once, because it is short and read often.
var class_of := []
var has_hops := false
var _columns := {}
var _step_ticks := []
var _says_none := false
var _reach_width := 0
# Offsets of columns in the bytes, -1 if absent, and the bytes of their elements.
var _row_at := -1
var _component := -1
var _reach := -1
var _first_run := -1
var _run_start := -1
var _run_move := -1
var _greedy_kind := -1
var _greedy_move := -1
var _label_parent := -1
var _label_top := -1
var _first_label := -1
var _label_away := -1
var _label_toward := -1
var _weight := -1
var _terrain := -1
var _start_width := 0
var _move_width := 0
var _kind_width := 0
var _none := 0


## Reads the tables of a profile; called by the level.
func setup(of_level, number: int, check: bool) -> void:
	level = of_level
	var file = level.file
	var n: Array = file.numbers(number, 8)
	if n.size() == 0:
		return
	bytes = file.bytes
	profile_name = level.profiles[number]
	rows = n[0]
	size = n[4]
	classes = n[5]
	_says_none = n[3] == 1
	_reach_width = (n[1] + 7) >> 3
	if rows < 0 or rows > level.locations or n[1] < 0 or size < 1 or size > 16 or classes < 0:
		file.damaged("the numbers of a profile")
		return
	var lengths: Dictionary = level.lengths.duplicate()
	lengths["R"] = rows
	lengths["K"] = n[1]
	lengths["C"] = classes
	lengths["b"] = _reach_width
	_columns = file.checked(number, lengths, level.width > 0, level.columns.has("link_from"))
	if _columns.size() == 0:
		return
	_find_columns()
	if check:
		_check(file)


func _find_columns() -> void:
	_row_at = _place("row_at")
	_component = _place("component")
	_reach = _place("reach")
	_first_run = _place("first_run")
	_run_start = _place("run_start")
	_run_move = _place("run_move")
	_greedy_kind = _place("greedy_kind")
	_greedy_move = _place("greedy_move")
	_label_parent = _place("label_parent")
	_label_top = _place("label_top")
	_first_label = _place("first_label")
	_label_away = _place("label_away")
	_label_toward = _place("label_toward")
	class_of = level.file.numbers_in(_columns["class"])
	if _columns.has("step_ticks"):
		_step_ticks = level.file.numbers_in(_columns["step_ticks"])
	_weight = _place("weight")
	_terrain = level.columns["terrain"]["at"]
	if _label_toward < 0:
		_label_toward = _label_away
	has_hops = _run_start >= 0
	var widths := [0, 1, 2, 4]
	if has_hops:
		_move_width = widths[_columns["run_move"]["type"]]
		_none = (1 << 8 * _move_width) - 1
	if _run_start >= 0:
		_start_width = widths[_columns["run_start"]["type"]]
	if _greedy_kind >= 0:
		_kind_width = widths[_columns["greedy_kind"]["type"]]


func _place(column: String) -> int:
	return _columns[column]["at"] if _columns.has(column) else -1


## Verifies the constraints between elements of the tables.
func _check(file) -> void:
	var places := {}
	for row in file.numbers_in(_columns["row_at"]):
		if row >= 0:
			if places.has(row):
				file.damaged("column row_at")
			places[row] = true
	if places.size() != rows:
		file.damaged("column row_at")
	if _run_start >= 0:
		_check_runs(file)
	for row in range(rows if _label_parent >= 0 else 0):
		if file.problem != "":
			return
		var parent := bytes.decode_s32(_label_parent + 4 * row)
		var above := -1 if parent < 0 else _depth(parent)
		var top := bytes.decode_s32(_label_top + 4 * row)
		if _depth(row) != above + 1 or _depth(top) > _depth(row):
			file.damaged("columns of labels")


## Verifies that the runs of each row start at 0 and increase.
func _check_runs(file) -> void:
	var first: Array = file.numbers_in(_columns["first_run"])
	var starts: Array = file.numbers_in(_columns["run_start"])
	for row in range(rows):
		var least := 0
		for i in range(first[row], first[row + 1]):
			var start: int = starts[i]
			if start < least or (start > 0) != (least > 0) or start >= rows:
				file.damaged("column run_start")
				return
			least = start + 1


func _number(at: int, width: int, i: int) -> int:
	if width == 1:
		return bytes[at + i]
	if width == 2:
		return bytes.decode_u16(at + 2 * i)
	return bytes.decode_u32(at + 4 * i)


func _damaged(what: String) -> int:
	if damage == "":
		damage = "the file is damaged: " + what
		push_error(damage)
	return -1


## Returns the row of a node in the tables; -1 if the node was not walkable in the bake.
func row_of(node: int) -> int:
	return bytes.decode_s32(_row_at + 4 * node) if level.inside(node) else -1


## Returns whether the profile can stand on a node.
func stands(node: int) -> bool:
	return row_of(node) >= 0


## Returns the node at a cell; -1 if the profile cannot stand there.
func node_at(x: int, y: int, on_floor: int = 0) -> int:
	var at: int = level.location_of(x, y, on_floor)
	return at if stands(at) else -1


## Returns [x, y, floor] of a node; empty on graphs, or if the node does not exist.
func cell_of(node: int) -> Array:
	return level.cell_of(node)


## Returns the next node on a shortest path; [param from] when already there; -1 if unreachable.
func next_hop(from: int, to: int) -> int:
	return baked_hop(from, to)


func baked_hop(from: int, to: int) -> int:
	var row := row_of(from)
	var goal := row_of(to)
	if row < 0 or goal < 0:
		return -1
	if row == goal:
		return from
	var m := move_of(row, goal, from, to)
	return -1 if m < 0 else target(from, m)


## Returns the move from one row toward another; -1 without a path.
func move_of(row: int, goal: int, from: int, to: int) -> int:
	if not _says_none and not _joined(row, goal):
		return -1
	var low := bytes.decode_u32(_first_run + 4 * row)
	var length := bytes.decode_u32(_first_run + 4 * row + 4) - low
	while length > 1:
		var half := length >> 1
		if _number(_run_start, _start_width, low + half) <= goal:
			low += half
		length -= half
	var m := _number(_run_move, _move_width, low)
	if m == _none - 1:
		if _greedy_kind < 0:
			return _damaged("column greedy_kind")
		level.chart(from, to)
		var x: int = level.chart_x
		var y: int = level.chart_y
		var sector := (int(sign(x)) + 1) * 3 + int(sign(y)) + 1
		var steep := 1 if abs(y) > abs(x) else 0
		var kind := _number(_greedy_kind, _kind_width, row)
		var all: Dictionary = _columns["greedy_move"]
		m = level.file.number(all, kind * 18 + 2 * sector + steep)
		if m == (1 << 8 * [0, 1, 2, 4][all["type"]]) - 1:
			return -1
	return -1 if m == _none else m


## Returns the node that a move leads to; -1, and sets damage, if there is none.
func target(at: int, m: int) -> int:
	var head := -1
	var j: int = m - level.directions
	if j < 0:
		head = level.step(at, m)
	elif level.first_arc.size() > 0 and j < level.first_arc[at + 1] - level.first_arc[at]:
		head = level.arc_head[level.first_arc[at] + j]
	if head < 0 or row_of(head) < 0:
		return _damaged("a next hop leads nowhere")
	return head


func _joined(row: int, goal: int) -> bool:
	if _component < 0:
		return true
	var a := bytes.decode_s32(_component + 4 * row)
	var b := bytes.decode_s32(_component + 4 * goal)
	if a == b:
		return true
	return _reach >= 0 and bytes[_reach + a * _reach_width + (b >> 3)] >> (7 - (b & 7)) & 1 == 1


## Returns the nodes of a shortest path, both ends included; empty if unreachable.
func path(from: int, to: int) -> PackedInt32Array:
	var nodes := PackedInt32Array()
	var at := from
	var next := next_hop(from, to)
	while next >= 0:
		nodes.append(at)
		if at == to:
			return nodes
		if nodes.size() > level.locations:
			break
		at = next
		next = next_hop(at, to)
	if nodes.size() > 0:
		_damaged("a path never ends")
	return PackedInt32Array()


## Returns the next hop of every node toward one goal; -1 if unreachable or not walkable.
func hops_to(goal: int) -> PackedInt32Array:
	var found := PackedInt32Array()
	found.resize(level.locations)
	for at in range(level.locations):
		found[at] = next_hop(at, goal)
	return found


## Returns the cost of a shortest path in units; INF if unreachable.
func distance(from: int, to: int) -> float:
	return baked_distance(from, to)


func baked_distance(from: int, to: int) -> float:
	var row := row_of(from)
	var goal := row_of(to)
	if row < 0 or goal < 0:
		return INF
	var ticks := 0
	if row != goal:
		if _label_away >= 0:
			ticks = _by_labels(row, goal)
		else:
			ticks = _by_path(from, to)
	return INF if ticks >= BLOCKED else float(ticks) / level.ticks_per_unit


func _by_path(from: int, to: int) -> int:
	var total := 0
	var goal := row_of(to)
	var at := from
	var steps := 0
	while at != to:
		var next := baked_hop(at, to)
		if next < 0:
			return BLOCKED
		if steps > rows:
			_damaged("a path leads in circles")
			return BLOCKED
		var price := _baked_price(at, move_of(row_of(at), goal, at, to), next)
		if price >= BLOCKED:
			_damaged("a next hop leads where no step does")
			return BLOCKED
		total += price
		at = next
		steps += 1
	return total


## Returns the baked cost of a move in ticks.
func _baked_price(at: int, m: int, head: int) -> int:
	if level.prices.has(level.key(at, head)):
		return level.prices[level.key(at, head)][1]
	if level.width == 0:
		return bytes.decode_s32(_weight + 4 * (level.first_arc[at] + m))
	if m >= level.directions:
		var j: int = level.first_arc[at] + m - level.directions
		return level.file.number(level.columns["link_ticks"], j)
	var a := _baked_class(at)
	var b := _baked_class(head)
	if a >= classes or b >= classes:
		return BLOCKED
	var begin := classes if m > 3 and level.directions == 8 else 0
	return _step_ticks[(begin + a) * classes + b]


func _baked_class(at: int) -> int:
	var most := 0
	for i in range(size * size):
		var cell: int = at + (i / size) * level.width + i % size
		if cell >= level.locations:
			return NO_CLASS
		var found: int = class_of[bytes[_terrain + cell]]
		if found > most:
			most = found
	return most


func _depth(row: int) -> int:
	var at := _first_label + 4 * row
	return bytes.decode_u32(at + 4) - bytes.decode_u32(at) - 1


func _top(row: int) -> int:
	return bytes.decode_s32(_label_top + 4 * row)


## Returns the distance by labels: the cheapest path through a common ancestor.
func _by_labels(row: int, goal: int) -> int:
	var one := row
	var other := goal
	while _top(one) != _top(other):
		if _depth(_top(one)) < _depth(_top(other)):
			var swap := one
			one = other
			other = swap
		one = bytes.decode_s32(_label_parent + 4 * _top(one))
		if one < 0:
			return BLOCKED
	var least := NO_WAY
	var away := _label_away + 4 * bytes.decode_u32(_first_label + 4 * row)
	var toward := _label_toward + 4 * bytes.decode_u32(_first_label + 4 * goal)
	var shared := _depth(one)
	if _depth(other) < shared:
		shared = _depth(other)
	for k in range(shared + 1):
		var sum := bytes.decode_s32(away + 4 * k) + bytes.decode_s32(toward + 4 * k)
		if sum < least:
			least = sum
	return least if least < NO_WAY else BLOCKED


## Returns whether a path exists.
func reachable(from: int, to: int) -> bool:
	return baked_reachable(from, to)


func baked_reachable(from: int, to: int) -> bool:
	var row := row_of(from)
	var goal := row_of(to)
	if row < 0 or goal < 0:
		return false
	if _joined(row, goal):
		return true
	return _says_none and _reach < 0 and baked_hop(from, to) >= 0


## Returns the node that contains a point if walkable, otherwise the nearest walkable one; -1: none.
func nearest(x: float, y: float, on_floor: int = 0) -> int:
	var px := _clamped(x)
	var py := _clamped(y)
	# The best node so far, and its squared distance.
	var best := [-1, INF]
	if level.width == 0:
		if level.columns.has("position"):
			var position: Dictionary = level.columns["position"]
			for at in range(level.locations):
				var u: float = level.file.real(position, 2 * at) - px
				_look(at, u, level.file.real(position, 2 * at + 1) - py, best)
		return best[0]
	if level.location_of(0, 0, on_floor) < 0:
		return -1
	var own: int = level.to_node(px, py, on_floor)
	if own >= 0 and stands(own):
		return own
	if level.layout > 0:
		return _nearest_hexagon(px, py, on_floor)
	var cell: Array = level.square(px, py, on_floor)
	px = _clamped(cell[0] - 0.5)
	py = _clamped(cell[1] - 0.5)
	var middle := int(clamp(round(py), 0, level.floor_rows - 1))
	for way in [-1, 1]:
		var row := middle
		while row >= 0 and row < level.floor_rows and (row - py) * (row - py) <= best[1]:
			var at: int = level.location_of(0, row, on_floor)
			for column in range(level.width):
				_look(at + column, column - px, row - py, best)
			row += way
	return best[0]


func _nearest_hexagon(x: float, y: float, on_floor: int) -> int:
	var best := [-1, INF]
	var p: Array = level.plane(on_floor)
	var px := _clamped((x - p[0]) / p[2])
	var py := _clamped((y - p[1]) / p[5])
	var shift := 0.5 if level.layout & 1 else -0.5
	for row in range(level.floor_rows):
		for column in range(level.width):
			var east: float = column + (shift * (row & 1) if level.layout <= 2 else 0.0)
			var south: float = row + (shift * (column & 1) if level.layout > 2 else 0.0)
			var at: int = level.location_of(column, row, on_floor)
			_look(at, (east - px) * p[2], (south - py) * p[5], best)
	return best[0]


func _clamped(value: float) -> float:
	return clamp(value, -1099511627776.0, 1099511627776.0)


func _look(at: int, dx: float, dy: float, best: Array) -> void:
	var far := dx * dx + dy * dy
	if far > best[1] or (far == best[1] and at >= best[0]) or not stands(at):
		return
	best[0] = at
	best[1] = far
