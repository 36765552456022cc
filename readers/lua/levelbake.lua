--- Levels that `bake export` wrote, for LuaJIT and LÖVE: a thin binding of the C reader.
--
--   local levelbake = require("levelbake")
--   local level = assert(levelbake.open(love.filesystem.read("keep.bake")))
--   local nav = assert(level:profile("walker"))
--   local at, goal = nav:node_at(3, 4), nav:node_at(30, 12)
--   while at and at ~= goal do at = nav:next_hop(at, goal) end
--
-- Nodes, profiles, doors and the like are numbers from 0, as in the file. Whatever has no answer is nil, and
-- what is refused is nil and a line that says why. Nothing given here makes the reader leave its arrays.
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

-- The library that readers/c/levelbake.c makes: LEVELBAKE_LIBRARY says where, or it is found by its name.
local C = ffi.load(os.getenv("LEVELBAKE_LIBRARY") or "levelbake")

local levelbake = { PROFILES = 0, TERRAINS = 1, DOORS = 2, SPOTS = 3, REGIONS = 4, LINKS = 5, NODES = 6 }
local Level, Nav, Changes = {}, {}, {}
Level.__index, Nav.__index, Changes.__index = Level, Nav, Changes

local function text(found) if found ~= nil then return ffi.string(found) end end
local function known(number) if number >= 0 then return number end end
local function done(error) if error == 0 then return true end return nil, ffi.string(C.lb_error_text(error)) end

-- A number that C can take; anything else is no node.
local function whole(number)
  if type(number) ~= "number" or number < -1 or number > 2147483647 or number % 1 ~= 0 then return -1 end
  return number
end

-- Memory at a multiple of 8 that lives as long as what is returned.
local function room(size) return ffi.new("uint64_t[?]", math.floor(tonumber(size) / 8) + 1) end

