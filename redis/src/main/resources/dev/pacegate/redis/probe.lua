-- Calls what the other scripts call, on keys of no limit, and tells what was refused: each command and the server's words.
--
-- KEYS: a record, and for limits of keys the state of a key.

local refused = {}

local function try(command, ...)
  local reply = redis.pcall(command, ...)
  if type(reply) == 'table' and reply.err then
    refused[#refused + 1] = command
    refused[#refused + 1] = reply.err
  end
end

try('TIME')
try('INFO', 'server')
local server = redis.pcall('INFO', 'server')
if type(server) == 'string' and string.find(server, 'redis_mode:cluster') then
  try('CLUSTER', 'MYID')
end
for _, key in ipairs(KEYS) do
  try('DEL', key)
  try('SET', key, '', 'PX', '1000')
  try('GET', key)
  redis.pcall('DEL', key)
end
return refused
