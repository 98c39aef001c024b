-- The state of a limit, or of a key: a count for each term, and the line of clients that wait.

-- Most states are those of keys under the limit of all, with no client in line: those are read and written here.

local EMPTY = {} -- is never changed

-- Returns counts of which nothing is spent, or all if that was emptied at an instant of the clock.
local function new_counts(terms, emptied)
  local counts = {}
  for i, term in ipairs(terms) do
    local count = {-clock, 0, 0}
    pour(count, term, term.capacity, emptied - clock)
    counts[i] = count
  end
  return counts
end

local function packed_terms(terms)
  local flat = {}
  for i, term in ipairs(terms) do
    flat[i] = {term.kind, term.capacity, term.interval, term.unanswered, term.refill, term.every}
  end
  return flat
end

-- What the values of such states have in common is packed once in a call: an array of eight and the form, the clock,
-- and what stands behind that.
local BEGINNING, BEHIND_CLOCK = string.char(0x98, FORMAT), 12
local state_of_all, packed_of_all
local packed_before, packed_at -- what stands before the counts, and by which clock

local function prepare_states()
  local all = record.law
  state_of_all = {began = record.began, revision = all.revision, use = all.use, terms = all.terms}
  packed_of_all = cmsgpack.pack(record.began, all.revision, all.use, packed_terms(all.terms))
end

-- Returns the clock and the counts of a value that is such a state, of this epoch; nil if it is another.
local function unpacked_counts(value)
  if string.sub(value, 1, 2) == BEGINNING and string.byte(value, -1) == 0x90
    and string.find(value, packed_of_all, BEHIND_CLOCK, true) == BEHIND_CLOCK then
    local _, base = cmsgpack.unpack_one(value, 2)
    local next, counts = cmsgpack.unpack_one(value, BEHIND_CLOCK - 1 + #packed_of_all)
    if next == #value - 1 then
      return base, counts
    end
  end
end

-- As cmsgpack.pack(packed()), of such a state.
local function packed_counts()
  if packed_at ~= clock then
    packed_before, packed_at = BEGINNING .. cmsgpack.pack(clock) .. packed_of_all, clock
  end
  return packed_before .. cmsgpack.pack(state.counts, EMPTY)
end

-- A state that one which is not known would decide the same as is not kept.
function save_state()
  if KEY and not state.own then
    local rests = 0
    for _, count in ipairs(state.counts) do
      local length = #count
      rests = math.max(rests, count[1] + 1, length >= FIRST and count[length] or 0)
    end
    if state.line[1] then
      for _, place in ipairs(state.line) do
        rests = math.max(rests, place.over - clock)
      end
    end
    if rests <= 0 then
      redis.call('DEL', KEY)
    elseif state == state_of_all and not state.line[1] then
      set_for(KEY, packed_counts(), rests)
    else
      set_for(KEY, cmsgpack.pack(packed()), rests)
    end
  elseif KEY then
    redis.call('SET', KEY, cmsgpack.pack(packed()))
  elseif not keyed then
    record.state = packed()
  end
  latest = math.max(latest, clock)
end

-- The beginning of what is told of a state: the clock, the limit in force unless the client knows it, whether it is
-- that of the key alone, what is left of a fence and of a pause, and nothing to come back for. A key that has a limit
-- of its own has a fence of its own too.
local function header(is_known)
  local own = state.own
  local law, closed, paused = own or record.law, (own and state.closed or record.closed) - clock, record.paused - clock
  return {
    clock, law.revision, is_known and '' or law.text, own and '1' or '', closed > 0 and closed or 0,
    paused > 0 and paused or 0, 0
  }
end
