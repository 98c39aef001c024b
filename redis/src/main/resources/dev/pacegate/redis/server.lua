-- What a script needs of the server: the time in microseconds, which server this is, its replicas, for how
-- long it has run, whether it has been a replica since, what it has evicted, and keys that end by themselves.
-- Tests put other functions of these names in their place.

local function wall()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- What it has told of its sections in this call. Redis 7 tells several at once.
local told, TELLS_SEVERAL = {}, redis.REDIS_VERSION_NUM ~= nil

local function ask_info(...)
  local text = redis.pcall('INFO', ...)
  if text.err then
    error('INFO is refused: ' .. text.err)
  end
  for _, section in ipairs({...}) do
    told[section] = text
  end
end

-- Returns what stands behind a name in a section.
local function info(section, name, pattern)
  if not told[section] then
    ask_info(section)
  end
  local _, at = string.find(told[section], name, 1, true)
  return at and string.match(told[section], pattern, at + 1)
end

-- Returns which run of a server it is, its replication id and the one before, and its replicas. What is asked of
-- it later in a call for keys is asked here, too.
local function identity(keyed)
  if TELLS_SEVERAL and keyed then
    ask_info('server', 'replication', 'stats')
  elseif TELLS_SEVERAL then
    ask_info('server', 'replication')
  end
  local run, replication = info('server', 'run_id:', '^%x+'), info('replication', 'master_replid:', '^%x+')
  local earlier, replicas = info('replication', 'master_replid2:', '^%x+'), {}
  if info('replication', 'connected_slaves:', '^%d+') ~= '0' then
    for ip, port, state, offset, lag in string.gmatch(
      told.replication, 'slave%d+:ip=([^,]*),port=(%d+),state=([%a_]+),offset=(%d+),lag=(%-?%d+)') do
      replicas[#replicas + 1] =
        {name = ip .. ':' .. port, online = state == 'online' and offset ~= '0', lag = tonumber(lag)}
    end
  end
  return run, replication, earlier, replicas
end

-- Returns for how many microseconds at least it has run.
local function uptime()
  return tonumber(info('server', 'uptime_in_seconds:', '^%d+')) * 1000000
end

-- Redis 7 gives a primary that reads its file the second id of a replica that was promoted: then what it
-- has read from a primary tells the two apart.
local function was_replica(earlier)
  return string.find(earlier, '[^0]') ~= nil
    and info('stats', 'total_net_repl_input_bytes:', '^%d+') ~= '0'
end

-- Returns how many keys it has evicted, and how many commands it has carried out, since its statistics
-- were last reset.
local function statistics()
  return {
    evicted = tonumber(info('stats', 'evicted_keys:', '^%d+')),
    commands = tonumber(info('stats', 'total_commands_processed:', '^%d+'))
  }
end

-- Returns whether it evicts keys at all, as it is set up now.
local function may_evict()
  return info('memory', 'maxmemory:', '^%d+') ~= '0' and info('memory', 'maxmemory_policy:', '^%S+') ~= 'noeviction'
end

local function set_for(key, value, micros)
  redis.call('SET', key, value, 'PX', string.format('%.0f', math.ceil(micros / 1000) + 1))
end
