@tool
class_name LevelBakeResource
extends Resource
## A .bake file as Godot keeps it once it is imported. It was checked then.

const Level := preload("res://addons/levelbake/level_bake.gd")

@export var bytes := PackedByteArray()

var _level: Level


## The level, which is opened when it is first asked for. Null: the file is damaged.
func level() -> Level:
	if _level == null:
		var opened := Level.new()
		var problem := opened.open(bytes, true)
		if problem != "":
			push_error("%s: %s" % [resource_path, problem])
			return null
		_level = opened
	return _level
