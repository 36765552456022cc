@tool
class_name LevelBakeChanges
extends RefCounted
## A changeable view of a level. After a change, all answers match a fresh bake of the new level.
##
## [code]
## var now := LevelBakeChanges.new()
## now.follow(level)
## now.set_door("gate", "shut")
## var nav := now.profile()
## [/code]
## Methods that change the level return "", or an error in one line; then the level is unchanged.

const BLOCKED := 0x7fffffff
const NO_CLASS := 0xffff
const MAX_WEIGHT := 1 << 29
const NUMBERS := [TYPE_INT, TYPE_FLOAT]  # 3: const NUMBERS := [TYPE_INT, TYPE_REAL]
const LiveNav := preload("res://addons/levelbake/level_bake_live_nav.gd")
const NO_LEVEL := "no level is followed: call follow with one that opened"
const CELLS_ARE_NODES := "cells are nodes in this file, which lacks the rules of their steps"

## Whether the level differs from the baked one.
var changed := false

# The level, and its baked and current states. Prices are [units, ticks] by key.
var level
var baked_terrain := PackedByteArray()
var baked_obstacle := PackedByteArray()
var baked_prices := {}
var terrain := PackedByteArray()
var obstacle := PackedByteArray()
var prices := {}
var version := 0
var into_first := PackedInt32Array()
var into_arc := []
var _navs := []
var _last := []
var _differing := 0


## Starts from a baked level; the level itself is not modified.
func follow(of_level) -> String:
	if typeof(of_level) != TYPE_OBJECT or of_level == null or not of_level.has_method("location_of"):
		return "expected a LevelBake"
	if of_level.profiles.size() == 0:
		return "this level did not open, so nothing of it can be followed"
	if level == of_level:
		reset()
		return ""
	if level != null:
		return "another level is followed: make another LevelBakeChanges"
	level = of_level
	var begin: int = level.columns["terrain"]["at"]
	baked_terrain = level.file.bytes.slice(begin, begin + level.locations)  # 3: baked_terrain = level.file.bytes.subarray(begin, begin + level.locations - 1)
	baked_obstacle = _zeros(level.locations)
	baked_prices = level.prices
	if level.arc_head.size() > 0:
		into_first = level.by_end(level.arc_head, into_arc)
	_navs = []
	for i in range(level.profiles.size()):
		var nav := LiveNav.new()
		nav.setup(level, i, false)
		# Returned navs are separate objects: these must not reference this object (a cycle).
		_navs.append(nav)
	reset()
	return ""


func _zeros(count: int) -> PackedByteArray:
	var found := PackedByteArray()
	found.resize(count)
	found.fill(0)  # 3: for i in range(count): found[i] = 0
	return found


## Returns the queries for one agent profile on the current level. Null if it does not exist.
func profile(profile_name: String = "") -> LiveNav:
	if level == null:
		push_error(NO_LEVEL)
		return null
	var i := 0 if profile_name == "" else level.profiles.find(profile_name)
	if i < 0:
		push_error("no profile %s, expected one of %s" % [profile_name, str(level.profiles)])
		return null
	var nav := LiveNav.new()
	nav.setup(level, i, false)
	nav.changes = self
	nav.counted = _navs[i]
	return nav


## Restores the baked level.
func reset() -> void:
	if level == null:
		return
	terrain = _copy(baked_terrain)
	obstacle = _zeros(level.locations)
	prices = baked_prices.duplicate()
	_last = []
	for door in level.doors:
		_last.append(door["baked"])
	for nav in _navs:
		nav.cheaper = 0
	_differing = 0
	changed = false
	version += 1


func _copy(source: PackedByteArray) -> PackedByteArray:
	var found := PackedByteArray()
	found.append_array(source)
	return found


func terrain_at(node: int) -> int:
	return terrain[node] if level != null and level.inside(node) else -1


func has_obstacle(node: int) -> bool:
	return level != null and level.inside(node) and obstacle[node] == 1


## Blocks nodes with obstacles, for all profiles.
func block(nodes: Array) -> String:
	return update(nodes, [], [], [])


## Removes obstacles. Unwalkable terrain becomes the level's most common walkable one.
func open(nodes: Array) -> String:
	return update([], nodes, [], [])


## Changes the terrain of a node; the terrain is an index of the level's terrains.
func set_terrain(node: int, code: int) -> String:
	return update([], [], [[node, code]], [])


## Changes the cost of an arc in units; INF closes it, null restores the usual cost.
func set_price(from: int, to: int, units) -> String:
	return update([], [], [], [[from, to, units]])


