extends Node2D
## Townsfolk stroll through the harbour; a click puts a cart onto a cell, and another takes it away.

const CROWD := 400
const CELL := 16.0

@export var harbour: LevelBakeResource

var _level: LevelBake
var _now := LevelBakeChanges.new()
var _nav: LevelBakeLiveNav
var _homes := []
var _here := PackedInt32Array()
var _goal := PackedInt32Array()
var _wait := 0.0


func _ready() -> void:
	_level = harbour.level()
	_now.follow(_level)
	_nav = _now.profile("townsfolk")
	for spot in _level.spots:
		if spot["kind"] == "home":
			_homes.append(spot["node"])
	for _i in range(CROWD):
		_here.append(_homes.pick_random())
		_goal.append(_homes.pick_random())


func _process(delta: float) -> void:
	_wait -= delta
	if _wait > 0.0:
		return
	_wait = 0.1
	for i in range(CROWD):
		var next := _nav.next_hop(_here[i], _goal[i])
		if next < 0 or next == _goal[i]:  # no way for now, or there
			_goal[i] = _homes.pick_random()
		if next >= 0:
			_here[i] = next
	queue_redraw()


func _input(event: InputEvent) -> void:
	if event is InputEventMouseButton and event.pressed:
		var place := get_local_mouse_position() / CELL
		var node := _level.location_of(int(place.x), int(place.y))
		if node < 0:
			return
		if _now.has_obstacle(node):
			_now.open([node])
		else:
			_now.block([node])


func _draw() -> void:
	for node in range(_level.locations):
		var colour: Color = _level.terrains[_now.terrain_at(node)]["colour"]
		draw_rect(_cell(node, CELL), Color.BLACK if _now.has_obstacle(node) else colour)
	for node in _here:
		draw_rect(_cell(node, CELL / 2), Color.WHITE)


func _cell(node: int, side: float) -> Rect2:
	var cell := _level.cell_of(node)
	var middle := Vector2(cell[0] + 0.5, cell[1] + 0.5) * CELL
	return Rect2(middle - Vector2.ONE * side / 2, Vector2.ONE * side)
