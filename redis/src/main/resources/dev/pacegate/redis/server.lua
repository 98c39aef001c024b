-- What a script needs of the server: the time in microseconds, which server this is, its replicas, which node of a
-- cluster it is, for how long it has run, whether it has been a replica since, what it has evicted, and keys that end
-- by themselves. Tests put other functions of these names in their place.

local function wall()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local function info(section)
  local text = redis.pcall('INFO', section)
  if text.err then
    error('INFO is refused: ' .. text.err)
  end
  return text
end

local function identity()
  local run = string.match(info('server'), 'run_id:(%x+)')
  local replication = info('replication')
  local replicas = {}
  for ip, port, state, offset, lag in
    string.gmatch(replication, 'slave%d+:ip=([^,]*),port=(%d+),state=([%a_]+),offset=(%d+),lag=(%-?%d+)') do
    replicas[#replicas + 1] =
      {name = ip .. ':' .. port, online = state == 'online' and offset ~= '0', lag = tonumber(lag)}
  end
  return run, string.match(replication, 'master_replid:(%x+)'), string.match(replication, 'master_replid2:(%x+)'),
    replicas
end

-- Returns which node of a cluster it is, also after it was started anew; nil if it is of none.
local function node()
  if string.find(info('server'), 'redis_mode:cluster') then
    return redis.call('CLUSTER', 'MYID')
  end
end

-- Returns for how many microseconds at least it has run.
local function uptime()
  return tonumber(string.match(info('server'), 'uptime_in_seconds:(%d+)')) * 1000000
end

-- Redis 7 gives a primary that reads its file the second id of a replica that was promoted: then what it
-- has read from a primary tells the two apart.
local function was_replica(earlier)
  return string.find(earlier, '[^0]') ~= nil
    and not string.find(info('stats'), 'total_net_repl_input_bytes:0[^%d]')
end

-- Returns how many keys it has evicted, and how many commands it has carried out, since its statistics
-- were last reset.
local function statistics()
  local stats = info('stats')
  return {
    evicted = tonumber(string.match(stats, 'evicted_keys:(%d+)')),
    commands = tonumber(string.match(stats, 'total_commands_processed:(%d+)'))
  }
end

-- Returns whether it evicts keys at all, as it is set up now.
local function may_evict()
  local memory = info('memory')
  return not string.find(memory, 'maxmemory:0%s') and not string.find(memory, 'maxmemory_policy:noeviction')
end

local function set_for(key, value, micros)
  redis.call('SET', key, value, 'PX', string.format('%.0f', math.ceil(micros / 1000) + 1))
end
