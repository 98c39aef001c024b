-- Opens a state, whatever was stored, and follows the limit in force. Most calls for keys need none of it.

-- Returns the limit in force: that of the key, or of all.
local function law()
  return state.own or record.law
end

-- Returns until when nothing is granted. A key that has a limit of its own has a fence of its own too.
local function closed_until()
  return state.own and state.closed or record.closed
end

function packed()
  local line = {}
  for i, place in ipairs(state.line) do
    line[i] = {place.client, place.over - clock, place.want}
  end
  local values = {
    FORMAT, clock, state.began, state.revision, state.use, packed_terms(state.terms), state.counts, line
  }
  if state.own then
    values[9], values[10] = state.own, state.closed - clock
    values[11], values[12] = state.before, state.before_until - clock
  end
  return values
end

-- Returns a state, with its own clock; nil if it has another form. A record of this form knows of none: its key was
-- lost.
local function unpacked(values)
  if values[1] ~= FORMAT then
    return nil
  end
  local base = values[2]
  local found = {
    clock = base, began = values[3], revision = values[4], use = values[5], terms = {}, counts = values[7], line = {}
  }
  if values[9] then
    found.own, found.closed = values[9], values[10] + base
    found.before, found.before_until = values[11], values[12] + base
  end
  for i, term in ipairs(values[6]) do
    found.terms[i] = {
      kind = term[1], capacity = term[2], interval = term[3], unanswered = term[4], refill = term[5], every = term[6]
    }
  end
  for i, place in ipairs(values[8]) do
    found.line[i] = {client = place[1], over = place[2] + base, want = place[3]}
  end
  return found
end

local function new_state(given, emptied)
  return {
    began = record.began, revision = given.revision, use = given.use, terms = given.terms, line = {},
    counts = new_counts(given.terms, emptied)
  }
end

-- Changes of a limit

-- Returns the count of a term that follows another of the same kind: what is spent is spent for as long as the new
-- term says. The clock is so much later than that by which the count was packed.
local function moved(count, from, to, longer_use, passed)
  local later = to.interval - from.interval
  local later_if_open = later + longer_use + math.max(0, to.unanswered - from.unanswered)
  local new = {-clock, 0, count[3]}
  pour(new, to, lack(count[1] - passed, count[2], from, 0), 0)
  for at = FIRST, #count, RUN do
    local id, units, from_then, instant = count[at], count[at + 1], count[at + 2] - passed, count[at + 3] - passed
    if id == '' then
      add_run(new, id, units, 0, instant + later)
    else
      add_run(new, id, units, from_then, instant + later_if_open)
    end
  end
  return new
end

-- Nothing is known of what such a term would have counted: all of it may have been in use just now.
local function all_spent(term, fence)
  return {-clock, 0, 0, '', term.capacity, 0, fence}
end

-- Goes on under the limit in force. A term follows the first of its kind. No run has ended after that.
local function follow(given, longer_use, passed)
  local counts, taken = {}, {}
  for i, to in ipairs(given.terms) do
    for j, from in ipairs(state.terms) do
      if not counts[i] and not taken[j] and from.kind == to.kind then
        counts[i], taken[j] = moved(state.counts[j], from, to, longer_use, passed), true
      end
    end
    counts[i] = counts[i] or all_spent(to, given.fence)
  end
  state.counts, state.terms, state.revision, state.line = counts, given.terms, given.revision, {}
  state.use = given.use
end

local function advance_all(later)
  for i, count in ipairs(state.counts) do
    advance(count, state.terms[i], later)
  end
end

-- The state of a key that has a limit of its own, and was written in an earlier epoch: how long a fence
-- that limit needs is known, whichever key is used first.
local function fenced(known)
  local fence = longest_fence(known.own.fence, known.before, known.before_until, known.clock)
  local closed = record.unfenced > 0 and 0 or record.opened + fence
  local new = new_state(known.own, closed)
  new.own, new.closed, new.before, new.before_until = known.own, closed, fence, closed
  return new
end

-- Buckets are full: a fence was ended by hand.
local function fill(base)
  for _, count in ipairs(state.counts) do
    count[1], count[2] = -base, 0
  end
end

-- Returns how much later the clock is than that of the counts.
local function load_state(value)
  local values
  if KEY then
    values = value and unpack_value(KEY, value)
  else
    values = record.state
  end
  local known = values and unpacked(values) or nil
  if known and known.began == record.began then
    clock = math.max(clock, known.clock)
    state = known
    if state.own and record.unfenced > 0 and state.closed > record.unfenced then -- it was ended after this was written
      state.closed = record.unfenced
      fill(known.clock)
    end
    return clock - known.clock
  elseif known and known.own then -- of an earlier epoch, by whose clock nothing is to be told
    state = fenced(known)
  else
    state = new_state(record.law, record.emptied)
  end
  return 0
end

-- Moves the state of a key on, of which the value has been read, or that of the limit if that has no keys.
function open_state(key, value)
  KEY, state, clock = key, nil, began_at
  local passed = load_state(value)
  local current = law()
  if state.revision ~= current.revision then
    follow(current, math.max(0, current.use - state.use), passed)
    passed = 0
  end
  advance_all(passed)
end

-- Returns the client whose lease it is; "" if it is none.
local function holder(id)
  return string.match(id, '^(.*):') or ''
end

-- The reply of a script that works on one state.
local function reply_of_one()
  local reply = common()
  reply[#reply + 1] = header(false)
  return reply
end
