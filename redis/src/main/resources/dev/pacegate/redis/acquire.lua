local STARTS, DISTRUSTS, BEGINS = look_through()
local ask = open_record({
  claim = CLAIM, distrusts = DISTRUSTS, given = given, partition = PARTITION, fresh = FRESH, check = CHECK,
  durable = DURABLE
})
if ask then
  return ask
end
require_replicas()
if record.durable and not DURABLE then
  record.durable = false
  audit('durable no more', LABEL, 'this process does not say so')
end
BEGAN, REVISION_OF_ALL = text(record.began), text(record.law.revision)

local function offsets()
  local texts = {}
  for i, each in ipairs(BEGINS and record.offsets or {}) do
    texts[i] = text(each)
  end
  return table.concat(texts, ' ')
end

local function uses_units_again()
  for at = arguments + 1, arguments + 5 * tonumber(ARGV[arguments + 1]), 5 do
    local kind = ARGV[at + 4]
    if kind == 'open' or kind == 'anew' then
      return true
    end
  end
end

-- Returns the clock and the counts of a key that may be served the short way, moved on to that clock; nil if it may
-- not.
local function open_short(value)
  local base, counts = began_at, nil
  if value then
    base, counts = unpacked_short(value)
  end
  local now = base and math.max(base, began_at)
  if not base or REVISION ~= REVISION_OF_ALL or record.closed > now or record.paused > now or uses_units_again() then
    return nil
  elseif counts then
    for i, count in ipairs(counts) do
      advance_short(count, terms_of_all[i], now - base)
    end
  else
    counts = new_counts_short(now)
  end
  return now, counts
end

local function report_all_short(counts)
  local at = arguments + 1
  for _ = 1, EPOCH == BEGAN and tonumber(ARGV[at]) or 0 do
    local index = tonumber(ARGV[at + 1]) + 1
    report_short(counts[index], terms_of_all[index], CLIENT .. ':' .. ARGV[at + 2], tonumber(ARGV[at + 3]),
      ARGV[at + 4], tonumber(ARGV[at + 5]))
    at = at + 5
  end
end

-- How many units of each term are granted, all that are wanted and what is asked for beyond that; and how many are
-- spent before.
local UNITS, SPENT = {}, {}

-- Returns whether all that is wanted is free, and whether anything is granted.
local function weigh_short(counts, lease)
  local has_spare, any = true, false
  for i, count in ipairs(counts) do
    local term, want, spare = terms_of_all[i], WANT[i], SPARE[i]
    local held = held_short(count, term, lease)
    local free = held and term.capacity - held - want
    if not free or free < 0 or LEAST[i] > want then
      return false
    end
    UNITS[i], SPENT[i] = want, held
    has_spare = has_spare and (spare == 0 or free > 0)
    any = any or want > 0
  end
  for i = 1, has_spare and #counts or 0 do
    UNITS[i] = UNITS[i] + math.min(SPARE[i], terms_of_all[i].capacity - SPENT[i] - UNITS[i])
    any = any or UNITS[i] > 0
  end
  return true, any
end

-- Serves a key whose units are free. Returns nothing, and has done nothing, if they are not.
local function serve_short(key, value)
  local now, counts = open_short(value)
  if not now then
    return nil
  end
  clock = now
  report_all_short(counts)
  local lease = CLIENT .. ':' .. REQUEST .. '.0'
  local all, any = weigh_short(counts, lease)
  if not all then
    return nil
  end
  local law, reply = record.law, {clock, record.law.revision, '', '', 0, 0, 0}
  if any then
    reply[8], reply[9] = clock, clock + law.use
  end
  for i, count in ipairs(counts) do
    local term, units = terms_of_all[i], UNITS[i]
    if units > 0 then
      add_short(count, lease, units, law.use + term.unanswered + term.interval)
    end
    count[3] = math.max(count[3], SPENT[i] + units)
    if any then
      reply[9 + i] = units
    end
  end
  save_short(key, counts)
  return reply
end

local serve_long -- once it is needed

local function serve(start, key)
  read_entry(start)
  local value = key and redis.call('GET', key)
  local reply = key and serve_short(key, value)
  if not reply then
    serve_long = serve_long or long()
    reply = serve_long(key, value)
  end
  note_offset()
  return reply
end

if keyed then
  prepare_short()
end
local served = {}
for i, start in ipairs(STARTS) do
  local key = KEYS[i + 1]
  if key then
    local done, reply_or_why = pcall(serve, start, key)
    served[i] = done and reply_or_why or {type(reply_or_why) == 'table' and reply_or_why.err or reply_or_why}
  else
    served[i] = serve(start)
  end
end
save_record()

local reply = common(offsets())
for _, each in ipairs(served) do
  reply[#reply + 1] = each
end
return reply
