@tool
extends EditorPlugin
## Registers the importer of .bake files with the editor.

const Importer := preload("res://addons/levelbake/importer.gd")

var _importer: EditorImportPlugin


func _enter_tree() -> void:
	_importer = Importer.new()
	add_import_plugin(_importer)


func _exit_tree() -> void:
	remove_import_plugin(_importer)
	_importer = null
