-- Takes what a client reports, and grants it units.
--
-- ARGV: 1 client, 2 number of its request, 3 units that it waits for, 4 how many of them it needs at
-- once, 5 units that it would like beyond them, 6 the epoch that it knows, 7 why it distrusts that
-- epoch's clock, 8 the revision that it knows, 9 "1" if the name may be new, 10 to 16 its limit, and
-- from 17 on four for each report: lease, units that are left in it, what became of the others, and
-- the instant until which they may have been counted.

local CLIENT, REQUEST = ARGV[1], ARGV[2]
local WANT, LEAST, SPARE = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

-- Units in use may have been counted as free again, if that was told late: all of them are spent.
local function keep_open(id, units, left)
  local spent_until = record.clock + record.unanswered + record.interval
  if units == 0 then
    add_run(id, left, record.clock, spent_until)
  else
    redis.call('HSET', RECORD, 'u' .. id, text(math.max(units, left)))
    redis.call('ZADD', RUNS, 'GT', text(spent_until), id)
  end
  record.free = record.free - math.max(0, left - units)
end

local function report(id, left, kind, instant)
  local units = tonumber(redis.call('HGET', RECORD, 'u' .. id) or 0)
  if kind == 'open' or kind == 'anew' then
    keep_open(id, units, left)
  elseif units > left and ARGV[6] == record.began then
    local free_from = instant + record.interval
    if kind == 'unused' then
      free_from = tonumber(redis.call('HGET', RECORD, 'f' .. id))
    end
    if left == 0 then
      remove_run(id)
    else
      redis.call('HSET', RECORD, 'u' .. id, text(left))
    end
    give_back(units - left, free_from)
  end
end

-- The leases that this request was granted, if it was carried out before. They are numbered from
-- the last, which is free again last: so those that are left are found.
local function granted()
  local leases = {}
  while true do
    local id = CLIENT .. ':' .. REQUEST .. '.' .. #leases
    local run = redis.call('HMGET', RECORD, 'u' .. id, 'f' .. id)
    if not run[1] then
      return leases
    end
    table.insert(leases, 1, {units = tonumber(run[1]), from = tonumber(run[2])})
  end
end

local function leave_line(client)
  redis.call('ZREM', LINE, client)
  redis.call('HDEL', RECORD, 'w' .. client, 'x' .. client)
end

-- Returns how many units the clients before this one wait for, and how many all others wait for.
local function line()
  local ahead, others, passed = 0, 0, false
  for _, client in ipairs(redis.call('ZRANGE', LINE, 0, -1)) do
    local place = redis.call('HMGET', RECORD, 'w' .. client, 'x' .. client)
    if client == CLIENT then
      passed = true
    elseif tonumber(place[2]) < record.clock then
      leave_line(client)
    else
      others = others + tonumber(place[1])
      if not passed then
        ahead = others
      end
    end
  end
  return ahead, others
end

-- Calls `use` with the runs in the order in which they are free, until it returns true.
local function each_run(use)
  local first = 0
  repeat
    local runs = redis.call('ZRANGE', RUNS, first, first + 31, 'WITHSCORES')
    for i = 1, #runs, 2 do
      local units = tonumber(redis.call('HGET', RECORD, 'u' .. runs[i]))
      if use(runs[i], units, tonumber(runs[i + 1])) then
        return
      end
    end
    first = first + 32
  until #runs < 64
end

