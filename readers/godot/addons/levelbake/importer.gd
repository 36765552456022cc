@tool
extends EditorImportPlugin
## Imports a .bake file, and verifies it once, so that games open it without verification.

const Level := preload("res://addons/levelbake/level_bake.gd")
const Imported := preload("res://addons/levelbake/level_bake_resource.gd")


func _get_importer_name() -> String:
	return "levelbake.level"


func _get_visible_name() -> String:
	return "Baked level"


func _get_recognized_extensions() -> PackedStringArray:
	return PackedStringArray(["bake"])


func _get_save_extension() -> String:
	return "res"


func _get_resource_type() -> String:
	return "Resource"


func _get_priority() -> float:
	return 1.0


func _get_import_order() -> int:
	return IMPORT_ORDER_DEFAULT


func _get_preset_count() -> int:
	return 1


func _get_preset_name(_preset_index: int) -> String:
	return "Default"


func _get_import_options(_path: String, _preset_index: int) -> Array[Dictionary]:
	return []


func _get_option_visibility(_path: String, _option: StringName, _options: Dictionary) -> bool:
	return true


func _import(source_file: String, save_path: String, _options: Dictionary, _platform_variants: Array[String], _gen_files: Array[String]) -> Error:
	var bytes := FileAccess.get_file_as_bytes(source_file)
	if bytes.is_empty():
		push_error("%s: cannot be read" % source_file)
		return ERR_FILE_CANT_READ
	var problem := Level.new().open(bytes)
	if problem != "":
		push_error("%s: %s" % [source_file, problem])
		return ERR_FILE_CORRUPT
	var resource := Imported.new()
	resource.bytes = bytes
	return ResourceSaver.save(resource, "%s.%s" % [save_path, _get_save_extension()])
