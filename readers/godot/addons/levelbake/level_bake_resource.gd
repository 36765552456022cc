@tool
class_name LevelBakeResource
extends Resource
## An imported .bake file, verified on import.

const Level := preload("res://addons/levelbake/level_bake.gd")

@export var bytes := PackedByteArray()

var _level: Level


## The level, opened on first use. Null if the file is damaged.
func level() -> Level:
	if _level == null:
		var opened := Level.new()
		var problem := opened.open(bytes, true)
		if problem != "":
			push_error("%s: %s" % [resource_path, problem])
			return null
		_level = opened
	return _level
