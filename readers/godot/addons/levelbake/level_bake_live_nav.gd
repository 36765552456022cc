@tool
class_name LevelBakeLiveNav
extends "res://addons/levelbake/level_bake_nav.gd"
## The queries for one agent profile on the current level; see LevelBakeChanges.profile.

const MAX_WEIGHT := 1 << 29
## The two straight directions that each diagonal direction consists of.
const FLANKS := [[0, 1], [2, 1], [2, 3], [0, 3]]

# The changes, and their counter of this profile's cheaper arcs.
var changes
var counted
var cheaper := 0
# The last valid baked path: its nodes, for one goal and one version.
var _sure := {}
var _sure_goal := -1
var _sure_version := -1
# The field toward the last searched goal: see _settle.
var _field_goal := -1
var _field_version := -1
var _ticks := {}
var _next := {}
# Whether a settled node has been expanded.
var _done := {}
var _heap := []
var _aim := -1
var _straight := 0
var _diagonal := 0


func stands(node: int) -> bool:
	if not changes.changed:
		return row_of(node) >= 0
	return level.inside(node) and _class_at(node, changes.terrain, changes.obstacle) < NO_CLASS


func next_hop(from: int, to: int) -> int:
	if not stands(from) or not stands(to):
		return -1
	if from == to:
		return from
	var is_kept: bool = _field_goal == to and _field_version == changes.version
	var holds: int = -1 if is_kept and _done.has(from) else _holds(from, to)
	if holds >= 0:
		return baked_hop(from, to) if holds > 0 else -1
	_settle(to, from)
	return _settled_hop(from, baked_hop(from, to) if has_hops else -1)


func distance(from: int, to: int) -> float:
	if not changes.changed and (has_hops or _label_away >= 0):
		return baked_distance(from, to)
	if not stands(from) or not stands(to):
		return INF
	if from == to:
		return 0.0
	var holds := _holds(from, to)
	if holds >= 0:
		return baked_distance(from, to) if holds > 0 else INF
	_settle(to, from)
	return float(_ticks[from]) / level.ticks_per_unit if _ticks.has(from) else INF


func reachable(from: int, to: int) -> bool:
	if not changes.changed and has_hops:
		return baked_reachable(from, to)
	return next_hop(from, to) >= 0


func hops_to(goal: int) -> PackedInt32Array:
	if changes.changed and stands(goal):
		_settle(goal, -1)
	var found := PackedInt32Array()
	found.resize(level.locations)
	for at in range(level.locations):
		found[at] = next_hop(at, goal)
	return found


## Returns 1 if the baked path is valid, 0 without a path, -1 if a search is needed.
func _holds(from: int, to: int) -> int:
	var goal := row_of(to)
	if not has_hops or counted.cheaper != 0 or goal < 0 or row_of(from) < 0:
		return -1
	if not changes.changed:
		return 1 if baked_hop(from, to) >= 0 else 0
	if _sure_goal != to or _sure_version != changes.version:
		_sure = {}
		_sure_goal = to
		_sure_version = changes.version
	var walked := []
	var at := from
	while at != to and not _sure.has(at):
		var m := move_of(row_of(at), goal, at, to)
		if m < 0 or walked.size() > rows:
			if at != from:
				_damaged("a path never ends")
			return 0
		walked.append(at)
		var next := target(at, m)
		if next < 0:
			return 0
		var j: int = -1
		if m >= level.directions:
			j = level.first_arc[at] + m - level.directions
		if price(at, m, next, j, true) != price(at, m, next, j, false):
			return -1
		at = next
	for each in walked:
		_sure[each] = true
	return 1


# -- prices ------------------------------------------------------------------------------------


## Returns the highest class under the footprint; NO_CLASS if it does not fit.
func _class_at(at: int, terrain: PackedByteArray, obstacle: PackedByteArray) -> int:
	if size == 1:
		return NO_CLASS if obstacle[at] == 1 else class_of[terrain[at]]
	if at % level.width + size > level.width:
		return NO_CLASS
	if (at / level.width) % level.floor_rows + size > level.floor_rows:
		return NO_CLASS
	var most := 0
	for i in range(size * size):
		var cell: int = at + (i / size) * level.width + i % size
		var found: int = NO_CLASS if obstacle[cell] == 1 else class_of[terrain[cell]]
		if found > most:
			most = found
	return most


