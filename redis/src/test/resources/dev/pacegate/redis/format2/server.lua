-- What a script needs of the server: the time in microseconds, which server this is, how many keys it
-- has evicted, and keys that end by themselves. Tests put other functions of these names in their place.

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
  return run, string.match(replication, 'master_replid:(%x+)'), string.match(replication, 'master_replid2:(%x+)')
end

local function evicted()
  return tonumber(string.match(info('stats'), 'evicted_keys:(%d+)'))
end

local function set_for(key, value, micros)
  redis.call('SET', key, value, 'PX', string.format('%.0f', math.ceil(micros / 1000) + 1))
end
