-- Calls every function of the Lua reader with arguments that nobody should give it. Each call returns, or raises
-- an error that says what is wrong with which argument. Writes a line for each that does not, and how many calls
-- there were.
local list, report, reader = arg[1], arg[2], arg[3]
package.path = reader .. "/?.lua;" .. package.path
local ffi, levelbake = require("ffi"), require("levelbake")

local out, calls = assert(io.open(report, "wb")), 0
local function wrong(...) out:write(table.concat({ ... }, " "), "\n") end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read("*a")
  file:close()
  return bytes
end

local paths = {}
for path in io.lines(list) do paths[#paths + 1] = path end
local levels = {}
for i, path in ipairs(paths) do levels[i] = assert(levelbake.open(read(path))) end

local nothing = {}
local others = { nothing, true, "21", "a\0b", "", {}, print, 1.5, 0 / 0, math.huge, -math.huge, -1, 0, 2 ^ 31, 2 ^ 53, 2 ^ 63,
                 ffi.new("int64_t", 5), levels[1], setmetatable({}, getmetatable(levels[1])) }
local function is_clear(why) return why:find(": expected ", 1, true) and not why:find("damaged", 1, true) end

local function try(name, method, ...)
  calls = calls + 1
  local found = { pcall(method, ...) }
  if not found[1] and not is_clear(tostring(found[2])) then wrong(name, tostring(found[2])) end
  if found[1] and type(found[3]) == "string" and found[3]:find("lb_", 1, true) then wrong(name, found[3]) end
end
local function given(value) if value ~= nothing then return value end end

for _, level in ipairs(levels) do
  local nav, changes = assert(level:profile()), assert(level:changes(2))
  for kind, object in pairs { level = level, nav = nav, changes = changes } do
    for name, method in pairs(getmetatable(object).__index) do
      if type(method) == "function" then
        local what = kind .. ":" .. name
        for _, a in ipairs(others) do
          try(what, method, given(a)) -- a dot in place of the colon
          try(what, method, object, given(a))
          for _, b in ipairs(others) do try(what, method, object, given(a), given(b), given(a)) end
        end
        try(what, method)
      end
    end
  end
end
for _, bytes in ipairs(others) do try("open", levelbake.open, given(bytes)) end
local _, why = levelbake.open("version https://git-lfs.github.com/spec/v1\n")
if not tostring(why):find("LFS", 1, true) then wrong("a Git LFS pointer", tostring(why)) end

-- What has to be an error, or a value that is there.
local function expect(holds, what) if not holds then wrong(what) end end
local function fails(what, method, ...) expect(not pcall(method, ...), what) end
local level, numbered = levels[1], levels[2]
local nav = assert(level:profile())
fails("a dot", level.profile, "guard")
fails("next_hop(nil, goal)", nav.next_hop, nav, nil, 0)
fails("next_hop(text, goal)", nav.next_hop, nav, "21", 0)
fails("find(DOORS, nil)", level.find, level, levelbake.DOORS, nil)
fails("node_named(nil)", numbered.node_named, numbered, nil)
fails("apply(nil)", assert(level:changes()).apply, level:changes(), nil)
fails("a rounded number", numbered.node_named, numbered, 2 ^ 53)
expect(select("#", nav:next_hop(-1, -1)) == 1, "no answer is nil")
expect(select("#", level:find(levelbake.DOORS, "no such door")) == 1, "no name is nil")
expect(tostring(nav:next_hop(-1, -1)) == "nil", "tostring of no answer")
local large = ffi.new("int64_t", 9007199254740993LL)
local node = numbered:node_named(large)
expect(node and numbered:node_name(node) == large, "a number that Lua rounds")
expect(numbered:node_named("9007199254740993") == node, "a number as text")
expect(numbered:node_named("-9223372036854775808") and not numbered:node_named("9223372036854775808"), "the least number")
expect(numbered:node_named("07") == nil and numbered:node_named("7") ~= nil, "zeros before a number")

-- Memory lives as long as somebody asks, and what is refused is not taken.
for _ = 1, 50 do
  local one = assert(levelbake.open(read(paths[1])))
  local asks = assert(one:profile())
  assert(asks:follow(one:changes()))
  local ok, why = asks:follow(level:changes())
  expect(not ok and why, "changes of another level")
  one = nil
  collectgarbage()
  collectgarbage()
  for at = 0, 20 do asks:next_hop(at, 3) end
  asks:path(0, 3)
end
out:write(calls, "\n")
out:close()
