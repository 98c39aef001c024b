-- The state of a limit, or of a key.

-- Counts. The count of a term is its runs: units that are spent from one instant to another, sorted by
-- the latter. A run is a lease of a client ("client:request.index"), or what clients reported (""). What
-- a bucket gets back after that is told by the instant at which it is full again, `full` and a `part`.

-- Spends units of a bucket whose requests were over at `instant`.
local function pour(count, term, units, instant)
  if term.refill > 0 then
    if count.full < instant then
      count.full, count.part = instant, 0
    end
    local amount = units * term.every + count.part
    count.full = count.full + math.floor(amount / term.refill)
    count.part = amount % term.refill
  end
end

-- Returns the instant from which a bucket lacks no more than that.
local function refilled(full, part, term, units)
  if term.refill == 0 then
    return 0
  end
  return full - math.floor((units * term.every - part) / term.refill)
end

local function add_run(count, id, units, from, instant)
  local place = #count.runs + 1
  while place > 1 and count.runs[place - 1].instant > instant do
    place = place - 1
  end
  table.insert(count.runs, place, {id = id, units = units, from = from, instant = instant})
end

local function find_run(count, id)
  for place, run in ipairs(count.runs) do
    if run.id == id then
      return run, place
    end
  end
end

-- Returns the client whose lease it is; "" if it is none.
local function holder(run)
  return string.match(run.id, '^(.*):') or ''
end

-- Units that were over, and are spent until `instant`. Instants are rounded up, so that runs are few.
local function spend(count, term, units, instant)
  local grain = math.floor(term.interval / 256) + 1
  local rounded = math.ceil(instant / grain) * grain
  if rounded <= clock then
    pour(count, term, units, instant)
    return
  end
  for _, run in ipairs(count.runs) do
    if run.id == '' and run.instant == rounded then
      run.units = run.units + units
      return
    end
  end
  add_run(count, '', units, clock, rounded)
end

-- Ends the runs whose instant has come.
local function expire(count, term)
  while count.runs[1] and count.runs[1].instant <= clock do
    local run = table.remove(count.runs, 1)
    pour(count, term, run.units, run.instant)
  end
end

-- The state of a limit, or of a key

local function new_count(term, emptied)
  local count = {runs = {}, full = 0, part = 0, most = 0}
  pour(count, term, term.capacity, emptied)
  return count
end

local function new_state(given, emptied)
  local new = {
    clock = clock, began = record.began, revision = given.revision, use = given.use, terms = given.terms, line = {},
    counts = {}
  }
  for i, term in ipairs(given.terms) do
    new.counts[i] = new_count(term, emptied)
  end
  return new
end

