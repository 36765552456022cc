@tool
extends RefCounted
## Reads and verifies the columns of a flat file (docs/format.md).
##
## Nothing is copied: queries decode numbers directly from the bytes of the file.

const BLOCKED := 0x7fffffff
const NO_CLASS := 0xffff
const MAX_WEIGHT := 1 << 29

# Each line declares a column: name, numbers of the allowed types, dimensions, when it is required,
# and the constraint on its elements. A letter is a length, equal in all columns; "+" adds one, and
# "z" is the width of text, which is not checked. Required: always (*), on grids (#), on graphs (&),
# never (? and -), together with the last column above marked with ? (=), or with links (l).
# Elements: less than a length (<); -1 or less than a length (-); offsets into a list (^: from 0 to
# its length, nondecreasing; %: increasing); ticks ($); or classes (~).
const LEVEL := """
numbers 4 14 *
name 7 1,z *
recipe 7 1,z *
profile_name 7 P,z *
terrain_name 7 T,z *
terrain_colour 1 T,3 *
terrain 1 L * <T
barred 1 L -
first_out 4 L+ & ^A
head 4 A & <L
length 6 A &
position 6 L,2 -
elevation 6 L -
cell 4 L,3 -
node_name 7 L,z -
node_number 5 L -
centre 6 F,2 ?
step 6 S,2 =
link_from 4 l ? <L
link_to 4 l = <L
link_ticks 4 l = $
link_number 4 l = <i
link_name 7 i,z =
link_id 7 i,z -
link_kind 7 i,z =
link_start 4 i = <L
link_goal 4 i = <L
link_cost 6 i =
link_both_ways 1 i =
link_first_profile 4 i+ = ^j
link_profile 7 j,z =
price_from 4 p ? <L
price_to 4 p = <L
price_ticks 4 p = $
price_units 6 p =
region_name 7 g,z ?
region_id 7 g,z -
region_first_cell 4 g+ = ^c
region_cell 4 c = <L
spot_name 7 s,z ?
spot_id 7 s,z -
spot_kind 7 s,z =
spot_at 4 s = <L
spot_first_profile 4 s+ = ^t
spot_profile 7 t,z =
door_name 7 d,z ?
door_id 7 d,z -
door_first_cell 4 d+ = ^e
door_cell 4 e = <L
door_first_state 4 d+ = ^f
door_state_name 7 f,z =
door_state 4 d = -f
door_first_terrain 4 f+ = ^h
door_terrain 1 h = <T"""

const PROFILE := """
numbers 4 8 *
cost 6 T *
class 2 T * ~C
step_ticks 4 2,C,C # $
may_enter 1 T,T -
row_at 4 L * -R
component 4 R - <K
reach 1 K,b -
first_run 3 R+ ? %u
run_start 23 u =
run_move 123 u =
greedy_kind 123 R ? <k
greedy_move 123 k,18 =
link_open 1 l l
weight 4 A & $
slope 6 4 -
label_away 4 q ?
label_parent 4 R = -R
label_top 4 R = <R
first_label 3 R+ = %q
label_toward 4 q -"""

const MAGIC := [0x8b, 0x42, 0x4b, 0x45, 13, 10, 26, 10]
# "version https://", the start of Git LFS pointers.
const POINTER := [118, 101, 114, 115, 105, 111, 110, 32, 104, 116, 116, 112, 115, 58, 47, 47]
const SIZES := [0, 1, 2, 4, 4, 8, 8, 1]
const TEXT := 7

var bytes := PackedByteArray()
## The fault of the file in one line; empty if it is valid.
var problem := ""
## Whether the checksum and the columns were verified before, such as on import.
var trusted := false
var _columns := {}