--- Open a level from the bytes of its file: a string.
function levelbake.open(bytes)
  if type(bytes) ~= "string" then return nil, "the bytes of a level are a string" end
  local self = setmetatable({ bytes = room(#bytes), memory = room(C.lb_size_of_level) }, Level)
  ffi.copy(self.bytes, bytes, #bytes)
  self.pointer = ffi.cast("lb_level *", self.memory)
  local ok, why = done(C.lb_open(self.pointer, self.bytes, #bytes))
  if not ok then return nil, why end
  return self
end

--- A navigator for the profile of a name, or for the first one.
function Level:profile(name)
  local nav = setmetatable({ level = self, memory = room(C.lb_size_of_nav) }, Nav)
  nav.pointer = ffi.cast("lb_nav *", nav.memory)
  local ok, why = done(C.lb_profile(self.pointer, name, nav.pointer))
  if not ok then return nil, why end
  return nav
end

--- What kind of level it is, and how large: in cells, those of one floor for the height.
function Level:size()
  local numbers = ffi.new("int32_t[7]")
  C.lb_numbers(self.pointer, numbers)
  local kinds = { [0] = "graph", "squares", "hexagons" }
  return { kind = kinds[numbers[0]], width = numbers[1], height = numbers[2], floors = numbers[3],
           directions = numbers[4], ticks_per_unit = numbers[5], nodes = numbers[6] }
end

function Level:name() return text(C.lb_level_name(self.pointer)) end
--- How many things of a kind there are, their names and their numbers.
function Level:count(kind) return C.lb_count(self.pointer, kind) end
function Level:name_of(kind, number) return text(C.lb_name(self.pointer, kind, whole(number))) end
function Level:find(kind, name) return known(C.lb_find(self.pointer, kind, name)) end
function Level:id_of(kind, number) return text(C.lb_id(self.pointer, kind, whole(number))) end

--- The names of the profiles that a spot or link is for; none: it is for all.
function Level:profiles_of(kind, number)
  local found = {}
  while true do
    local name = text(C.lb_for_profile(self.pointer, kind, whole(number), #found))
    if not name then return found end
    found[#found + 1] = name
  end
end

--- The name of a graph's node, a text or a number, and the node that has it.
function Level:node_name(node)
  local name = text(C.lb_name(self.pointer, levelbake.NODES, whole(node)))
  return name or tonumber(C.lb_number_of_node(self.pointer, whole(node)))
end
function Level:node_named(name)
  if type(name) == "number" then return known(C.lb_node_of_number(self.pointer, name)) end
  return self:find(levelbake.NODES, name)
end

--- The cells of a door or region.
function Level:cells(kind, number)
  local cells, found = ffi.new("const int32_t *[1]"), {}
  for i = 0, C.lb_cells(self.pointer, kind, whole(number), cells) - 1 do found[i + 1] = cells[0][i] end
  return found
end

function Level:spot(number)
  local at = known(C.lb_spot_at(self.pointer, whole(number)))
  if not at then return nil end
  return { name = self:name_of(3, number), kind = text(C.lb_spot_kind(self.pointer, number)), node = at,
           profiles = self:profiles_of(3, number), id = self:id_of(3, number) }
end

function Level:link(number)
  local link = ffi.new("lb_link")
  if C.lb_link_at(self.pointer, whole(number), link) == 0 then return nil end
  return { name = text(link.name), kind = text(link.kind), from = link.from, to = link.to, cost = link.cost,
           both_ways = link.both_ways ~= 0, profiles = self:profiles_of(5, number), id = self:id_of(5, number) }
end

--- A door: its name, nodes, the state it was baked in, and the terrains of its nodes in each state.
function Level:door(number)
  local name = self:name_of(levelbake.DOORS, number)
  if not name then return nil end
  local found = { name = name, nodes = self:cells(levelbake.DOORS, number), states = {}, id = self:id_of(2, number) }
  found.baked = text(C.lb_door_state_name(self.pointer, number, C.lb_door_baked(self.pointer, number)))
  for state = 0, C.lb_door_states(self.pointer, number) - 1 do
    local terrains, codes = C.lb_door_terrains(self.pointer, number, state), {}
    for i = 1, #found.nodes do codes[i] = terrains[i - 1] end
    found.states[state + 1] = { name = text(C.lb_door_state_name(self.pointer, number, state)), terrains = codes }
  end
  return found
end

--- Where the middle of a node lies in the units of the source, and the cell that a point lies in.
function Level:point_of(node)
  local at = ffi.new("double[2]")
  if C.lb_point_of(self.pointer, whole(node), at, at + 1) ~= 0 then return at[0], at[1] end
end
function Level:cell_at(x, y, floor)
  local at = ffi.new("int32_t[2]")
  if C.lb_cell_at(self.pointer, x, y, whole(floor or 0), at, at + 1) ~= 0 then return at[0], at[1] end
end

function Nav:node_at(x, y, floor)
  return known(C.lb_node_at(self.pointer, whole(x), whole(y), whole(floor or 0)))
end
function Nav:cell_of(node)
  local at = ffi.new("int32_t[3]")
  if C.lb_cell_of(self.pointer, whole(node), at, at + 1, at + 2) ~= 0 then return at[0], at[1], at[2] end
end
function Nav:stands(node) return C.lb_stands(self.pointer, whole(node)) ~= 0 end
function Nav:nearest(x, y, floor) return known(C.lb_nearest(self.pointer, x, y, whole(floor or 0))) end
--- The node to step to on a shortest path, the node itself when there; nil: no path.
function Nav:next_hop(from, to) return known(C.lb_next_hop(self.pointer, whole(from), whole(to))) end
function Nav:reachable(from, to) return C.lb_reachable(self.pointer, whole(from), whole(to)) ~= 0 end
--- The cost of a shortest path in units; math.huge: none.
function Nav:distance(from, to) return C.lb_distance(self.pointer, whole(from), whole(to)) end
--- The nodes of a shortest path, both ends included; nil: none.
function Nav:path(from, to)
  from, to = whole(from), whole(to)
  local count = tonumber(C.lb_path(self.pointer, from, to, nil, 0))
  if count == 0 then return nil end
  local nodes, found = ffi.new("int32_t[?]", count), {}
  C.lb_path(self.pointer, from, to, nodes, count)
  for i = 1, count do found[i] = nodes[i - 1] end
  return found
end

--- Follow changes of the level from now on; nil: answer as it was baked.
function Nav:follow(changes)
  self.changes = changes
  return done(C.lb_follow(self.pointer, changes and changes.pointer))
end

--- Changes of the level, with room for prices of so many single arcs (64).
function Level:changes(prices)
  local size = C.lb_changes_size(self.pointer, whole(prices or 64))
  local self = setmetatable({ level = self, memory = room(C.lb_size_of_changes), room = room(size) }, Changes)
  self.pointer = ffi.cast("lb_changes *", self.memory)
  local ok, why = done(C.lb_changes_open(self.pointer, self.level.pointer, whole(prices or 64), self.room, size))
  if not ok then return nil, why end
  return self
end

function Changes:block(node) return done(C.lb_set_blocked(self.pointer, whole(node))) end
function Changes:open(node) return done(C.lb_set_open(self.pointer, whole(node))) end
function Changes:terrain(node, code) return done(C.lb_set_terrain(self.pointer, whole(node), whole(code))) end
--- The price of all arcs between two nodes in units: math.huge closes them, nil is the usual one.
function Changes:price(from, to, units)
  if units and not (units > 0) then units = 0 end
  return done(C.lb_set_price(self.pointer, whole(from), whole(to), units or -1))
end
function Changes:door(number, state) return done(C.lb_set_door(self.pointer, whole(number), whole(state))) end
function Changes:door_state(number)
  local state = C.lb_door_state(self.pointer, whole(number))
  return text(C.lb_door_state_name(self.level.pointer, whole(number), state))
end
function Changes:reset() C.lb_set_baked(self.pointer) end
function Changes:patch()
  local size = C.lb_patch_write(self.pointer, nil, 0)
  local said = ffi.new("char[?]", size)
  C.lb_patch_write(self.pointer, said, size)
  return ffi.string(said, size)
end
function Changes:apply(patch) return done(C.lb_patch_read(self.pointer, patch, #patch)) end

return levelbake
