-- The long way: takes what a client reports, and grants what can be granted, whatever the state.

-- Units in use may have been counted as over, if that was told late: all of them are spent.
local function keep_open(count, term, id, left)
  local run, place = find_run(count, id)
  local spent_until = clock + term.unanswered + term.interval
  if run then
    table.remove(count.runs, place)
    add_run(count, id, math.max(run.units, left), run.from, math.max(run.instant, spent_until))
  else
    add_run(count, id, left, clock, spent_until)
  end
end

local function report(index, id, left, kind, instant)
  local count, term = state.counts[index], TERMS[index]
  local run, place = find_run(count, id)
  if kind == 'open' or kind == 'anew' then
    keep_open(count, term, id, left)
  elseif run and run.units > left and EPOCH == BEGAN then
    local units = run.units - left
    run.units = left
    if left == 0 then
      table.remove(count.runs, place)
    end
    if kind == 'ended' then
      spend(count, term, units, instant + term.interval)
    end
  end
end

-- The leases that this request was granted, if it was carried out before. They are numbered from
-- the last, which is over last: so those that are left are found.
local function granted()
  local leases = {}
  while true do
    local id, lease = CLIENT .. ':' .. REQUEST .. '.' .. #leases, nil
    for i, count in ipairs(state.counts) do
      local run = find_run(count, id)
      if run then
        lease = lease or {from = run.from, units = {}}
        lease.units[i] = run.units
      end
    end
    if not lease then
      return leases
    end
    table.insert(leases, 1, lease)
  end
end

-- Returns how many units of each term the clients before this one wait for, and all others together.
local function others_in_line()
  local ahead, others, line, place, waiting = {}, {}, {}, nil, false
  for i = 1, #TERMS do
    ahead[i], others[i] = 0, 0
  end
  for _, each in ipairs(state.line) do
    if each.client == CLIENT then
      place = each
      line[#line + 1] = each
    elseif each.over >= clock then
      line[#line + 1] = each
      waiting = true
      for i, want in ipairs(each.want) do
        others[i] = others[i] + want
        ahead[i] = place and ahead[i] or others[i]
      end
    end
  end
  state.line = line
  return ahead, others, waiting
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
        add_run(state.counts[i], id, lease.units[i], lease.from,
          lease.from + LAW.use + term.unanswered + term.interval)
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

-- When a client that still wants units behind others should come back: as soon as a good part of
-- them can be reserved, and in any case before a request that ends now is over. It comes a quarter of
-- the horizon later than that: units are reserved ahead, so none is late, and a call takes more.
local function come_back(ahead, rest)
  local shut = math.max(closed_until(), record.paused)
  if shut > clock then
    return math.min(shut - LAW.horizon, clock + (keyed and SOON_OF_KEYS or SOON))
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

local function wait_in_line(ahead, rest, again)
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
  local pause = math.max(come_back(ahead, rest) - clock, math.floor(LAW.horizon / 16) + 1)
  place.want, place.over = rest, clock + pause + LAW.horizon
  return pause
end

-- Notes the most units that are spent at once, now or when what is reserved begins.
local function note_most()
  local points = instants(clock, clock, {})
  for i, count in ipairs(state.counts) do
    count.most = math.max(count.most, TERMS[i].capacity - available(count, TERMS[i], points)[1])
  end
end

-- Grants what can be granted. Returns the leases, and when to come back for the rest.
local function grant()
  local ahead, others, waiting = others_in_line()
  local batch = each_term(function(i) return math.max(4, math.ceil(TERMS[i].capacity / 8), LEAST[i]) end)
  local need = each_term(function(i) return waiting and math.min(WANT[i], batch[i]) or WANT[i] end)
  local first = math.max(clock, closed_until(), record.paused)
  local leases, sum, units = {}, each_term(function() return 0 end), nil
  if first <= clock + LAW.horizon then
    leases, sum, units = leases_from(first, need, ahead)
  end
  local rest = each_term(function(i) return WANT[i] - sum[i] end)
  local satisfied = is_none(rest)
  if satisfied and not waiting and first == clock then
    add_spare(leases, sum, units)
  end
  keep(leases)
  note_most()
  if satisfied then
    leave_line()
    return leases, 0
  end
  local served = not is_none(sum)
  local next_rest = each_term(function(i) return math.min(rest[i], batch[i]) end)
  return leases, wait_in_line(served and others or ahead, next_rest, served)
end

-- Notes who the client is, for those who look at the limit: of the clients that have units or wait for
-- some. Those that have nothing any more are dropped when another comes, so there are never many.
local function note_client()
  if keyed or record.clients[CLIENT] then
    return
  end
  local has = {}
  for _, place in ipairs(state.line) do
    has[place.client] = true
  end
  for _, count in ipairs(state.counts) do
    for _, run in ipairs(count.runs) do
      has[holder(run)] = true
    end
  end
  if has[CLIENT] then
    for client in pairs(record.clients) do
      record.clients[client] = has[client] and record.clients[client] or nil
    end
    record.clients[CLIENT] = LABEL
  end
end

local function answer(leases, pause)
  local reply = header(REVISION)
  reply[#reply + 1] = pause
  for _, lease in ipairs(leases) do
    reply[#reply + 1] = lease.from
    reply[#reply + 1] = lease.from + LAW.use
    for i = 1, #TERMS do
      reply[#reply + 1] = lease.units[i] or 0
    end
  end
  return reply
end

-- A client that does not know the limit in force is told it first: its terms may be others.
local function serve_long(key, value)
  open_state(key, value)
  LAW = law()
  TERMS = LAW.terms
  local leases, pause = {}, 0
  if REVISION == text(LAW.revision) then
    for _ = 1, number() do
      local index, id, left, kind, instant = number() + 1, CLIENT .. ':' .. argument(), number(), argument(), number()
      report(index, id, left, kind, instant)
    end
    leases = granted()
    if #leases == 0 then
      leases, pause = grant()
    end
  end
  note_client()
  save_state()
  return answer(leases, pause)
end

return serve_long