## Reads the header and the table of columns; false if invalid, see [member problem].
func parse(source: PackedByteArray, is_trusted: bool) -> bool:
	bytes = source
	trusted = is_trusted
	var size := bytes.size()
	var ours := size >= 64
	for i in range(8):
		ours = ours and bytes[i] == MAGIC[i]
	var is_pointer := size >= 64
	for i in range(len(POINTER)):
		is_pointer = is_pointer and bytes[i] == POINTER[i]
	if is_pointer:
		return refuse("this is a Git LFS pointer; run `git lfs pull`")
	if not ours:
		return refuse("this is no .bake file")
	var version := bytes.decode_u16(8)
	if version != 3:
		return refuse("version %d of flat files; this reader knows 3" % version)
	var said := bytes.decode_s64(16)
	if said < 0 or said >= 1 << 31:
		return refuse("the file is larger than 2 GiB, which this reader cannot hold")
	if said != size or size % 64 != 0:
		return refuse("the file has %d bytes, expected %d" % [size, said])
	var count := bytes.decode_u16(10)
	if 64 + 64 * count > size:
		return damaged("its table is longer than the file")
	if not trusted and not _sums_fit():
		return damaged("its checksum does not fit")
	for i in range(1, count + 1):
		if not _add_column(64 * i, 64 + 64 * count):
			return false
	return true


func refuse(what: String) -> bool:
	if problem == "":
		problem = what
	return false


func damaged(what: String) -> bool:
	return refuse("the file is damaged: " + what)


func _sums_fit() -> bool:
	var total := 1
	var totals := 0
	var words := stream(0)
	for _i in range(14):
		total += words.get_u32()
		totals += total
	# The stored sums count as zeros.
	totals += 2 * total
	words.seek(64)
	# A file of 2 GiB has 2^29 words, whose sum lies below 2^61.
	for _i in range(16, _quotient(bytes.size(), 4)):
		total += words.get_u32()
		totals = (totals + total) & 0xffffffff
	return total & 0xffffffff == bytes.decode_u32(56) and totals == bytes.decode_u32(60)


## Returns a stream from a position on: sequential decoding is faster than decoding at offsets.
func stream(at: int) -> StreamPeerBuffer:
	var found := StreamPeerBuffer.new()
	found.data_array = bytes
	found.seek(at)
	return found


func _add_column(at: int, first: int) -> bool:
	var name := text_at(at, 24)
	var type := bytes.decode_u16(at + 28)
	var dimensions := bytes.decode_u16(at + 30)
	var offset := bytes.decode_s64(at + 48)
	var length := bytes.decode_s64(at + 56)
	var fits := type >= 1 and type <= 7 and dimensions >= 1 and dimensions <= 4
	fits = fits and offset % 64 == 0 and offset >= first and offset <= bytes.size()
	fits = fits and length >= 0 and length <= bytes.size() - offset
	var shape := []
	var product := 0
	if fits:
		product = SIZES[type]
		for i in range(dimensions):
			var side := bytes.decode_u32(at + 32 + 4 * i)
			shape.append(side)
			# No product of lengths of a column that lies in the file exceeds its size.
			fits = fits and (product == 0 or side <= _quotient(bytes.size(), product))
			product = product * side if fits else 0
	if not fits or product != length:
		return damaged("column %s does not lie in it" % name)
	var count := _quotient(length, SIZES[type])
	var column := {"at": offset, "type": type, "shape": shape, "count": count}
	_columns["%d %s" % [bytes.decode_s32(at + 24), name]] = column
	return true


func _quotient(number: int, by: int) -> int:
	return number / by


## Returns the text of a field, up to the first zero byte.
func text_at(at: int, width: int) -> String:
	var end := at
	while end < at + width and bytes[end] != 0:
		end += 1
	if end == at:
		return ""
	return bytes.slice(at, end).get_string_from_utf8()  # 3: return bytes.subarray(at, end - 1).get_string_from_utf8()


func numbers(profile: int, count: int) -> Array:
	var column: Dictionary = _columns.get("%d numbers" % profile, {})
	if column.get("type", 0) != 4 or column["count"] != count:
		damaged("column numbers")
		return []
	var found := []
	for i in range(count):
		found.append(bytes.decode_s32(column["at"] + 4 * i))
	return found


