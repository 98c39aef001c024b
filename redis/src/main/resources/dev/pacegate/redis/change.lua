-- Puts another limit in force. What has been granted stays granted, and is spent for as long as the
-- new limit says.
--
-- ARGV: 1 the change's own name, 2 the revision that the client knows, 3 to 9 its limit until now,
-- 10 to 16 the next limit.

-- Moves the runs: they are free one interval of the next limit after they were over.
local function move(later, later_if_open)
  local runs = redis.call('ZRANGE', RUNS, 0, -1, 'WITHSCORES')
  for i = 1, #runs, 2 do
    local id, instant = runs[i], tonumber(runs[i + 1])
    if id == '!' then
      instant = instant + math.max(0, later_if_open)
      record.closed = instant
      redis.call('HSET', RECORD, 'f!', text(instant))
    elseif string.sub(id, 1, 1) == '=' then
      instant = instant + later
    else
      instant = instant + later_if_open
    end
    redis.call('ZADD', RUNS, text(instant), id)
  end
end

-- Units that are added within a fence are behind it: more may have been in use before it.
local function add_units(more)
  if more > 0 and record.closed > record.clock then
    local fenced = tonumber(redis.call('HGET', RECORD, 'u!') or 0)
    add_run('!', fenced + more, record.closed, record.closed)
  else
    record.free = record.free + more
  end
end

local function change(given)
  local later = given.interval - record.interval
  local later_if_open = later + math.max(0, given.use - record.use)
    + math.max(0, given.unanswered - record.unanswered)
  record.before = longest_fence(given)
  record.beforeUntil = record.clock + record.before
  add_units(given.permits - record.permits)
  record.revision = record.revision + 1
  for name, value in pairs(given) do
    record[name] = value
  end
  move(later, later_if_open)
  expire()
end

open('', '', terms(3), false)
if record.changed ~= ARGV[1] then
  record.changed = ARGV[1]
  change(terms(10))
  write()
else
  write_state()
end
return header(ARGV[2])