## Returns whether terrain and ledges allow the whole footprint to step between two nodes.
func _may_step(tail: int, head: int, bits: int, terrain: PackedByteArray) -> bool:
	var enter: int = _columns["may_enter"]["at"] if _columns.has("may_enter") else -1
	var barred: int = _barred()
	if enter < 0 and barred < 0:
		return true
	for i in range(size * size):
		var away: int = (i / size) * level.width + i % size
		var a := tail + away
		var b := head + away
		if enter >= 0 and bytes[enter + terrain[a] * level.terrains.size() + terrain[b]] == 0:
			return false
		if barred >= 0 and (bytes[barred + a] | bytes[barred + b]) & bits != 0:
			return false
	return true


func _barred() -> int:
	if level.width == 0 or not level.columns.has("barred"):
		return -1
	return level.columns["barred"]["at"]


func _step_price(at: int, m: int, head: int, now: bool) -> int:
	var terrain: PackedByteArray = changes.terrain if now else changes.baked_terrain
	var obstacle: PackedByteArray = changes.obstacle if now else changes.baked_obstacle
	var a := _class_at(at, terrain, obstacle)
	var b := _class_at(head, terrain, obstacle)
	var bits: int = level.heading[m]
	if a == NO_CLASS or b == NO_CLASS or not _may_step(at, head, bits, terrain):
		return BLOCKED
	var diagonal: bool = m > 3 and level.directions == 8
	if diagonal and level.corners < 2:
		var free := 0
		for flank in FLANKS[m - 4]:
			var side: int = level.step(at, flank)
			var part: int = level.heading[flank]
			if _class_at(side, terrain, obstacle) == NO_CLASS:
				continue
			if not _may_step(at, side, part, terrain):
				continue
			if not _may_step(side, head, bits & ~part, terrain):
				continue
			if _barred() < 0 or bytes[_barred() + side] & bits == 0:
				free += 1
		if free == 0 or (free == 1 and level.corners == 0):
			return BLOCKED
	var begin := classes if diagonal else 0
	return _step_ticks[(begin + a) * classes + b]


## Returns the additional cost of a graph arc's slope in units; INF if too steep.
func _slope(at: int, head: int) -> float:
	if not _columns.has("slope") or not level.columns.has("elevation"):
		return 0.0
	var rise: float = level.file.real(level.columns["elevation"], head)
	rise -= level.file.real(level.columns["elevation"], at)
	if rise == 0.0:
		return 0.0
	var rule: Dictionary = _columns["slope"]
	if rise > level.file.real(rule, 2) or -rise > level.file.real(rule, 3):
		return INF
	return level.file.real(rule, 0 if rise > 0.0 else 1) * abs(rise)


## Returns the cost of a graph arc or a link in ticks.
func _arc_price(j: int, at: int, head: int, now: bool) -> int:
	# If cells are nodes, the level cannot change, so the baked cost is valid.
	if level.columns.has("cell"):
		return bytes.decode_s32(_weight + 4 * j)
	var terrain: PackedByteArray = changes.terrain if now else changes.baked_terrain
	var obstacle: PackedByteArray = changes.obstacle if now else changes.baked_obstacle
	if _class_at(at, terrain, obstacle) == NO_CLASS:
		return BLOCKED
	if _class_at(head, terrain, obstacle) == NO_CLASS:
		return BLOCKED
	if level.width > 0:
		if bytes[_columns["link_open"]["at"] + j] == 0:
			return BLOCKED
		return level.file.number(level.columns["link_ticks"], j)
	if not _may_step(at, head, 0, terrain):
		return BLOCKED
	var baked: PackedByteArray = changes.baked_terrain
	if terrain[at] == baked[at] and terrain[head] == baked[head]:
		if not now or not changes.baked_prices.has(level.key(at, head)):
			return bytes.decode_s32(_weight + 4 * j)
	var cost: Dictionary = _columns["cost"]
	var unit: float = level.file.real(cost, terrain[head])
	if level.cost_rule == 0:
		unit = (level.file.real(cost, terrain[at]) + unit) / 2
	unit *= level.file.real(level.columns["length"], j)
	var ticks: int = changes.ticks_of(unit + _slope(at, head))
	return BLOCKED if ticks < 0 else ticks


