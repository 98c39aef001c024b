-- The record of a name, and the state of its limit, or of one of its keys. See docs/decisions/redis.md.
--
-- KEYS: the record, and for a limit of keys the state of each key. Each is one packed value, so that a
-- server keeps all of it or nothing. Instants are microseconds of the record's clock, which follows the
-- server's, but never steps back within an epoch. A packed state has instants as distances from its clock.
--
-- A script opens the record first, which judges the server, and then one state after the other. It saves each
-- state before it opens the next, and the record last.
--
-- A function costs each call in which it is made: what few calls need is in functions of its own (`epochs`, and for
-- acquire.lua `long`) that make the rest, as soon as one of them is needed.

local RECORD, OF_KEYS = KEYS[1], #KEYS > 1

-- The record of keys is written anew at least this often, so that its clock tells when it was used.
local WRITTEN_WITHIN = 10000000

-- A replica tells its primary once a second what it has. One that has told nothing for longer is away: to
-- wait for it would keep the connection of all limits.
local LONGEST_LAG = 3

-- The form of what is stored. Processes of another form refuse it, and are refused; see
-- docs/decisions/redis.md for what changes it.
local FORMAT = 3

local record, state, clock
local KEY -- of the state that is open; nil if the record has it
local began_at, latest -- the clock at which all states are opened at least, and the latest of theirs
local here -- this server, as the call finds it
local keyed -- whether the name is that of a limit of keys
local gone -- a replica that must confirm, and cannot: see `refuse_call`
local record_changed = false
local epochs, long -- see epochs.lua and long.lua
local open_state, packed -- see opening.lua
local save_state -- see states.lua

local function text(number)
  return string.format('%.0f', number)
end

local arguments = 0

-- Returns the longest fence of a limit and of those that were in force just before an instant.
local function longest_fence(fence, before, before_until, instant)
  return instant < before_until and math.max(fence, before) or fence
end

local LONGEST_AUDIT = 20

-- Notes what was done to the limit, and by whom.
local function audit(what, who, why)
  table.insert(record.audit, {clock, what, who, why})
  if #record.audit > LONGEST_AUDIT then
    table.remove(record.audit, 1)
  end
  record_changed = true
end

-- Looks at the server: which it is, its replicas, its time, and for keys what it has evicted.
local function look()
  local run, replication, earlier, replicas = identity(keyed)
  here = {
    run = run, replication = replication, earlier = earlier, replicas = replicas,
    counted = keyed and statistics(), now = wall()
  }
end

-- Replicas. A primary that was replaced may go on, and knows nothing of it. So what is granted is used only
-- after all replicas that the record names have it: one that was promoted does not confirm it any more.
-- Names are added when a script first sees a replica that has been synchronised; people alone take one
-- away. Where people have stated for how long a primary may go on (`partition`), nothing is named.

local function has(names, name)
  for place, each in ipairs(names) do
    if each == name then
      return place
    end
  end
end

-- A replica that connects anew is listed twice until its primary drops the connection before. One that is
-- online but has confirmed nothing yet still reads its first copy; one that was forgotten stays listed for
-- a while, and is not heard of.
local function note_replicas()
  if record.law.partition ~= '' or #here.replicas == 0 and #record.replicas == 0 then
    return
  end
  local heard = {}
  for _, replica in ipairs(here.replicas) do
    if replica.online and replica.lag <= LONGEST_LAG then
      heard[replica.name] = true
      if not has(record.replicas, replica.name) then
        table.insert(record.replicas, replica.name)
        table.sort(record.replicas)
        record_changed = true
        if record.durable then
          record.durable = false
          audit('durable no more', 'the store', 'it has the replica ' .. replica.name)
        end
      end
    end
  end
  for _, name in ipairs(record.replicas) do
    gone = gone or not heard[name] and name or nil
  end
end

local function unpack_value(key, value)
  local known, content = pcall(cmsgpack.unpack, value)
  if not known or type(content) ~= 'table' then
    error(key .. ' is not a record of this version of Pacegate: use another name')
  end
  return content
end

-- Reads the record, and returns it; nil if there is none.
local function load()
  local value = redis.call('GET', RECORD)
  record = value and unpack_value(RECORD, value) or nil
  return record
end

local function load_record(check)
  load()
  if record and record.format ~= FORMAT then
    error(RECORD .. ' is not a record of this version of Pacegate: use another name')
  elseif record and record.check ~= check then
    epochs().refuse_check(check)
  end
end

-- Begins an epoch if the record cannot be relied upon. If that takes the address of this server, it returns
-- what the client must answer: its run. This server as it was, of which no one says anything, is no matter.
local function judge(said)
  if not record or record.run ~= here.run or record.replication ~= here.replication or said.distrusts
    or keyed and (here.counted.evicted ~= record.evicted or here.counted.commands < record.commands) then
    return epochs().judge(said)
  end
end

-- Reads the record, and moves the clock on. Returns what the client must answer first, if there is anything.
--
-- What it says: its `claim`, which is that answer, with the address to which it is connected, or without if it
-- is not known; the epochs that it `distrusts`, each with the reason, nil if none; the limit of all that is
-- `given`, as a function, and its `partition`; whether the name may be `fresh`; the `check` of the secret; and
-- whether the server is `durable`, nil if it does not say.
local function open_record(said)
  keyed = said.check ~= ''
  look()
  load_record(said.check)
  if record and record.law.partition ~= said.partition then
    epochs().disagree(said.partition)
  end
  local ask = judge(said)
  if ask then
    return ask
  end
  if keyed then
    record_changed = record_changed or here.counted.commands < record.commands
    record.evicted, record.commands = here.counted.evicted, here.counted.commands
  end
  began_at = math.max(record.clock, here.now)
  latest, clock = began_at, began_at
  note_replicas()
end

local function save_record()
  if not OF_KEYS or record_changed or latest - record.clock >= WRITTEN_WITHIN then
    record.clock = math.max(record.clock, latest)
    redis.call('SET', RECORD, cmsgpack.pack(record))
  end
end

-- The beginning of each reply: the epoch and why it began, what was said of a pause, which replicas must confirm
-- this call, and by how much the clocks of others are ahead. What was done to each state follows.
local function common(offsets)
  return {text(record.began), record.reason, record.why, table.concat(record.replicas, ' '), offsets or ''}
end
