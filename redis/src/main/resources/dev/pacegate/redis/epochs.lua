-- What begins an epoch, or refuses a call. Most calls need none of it: it is made when it is needed.

-- A first replica that attaches changes the replication id of a server that has not been demoted, and so
-- does the last one once it has been away for repl-backlog-ttl, an hour unless set. A server that was
-- demoted forgets its earlier id only then, too; this must be shorter.
local ADOPTED_WITHIN = 60000000

local EVICTED = 'the store has evicted keys'
local UNCOUNTED = 'the statistics of the store were reset, and it may have evicted keys'

-- Said by a client that has just begun, so it may be its own clock that is wrong. The offsets that others
-- told stay then: such a client tells its own, and the next one on its machine is not surprised.
local MOVED_APART = "the store's clock was set forward, or that of a process back"

-- Whether the slot of the record was moved here from another node of a cluster. That one grants nothing for it any
-- more, and its replicas take its place without that slot.
local function was_moved()
  return record.node and record.node ~= node() and here.earlier ~= record.replication
end

-- The replicas of an epoch that begins on a server of another run, by what is known of this server: that
-- it has this address, that it has not been a replica, or nothing.
local function replicas_of_next(address)
  local place = has(record.replicas, address)
  if was_moved() then
    record.replicas = {}
  elseif place then
    table.remove(record.replicas, place)
  elseif was_replica(here.earlier) then
    record.replicas = {}
  end
end

-- Whether this server, of which the client says the address, has all that was used: it was promoted from
-- a replica of the server that wrote its copy of the record, and that copy names it. A copy that is older
-- than a fence may be older than a loss of the record: it is fenced. So is a server that was started less
-- than a fence ago: it may have read an older copy from its file, and confirmed more before. So are keys,
-- as their states end by clocks that may differ.
local function has_all(address)
  return not keyed and record.state and here.earlier == record.replication and has(record.replicas, address)
    and here.now - record.clock < record.law.fence and uptime() > math.max(record.law.fence, record.before)
end

-- Begins an epoch with all that was spent. The time that has passed since the record was written is not
-- known, so nothing of it is taken off; what was reserved for later may be in use by now.
local function go_on()
  local now = here.now
  local passed, fenced = now - record.clock, record.closed > record.clock
  for _, each in ipairs({'opened', 'closed', 'paused', 'before_until', 'emptied'}) do
    record[each] = record[each] + passed
  end
  record.began = math.max(now, record.began + 1)
  record.clock, record.run, record.replication, record.node = now, here.run, here.replication, node()
  if not fenced then
    record.reason = 'a replica took over that has all that was granted'
  end
  record.durable = false
  record.state[2], record.state[3] = now, record.began
  record.offsets = {} -- of another server's clock
  for _, count in ipairs(record.state[7]) do
    for at = 6, #count, 4 do
      count[at] = math.min(count[at], 0)
    end
  end
end

-- Begins an epoch: nothing is known of what clients may still use, so nothing is granted for the
-- length of the fence. The fence of a key's own limit is that key's. But a key that was evicted may have
-- had one, and has the limit of all from now on: so all wait for the longest of them then.
local function begin(reason, said)
  local now, fence, given, fresh = here.now, nil, said.given(), said.fresh and not record
  fence = given.fence
  if record then
    fence = longest_fence(math.max(record.law.fence, fence), record.before, record.before_until, record.clock)
    if reason == EVICTED or reason == UNCOUNTED then
      fence = math.max(fence, record.own_fence)
    end
    record.began = math.max(now, record.began + 1)
  else
    given.revision = now -- never the number of another limit
    record = {
      format = FORMAT, law = given, sequence = now, check = said.check, began = now, paused = 0, why = '',
      own_fence = 0, evicted = 0, commands = 0, offsets = {}, clients = {}, audit = {}, replicas = {}
    }
  end
  if said.durable ~= nil then
    record.durable = said.durable
  elseif record.run ~= here.run then
    record.durable = false -- no one has said it of this server
  end
  record.run, record.replication, record.node = here.run, here.replication, node()
  record.clock, record.reason, record.state = now, reason, nil
  record.before, record.before_until = fence, now + fence
  record.offsets = reason == MOVED_APART and record.offsets or {}
  record.opened, record.closed, record.emptied, record.unfenced = now, now + fence, now + fence, 0
  if fresh then
    record.closed, record.emptied = now, 0
  end
