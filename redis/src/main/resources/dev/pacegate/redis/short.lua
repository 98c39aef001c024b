-- The short way: most entries ask for units that are free at once, of a state whose runs have all begun. That is
-- decided on the packed counts as they are, and gives exactly what the long way gives.
--
-- A packed count is {full, part, most, and for each run an id, units, from, instant}, with all instants as
-- distances from the clock. See `packed`.

local FIRST, RUN = 4, 4 -- where the runs begin, and how long each is
local EMPTY = {}

-- What the states under the limit of all have in common: their terms, and what is packed behind the clock.
local terms_of_all, packed_of_all

-- Where that begins in a value: behind the bytes of an array of eight, the form and the clock.
local BEGINNING, BEHIND_CLOCK = string.char(0x98, FORMAT), 12

local function prepare_short()
  terms_of_all = record.law.terms
  local terms = {}
  for i, term in ipairs(terms_of_all) do
    terms[i] = {term.kind, term.capacity, term.interval, term.unanswered, term.refill, term.every}
  end
  packed_of_all = cmsgpack.pack(record.began, record.law.revision, record.law.use, terms)
end

-- Returns the clock and the counts of a value that is a state under the limit of all, of this epoch, with an
-- empty line; nil if it is another.
local function unpacked_short(value)
  if string.sub(value, 1, 2) == BEGINNING and string.byte(value, -1) == 0x90
    and string.find(value, packed_of_all, BEHIND_CLOCK, true) == BEHIND_CLOCK then
    local _, base = cmsgpack.unpack_one(value, 2)
    local next, counts = cmsgpack.unpack_one(value, BEHIND_CLOCK - 1 + #packed_of_all)
    if next == #value - 1 then
      return base, counts
    end
  end
end

local packed_before, packed_at -- what stands before the counts, and by which clock

local function packed_short(counts)
  if packed_at ~= clock then
    packed_before, packed_at = BEGINNING .. cmsgpack.pack(clock) .. packed_of_all, clock
  end
  return packed_before .. cmsgpack.pack(counts, EMPTY)
end

-- As `pour`.
local function pour_short(count, term, units, instant)
  if term.refill > 0 then
    if count[1] < instant then
      count[1], count[2] = instant, 0
    end
    local amount = units * term.every + count[2]
    count[1], count[2] = count[1] + math.floor(amount / term.refill), amount % term.refill
  end
end

-- Moves a count to the clock, which is so much later than that by which it was packed, and ends the runs whose
-- instant has come.
local function advance_short(count, term, later)
  local to, length = FIRST, #count
  count[1] = count[1] - later
  for at = FIRST, length, RUN do
    local id, units, instant = count[at], count[at + 1], count[at + 3] - later
    if instant <= 0 then
      pour_short(count, term, units, instant)
    else
      count[to], count[to + 1], count[to + 3] = id, units, instant
      count[to + 2] = id == '' and 0 or count[at + 2] - later
      to = to + RUN
    end
  end
  for at = length, to, -1 do
    count[at] = nil
  end
end

-- As `add_run`.
local function add_short(count, id, units, instant)
  local at = #count + 1
  while at > FIRST and count[at - 1] > instant do
    for i = at - RUN, at - 1 do
      count[i + RUN] = count[i]
    end
    at = at - RUN
  end
  count[at], count[at + 1], count[at + 2], count[at + 3] = id, units, 0, instant
end

-- As `spend`, until an instant of the clock.
local function spend_short(count, term, units, instant)
  local grain = math.floor(term.interval / 256) + 1
  local rounded = math.ceil(instant / grain) * grain - clock
  if rounded <= 0 then
    pour_short(count, term, units, instant - clock)
    return
  end
  for at = FIRST, #count, RUN do
    if count[at] == '' and count[at + 3] == rounded then
      count[at + 1] = count[at + 1] + units
      return
    end
  end
  add_short(count, '', units, rounded)
end

-- Takes a report of units that are not in use any more.
local function report_short(count, term, id, left, kind, instant)
  for at = FIRST, #count, RUN do
    if count[at] == id then
      local units = count[at + 1] - left
      if units > 0 then
        count[at + 1] = left
        if left == 0 then
          for i = at, #count do
            count[i] = count[i + RUN]
          end
        end
        if kind == 'ended' then
          spend_short(count, term, units, instant + term.interval)
        end
      end
      return
    end
  end
end

-- Returns how many units of a count are spent; nil if a run has not begun, or is that lease.
local function held_short(count, term, lease)
  local held = lack(count[1], count[2], term, 0)
  for at = FIRST, #count, RUN do
    if count[at + 2] > 0 or count[at] == lease then
      return nil
    end
    held = held + count[at + 1]
  end
  return held
end

-- As `new_state`.
local function new_counts_short(now)
  local counts = {}
  for i, term in ipairs(terms_of_all) do
    local count = {-now, 0, 0}
    pour_short(count, term, term.capacity, record.emptied - now)
    counts[i] = count
  end
  return counts
end

-- As `save_state`, with what `rests_at` tells.
local function save_short(key, counts)
  local rests = 0
  for _, count in ipairs(counts) do
    local length = #count
    rests = math.max(rests, count[1] + 1, length >= FIRST and count[length] or 0)
  end
  if rests > 0 then
    set_for(key, packed_short(counts), rests)
  else
    redis.call('DEL', key)
  end
  latest = math.max(latest, clock)
end
