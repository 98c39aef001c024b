-- What a script asks the server about itself: the time in microseconds, and which server this is.
-- Tests put other functions of these names in their place.

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