-- The units to take: of what is free, then of runs that are free within the horizon.
local function pieces(skip, need)
  local found, sum = {}, 0
  local function offer(id, units, instant)
    local skipped = math.min(skip, units)
    skip = skip - skipped
    local part = math.min(units - skipped, need - sum)
    if part > 0 then
      found[#found + 1] = {id = id, units = part, whole = part == units, instant = instant}
      sum = sum + part
    end
    return sum == need
  end
  if record.free < 0 then
    skip = skip - record.free
  elseif record.free > 0 then
    offer(nil, record.free, record.clock)
  end
  if sum < need then
    each_run(function(id, units, instant)
      return instant > record.clock + record.horizon or offer(id, units, instant)
    end)
  end
  return found, sum
end

local function take(piece)
  if not piece.id then
    record.free = record.free - piece.units
  elseif piece.whole then
    remove_run(piece.id)
  else
    redis.call('HINCRBY', RECORD, 'u' .. piece.id, text(-piece.units))
  end
end

-- Joins pieces into leases: those that are free about the same time, and those needed at once.
local function leases_of(found, sum)
  local leases = {}
  local last
  for _, piece in ipairs(found) do
    take(piece)
    if last and (last.units < LEAST and #leases == 1
        or piece.instant - last.first <= record.interval / 64) then
      last.units, last.from = last.units + piece.units, piece.instant
    else
      last = {units = piece.units, first = piece.instant, from = piece.instant}
      leases[#leases + 1] = last
    end
  end
  return leases
end

-- A request that arrives late may find some of its leases in use: it takes other names then.
local function keep(leases)
  for i, lease in ipairs(leases) do
    local id = CLIENT .. ':' .. REQUEST .. '.' .. (#leases - i)
    while redis.call('HEXISTS', RECORD, 'u' .. id) == 1 do
      id = id .. "'"
    end
    add_run(id, lease.units, lease.from,
      lease.from + record.use + record.unanswered + record.interval)
  end
end

-- When a client that still wants units behind others should come back: as soon as a good part of
-- them can be reserved, and in any case before a request that ends now is over. It comes a quarter of
-- the horizon later than that: units are reserved ahead, so none is late, and a call takes more.
local function come_back(ahead, rest)
  if record.closed > record.clock then
    return record.closed - record.horizon
  end
  local least = math.max(1, math.min(LEAST, rest))
  local sum, first, last = record.free - ahead, nil, nil
  each_run(function(_, units, instant)
    sum = sum + units
    if not first and sum >= least then
      first = instant
    end
    if sum >= rest then
      last = instant
    end
    return last
  end)
  local over = record.clock + record.interval
  first = math.min(first or over, over)
  return math.min(last or over, first + math.floor(record.horizon / 2))
    - math.floor(record.horizon * 3 / 4)
end

local function wait_in_line(ahead, rest, again)
  if again then
    leave_line(CLIENT)
  end
  if not redis.call('ZSCORE', LINE, CLIENT) then
    record.ticket = record.ticket + 1
    redis.call('ZADD', LINE, text(record.ticket), CLIENT)
  end
  local pause = math.max(come_back(ahead, rest) - record.clock, math.floor(record.horizon / 16) + 1)
  redis.call('HSET', RECORD, 'w' .. CLIENT, text(rest), 'x' .. CLIENT,
    text(record.clock + pause + record.horizon))
  return pause
end

-- Grants what can be granted. Returns the leases, and when to come back for the rest.
local function grant()
  local batch = math.max(4, math.ceil(record.permits / 8), LEAST)
  local ahead, others = line()
  local need = WANT
  if others > 0 then
    need = math.min(WANT, batch)
  end
  local found, sum = pieces(ahead, need)
  if sum < LEAST then
    found, sum = {}, 0
  end
  local leases = leases_of(found, sum)
  if sum == WANT and others == 0 and SPARE > 0 and record.free > 0 then
    local more = math.min(SPARE, record.free)
    record.free = record.free - more
    if #leases == 1 and leases[1].from == record.clock then
      leases[1].units = leases[1].units + more
    else
      table.insert(leases, 1, {units = more, from = record.clock})
    end
  end
  keep(leases)
  if sum == WANT then
    leave_line(CLIENT)
    return leases, 0
  end
  return leases, wait_in_line(sum > 0 and others or ahead, math.min(WANT - sum, batch), sum > 0)
end

open(ARGV[6], ARGV[7], terms(10), ARGV[9] == '1')
for i = 17, #ARGV, 4 do
  report(CLIENT .. ':' .. ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2], tonumber(ARGV[i + 3]))
end
local leases, pause = granted(), 0
if #leases == 0 then
  leases, pause = grant()
end
write_state()

local reply = header(ARGV[8])
reply[#reply + 1] = text(pause)
for i, lease in ipairs(leases) do
  reply[#reply + 1] = text(lease.units)
  reply[#reply + 1] = text(lease.from)
  reply[#reply + 1] = text(lease.from + record.use)
end
return reply