end

-- Whether it is the server of the record that was started anew, and has lost nothing, as all who call say:
-- `durable` is what the caller says of it, nil if nothing. A server that was promoted knows an earlier id.
local function came_back(durable)
  return record.run ~= here.run and record.durable and durable ~= false and #record.replicas == 0
    and not string.find(here.earlier, '[^0]')
end

-- Why keys may have been evicted since the record was written; nil if none were. Statistics that have
-- fallen were reset: what was evicted before that is unknown, but a server that does not evict at all
-- has evicted nothing. A reset is not seen if as many commands came after it as before.
local function eviction()
  local counted = here.counted
  local reset = counted.commands < record.commands or counted.evicted < record.evicted
  if counted.evicted > (reset and 0 or record.evicted) then
    return EVICTED
  elseif reset and may_evict() then
    return UNCOUNTED
  end
end

-- Why this may not be the server of the record as it was, with all its keys; nil if it is.
local function doubt_of_server()
  local renamed = record.replication ~= here.replication
  if record.run ~= here.run then
    return record.node and 'the slot of this name was moved to another node, or its node was restarted or replaced'
      or 'the store was restarted, or another server took over'
  elseif renamed and string.find(here.earlier, '[^0]') then
    return 'the store was promoted'
  elseif renamed and here.now - record.clock >= ADOPTED_WITHIN then
    return 'the store has a new replication id'
  end
  return keyed and eviction() or nil
end

-- Why the record cannot be relied upon; nil if it can. A server that came back has named and counted all
-- anew since its start.
local function doubt(said)
  if not record then
    return 'the store does not know this name'
  end
  local reason = not came_back(said.durable) and doubt_of_server()
  if reason then
    return reason
  end
  for _, each in ipairs(said.distrusts or {}) do
    if each.epoch == text(record.began) then
      return each.reason
    end
  end
end

-- Whether the record is that of another server, or of this one before another took its place.
local function is_of_another()
  return record.run ~= here.run
    or record.replication ~= here.replication and string.find(here.earlier, '[^0]')
end

-- A check is that of the secret, and over how many tags the keys are spread, if over several.
local function parts(check)
  local secret, tags = string.match(check, '^(.*)/(%d+)$')
  return secret or check, tags or '1'
end

-- Refuses a process whose check is not that of the record.
local function refuse_check(check)
  local secret, tags = parts(check)
  local known_secret, known_tags = parts(record.check)
  if secret == known_secret and tags ~= known_tags then
    error('this process spreads the keys over ' .. tags .. ' tags, and earlier processes over ' .. known_tags
      .. ': state the same number in all processes. To change it, stop all processes and delete all keys of this'
      .. ' name in the store, which triggers a fence')
  end
  error('the keys of this name are hashed with another secret, or the name is that of another kind of limit')
end

-- Ends the call as a replica is away that must confirm it: to wait for it would keep the connection of all limits.
local function refuse_call()
  if record_changed then
    if not keyed then
      if long then
        long()
      end
      open_state()
      save_state()
    end
    save_record()
  end
  error('the replica ' .. gone .. ' is unavailable, but must confirm each permit')
end

local function disagree()
  error((record.law.partition == '' and 'this process sets a partition, and earlier processes did not'
    or 'earlier processes set a different partition')
    .. ': set the same value in all processes. To change it, stop all processes and delete the key '
    .. RECORD .. ', which triggers a fence')
end

-- Begins an epoch if the record cannot be relied upon. If that takes the address of this server, it returns
-- what the client must answer: its run.
local function judge(said)
  local reason = doubt(said)
  if reason and record and #record.replicas > 0 and is_of_another() then
    local claimed, address = string.match(said.claim, '^(%S*) (.*)$')
    if claimed ~= here.run then
      return {here.run}
    elseif has_all(address) then
      go_on()
      record_changed, reason = true, nil
    end
    replicas_of_next(address)
  end
  if reason then
    begin(reason, said)
    record_changed = true
  elseif record.run ~= here.run or record.replication ~= here.replication then
    record.run, record.replication = here.run, here.replication
    record_changed = true
  end
end

return {
  judge = judge, doubt = doubt, disagree = disagree, refuse_check = refuse_check, refuse_call = refuse_call,
  argument = argument, limit = limit
}
