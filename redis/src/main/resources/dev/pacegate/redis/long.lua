-- The long way: grants what can be granted, whatever the state.

-- Units in use may have been counted as over, if that was told late: all of them are spent.
local function keep_open(count, term, id, left)
  local units, from, instant, at = left, 0, term.unanswered + term.interval, find_run(count, id)
  if at then
    units, from, instant = math.max(count[at + 1], left), count[at + 2], math.max(count[at + 3], instant)
    remove_run(count, at)
  end
  add_run(count, id, units, from, instant)
end

-- The leases that this request was granted, if it was carried out before. They are numbered from
-- the last, which is over last: so those that are left are found.
local function granted()
  local leases = {}
  while true do
    local id, lease = CLIENT .. ':' .. REQUEST .. '.' .. #leases, nil
    for i, count in ipairs(state.counts) do
      local at = find_run(count, id)
      if at then
        lease = lease or {from = clock + count[at + 2], units = {}}
        lease.units[i] = count[at + 1]
      end
    end
    if not lease then
      return leases
    end
    table.insert(leases, 1, lease)
  end
end

-- Returns how many units come back in a microsecond, if all are in use all the time.
local function rate(term)
  return term.refill > 0 and term.refill / term.every or term.capacity / math.max(term.interval, LAW.horizon)
end

-- Returns whether units must be kept for the first in line of a crowd: from when what it wants may gather until it
-- calls. It may have been told to stay away for a gap, as the second; then others take what comes back before.
local function is_near(first)
  local gathers = 0
  for i, want in ipairs(first.want) do
    gathers = math.max(gathers, math.floor((math.min(want, TERMS[i].capacity) - 1) / rate(TERMS[i])))
  end
  return first.over <= clock + gathers + LAW.horizon
end