## Returns the current or baked cost in ticks of direction m, or of arc j if not negative.
func price(at: int, m: int, head: int, j: int, now: bool) -> int:
	var ticks := _step_price(at, m, head, now) if j < 0 else _arc_price(j, at, head, now)
	var own: Dictionary = changes.prices if now else changes.baked_prices
	if ticks == BLOCKED or own.size() == 0:
		return ticks
	var key: int = level.key(at, head)
	return own[key][1] if own.has(key) else ticks


## Returns the nodes whose arcs may change their cost, for changed nodes and tails of arcs.
func touched(nodes: Array, tails: Array) -> Dictionary:
	var near := {}
	for at in tails:
		near[at] = true
	var width: int = level.width
	for at in nodes:
		if width == 0:
			_touch(at, near)
			continue
		var y: int = at / width
		var x: int = at - y * width
		for row in range(y - size, y + 2):
			if row < 0 or row >= level.floor_rows * level.floors:
				continue
			for column in range(x - size, x + 2):
				if column >= 0 and column < width:
					_touch(row * width + column, near)
	return near


func _touch(at: int, near: Dictionary) -> void:
	near[at] = true
	if changes.into_first.size() > 0:
		for i in range(changes.into_first[at], changes.into_first[at + 1]):
			near[level.arc_tail[changes.into_arc[i]]] = true


## Counts the arcs out of nodes that cost less than in the bake.
func count_cheaper(nodes: Dictionary) -> int:
	var count := 0
	for at in nodes:
		for m in range(level.directions):
			var head: int = level.step(at, m)
			if head >= 0 and price(at, m, head, -1, true) < price(at, m, head, -1, false):
				count += 1
		if level.first_arc.size() > 0:
			for j in range(level.first_arc[at], level.first_arc[at + 1]):
				var head: int = level.arc_head[j]
				if price(at, 0, head, j, true) < price(at, 0, head, j, false):
					count += 1
	return count


# -- search ------------------------------------------------------------------------------------


## Searches backward with A* from a goal to a node (-1 = all nodes), and caches the results for
## later queries with the same goal.
func _settle(goal: int, from: int) -> void:
	if _field_goal != goal or _field_version != changes.version:
		_field_goal = goal
		_field_version = changes.version
		_ticks = {goal: 0}
		_next = {goal: goal}
		_done = {}
		_heap = [[0, goal]]
		_aim = -1
		_find_cheapest()
	if _done.has(from):
		return
	_aim_at(from)
	while _heap.size() > 0 and not _done.has(from):
		_expand()


## Returns the next node on a shortest path from a settled node: the baked one if possible,
## otherwise that of the first move; -1 if there is none.
func _settled_hop(from: int, baked: int) -> int:
	if not _done.has(from) or _next.has(from):
		return _next.get(from, -1)
	var first := 0
	var moves: int = level.directions
	if level.first_arc.size() > 0:
		first = level.first_arc[from]
		moves += level.first_arc[from + 1] - first
	for wanted in [baked, -1]:
		for m in range(moves):
			var j: int = -1 if m < level.directions else first + m - level.directions
			var head: int = level.step(from, m) if j < 0 else level.arc_head[j]
			if head < 0 or (wanted >= 0 and head != wanted):
				continue
			var ticks := price(from, m, head, j, true)
			if ticks != BLOCKED and _is_tight(from, head, _ticks[from] - ticks):
				_next[from] = head
				_done[head] = _done.get(head, false)
				return head
	return -1