## Returns the columns of the level (-1) or of a profile by name; empty if the file is invalid.
func checked(profile: int, lengths: Dictionary, grid: bool, links: bool) -> Dictionary:
	var found := {}
	var checks := []
	var leader := false
	for line in (LEVEL if profile < 0 else PROFILE).split("\n", false):
		var words: Array = Array(line.split(" "))
		var key := "%d %s" % [profile, words[0]]
		var there := _columns.has(key)
		if words[3] == "?":
			leader = there
		if not there or (words[3] == "=" and not leader):
			var wanted := "*" + ("#" if grid else "&") + ("=" if leader else "")
			if (wanted + ("l" if links else "")).find(words[3]) >= 0:
				damaged("it has no column " + words[0])
				return {}
			continue
		var column: Dictionary = _columns[key]
		var typed: bool = words[1].find(str(column["type"])) >= 0
		if not typed or not _shaped(column["shape"], words[2].split(","), lengths):
			damaged("column %s has another type or shape" % words[0])
			return {}
		found[words[0]] = column
		if words.size() > 4:
			checks.append(words)
	for words in checks:
		if trusted:
			break
		var limit: int = lengths.get(words[4].substr(1, 1), 0)
		if not _in_range(found[words[0]], words[4].substr(0, 1), limit):
			damaged("a number in column %s is out of range" % words[0])
			return {}
	return found


func _shaped(shape: Array, names: PackedStringArray, lengths: Dictionary) -> bool:
	if names.size() != shape.size():
		return false
	for i in range(names.size()):
		if names[i] == "z":
			continue
		var letter := names[i].substr(0, 1)
		var length: int = shape[i] - (1 if names[i].find("+") >= 0 else 0)
		var wanted: int = names[i].to_int()
		if wanted == 0:
			if not lengths.has(letter):
				lengths[letter] = length
			wanted = lengths[letter]
		if length != wanted or length < 0:
			return false
	return true


func _in_range(column: Dictionary, kind: String, limit: int) -> bool:
	var numbers := numbers_in(column)
	if kind == "^" or kind == "%":
		return _is_list(numbers, 1 if kind == "%" else 0, limit)
	if kind == "$":
		for ticks in numbers:
			if ticks < 1 or (ticks > MAX_WEIGHT and ticks != BLOCKED):
				return false
		return true
	var least := -1 if kind == "-" else 0
	var classes := kind == "~"
	for value in numbers:
		if (value < least or value >= limit) and not (classes and value == NO_CLASS):
			return false
	return true


## Returns whether numbers start with 0, end with a limit, and increase by at least a difference.
func _is_list(numbers: Array, more: int, limit: int) -> bool:
	if numbers.size() == 0 or numbers.front() != 0 or numbers.back() != limit:
		return false
	var least := 0
	for value in numbers:
		if value < least:
			return false
		least = value + more
	return true


## Returns all integers of a column.
func numbers_in(column: Dictionary) -> Array:
	var found := []
	var count: int = column["count"]
	var from := stream(column["at"])
	found.resize(count)
	match column["type"]:
		1:
			for i in range(count):
				found[i] = from.get_u8()
		2:
			for i in range(count):
				found[i] = from.get_u16()
		3:
			for i in range(count):
				found[i] = from.get_u32()
		5:
			for i in range(count):
				found[i] = from.get_64()
		_:
			for i in range(count):
				found[i] = from.get_32()
	return found


## Returns one integer of a column.
func number(column: Dictionary, i: int) -> int:
	match column["type"]:
		1:
			return bytes[column["at"] + i]
		2:
			return bytes.decode_u16(column["at"] + 2 * i)
		3:
			return bytes.decode_u32(column["at"] + 4 * i)
		5:
			return bytes.decode_s64(column["at"] + 8 * i)
	return bytes.decode_s32(column["at"] + 4 * i)


func real(column: Dictionary, i: int) -> float:
	return bytes.decode_double(column["at"] + 8 * i)


func text(column: Dictionary, i: int) -> String:
	var width: int = column["shape"][1]
	return text_at(column["at"] + i * width, width)
