-- What is spent of a term. A count is as it is packed: {full, part, most, and for each run an id, units, from,
-- instant}. Its runs are units that are spent from one instant to another, sorted by the latter. A run is a lease of
-- a client ("client:request.index"), or what clients reported (""), which has begun. What a bucket gets back after
-- that is told by the instant at which it is full again, `full` and a `part` of a microsecond. `most` is the number
-- of units that were ever spent at once. Instants in a count are distances from the clock of its state.

local FIRST, RUN = 4, 4 -- where the runs begin, and how long each is

-- Returns how many units a bucket lacks.
local function lack(full, part, term, instant)
  if term.refill == 0 or full < instant then
    return 0
  end
  return math.ceil(((full - instant) * term.refill + part) / term.every)
end

-- Spends units of a bucket whose requests were over at `instant`.
local function pour(count, term, units, instant)
  if term.refill > 0 then
    if count[1] < instant then
      count[1], count[2] = instant, 0
    end
    local amount = units * term.every + count[2]
    count[1], count[2] = count[1] + math.floor(amount / term.refill), amount % term.refill
  end
end

-- Returns where a run begins; nil if there is none of that id.
local function find_run(count, id)
  for at = FIRST, #count, RUN do
    if count[at] == id then
      return at
    end
  end
end

local function add_run(count, id, units, from, instant)
  local at = #count + 1
  while at > FIRST and count[at - 1] > instant do
    for i = at - RUN, at - 1 do
      count[i + RUN] = count[i]
    end
    at = at - RUN
  end
  count[at], count[at + 1], count[at + 2], count[at + 3] = id, units, from, instant
end

local function remove_run(count, at)
  for i = at, #count do
    count[i] = count[i + RUN]
  end
end

-- Units that were over, and are spent until an instant of the clock. It is rounded up, so that runs are few.
local function spend(count, term, units, instant)
  local grain = math.floor(term.interval / 256) + 1
  local rounded = math.ceil(instant / grain) * grain - clock
  if rounded <= 0 then
    pour(count, term, units, instant - clock)
    return
  end
  for at = FIRST, #count, RUN do
    if count[at] == '' and count[at + 3] == rounded then
      count[at + 1] = count[at + 1] + units
      return
    end
  end
  add_run(count, '', units, 0, rounded)
end

-- Moves a count to the clock, which is so much later than that by which it was packed, and ends the runs whose
-- instant has come.
local function advance(count, term, later)
  local to, length = FIRST, #count
  count[1] = count[1] - later
  for at = FIRST, length, RUN do
    local id, units, instant = count[at], count[at + 1], count[at + 3] - later
    if instant <= 0 then
      pour(count, term, units, instant)
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