## Returns whether a node has a given distance; searches while an open node may be on such a path.
func _is_tight(from: int, head: int, left: int) -> bool:
	while _ticks.get(head, left + 1) > left and not _done.has(head) and _heap.size() > 0:
		if _heap[0][0] > _ticks[from] + _estimate(from, _aim):
			break
		var away := _aim_at(from)
		if _heap[0][0] > _ticks[from] + away:
			break
		_expand()
	return _ticks.has(head) and _ticks[head] == left


## Sets the node that the heuristic aims at, and rebuilds the open list, unless the new node may be
## on a shortest path from the current one. Returns the slack to add to keys in that case.
func _aim_at(from: int) -> int:
	if _aim >= 0 and _ticks.has(from):
		var away := _estimate(from, _aim)
		if _ticks[from] + away <= _ticks.get(_aim, -1):
			return away
	_aim = from
	var open := _heap
	_heap = []
	for entry in open:
		if not _done.get(entry[1], false):
			_push(entry[1])
	return 0


## Expands the node with the lowest key.
func _expand() -> void:
	var at := _pop()
	if _done.get(at, false):
		return
	_done[at] = true
	var opposite := [3, 4, 5, 0, 1, 2] if level.layout > 0 else [2, 3, 0, 1, 6, 7, 4, 5]
	for m in range(level.directions):
		var tail: int = level.step(at, opposite[m])
		if tail >= 0 and not _done.has(tail):
			_relax(tail, at, price(tail, m, at, -1, true))
	if changes.into_first.size() > 0:
		for i in range(changes.into_first[at], changes.into_first[at + 1]):
			var j: int = changes.into_arc[i]
			var tail: int = level.arc_tail[j]
			if not _done.has(tail):
				_relax(tail, at, price(tail, 0, at, j, true))


func _relax(tail: int, at: int, ticks: int) -> void:
	if ticks == BLOCKED:
		return
	var total: int = _ticks[at] + ticks
	if _ticks.has(tail) and _ticks[tail] <= total:
		return
	_ticks[tail] = total
	_push(tail)


func _find_cheapest() -> void:
	_straight = 0
	_diagonal = 0
	if level.width == 0 or level.arc_head.size() > 0 or changes.prices.size() > 0:
		return
	_straight = BLOCKED
	_diagonal = BLOCKED
	var half := classes * classes
	for i in range(2 * half):
		var ticks: int = _step_ticks[i]
		if i < half and ticks < _straight:
			_straight = ticks
		if i >= half and level.directions == 8 and ticks < _diagonal:
			_diagonal = ticks
	if 2 * _straight < _diagonal:
		_diagonal = 2 * _straight


## Returns a lower bound of the distance between two cells in ticks.
func _estimate(from: int, to: int) -> int:
	if from < 0 or _straight == 0:
		return 0
	level.chart(from, to)
	var dx: int = abs(level.chart_x)
	var dy: int = abs(level.chart_y)
	var most := dx if dx > dy else dy
	if level.layout > 0:
		var both: int = abs(level.chart_x + level.chart_y)
		return (both if both > most else most) * _straight
	var least := dx + dy - most
	return (most - least) * _straight + least * _diagonal


## Adds a node to the open list; ties go to the node farthest from the goal.
func _push(at: int) -> void:
	var key: float = _ticks[at] + _estimate(_aim, at) - min(_ticks[at] / 4294967296.0, 0.5)
	var i := _heap.size()
	_heap.append(null)
	while i > 0:
		var up := (i - 1) >> 1
		if _heap[up][0] <= key:
			break
		_heap[i] = _heap[up]
		i = up
	_heap[i] = [key, at]


func _pop() -> int:
	var found: int = _heap[0][1]
	var last: Array = _heap.pop_back()
	var count := _heap.size()
	var i := 0
	while count > 0:
		var down := 2 * i + 1
		if down >= count:
			break
		if down + 1 < count and _heap[down + 1][0] < _heap[down][0]:
			down += 1
		if _heap[down][0] >= last[0]:
			break
		_heap[i] = _heap[down]
		i = down
	if count > 0:
		_heap[i] = last
	return found
