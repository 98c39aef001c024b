-- The record of one limit, shared by all scripts. See docs/decisions/redis.md.
--
-- All units of the limit are either free, or in a run: a number of units that are free again at one
-- instant. A run is a lease of a client ("client:request.index"), what clients have reported
-- ("=revision.instant"), or the fence ("!"). Instants are microseconds of the record's clock, which
-- follows the server's, but never steps back within an epoch.
--
-- KEYS: the record (a hash), its runs by the instant at which they are free (a sorted set), and the
-- line of clients that wait (a sorted set by ticket).

local RECORD, RUNS, LINE = KEYS[1], KEYS[2], KEYS[3]

-- A first replica that attaches changes the replication id of a server that has not been demoted. It
-- forgets an earlier id only after repl-backlog-ttl, an hour unless set; this must be shorter.
local ADOPTED_WITHIN = 60000000

local TEXTS = {'run', 'replication', 'began', 'limit', 'changed', 'reason'}
local NUMBERS = {
  'clock', 'free', 'size', 'ticket', 'revision', 'permits', 'interval', 'use', 'horizon', 'unanswered',
  'fence', 'before', 'beforeUntil', 'closed'
}

local record = {}

local function text(number)
  return string.format('%.0f', number)
end

local function read()
  local texts = redis.call('HMGET', RECORD, unpack(TEXTS))
  local numbers = redis.call('HMGET', RECORD, unpack(NUMBERS))
  for i, name in ipairs(TEXTS) do
    record[name] = texts[i]
  end
  for i, name in ipairs(NUMBERS) do
    record[name] = tonumber(numbers[i])
  end
  return record.run
end

local function write()
  local fields = {}
  for _, name in ipairs(TEXTS) do
    fields[#fields + 1] = name
    fields[#fields + 1] = record[name]
  end
  for _, name in ipairs(NUMBERS) do
    fields[#fields + 1] = name
    fields[#fields + 1] = text(record[name])
  end
  redis.call('HSET', RECORD, unpack(fields))
end

local function write_state()
  redis.call('HSET', RECORD, 'clock', text(record.clock), 'free', text(record.free),
    'size', text(record.size), 'ticket', text(record.ticket))
end

-- Makes a run of that many units, of which none has been used before `from`.
local function add_run(id, units, from, instant)
  redis.call('HSET', RECORD, 'u' .. id, text(units), 'f' .. id, text(from))
  record.size = record.size + redis.call('ZADD', RUNS, text(instant), id)
end

local function remove_run(id)
  redis.call('HDEL', RECORD, 'u' .. id, 'f' .. id)
  record.size = record.size - redis.call('ZREM', RUNS, id)
end

-- Units that are free from `instant` on. Instants are rounded up, so that runs are few.
local function give_back(units, instant)
  if instant <= record.clock then
    record.free = record.free + units
    return
  end
  local grain = math.floor(record.interval / 1024) + 1
  local rounded = math.ceil(instant / grain) * grain
  local id = '=' .. text(record.revision) .. '.' .. text(rounded)
  redis.call('HINCRBY', RECORD, 'u' .. id, text(units))
  record.size = record.size + redis.call('ZADD', RUNS, text(rounded), id)
end

-- Frees the runs whose instant has come.
local function expire()
  repeat
    local ids = redis.call('ZRANGEBYSCORE', RUNS, '-inf', text(record.clock), 'LIMIT', 0, 100)
    for _, id in ipairs(ids) do
      record.free = record.free + tonumber(redis.call('HGET', RECORD, 'u' .. id))
      remove_run(id)
    end
  until #ids < 100
end

-- The limit as a script is told it: its text and its numbers, from that argument on.
local function terms(first)
  return {
    limit = ARGV[first],
    permits = tonumber(ARGV[first + 1]),
    interval = tonumber(ARGV[first + 2]),
    use = tonumber(ARGV[first + 3]),
    horizon = tonumber(ARGV[first + 4]),
    unanswered = tonumber(ARGV[first + 5]),
    fence = tonumber(ARGV[first + 6])
  }
end

local function longest_fence(given)
  local fence = math.max(record.fence, given.fence)
  if record.clock < record.beforeUntil then
    fence = math.max(fence, record.before)
  end
  return fence
end

-- Begins an epoch: nothing is known of what clients may still use, so nothing is granted for the
-- length of the fence.
local function begin(reason, now, run, replication, given, fresh)
  local fence = given.fence
  local began = now
  if record.run then
    fence = longest_fence(given)
    began = math.max(now, tonumber(record.began) + 1)
  else
    for name, value in pairs(given) do
      record[name] = value
    end
    record.revision, record.changed = now, '' -- never the number of another limit
  end
  redis.call('DEL', RECORD, RUNS, LINE)
  record.run, record.replication, record.began = run, replication, text(began)
  record.clock, record.free, record.size, record.ticket = now, 0, 0, 0
  record.before, record.beforeUntil = fence, now + fence
  record.closed, record.reason = now + fence, reason
  if fresh then
    record.free, record.closed = record.permits, now
  else
    add_run('!', record.permits, now + fence, now + fence)
  end
  write()
end

-- Why the record cannot be relied upon; nil if it can.
local function doubt(run, replication, earlier, now, epoch, distrust)
  if not record.run then
    return 'the store does not know this name'
  elseif record.run ~= run then
    return 'the store was restarted, or another server took over'
  elseif record.replication ~= replication
      and (string.find(earlier, '[^0]') or now - record.clock >= ADOPTED_WITHIN) then
    return 'the store was promoted'
  elseif redis.call('ZCARD', RUNS) ~= record.size then
    return 'the store has lost a key'
  elseif distrust ~= '' and epoch == record.began then
    return distrust
  end
end

-- Reads the record, begins an epoch if it cannot be relied upon, and moves its clock on.
local function open(epoch, distrust, given, fresh)
  local run, replication, earlier = identity()
  local now = wall()
  read()
  local reason = doubt(run, replication, earlier, now, epoch, distrust)
  if reason then
    begin(reason, now, run, replication, given, fresh and not record.run)
  elseif record.replication ~= replication then
    record.replication = replication
    write()
  end
  record.clock = math.max(record.clock, now)
  expire()
end

-- The beginning of each reply: the clock, the epoch, the limit in force, and what is left of a fence.
local function header(revision)
  return {
    text(record.clock), record.began, text(record.revision),
    revision == text(record.revision) and '' or record.limit,
    text(math.max(0, record.closed - record.clock)), record.reason
  }
end
