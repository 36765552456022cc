--- Reader of flat files (.bake) for LuaJIT and LÖVE: a thin binding of the C reader.
--
--   local levelbake = require("levelbake")
--   local level = assert(levelbake.open(love.filesystem.read("keep.bake")))
--   local nav = assert(level:profile("walker"))
--   local at, goal = nav:node_at(3, 4), nav:node_at(30, 12)
--   while at and at ~= goal do at = nav:next_hop(at, goal) end
--
-- Nodes, profiles, doors and other objects are numbers from 0, as in the file. A missing result is nil; a failed
-- call returns nil and a message of one line. An argument of the wrong type raises a Lua error.
local ffi = require("ffi")

ffi.cdef [[
typedef struct lb_level lb_level;
typedef struct lb_nav lb_nav;
typedef struct lb_changes lb_changes;
typedef struct { const char *name, *kind; int32_t from, to, both_ways; double cost; } lb_link;
extern const size_t lb_size_of_level, lb_size_of_nav, lb_size_of_changes;
int lb_open(lb_level *, const void *, size_t);
int lb_profile(const lb_level *, const char *, lb_nav *);
const char *lb_error_text(int);
int32_t lb_node_at(const lb_nav *, int32_t, int32_t, int32_t);
int lb_cell_of(const lb_nav *, int32_t, int32_t *, int32_t *, int32_t *);
int lb_stands(const lb_nav *, int32_t);
int32_t lb_nearest(const lb_nav *, double, double, int32_t);
int lb_point_of(const lb_level *, int32_t, double *, double *);
int lb_cell_at(const lb_level *, double, double, int32_t, int32_t *, int32_t *);
int32_t lb_next_hop(const lb_nav *, int32_t, int32_t);
size_t lb_path(const lb_nav *, int32_t, int32_t, int32_t *, size_t);
double lb_distance(const lb_nav *, int32_t, int32_t);
int lb_reachable(const lb_nav *, int32_t, int32_t);
const char *lb_level_name(const lb_level *);
int32_t lb_count(const lb_level *, int);
const char *lb_name(const lb_level *, int, int32_t);
int32_t lb_find(const lb_level *, int, const char *);
const char *lb_id(const lb_level *, int, int32_t);
const char *lb_for_profile(const lb_level *, int, int32_t, int32_t);
int32_t lb_node_of_number(const lb_level *, int64_t);
int64_t lb_number_of_node(const lb_level *, int32_t);
int32_t lb_spot_at(const lb_level *, int32_t);
const char *lb_spot_kind(const lb_level *, int32_t);
int32_t lb_cells(const lb_level *, int, int32_t, const int32_t **);
int32_t lb_door_states(const lb_level *, int32_t);
int32_t lb_door_baked(const lb_level *, int32_t);
const char *lb_door_state_name(const lb_level *, int32_t, int32_t);
const uint8_t *lb_door_terrains(const lb_level *, int32_t, int32_t);
int32_t lb_find_door_state(const lb_level *, int32_t, const char *);
int lb_link_at(const lb_level *, int32_t, lb_link *);
size_t lb_changes_size(const lb_level *, int32_t);
int lb_changes_open(lb_changes *, const lb_level *, int32_t, void *, size_t);
int lb_follow(lb_nav *, lb_changes *);
int lb_set_blocked(lb_changes *, int32_t);
int lb_set_open(lb_changes *, int32_t);
int lb_set_terrain(lb_changes *, int32_t, int32_t);
int lb_set_price(lb_changes *, int32_t, int32_t, double);
int lb_set_door(lb_changes *, int32_t, int32_t);
int32_t lb_door_state(const lb_changes *, int32_t);
void lb_set_baked(lb_changes *);
size_t lb_patch_write(const lb_changes *, char *, size_t);
void lb_numbers(const lb_level *, int32_t *);
int lb_patch_read(lb_changes *, const char *, size_t);
]]