-- Returns how many units of each term the clients before this one wait for; those that are kept for them in a crowd;
-- what all others wait for together; and whether any wait. Where clients stay away for long, units would be idle if
-- they were kept for all of them. So they are kept for the first one if it is near, as it may need many, and for those
-- that are due; a client that has just come waits behind all.
local function others_in_line()
  local ahead, kept, others, line, place, waiting = {}, {}, {}, {}, nil, false
  for i = 1, #TERMS do
    ahead[i], kept[i], others[i] = 0, 0, 0
  end
  for _, each in ipairs(state.line) do
    if each.client == CLIENT then
      place = each
      line[#line + 1] = each
    elseif each.over >= clock then
      line[#line + 1] = each
      for i, want in ipairs(each.want) do
        others[i] = others[i] + want
        ahead[i] = place and ahead[i] or others[i]
        if not place and (each.over <= clock + LAW.horizon or not waiting and is_near(each)) then
          kept[i] = kept[i] + want
        end
      end
      waiting = true
    end
  end
  state.line = line
  return ahead, place and kept or ahead, others, waiting
end

local function leave_line()
  for i, each in ipairs(state.line) do
    if each.client == CLIENT then
      table.remove(state.line, i)
      return each
    end
  end
end

local function each_term(value)
  local values = {}
  for i = 1, #TERMS do
    values[i] = value(i)
  end
  return values
end

-- Returns how many units of each term can be granted at the instants. Of several terms the same share of
-- what is needed, as a request takes units of all of them; of the same number the same number.
local function grantable(units, need, ahead, at)
  local share, scarce = 1, nil
  local has = each_term(function(i)
    local left = math.max(0, math.min(units[i][at] - ahead[i], need[i]))
    if need[i] > 0 and (not scarce or left / need[i] < share) then
      share, scarce = left / need[i], i
    end
    return left
  end)
  return each_term(function(i)
    if need[i] == 0 then
      return 0
    elseif need[i] == need[scarce] then
      return has[scarce]
    end
    return math.min(has[i], math.max(LEAST[i], math.floor(share * need[i])))
  end)
end

local function covers(units, least)
  for i, each in ipairs(least) do
    if units[i] < each then
      return false
    end
  end
  return true
end

local function is_none(units)
  for _, each in ipairs(units) do
    if each > 0 then
      return false
    end
  end
  return true
end

-- Returns the leases to grant: of units that are available from `first` on, within the horizon. The
-- first has what is needed at once; what is available about the same time is one.
local function leases_from(first, need, ahead)
  local points = instants(first, clock + LAW.horizon, each_term(function(i)
    return LEAST[i] > 0 and earliest(state.counts[i], TERMS[i], ahead[i] + LEAST[i]) or false
  end))
  local units = each_term(function(i) return available(state.counts[i], TERMS[i], points) end)
  local leases, sum, last = {}, each_term(function() return 0 end), nil
  local together = math.floor(LAW.horizon / 16)
  for _, term in ipairs(TERMS) do
    together = math.max(together, math.floor(term.interval / 64))
  end
  for at, instant in ipairs(points) do
    if instant > clock + LAW.horizon then
      break
    end
    local total = grantable(units, need, ahead, at)
    if covers(total, LEAST) and covers(total, sum) then
      local more = each_term(function(i) return total[i] - sum[i] end)
      if not is_none(more) then
        if not last or instant - last.first > together then
          last = {first = instant, from = instant, units = more}
          leases[#leases + 1] = last
        else
          last.from = instant
          last.units = each_term(function(i) return last.units[i] + more[i] end)
        end
        sum = total
      end
    end
  end
  return leases, sum, units
end

-- Adds what the client would like beyond what it waits for, if it is available now.
local function add_spare(leases, sum, units)
  local more = each_term(function(i) return math.max(0, math.min(SPARE[i], units[i][1] - sum[i])) end)
  for i = 1, #TERMS do
    if SPARE[i] > 0 and more[i] == 0 then
      return
    end
  end
  if is_none(more) then
    return
  elseif #leases == 1 and leases[1].from == clock then
    leases[1].units = each_term(function(i) return leases[1].units[i] + more[i] end)
  else
    table.insert(leases, 1, {from = clock, units = more})
  end
end

-- A request that arrives late may find some of its leases in use: it takes other names then.
local function keep(leases)
  for n, lease in ipairs(leases) do
    local id = CLIENT .. ':' .. REQUEST .. '.' .. (#leases - n)
    local known = true
    while known do
      known = false
      for _, count in ipairs(state.counts) do
        known = known or find_run(count, id) ~= nil
      end
      id = known and id .. "'" or id
    end
    for i, term in ipairs(TERMS) do
      if lease.units[i] > 0 then
        local from = lease.from - clock
        add_run(state.counts[i], id, lease.units[i], from, from + LAW.use + term.unanswered + term.interval)
      end
    end
  end
end

-- Returns for how long at most a unit that is in use now is spent, if its request ends now.
local function over_in(term, units)
  if term.refill > 0 then
    return math.ceil(units * term.every / term.refill) + term.interval
  end
  return math.max(term.interval, LAW.horizon)
end

-- A fence or a pause may be ended early. Within this time a client notices it; one of a key later, as
-- there may be many of them.
local SOON, SOON_OF_KEYS = 1000000, 5000000

-- A client may give units back long before they are due. Another client notices it in a quarter of the
-- time for which a unit is spent, within these bounds.
local SHORTEST_LOOK, LONGEST_LOOK = 1000000, 15000000

-- Crowds. A call takes the server longer the more clients the record has: about 300 us, and 1 us for each. If a call of
-- each takes half as long as a lease may be used, leases soon arrive when they are over. Then each client stays away
-- for a gap between its calls: twice what a call of each takes, so that the server is busy for half of the time.
-- Beyond about 2000 clients it is busier, as no gap, with its spread, is longer than the longest look: units may have
-- become free, and dead clients count too. Clients that get late answers stay away by themselves.
local CALL, EACH = 600, 2 -- twice that
local LONGEST_GAP = LONGEST_LOOK / 1.5

local function gap_of(n)
  return math.min(n * (CALL + EACH * n), LONGEST_GAP)
end

-- Returns how many clients wait or have leases, at most: one may have several.
local function clients()
  local most = 0
  for _, count in ipairs(state.counts) do
    local leases = 0
    for at = FIRST, #count, RUN do
      leases = leases + (count[at] == '' and 0 or 1)
    end
    most = math.max(most, leases)
  end
  return most + #state.line
end

-- Returns the gap, 0 if there is no crowd, and how many clients there are. The record knows those that had units
-- lately: where half of them seem to have some now, so may the others before long. Those of a key are taken to be few.
local function crowd()
  local n, known = clients(), 0
  if keyed or gap_of(n) <= LAW.use then
    return 0, n
  end
  for _ in pairs(record.clients) do
    known = known + 1
  end
  n = 2 * n >= known and known or n
  local gap = gap_of(n)
  return gap > LAW.use and gap or 0, n
end

-- Returns a time of half to one and a half of that, by the client and its request: those that called at the same time
-- do not do so again.
local function spread(time)
  local place = tonumber(REQUEST) * 40503 % 65536
  for i = 1, #CLIENT do
    place = (place * 31 + string.byte(CLIENT, i)) % 65536
  end
  return math.floor(time / 2) + math.floor(time * place / 65536)
end

-- Returns how many units of each term a client of a crowd gets at once, and whether it may call twice in its turn: when
-- its lease is over, so that what it reports comes back for others, and when units are free again. For that a turn
-- must be longer than a gap, so a client must use more than what comes back for it in a gap. Otherwise it reports with
-- its next request.
local function turn(gap, n, need, batch)
  local shares, is_twice = each_term(function(i) return gap * rate(TERMS[i]) / n end), true
  for i, share in ipairs(shares) do
    is_twice = is_twice and (WANT[i] == 0 or WANT[i] + SPARE[i] / 2 >= 1.25 * share)
  end
  return each_term(function(i)
    local most = math.ceil(is_twice and 2 * shares[i] or TERMS[i].capacity / n)
    return WANT[i] == 0 and 0 or math.max(need[i], math.min(WANT[i] + SPARE[i], batch[i], most))
  end), is_twice
end

-- Returns for how long a client of a crowd stays away that got all that it asked for.
local function stay_away(gap, leases, is_free)
  local over = leases[#leases].from + LAW.use - clock
  return is_free and math.max(spread(gap), over) or over
end

-- When a client that still wants units behind others should come back: as soon as a good part of
-- them can be reserved, and in any case before a request that ends now is over. It comes a quarter of
-- the horizon later than that: units are reserved ahead, so none is late, and a call takes more. In a crowd it stays
-- away for a gap, and for most of the time in which its turn comes. One that is first does not: it is kept units.
local function come_back(ahead, rest, gap)
  local shut = math.max(closed_until(), record.paused)
  if shut > clock then
    local away, later = keyed and SOON_OF_KEYS or SOON, 0
    if gap > 0 then
      later = spread(gap)
      away = math.max(away, later)
    end
    return math.min(shut - LAW.horizon + later, clock + away)
  elseif gap > 0 and not is_none(ahead) then
    local away = spread(gap)
    for i, term in ipairs(TERMS) do
      if rest[i] > 0 then
        away = math.max(away, math.min(math.floor((ahead[i] + rest[i]) * 0.75 / rate(term)), LONGEST_LOOK))
      end
    end
    return clock + away
  end
  local first, last, look = clock, clock, math.max(LAW.horizon, SHORTEST_LOOK)
  for i, term in ipairs(TERMS) do
    if rest[i] > 0 then
      local least = math.max(1, math.min(LEAST[i], rest[i]))
      local over = clock + over_in(term, least)
      look = math.max(look, math.min(math.floor((over - clock) / 4), LONGEST_LOOK))
      first = math.max(first, math.min(over, earliest(state.counts[i], term, ahead[i] + least) or over))
      last = math.max(last, math.min(over, earliest(state.counts[i], term, ahead[i] + rest[i]) or over))
    end
  end
  last = math.min(last, first + math.floor(LAW.horizon / 2)) - math.floor(LAW.horizon * 3 / 4)
  return math.min(last, clock + look)
end

local function wait_in_line(ahead, rest, again, gap)
  local place = nil
  for _, each in ipairs(state.line) do
    if each.client == CLIENT then
      place = each
    end
  end
  if again or not place then
    leave_line()
    place = {client = CLIENT}
    table.insert(state.line, place)
  end
  local pause = math.max(come_back(ahead, rest, gap) - clock, math.floor(LAW.horizon / 16) + 1)
  place.want, place.over = rest, clock + pause + LAW.horizon
  return pause
end

-- Notes the most units that are spent at once, now or when what is reserved begins.
local function note_most()
  local points = instants(clock, clock, {})
  for i, count in ipairs(state.counts) do
    count[3] = math.max(count[3], TERMS[i].capacity - available(count, TERMS[i], points)[1])
  end
end

-- Grants what can be granted. Returns the leases, and when to come back for the rest; in a crowd, when to call again.
local function grant()
  local ahead, kept, others, waiting = others_in_line()
  local gap, n = crowd()
  local batch = each_term(function(i) return math.max(4, math.ceil(TERMS[i].capacity / 8), LEAST[i]) end)
  local need = each_term(function(i) return waiting and math.min(WANT[i], batch[i]) or WANT[i] end)
  local is_twice = false
  if gap > 0 then
    need, is_twice = turn(gap, n, need, batch)
  end
  local first = math.max(clock, closed_until(), record.paused)
  local leases, sum, units = {}, each_term(function() return 0 end), nil
  if first <= clock + LAW.horizon then
    leases, sum, units = leases_from(first, need, gap > 0 and kept or ahead)
  end
  local rest = each_term(function(i) return math.max(0, WANT[i] - sum[i]) end)
  local satisfied, is_free = is_none(rest), true
  if satisfied and not waiting and first == clock and gap == 0 then
    add_spare(leases, sum, units)
  end
  keep(leases)
  note_most()
  if satisfied then
    leave_line()
    for i = 1, is_twice and #leases > 0 and #TERMS or 0 do
      is_free = is_free and units[i][1] - ahead[i] >= 2 * sum[i]
    end
    return leases, gap > 0 and #leases > 0 and stay_away(gap, leases, is_free) or 0
  end
  local served = not is_none(sum)
  local next_rest = each_term(function(i)
    return rest[i] == 0 and 0 or math.min(math.max(rest[i], need[i] - sum[i]), batch[i])
  end)
  return leases, wait_in_line(served and others or ahead, next_rest, served, gap)
end

-- Notes who the client is, for those who look at the limit: of the clients that have units or wait for
-- some. Those that have nothing any more are dropped when another comes, so there are never many.
local function note_client()
  local has = {}
  for _, place in ipairs(state.line) do
    has[place.client] = true
  end
  for _, count in ipairs(state.counts) do
    for at = FIRST, #count, RUN do
      has[holder(count[at])] = true
    end
  end
  if has[CLIENT] then
    for client in pairs(record.clients) do
      record.clients[client] = has[client] and record.clients[client] or nil
    end
    record.clients[CLIENT] = LABEL
  end
end

-- Adds to a reply when to come back, and the leases: those that the request was granted before, if there are any.
local function answer(reply)
  local leases = granted()
  if #leases == 0 then
    leases, reply[7] = grant()
  end
  for _, lease in ipairs(leases) do
    reply[#reply + 1] = lease.from
    reply[#reply + 1] = lease.from + LAW.use
    for i = 1, #TERMS do
      reply[#reply + 1] = lease.units[i] or 0
    end
  end
end

return {answer = answer, keep_open = keep_open, note_client = note_client}
