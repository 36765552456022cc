-- Answers the questions of a file with the Lua reader: see tests/support/readers.py.
local questions, answers, reader = arg[1], arg[2], arg[3]
package.path = reader .. "/?.lua;" .. package.path
local levelbake = require("levelbake")

local level, nav, changes, kept, follows
local commands = {}
local function int(word) return tonumber(word) or -1 end
local function said(ok, why) return ok and "ok" or "error: " .. tostring(why) end

-- Bytes that are no UTF-8, as damaged files have them, become question marks.
local function plain(text)
  return (text:gsub("[\128-\255]+", function(run)
    local found, at = {}, 1
    while at <= #run do
      local sign = run:match("^[\194-\223][\128-\191]", at) or run:match("^[\225-\236][\128-\191][\128-\191]", at)
      found[#found + 1] = sign or "?"
      at = at + (sign and #sign or 1)
    end
    return table.concat(found)
  end))
end

local function json(value)
  if type(value) == "string" then
    local escaped = value:gsub('[%c"\\]', function(sign) return ("\\u%04x"):format(sign:byte()) end)
    return '"' .. plain(escaped) .. '"'
  elseif type(value) ~= "table" then
    return value == nil and "null" or type(value) == "number" and ("%.17g"):format(value) or tostring(value)
  end
  local parts = {}
  for i = 1, value.n or #value do parts[i] = json(value[i]) end
  return "[" .. table.concat(parts, ",") .. "]"
end

function commands.load(path, ...)
  level, nav, follows = nil, nil, false
  if path ~= "=" then
    local file = assert(io.open(path, "rb"))
    kept = file:read("*a")
    file:close()
  end
  local data = kept
  for _, change in ipairs { ... } do
    local at, raw, times = change:match("^([^:]+):([^:]*):?(%d*)$")
    if at == "size" then
      data = data:sub(1, int(raw)) .. ("\0"):rep(int(raw) - #data)
    else
      local bytes = raw:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end):rep(int(times))
      data = data:sub(1, int(at)) .. bytes .. data:sub(int(at) + #bytes + 1)
    end
  end
  local opened, why = levelbake.open(data)
  if not opened then return said(nil, why) end
  level = opened
  changes = assert(level:changes())
  nav = assert(level:profile())
  return "ok"
end

function commands.profile(i)
  local name = level:name_of(levelbake.PROFILES, int(i))
  if not name then return said(nil, "no such profile") end
  nav = assert(level:profile(name))
  if follows then assert(nav:follow(changes)) end
  return "ok"
end

local function list(kind, make)
  local found = { n = level:count(kind) }
  for i = 0, found.n - 1 do found[i + 1] = make(i) end
  return found
end

function commands.about()
  local l = level
  local name_of = function(kind) return function(i) return l:name_of(kind, i) end end
  local spots = list(3, function(i)
    local each = l:spot(i)
    return { each.name, each.kind, each.node, each.profiles, each.id or "" }
  end)
  local regions = list(4, function(i) return { l:name_of(4, i), l:cells(4, i), l:id_of(4, i) or "" } end)
  local doors = list(2, function(i)
    local each, states = l:door(i), {}
    for k, state in ipairs(each.states) do states[k] = { state.name, state.terrains } end
    return { each.name, each.nodes, each.baked, states, each.id or "", n = 5 }
  end)
  local links = list(5, function(i)
    local each = l:link(i)
    return { each.name, each.kind, each.from, each.to, each.cost, each.both_ways, each.profiles, each.id or "" }
  end)
  local size = l:size()
  local function named(i) -- Numbers of Lua are written with 14 digits, and integers of C with a suffix.
    local name = l:node_name(i)
    return type(name) == "number" and ("%.0f"):format(name) or (tostring(name):gsub("LL$", ""))
  end
  local names = size.kind == "graph" and list(6, named) or {}
  return ('{"kind":%s,"width":%d,"height":%d,"floors":%d,"name":%s,"profiles":%s,"terrains":%s,"spots":%s,"regions":%s,' ..
          '"doors":%s,"links":%s,"names":%s}'):format(json(size.kind), size.width, size.height, size.floors,
    json(l:name()), json(list(0, name_of(0))), json(list(1, name_of(1))), json(spots), json(regions), json(doors),
    json(links), json(names))
end

function commands.hop(a, b) return nav:next_hop(int(a), int(b)) or -1 end
function commands.ticks(a, b)
  local units = nav:distance(int(a), int(b))
  return units == math.huge and -1 or ("%.0f"):format(units * level:size().ticks_per_unit)
end
function commands.reach(a, b) return nav:reachable(int(a), int(b)) and 1 or 0 end
function commands.path(a, b)
  local found = nav:path(int(a), int(b))
  return found and table.concat(found, " ") or "none"
end
function commands.stands(a) return nav:stands(int(a)) and 1 or 0 end
function commands.cell(a)
  local x, y, floor = nav:cell_of(int(a))
  return x and ("%d %d %d"):format(x, y, floor) or "none"
end
function commands.point(a)
  local x, y = level:point_of(int(a))
  return x and ("%.17g %.17g"):format(x, y) or "none"
end
function commands.node_at(x, y, floor) return nav:node_at(int(x), int(y), int(floor)) or -1 end
function commands.nearest(x, y, floor) return nav:nearest(tonumber(x), tonumber(y), int(floor)) or -1 end
function commands.to_node(x, y, floor)
  local size = level:size()
  local column, row = level:cell_at(tonumber(x), tonumber(y), int(floor))
  if not column or column < 0 or row < 0 or column >= size.width or row >= size.height then return -1 end
  return (int(floor) * size.height + row) * size.width + column
end
local function all(hop)
  local found = {}
  for i = 0, level:count(levelbake.NODES) - 1 do found[i + 1] = hop(i) or -1 end
  return table.concat(found, " ")
end
function commands.hops_to(a) return all(function(i) return nav:next_hop(i, int(a)) end) end
function commands.hops_from(a) return all(function(i) return nav:next_hop(int(a), i) end) end

local function each(method)
  return function(...)
    for _, node in ipairs { ... } do
      local ok, why = changes[method](changes, int(node))
      if not ok then return said(ok, why) end
    end
    return "ok"
  end
end
local change = {
  block = each("block"),
  open = each("open"),
  terrain = function(node, code) return said(changes:terrain(int(node), int(code))) end,
  price = function(from, to, units)
    return said(changes:price(int(from), int(to), units == "closed" and math.huge or tonumber(units)))
  end,
  door = function(i, state) return said(changes:door(int(i), int(state))) end,
  fresh = function() changes:reset() return "ok" end,
  apply = function(...) return said(changes:apply((table.concat({ ... }, " "):gsub("|", "\n")))) end,
}
for name, make in pairs(change) do
  commands[name] = function(...)
    follows = true
    assert(nav:follow(changes))
    return make(...)
  end
end
function commands.door_state(i) return ((changes:door_state(int(i)) or "none"):gsub("[\128-\255\n]", "?")) end
function commands.patch() return (changes:patch():gsub("\n", "|")) end

local out = assert(io.open(answers, "wb"))
for line in io.lines(questions) do
  local words = {}
  for word in line:gmatch("[^ ]+") do words[#words + 1] = word end
  local found = "error: no level"
  if level or words[1] == "load" then found = commands[words[1]](unpack(words, 2)) end
  out:write(tostring(found), "\n")
end
out:close()
