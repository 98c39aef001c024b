-- What can be granted.

-- Returns what a term has at each of some instants, ascending from `clock` on, to a client that takes it
-- from then on: none that a later reservation needs.
local function available(count, term, instants)
  local length, first, reserved, held = #count, instants[1] - clock, {}, 0
  for at = FIRST, length, RUN do
    if count[at + 2] > first then
      reserved[#reserved + 1] = at
    else
      held = held + count[at + 1]
    end
  end
  table.sort(reserved, function(a, b) return count[a + 2] < count[b + 2] end)
  local over = {count[1], count[2]}
  local next_reserved, next_over = 1, FIRST
  local units = {}
  for i, each in ipairs(instants) do
    local instant = each - clock
    while reserved[next_reserved] and count[reserved[next_reserved] + 2] <= instant do
      held = held + count[reserved[next_reserved] + 1]
      next_reserved = next_reserved + 1
    end
    while next_over < length and count[next_over + 3] <= instant do
      held = held - count[next_over + 1]
      pour(over, term, count[next_over + 1], count[next_over + 3])
      next_over = next_over + RUN
    end
    units[i] = term.capacity - held - lack(over[1], over[2], term, instant)
  end
  for i = #units - 1, 1, -1 do
    units[i] = math.min(units[i], units[i + 1])
  end
  return units
end

-- Returns in what time a bucket lacks no more than that.
local function refilled(full, part, term, units)
  if term.refill == 0 then
    return 0
  end
  return full - math.floor((units * term.every - part) / term.refill)
end

-- Returns the instant from which a term has that many units, if nothing is reported or granted; nil if
-- it never has.
local function earliest(count, term, units)
  local held, length = 0, #count
  for at = FIRST, length, RUN do
    held = held + count[at + 1]
  end
  local over, instant, next_over = {count[1], count[2]}, 0, FIRST
  while true do
    local room = term.capacity - held - units
    if room >= 0 then
      local at = math.max(instant, refilled(over[1], over[2], term, room))
      if next_over > length or at <= count[next_over + 3] then
        return clock + at
      end
    end
    if next_over > length then
      return nil
    end
    instant = count[next_over + 3]
    held = held - count[next_over + 1]
    pour(over, term, count[next_over + 1], instant)
    next_over = next_over + RUN
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
    for at = FIRST, #count, RUN do
      add(clock + count[at + 2])
      add_by(clock + count[at + 3])
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
