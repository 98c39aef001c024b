local ask = open_record({
  claim = CLAIM, distrusts = DISTRUSTS, given = given, partition = PARTITION, fresh = FRESH, check = CHECK,
  durable = DURABLE
})
if ask then
  return ask
end
if gone then
  epochs().refuse_call()
end
if record.durable and not DURABLE then
  record.durable = false
  audit('durable no more', LABEL, 'this process does not say so')
end
BEGAN, REVISION_OF_ALL = text(record.began), text(record.law.revision)

local ways -- of long.lua, once they are needed

-- Opens the state of a key, or of the limit if that has no keys. What most keys need of that is done here.
local function open(key)
  local value, base, counts = key and redis.call('GET', key), began_at, nil
  if value then
    base, counts = unpacked_counts(value)
  end
  if not key or not base then
    ways = ways or long()
    open_state(key, value)
    return
  end
  KEY, clock, state = key, math.max(base, began_at), state_of_all
  state.counts, state.line = counts or new_counts(state.terms, record.emptied), EMPTY
  if counts then
    for i, count in ipairs(counts) do
      advance(count, state.terms[i], clock - base)
    end
  end
end

-- Of a lease no more than `left` units are in use any more; the others were over at an instant, nil if never used.
local function give_back(count, term, id, left, instant)
  local at = find_run(count, id)
  local units = at and count[at + 1] - left or 0
  if units > 0 then
    count[at + 1] = left
    if left == 0 then
      remove_run(count, at)
    end
    if instant then
      spend(count, term, units, instant + term.interval)
    end
  end
end

local function hear_reports()
  local at = arguments + 1
  for _ = 1, tonumber(ARGV[at]) do
    local index, id = tonumber(ARGV[at + 1]) + 1, CLIENT .. ':' .. ARGV[at + 2]
    local left, kind, count, term = tonumber(ARGV[at + 3]), ARGV[at + 4], state.counts[index], TERMS[index]
    if kind == 'open' or kind == 'anew' then
      ways = ways or long()
      ways.keep_open(count, term, id, left)
    elseif EPOCH == BEGAN then
      give_back(count, term, id, left, kind == 'ended' and tonumber(ARGV[at + 5]) or nil)
    end
    at = at + 5
  end
end

-- Returns how many units of a count are spent; nil if a run has not begun, or is that lease.
local function held_now(count, term, lease)
  local held = lack(count[1], count[2], term, 0)
  for at = FIRST, #count, RUN do
    if count[at + 2] > 0 or count[at] == lease then
      return nil
    end
    held = held + count[at + 1]
  end
  return held
end

-- How many units of each term are granted, all that are wanted and what is asked for beyond that; and how many are
-- spent before.
local UNITS, SPENT = {}, {}

-- Returns whether all that is wanted is free now, and whether anything is granted. No client waits, and nothing is
-- reserved, so what is free now stays free, and no later instant needs a look.
local function weigh(lease)
  local has_spare, any = true, false
  for i, count in ipairs(state.counts) do
    local term, want, spare = TERMS[i], WANT[i], SPARE[i]
    local held = held_now(count, term, lease)
    local free = held and term.capacity - held - want
    if not (free and free >= 0 and LEAST[i] <= want) then -- as it is of what is no number, too
      return false
    end
    UNITS[i], SPENT[i] = want, held
    has_spare = has_spare and (spare == 0 or free > 0)
    any = any or want > 0
  end
  for i = 1, has_spare and #TERMS or 0 do
    UNITS[i] = UNITS[i] + math.min(SPARE[i], TERMS[i].capacity - SPENT[i] - UNITS[i])
    any = any or UNITS[i] > 0
  end
  return true, any
end

-- Adds one lease to a reply, of what is wanted, if all of that is free now. Returns whether it is. Few clients share a
-- key; how many share a limit without keys may matter, so that is left to `long`.
local function grant_at_once(reply)
  if reply[5] > 0 or reply[6] > 0 or state.line[1] then -- it is shut, or clients wait
    return false
  end
  local lease = CLIENT .. ':' .. REQUEST .. '.0'
  local all, any = weigh(lease)
  if not all then
    return false
  end
  if any then
    reply[8], reply[9] = clock, clock + LAW.use
  end
  for i, count in ipairs(state.counts) do
    local term, units = TERMS[i], UNITS[i]
    if units > 0 then
      add_run(count, lease, units, 0, LAW.use + term.unanswered + term.interval)
    end
    count[3] = math.max(count[3], SPENT[i] + units)
    if any then
      reply[9 + i] = units
    end
  end
  return true
end

-- A client that does not know the limit in force is told it first: its terms may be others.
local function serve(start, key)
  read_entry(start)
  open(key)
  LAW, TERMS = state.own or record.law, state.terms
  local is_known = REVISION == (LAW == record.law and REVISION_OF_ALL or text(LAW.revision))
  local reply = header(is_known)
  if is_known then
    hear_reports()
    if not (keyed and grant_at_once(reply)) then
      ways = ways or long()
      ways.answer(reply)
    end
  end
  if not keyed and not record.clients[CLIENT] then
    ways = ways or long()
    ways.note_client()
  end
  save_state()
  note_offset()
  return reply
end

-- An entry of no key, before those of keys: it is told the limit of all, and granted nothing.
local function greet()
  state, clock = state_of_all, began_at
  return header(false)
end

if keyed then
  prepare_states()
end
local served = {}
for i, start in ipairs(STARTS) do
  local key = KEYS[i + 1]
  if key then
    local done, reply_or_why = pcall(serve, start, key)
    served[i] = done and reply_or_why or {type(reply_or_why) == 'table' and reply_or_why.err or reply_or_why}
  elseif keyed then
    served[i] = greet()
  else
    served[i] = serve(start)
  end
end
save_record()

local offsets = {}
for i, each in ipairs(BEGINS and record.offsets or EMPTY) do
  offsets[i] = text(each)
end
local reply = common(table.concat(offsets, ' '))
for _, each in ipairs(served) do
  reply[#reply + 1] = each
end
return reply
