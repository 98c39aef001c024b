-- What can be granted.

-- Returns what a term has at each of some instants, ascending from `clock` on, to a client that takes it
-- from then on: none that a later reservation needs.
local function available(count, term, instants)
  local runs, reserved, held = count.runs, {}, 0
  for _, run in ipairs(runs) do
    if run.from > instants[1] then
      reserved[#reserved + 1] = run
    else
      held = held + run.units
    end
  end
  table.sort(reserved, function(a, b) return a.from < b.from end)
  local over = {full = count.full, part = count.part}
  local next_reserved, next_over = 1, 1
  local units = {}
  for i, instant in ipairs(instants) do
    while reserved[next_reserved] and reserved[next_reserved].from <= instant do
      held = held + reserved[next_reserved].units
      next_reserved = next_reserved + 1
    end
    while runs[next_over] and runs[next_over].instant <= instant do
      held = held - runs[next_over].units
      pour(over, term, runs[next_over].units, runs[next_over].instant)
      next_over = next_over + 1
    end
    units[i] = term.capacity - held - lack(over.full, over.part, term, instant)
  end
  for i = #units - 1, 1, -1 do
    units[i] = math.min(units[i], units[i + 1])
  end
  return units
end

-- Returns the instant from which a term has that many units, if nothing is reported or granted; nil if
-- it never has.
local function earliest(count, term, units)
  local held = 0
  for _, run in ipairs(count.runs) do
    held = held + run.units
  end
  local over, instant, next_over = {full = count.full, part = count.part}, clock, 1
  while true do
    local run = count.runs[next_over]
    local room = term.capacity - held - units
    if room >= 0 then
      local at = math.max(instant, refilled(over.full, over.part, term, room))
      if not run or at <= run.instant then
        return at
      end
    end
    if not run then
      return nil
    end
    held = held - run.units
    pour(over, term, run.units, run.instant)
    instant = run.instant
    next_over = next_over + 1
  end
end

-- Returns the instants at which something becomes available, or is reserved, ascending from `first` on;
-- what is later than `last` only if it is reserved.
local function instants(first, last, also)
  local found, seen = {first}, {[first] = true}
  local function add(instant)
    if instant > first and not seen[instant] then
      seen[instant] = true
      found[#found + 1] = instant
    end
  end
  local function add_by(instant)
    if instant and instant <= last then
      add(instant)
    end
  end
  for i, count in ipairs(state.counts) do
    for _, run in ipairs(count.runs) do
      if run.from > first then
        add(run.from)
      end
      add_by(run.instant)
    end
    add_by(also[i])
    if state.terms[i].refill > 0 and last > first then
      local step = math.floor((last - first) / 16) + 1
      for at = first + step, last, step do
        add(at)
      end
    end
  end
  table.sort(found)
  return found
end