local function packed()
  local counts, terms, line = {}, {}, {}
  for i, count in ipairs(state.counts) do
    local flat = {count.full - clock, count.part, count.most}
    for _, run in ipairs(count.runs) do
      flat[#flat + 1] = run.id
      flat[#flat + 1] = run.units
      flat[#flat + 1] = run.id == '' and 0 or run.from - clock -- those have begun
      flat[#flat + 1] = run.instant - clock
    end
    counts[i] = flat
  end
  for i, term in ipairs(state.terms) do
    terms[i] = {term.kind, term.capacity, term.interval, term.unanswered, term.refill, term.every}
  end
  for i, place in ipairs(state.line) do
    line[i] = {place.client, place.over - clock, place.want}
  end
  local values = {FORMAT, clock, state.began, state.revision, state.use, terms, counts, line}
  if state.own then
    values[9], values[10] = state.own, state.closed - clock
    values[11], values[12] = state.before, state.before_until - clock
  end
  return values
end

-- Returns a state; nil if it has another form. A record of this form knows of none: its key was lost.
local function unpacked(values)
  if values[1] ~= FORMAT then
    return nil
  end
  local base = values[2]
  local found = {
    clock = base, began = values[3], revision = values[4], use = values[5], terms = {}, counts = {}, line = {}
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
  for i, flat in ipairs(values[7]) do
    local count = {full = flat[1] + base, part = flat[2], most = flat[3], runs = {}}
    for at = 4, #flat, 4 do
      count.runs[#count.runs + 1] =
        {id = flat[at], units = flat[at + 1], from = flat[at + 2] + base, instant = flat[at + 3] + base}
    end
    found.counts[i] = count
  end
  for i, place in ipairs(values[8]) do
    found.line[i] = {client = place[1], over = place[2] + base, want = place[3]}
  end
  return found
end

-- Returns the limit in force: that of the key, or of all.
local function law()
  return state and state.own or record.law
end

-- Returns until when nothing is granted. A key that has a limit of its own has a fence of its own too.
local function closed_until()
  return state.own and state.closed or record.closed
end

-- Changes of a limit

-- Returns the count of a term that follows another of the same kind: what is spent is spent for as long
-- as the new term says.
local function moved(count, from, to, longer_use)
  local later = to.interval - from.interval
  local later_if_open = later + longer_use + math.max(0, to.unanswered - from.unanswered)
  local lacking = lack(count.full, count.part, from, clock)
  local new = {runs = {}, full = 0, part = 0, most = count.most}
  pour(new, to, lacking, clock)
  for _, run in ipairs(count.runs) do
    local instant = run.instant + (run.id == '' and later or later_if_open)
    add_run(new, run.id, run.units, run.from, instant)
  end
  return new
end

-- Nothing is known of what such a term would have counted: all of it may have been in use just now.
local function all_spent(term, fence)
  local count = {runs = {}, full = 0, part = 0, most = 0}
  add_run(count, '', term.capacity, clock, clock + fence)
  return count
end

-- Goes on under the limit in force. A term follows the first of its kind.
local function follow(given, longer_use)
  local counts, taken = {}, {}
  for i, to in ipairs(given.terms) do
    for j, from in ipairs(state.terms) do
      if not counts[i] and not taken[j] and from.kind == to.kind then
        counts[i], taken[j] = moved(state.counts[j], from, to, longer_use), true
      end
    end
    counts[i] = counts[i] or all_spent(to, given.fence)
  end
  state.counts, state.terms, state.revision, state.line = counts, given.terms, given.revision, {}
  state.use = given.use
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

-- The fence was ended after this state was written.
local function unfence()
  state.closed = record.unfenced
  for _, count in ipairs(state.counts) do
    count.full, count.part = 0, 0
  end
end

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
    if state.own and record.unfenced > 0 and state.closed > record.unfenced then
      unfence()
    end
  elseif known and known.own then -- of an earlier epoch, by whose clock nothing is to be told
    state = fenced(known)
  else
    state = new_state(record.law, record.emptied)
  end
end

-- Moves the state of a key on, of which the value has been read, or that of the limit if that has no keys.
function open_state(key, value)
  KEY, state, clock = key, nil, began_at
  load_state(value)
  state.clock = clock
  local current = law()
  if state.revision ~= current.revision then
    follow(current, math.max(0, current.use - state.use))
  end
  for i, count in ipairs(state.counts) do
    expire(count, state.terms[i])
  end
end

-- Returns the instant from which a state that is not known would decide the same as this one.
local function rests_at()
  local instant = 0
  for _, count in ipairs(state.counts) do
    local last = count.runs[#count.runs]
    instant = math.max(instant, count.full + 1, last and last.instant or 0)
  end
  for _, place in ipairs(state.line) do
    instant = math.max(instant, place.over)
  end
  return instant
end

function save_state()
  if KEY then
    local rests = rests_at()
    if state.own then
      redis.call('SET', KEY, cmsgpack.pack(packed()))
    elseif rests <= clock then
      redis.call('DEL', KEY)
    else
      set_for(KEY, cmsgpack.pack(packed()), rests - clock)
    end
  elseif not keyed then
    record.state = packed()
  end
  latest = math.max(latest, clock)
end

-- The beginning of what is told of a state: the clock, the limit in force unless the client knows it, whether it is
-- that of the key alone, and what is left of a fence and of a pause.
local function header(revision)
  local current = law()
  return {
    clock, current.revision, revision == text(current.revision) and '' or current.text,
    state.own and '1' or '', math.max(0, closed_until() - clock), math.max(0, record.paused - clock)
  }
end

-- The reply of a script that works on one state.
local function reply_of_one()
  local reply, one = common(), header('')
  one[#one + 1] = 0 -- nothing to come back for
  reply[#reply + 1] = one
  return reply
end