## Applies one batch completely or not at all: nodes, nodes, [node, terrain], [from, to, units].
func update(blocked: Array, opened: Array, grounds: Array, costs: Array) -> String:
	if level == null:
		return NO_LEVEL
	if level.columns.has("cell"):
		return CELLS_ARE_NODES
	var nodes := {}
	for at in blocked:
		nodes[at] = true
	for at in opened:
		if nodes.has(at):
			return "node %s is both blocked and opened" % str(at)
	for at in opened:
		nodes[at] = true
	for pair in grounds:
		if typeof(pair) != TYPE_ARRAY or pair.size() != 2:
			return "expected [node, terrain], found %s" % str(pair)
		nodes[pair[0]] = true
		if not _is_number_of(pair[1], level.terrains.size()):
			return "there is no terrain %s" % str(pair[1])
	for at in nodes:
		if not _is_number_of(at, level.locations):
			return "there is no node %s" % str(at)
	var tails := []
	for cost in costs:
		var mistake := _mistake_of_price(cost)
		if mistake != "":
			return mistake
		tails.append(cost[0])
	var near := _begin(nodes.keys(), tails)
	for at in blocked:
		obstacle[at] = 1
	for at in opened:
		_open_now(at)
	for pair in grounds:
		terrain[pair[0]] = pair[1]
	for cost in costs:
		var key: int = level.key(cost[0], cost[1])
		if cost[2] == null:
			prices.erase(key)
		else:
			prices[key] = [float(cost[2]), ticks_of(cost[2])]
	_end(nodes.keys(), near)
	return ""


## Returns an error for an invalid [from, to, units]; "" if valid.
func _mistake_of_price(cost) -> String:
	if typeof(cost) != TYPE_ARRAY or cost.size() != 3:
		return "expected [from, to, units], found %s" % str(cost)
	for at in [cost[0], cost[1]]:
		if not _is_number_of(at, level.locations):
			return "there is no node %s" % str(at)
	if not joined(cost[0], cost[1]):
		return "no arc leads from %d to %d" % [cost[0], cost[1]]
	if cost[2] != null and (not typeof(cost[2]) in NUMBERS or ticks_of(cost[2]) < 0):
		return "an arc cannot cost %s" % str(cost[2])
	return ""


func _is_number_of(value, limit: int) -> bool:
	return typeof(value) == TYPE_INT and value >= 0 and value < limit


func _open_now(at: int) -> void:
	obstacle[at] = 0
	for nav in _navs:
		if nav.class_of[terrain[at]] != NO_CLASS:
			return
	terrain[at] = level.usual_terrain


## Returns a cost in ticks, rounded half to even; -1 if out of range.
func ticks_of(units: float) -> int:
	if units == INF:
		return BLOCKED
	if not (units > 0 and units * level.ticks_per_unit < 2.0 * MAX_WEIGHT):
		return -1
	var ticks := even(units * level.ticks_per_unit)
	return ticks if ticks >= 1 and ticks <= MAX_WEIGHT else -1


func even(number: float) -> int:
	var down := int(floor(number))
	var rest := number - down
	if rest > 0.5 or (rest == 0.5 and down & 1 == 1):
		down += 1
	return down


## Returns whether a step or another arc connects two nodes.
func joined(from: int, to: int) -> bool:
	if not level.inside(from) or not level.inside(to):
		return false
	for m in range(level.directions):
		if level.step(from, m) == to:
			return true
	if level.first_arc.size() > 0:
		for j in range(level.first_arc[from], level.first_arc[from + 1]):
			if level.arc_head[j] == to:
				return true
	return false


## Counts the cheaper arcs before a change of nodes, and of arcs out of other nodes.
func _begin(nodes: Array, tails: Array) -> Array:
	var near := []
	for nav in _navs:
		nav.changes = self
		var some: Dictionary = nav.touched(nodes, tails)
		nav.cheaper -= nav.count_cheaper(some)
		near.append(some)
	_differing -= _count_differing(nodes)
	return near


func _end(nodes: Array, near: Array) -> void:
	for i in range(_navs.size()):
		_navs[i].cheaper += _navs[i].count_cheaper(near[i])
		_navs[i].changes = null
	_differing += _count_differing(nodes)
	changed = _differing > 0 or prices.size() != baked_prices.size()
	for key in prices:
		if not baked_prices.has(key) or baked_prices[key][0] != prices[key][0]:
			changed = true
	for i in range(_last.size()):
		var state := _state_of(i)
		if state >= 0:
			_last[i] = state
	version += 1


func _count_differing(nodes: Array) -> int:
	var count := 0
	for at in nodes:
		if obstacle[at] == 1 or terrain[at] != baked_terrain[at]:
			count += 1
	return count


# -- doors -------------------------------------------------------------------------------------


func _is_in(door: Dictionary, state: int) -> bool:
	for k in range(door["nodes"].size()):
		if terrain[door["nodes"][k]] != door["states"][state]["terrains"][k]:
			return false
	return true


func _state_of(i: int) -> int:
	var door: Dictionary = level.doors[i]
	if _last[i] >= 0 and _is_in(door, _last[i]):
		return _last[i]
	for k in range(door["states"].size()):
		if _is_in(door, k):
			return k
	return -1


func _door_number(door_name: String) -> int:
	for i in range(_last.size()):
		if level.doors[i]["name"] == door_name:
			return i
	return -1


## Returns the name of a door's current state; empty if none matches, or the door does not exist.
func door_state(door_name: String) -> String:
	var i := _door_number(door_name)
	var state := -1 if i < 0 else _state_of(i)
	return "" if state < 0 else level.doors[i]["states"][state]["name"]