-- The library compiled from readers/c/levelbake.c: the path in LEVELBAKE_LIBRARY, or found by name.
local C = ffi.load(os.getenv("LEVELBAKE_LIBRARY") or "levelbake")

local levelbake = { PROFILES = 0, TERRAINS = 1, DOORS = 2, SPOTS = 3, REGIONS = 4, LINKS = 5, NODES = 6 }
local DOORS, SPOTS, LINKS, NODES = 2, 3, 5, 6
local NO_HOPS = -20 -- LB_ERROR_HOPS
local INT64 = ffi.typeof("int64_t")
local EXACT = 2 ^ 53 - 1 -- the largest whole number that no other one is rounded to

local Level, Nav, Changes = {}, {}, {}
Level.__index, Nav.__index, Changes.__index = Level, Nav, Changes

-- For each object, its C pointer and the memory that the pointer refers to, in a weak table that games cannot
-- change, so that memory lives as long as the objects that use it.
local weak = { __mode = "k" }
local levels, navs, changed = setmetatable({}, weak), setmetatable({}, weak), setmetatable({}, weak)

-- Level 4: errors report the line of the game, which called a method, a function below, and this.
local function expect(what, expected, found)
  local kind = type(found)
  if kind == "string" then kind = ('the string "%s"'):format((found:sub(1, 40):gsub("%c", "?"))) end
  error(("%s: expected %s, found %s"):format(what, expected, kind), 4)
end

local function own(objects, kind, object)
  local found = object ~= nil and objects[object]
  if not found then expect("a call of a method", "a " .. kind .. " before a colon, as in level:name()", object) end
  return found
end

-- Converts a number for C. Invalid numbers (fractions, NaN, out of range) become -1.
local function whole(what, number)
  if type(number) ~= "number" then expect(what, "a number", number) end
  if number < -1 or number > 2147483647 or number % 1 ~= 0 then return -1 end
  return number
end

local function checked(what, kind, value)
  if type(value) ~= kind then expect(what, "a " .. kind, value) end
  return value
end

local function expected_name(found)
  expect("the name of a node", "a string, a number, or beyond 2^53 an int64_t as 9007199254740993LL", found)
end

local function text(found)
  if found == nil then return nil end
  return ffi.string(found)
end
local function known(number)
  if number < 0 then return nil end
  return number
end
local function done(error)
  if error == 0 then return true end
  return nil, ffi.string(C.lb_error_text(error))
end

-- A text with a zero byte cannot be a name, and C would truncate it.
local function is_name(value) return not value:find("\0", 1, true) end

-- Allocates memory aligned to 8 that lives as long as the returned object.
local function room(size) return ffi.new("uint64_t[?]", math.floor(tonumber(size) / 8) + 1) end