## Changes a door to one of its states.
func set_door(door_name: String, state_name: String) -> String:
	var i := _door_number(door_name)
	if i < 0:
		return "there is no door " + door_name.c_escape()
	var door: Dictionary = level.doors[i]
	for k in range(door["states"].size()):
		if door["states"][k]["name"] == state_name:
			var grounds := []
			for n in range(door["nodes"].size()):
				grounds.append([door["nodes"][n], door["states"][k]["terrains"][n]])
			var wrong := update([], [], grounds, [])
			if wrong == "":
				_last[i] = k
			return wrong
	return "door %s has no state %s" % [door_name, state_name.c_escape()]


# -- patches -----------------------------------------------------------------------------------


## Returns the differences from the baked level as text for a saved game (docs/updates.md).
func patch() -> String:
	if level == null:
		push_error(NO_LEVEL)
		return ""
	var grounds := ""
	var obstacles := ""
	for at in range(level.locations):
		if terrain[at] != baked_terrain[at]:
			grounds += "%s[%d,%d]" % ["" if grounds == "" else ",", at, terrain[at]]
		if obstacle[at] == 1:
			obstacles += "%s%d" % ["" if obstacles == "" else ",", at]
	var keys := prices.keys()
	keys.sort()
	var arcs := ""
	for key in keys:
		var units: float = prices[key][0]
		var said := '"closed"' if units == INF else _written(units)
		arcs += "%s[%d,%d,%s]" % ["" if arcs == "" else ",", key >> 32, key & 0xffffffff, said]
	var text := '{"terrain":[%s],"obstacles":[%s],"arcs":[%s]}\n' % [grounds, obstacles, arcs]
	return "levelbake-patch 1 %s %s\n%s" % [level.fingerprint, text.sha256_text(), text]


func _written(units: float) -> String:
	return JSON.stringify(units, "", true, true)  # 3: return to_json(units)


## Restores the level that a patch describes; this replaces all other changes.
func apply_patch(text: String) -> String:
	if level == null:
		return NO_LEVEL
	var end := text.find("\n") + 1
	var words := text.substr(0, end - 1 if end > 0 else 0).split(" ")
	if words[0] != "levelbake-patch":
		return "this is no patch"
	if words.size() != 4 or words[1] != "1":
		return "another version of patches, expected 1: no links, no new arcs"
	if words[2] != level.fingerprint:
		return "this patch belongs to another asset"
	var changes := text.substr(end, text.length() - end)
	if changes.sha256_text() != words[3]:
		return "the patch is damaged: its digest does not fit"
	var said = JSON.parse_string(changes)  # 3: var said = parse_json(changes)
	if not _says_something(said):
		return "the patch is damaged: it says nothing of this level"
	if level.columns.has("cell") and said["terrain"] + said["obstacles"] + said["arcs"] != []:
		return CELLS_ARE_NODES
	var tails := []
	for key in baked_prices:
		tails.append(key >> 32)
	reset()
	var nodes := {}
	for pair in said["terrain"]:
		nodes[int(pair[0])] = true
	for at in said["obstacles"]:
		nodes[int(at)] = true
	for arc in said["arcs"]:
		tails.append(int(arc[0]))
	var near := _begin(nodes.keys(), tails)
	for pair in said["terrain"]:
		terrain[int(pair[0])] = int(pair[1])
	for at in said["obstacles"]:
		obstacle[int(at)] = 1
	prices = {}
	for arc in said["arcs"]:
		var units: float = _units(arc[2])
		prices[level.key(int(arc[0]), int(arc[1]))] = [units, ticks_of(units)]
	_end(nodes.keys(), near)
	return ""


## Returns the cost of an arc in a patch, in units; NAN if invalid.
func _units(said) -> float:
	if typeof(said) == TYPE_STRING:
		return INF if said == "closed" else NAN
	return float(said) if typeof(said) in NUMBERS else NAN


func _is_whole(value, limit: int) -> bool:
	if not typeof(value) in NUMBERS:
		return false
	return value >= 0 and value < limit and value == floor(value)


func _says_something(said) -> bool:
	if typeof(said) != TYPE_DICTIONARY:
		return false
	for name in ["terrain", "obstacles", "arcs"]:
		if typeof(said.get(name)) != TYPE_ARRAY:
			return false
	for pair in said["terrain"]:
		if typeof(pair) != TYPE_ARRAY or pair.size() != 2:
			return false
		if not _is_whole(pair[0], level.locations) or not _is_whole(pair[1], level.terrains.size()):
			return false
	for at in said["obstacles"]:
		if not _is_whole(at, level.locations):
			return false
	for arc in said["arcs"]:
		if typeof(arc) != TYPE_ARRAY or arc.size() != 3:
			return false
		if not _is_whole(arc[0], level.locations) or not _is_whole(arc[1], level.locations):
			return false
		if not joined(int(arc[0]), int(arc[1])) or ticks_of(_units(arc[2])) < 0:
			return false
	return true