--- Open a level from a string with the bytes of a .bake file.
function levelbake.open(bytes)
  if type(bytes) ~= "string" then return nil, "the bytes of a level are a string" end
  local inside = { bytes = room(#bytes), memory = room(C.lb_size_of_level) }
  ffi.copy(inside.bytes, bytes, #bytes)
  inside.pointer = ffi.cast("lb_level *", inside.memory)
  local ok, why = done(C.lb_open(inside.pointer, inside.bytes, #bytes))
  if not ok then return nil, why end
  local level = setmetatable({}, Level)
  levels[level] = inside
  return level
end

-- Allocate the C state of changes, with a capacity for costs of single arcs.
local function opened(level, prices)
  local size = C.lb_changes_size(level.pointer, prices)
  if size == 0 then return nil, "room for prices of 0 to 16777216 single arcs can be had" end
  local inside = { level = level, memory = room(C.lb_size_of_changes), room = room(size) }
  inside.pointer = ffi.cast("lb_changes *", inside.memory)
  local ok, why = done(C.lb_changes_open(inside.pointer, level.pointer, prices, inside.room, size))
  if not ok then return nil, why end
  return inside
end

--- Return the queries for a profile; the first profile by default.
function Level:profile(name)
  local level = own(levels, "level", self)
  if name ~= nil and not is_name(checked("the name of a profile", "string", name)) then
    return nil, "no such profile in this file"
  end
  local inside = { level = level, memory = room(C.lb_size_of_nav) }
  inside.pointer = ffi.cast("lb_nav *", inside.memory)
  local error, why = C.lb_profile(level.pointer, name, inside.pointer), nil
  if error == NO_HOPS then -- It searches, in changes of its own in which nothing changes.
    inside.searched, why = opened(level, 0)
    if not inside.searched then return nil, why end
    error = C.lb_follow(inside.pointer, inside.searched.pointer)
  end
  local ok
  ok, why = done(error)
  if not ok then return nil, why end
  local nav = setmetatable({}, Nav)
  navs[nav] = inside
  return nav
end

--- Return the kind and size of the level; the height is that of one floor, in cells.
function Level:size()
  local level, numbers = own(levels, "level", self), ffi.new("int32_t[7]")
  C.lb_numbers(level.pointer, numbers)
  local kinds = { [0] = "graph", "squares", "hexagons" }
  return { kind = kinds[numbers[0]], width = numbers[1], height = numbers[2], floors = numbers[3],
           directions = numbers[4], ticks_per_unit = numbers[5], nodes = numbers[6] }
end

function Level:name() return text(C.lb_level_name(own(levels, "level", self).pointer)) end
--- Return the count of objects of a kind, the name of one, and the number of a name.
function Level:count(kind) return C.lb_count(own(levels, "level", self).pointer, whole("the kind of things", kind)) end
function Level:name_of(kind, number)
  local level = own(levels, "level", self)
  return text(C.lb_name(level.pointer, whole("the kind of things", kind), whole("the number of a thing", number)))
end
function Level:find(kind, name)
  local level = own(levels, "level", self)
  kind = whole("the kind of things", kind)
  if not is_name(checked("the name of a thing", "string", name)) then return nil end
  return known(C.lb_find(level.pointer, kind, name))
end
function Level:id_of(kind, number)
  local level = own(levels, "level", self)
  return text(C.lb_id(level.pointer, whole("the kind of things", kind), whole("the number of a thing", number)))
end

--- Return the names of the profiles that a spot or link is for; empty = all.
function Level:profiles_of(kind, number)
  local level, found = own(levels, "level", self), {}
  kind, number = whole("the kind of things", kind), whole("the number of a thing", number)
  while true do
    local name = text(C.lb_for_profile(level.pointer, kind, number, #found))
    if not name then return found end
    found[#found + 1] = name
  end
end

--- Return the name of a graph's node: a string or a number; an int64_t beyond 2^53, where Lua's numbers round.
function Level:node_name(node)
  local level = own(levels, "level", self)
  node = whole("a node", node)
  local name, size = text(C.lb_name(level.pointer, NODES, node)), self:size()
  if name or size.kind ~= "graph" or node < 0 or node >= size.nodes then return name end
  local number = C.lb_number_of_node(level.pointer, node)
  if number < -EXACT or number > EXACT then return number end
  return tonumber(number)
end

--- Return the node with a name: a string, a number or an int64_t.
function Level:node_named(name)
  local level, number = own(levels, "level", self), nil
  if type(name) == "string" then
    if not is_name(name) then return nil end
    local node = C.lb_find(level.pointer, NODES, name)
    if node >= 0 or not name:find("^%-?%d+$") then return known(node) end
    number = INT64(0)
    for digit in name:gmatch("%d") do number = number * 10 + (name:sub(1, 1) == "-" and -1 or 1) * tonumber(digit) end
    if tostring(number) ~= name .. "LL" then return nil end -- It is not so written, or too large.
  elseif type(name) == "number" and name >= -EXACT and name <= EXACT then
    if name % 1 ~= 0 then return nil end
    number = INT64(name)
  else
    if not ffi.istype(INT64, name) then expected_name(name) end
    number = name
  end
  return known(C.lb_node_of_number(level.pointer, number))
end

--- Return the nodes of a door or region.
function Level:cells(kind, number)
  local level, cells, found = own(levels, "level", self), ffi.new("const int32_t *[1]"), {}
  kind, number = whole("the kind of things", kind), whole("the number of a thing", number)
  for i = 0, C.lb_cells(level.pointer, kind, number, cells) - 1 do found[i + 1] = cells[0][i] end
  return found
end

function Level:spot(number)
  local level = own(levels, "level", self)
  number = whole("the number of a spot", number)
  local at = known(C.lb_spot_at(level.pointer, number))
  if not at then return nil end
  return { name = self:name_of(SPOTS, number), kind = text(C.lb_spot_kind(level.pointer, number)), node = at,
           profiles = self:profiles_of(SPOTS, number), id = self:id_of(SPOTS, number) }
end

function Level:link(number)
  local level, link = own(levels, "level", self), ffi.new("lb_link")
  number = whole("the number of a link", number)
  if C.lb_link_at(level.pointer, number, link) == 0 then return nil end
  return { name = text(link.name), kind = text(link.kind), from = link.from, to = link.to, cost = link.cost,
           both_ways = link.both_ways ~= 0, profiles = self:profiles_of(LINKS, number), id = self:id_of(LINKS, number) }
end

--- Return a door: its name, nodes, baked state, and the terrains of its nodes in each state.
function Level:door(number)
  local level = own(levels, "level", self)
  number = whole("the number of a door", number)
  local name = self:name_of(DOORS, number)
  if not name then return nil end
  local found = { name = name, nodes = self:cells(DOORS, number), states = {}, id = self:id_of(DOORS, number) }
  found.baked = text(C.lb_door_state_name(level.pointer, number, C.lb_door_baked(level.pointer, number)))
  for state = 0, C.lb_door_states(level.pointer, number) - 1 do
    local terrains, codes = C.lb_door_terrains(level.pointer, number, state), {}
    for i = 1, #found.nodes do codes[i] = terrains[i - 1] end
    found.states[state + 1] = { name = text(C.lb_door_state_name(level.pointer, number, state)), terrains = codes }
  end
  return found
end

--- Convert between nodes and points in the units of the level's source.
function Level:point_of(node)
  local level, at = own(levels, "level", self), ffi.new("double[2]")
  if C.lb_point_of(level.pointer, whole("a node", node), at, at + 1) == 0 then return nil end
  return at[0], at[1]
end
function Level:cell_at(x, y, floor)
  local level, at = own(levels, "level", self), ffi.new("int32_t[2]")
  x, y = checked("x", "number", x), checked("y", "number", y)
  if C.lb_cell_at(level.pointer, x, y, whole("a floor", floor or 0), at, at + 1) == 0 then return nil end
  return at[0], at[1]
end

function Nav:node_at(x, y, floor)
  local nav = own(navs, "nav", self)
  return known(C.lb_node_at(nav.pointer, whole("x", x), whole("y", y), whole("a floor", floor or 0)))
end
function Nav:cell_of(node)
  local nav, at = own(navs, "nav", self), ffi.new("int32_t[3]")
  if C.lb_cell_of(nav.pointer, whole("a node", node), at, at + 1, at + 2) == 0 then return nil end
  return at[0], at[1], at[2]
end
function Nav:stands(node) return C.lb_stands(own(navs, "nav", self).pointer, whole("a node", node)) ~= 0 end
function Nav:nearest(x, y, floor)
  local nav = own(navs, "nav", self)
  x, y = checked("x", "number", x), checked("y", "number", y)
  return known(C.lb_nearest(nav.pointer, x, y, whole("a floor", floor or 0)))
end
--- Return the next node on a shortest path; the node itself when already there; nil if unreachable.
function Nav:next_hop(from, to)
  local nav = own(navs, "nav", self)
  return known(C.lb_next_hop(nav.pointer, whole("the node from", from), whole("the node to", to)))
end
function Nav:reachable(from, to)
  local nav = own(navs, "nav", self)
  return C.lb_reachable(nav.pointer, whole("the node from", from), whole("the node to", to)) ~= 0
end
--- Return the cost of a shortest path in units; math.huge if unreachable.
function Nav:distance(from, to)
  local nav = own(navs, "nav", self)
  return C.lb_distance(nav.pointer, whole("the node from", from), whole("the node to", to))
end
--- Return the nodes of a shortest path, both ends included; nil if unreachable.
function Nav:path(from, to)
  local nav = own(navs, "nav", self)
  from, to = whole("the node from", from), whole("the node to", to)
  local count = tonumber(C.lb_path(nav.pointer, from, to, nil, 0))
  if count == 0 then return nil end
  local nodes, found = ffi.new("int32_t[?]", count), {}
  C.lb_path(nav.pointer, from, to, nodes, count)
  for i = 1, count do found[i] = nodes[i - 1] end
  return found
end

--- Query the changed level from now on; nil = the baked level. On an error, nothing changes.
function Nav:follow(changes)
  local nav, followed = own(navs, "nav", self), nil
  if changes ~= nil then
    followed = changed[changes]
    if not followed then own(changed, "changes object", changes) end
  end
  local used = followed or nav.searched
  local ok, why = done(C.lb_follow(nav.pointer, used and used.pointer))
  if not ok then return nil, why end
  nav.followed = used
  return true
end

--- Return changes of the level, with a capacity for costs of single arcs (default 64).
function Level:changes(prices)
  local level = own(levels, "level", self)
  local inside, why = opened(level, whole("the prices to have room for", prices or 64))
  if not inside then return nil, why end
  local changes = setmetatable({}, Changes)
  changed[changes] = inside
  return changes
end

function Changes:block(node)
  return done(C.lb_set_blocked(own(changed, "changes object", self).pointer, whole("a node", node)))
end
function Changes:open(node)
  return done(C.lb_set_open(own(changed, "changes object", self).pointer, whole("a node", node)))
end
function Changes:terrain(node, code)
  local changes = own(changed, "changes object", self)
  return done(C.lb_set_terrain(changes.pointer, whole("a node", node), whole("the number of a terrain", code)))
end
--- Set the cost of all arcs between two nodes in units: math.huge closes them, nil restores the usual cost.
function Changes:price(from, to, units)
  local changes = own(changed, "changes object", self)
  from, to = whole("the node from", from), whole("the node to", to)
  if units ~= nil and not (checked("a price", "number", units) > 0) then units = 0 end
  return done(C.lb_set_price(changes.pointer, from, to, units or -1))
end
function Changes:door(number, state)
  local changes = own(changed, "changes object", self)
  return done(C.lb_set_door(changes.pointer, whole("the number of a door", number), whole("the number of a state", state)))
end
function Changes:door_state(number)
  local changes = own(changed, "changes object", self)
  number = whole("the number of a door", number)
  return text(C.lb_door_state_name(changes.level.pointer, number, C.lb_door_state(changes.pointer, number)))
end
function Changes:reset() C.lb_set_baked(own(changed, "changes object", self).pointer) end
function Changes:patch()
  local changes = own(changed, "changes object", self)
  local size = C.lb_patch_write(changes.pointer, nil, 0)
  local said = ffi.new("char[?]", size)
  C.lb_patch_write(changes.pointer, said, size)
  return ffi.string(said, size)
end
function Changes:apply(patch)
  local changes = own(changed, "changes object", self)
  checked("a patch", "string", patch)
  return done(C.lb_patch_read(changes.pointer, patch, #patch))
end

return levelbake
