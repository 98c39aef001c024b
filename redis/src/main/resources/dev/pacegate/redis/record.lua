-- The record of a name, and the state of its limit, or of one of its keys. See docs/decisions/redis.md.
--
-- KEYS: the record, and for a limit of keys the state of the key. Each is one packed value, so that a
-- server keeps all of it or nothing. Instants are microseconds of the record's clock, which follows the
-- server's, but never steps back within an epoch. A packed state has instants as distances from its clock.

local RECORD, KEY = KEYS[1], KEYS[2]

-- A first replica that attaches changes the replication id of a server that has not been demoted, and so
-- does the last one once it has been away for repl-backlog-ttl, an hour unless set. A server that was
-- demoted forgets its earlier id only then, too; this must be shorter.
local ADOPTED_WITHIN = 60000000

-- The record of keys is written anew at least this often, so that its clock tells when it was used.
local WRITTEN_WITHIN = 10000000

-- A replica tells its primary once a second what it has. One that has told nothing for longer is away: to
-- wait for it would keep the connection of all limits.
local LONGEST_LAG = 3

-- The form of what is stored. Processes of another form refuse it, and are refused; see
-- docs/decisions/redis.md for what changes it.
local FORMAT = 3

local record, state, clock
local here -- this server, as the call finds it
local keyed -- whether the name is that of a limit of keys
local gone -- a replica that must confirm, and cannot
local record_changed = false

local function text(number)
  return string.format('%.0f', number)
end

local arguments = 0

local function argument()
  arguments = arguments + 1
  return ARGV[arguments]
end

local function number()
  return tonumber(argument())
end

-- Terms

-- One term: what it counts, how many units it has, for how long a unit is spent after its request is
-- over, how long a lost request may be counted, and at what rate units come back after that: `refill`
-- units in `every` microseconds, or all at once if that is 0.
local function term()
  return {
    kind = argument(), capacity = number(), interval = number(), unanswered = number(),
    refill = number(), every = number()
  }
end

-- The limit as a script is told it.
local function limit()
  local given = {
    text = argument(), use = number(), horizon = number(), fence = number(), partition = argument(), terms = {}
  }
  for i = 1, number() do
    given.terms[i] = term()
  end
  return given
end

-- Counts. The count of a term is its runs: units that are spent from one instant to another, sorted by
-- the latter. A run is a lease of a client ("client:request.index"), or what clients reported (""). What
-- a bucket gets back after that is told by the instant at which it is full again, `full` and a `part`.

-- Spends units of a bucket whose requests were over at `instant`.
local function pour(count, term, units, instant)
  if term.refill > 0 then
    if count.full < instant then
      count.full, count.part = instant, 0
    end
    local amount = units * term.every + count.part
    count.full = count.full + math.floor(amount / term.refill)
    count.part = amount % term.refill
  end
end

-- Returns how many units a bucket lacks.
local function lack(full, part, term, instant)
  if term.refill == 0 or full < instant then
    return 0
  end
  return math.ceil(((full - instant) * term.refill + part) / term.every)
end

-- Returns the instant from which a bucket lacks no more than that.
local function refilled(full, part, term, units)
  if term.refill == 0 then
    return 0
  end
  return full - math.floor((units * term.every - part) / term.refill)
end

local function add_run(count, id, units, from, instant)
  local place = #count.runs + 1
  while place > 1 and count.runs[place - 1].instant > instant do
    place = place - 1
  end
  table.insert(count.runs, place, {id = id, units = units, from = from, instant = instant})
end

local function find_run(count, id)
  for place, run in ipairs(count.runs) do
    if run.id == id then
      return run, place
    end
  end
end

-- Returns the client whose lease it is; "" if it is none.
local function holder(run)
  return string.match(run.id, '^(.*):') or ''
end

-- Units that were over, and are spent until `instant`. Instants are rounded up, so that runs are few.
local function spend(count, term, units, instant)
  local grain = math.floor(term.interval / 256) + 1
  local rounded = math.ceil(instant / grain) * grain
  if rounded <= clock then
    pour(count, term, units, instant)
    return
  end
  for _, run in ipairs(count.runs) do
    if run.id == '' and run.instant == rounded then
      run.units = run.units + units
      return
    end
  end
  add_run(count, '', units, clock, rounded)
end

-- Ends the runs whose instant has come.
local function expire(count, term)
  while count.runs[1] and count.runs[1].instant <= clock do
    local run = table.remove(count.runs, 1)
    pour(count, term, run.units, run.instant)
  end
end

-- The state of a limit, or of a key

local function new_count(term, emptied)
  local count = {runs = {}, full = 0, part = 0, most = 0}
  pour(count, term, term.capacity, emptied)
  return count
end

local function new_state(given, emptied)
  local new = {
    clock = clock, began = record.began, revision = given.revision, use = given.use, terms = given.terms, line = {},
    counts = {}
  }
  for i, term in ipairs(given.terms) do
    new.counts[i] = new_count(term, emptied)
  end
  return new
end

local function packed()
  local counts, terms, line = {}, {}, {}
  for i, count in ipairs(state.counts) do
    local flat = {count.full - clock, count.part, count.most}
    for _, run in ipairs(count.runs) do
      flat[#flat + 1] = run.id
      flat[#flat + 1] = run.units
      flat[#flat + 1] = run.id == '' and 0 or run.from - clock -- those have begun
      flat[#flat + 1] = run.instant - clock
    end
    counts[i] = flat
  end
  for i, term in ipairs(state.terms) do
    terms[i] = {term.kind, term.capacity, term.interval, term.unanswered, term.refill, term.every}
  end
  for i, place in ipairs(state.line) do
    line[i] = {place.client, place.over - clock, place.want}
  end
  local values = {FORMAT, clock, state.began, state.revision, state.use, terms, counts, line}
  if state.own then
    values[9], values[10] = state.own, state.closed - clock
    values[11], values[12] = state.before, state.before_until - clock
  end
  return values
end

-- Returns a state; nil if it has another form. A record of this form knows of none: its key was lost.
local function unpacked(values)
  if values[1] ~= FORMAT then
    return nil
  end
  local base = values[2]
  local found = {
    clock = base, began = values[3], revision = values[4], use = values[5], terms = {}, counts = {}, line = {}
  }
  if values[9] then
    found.own, found.closed = values[9], values[10] + base
    found.before, found.before_until = values[11], values[12] + base
  end
  for i, term in ipairs(values[6]) do
    found.terms[i] = {
      kind = term[1], capacity = term[2], interval = term[3], unanswered = term[4], refill = term[5], every = term[6]
    }
  end
  for i, flat in ipairs(values[7]) do
    local count = {full = flat[1] + base, part = flat[2], most = flat[3], runs = {}}
    for at = 4, #flat, 4 do
      count.runs[#count.runs + 1] =
        {id = flat[at], units = flat[at + 1], from = flat[at + 2] + base, instant = flat[at + 3] + base}
    end
    found.counts[i] = count
  end
  for i, place in ipairs(values[8]) do
    found.line[i] = {client = place[1], over = place[2] + base, want = place[3]}
  end
  return found
end

-- Returns the limit in force: that of the key, or of all.
local function law()
  return state and state.own or record.law
end

-- Returns until when nothing is granted. A key that has a limit of its own has a fence of its own too.
local function closed_until()
  return state.own and state.closed or record.closed
end

-- Changes of a limit

-- Returns the longest fence of a limit and of those that were in force just before an instant.
local function longest_fence(fence, before, before_until, instant)
  return instant < before_until and math.max(fence, before) or fence
end

-- Returns the count of a term that follows another of the same kind: what is spent is spent for as long
-- as the new term says.
local function moved(count, from, to, longer_use)
  local later = to.interval - from.interval
  local later_if_open = later + longer_use + math.max(0, to.unanswered - from.unanswered)
  local lacking = lack(count.full, count.part, from, clock)
  local new = {runs = {}, full = 0, part = 0, most = count.most}
  pour(new, to, lacking, clock)
  for _, run in ipairs(count.runs) do
    local instant = run.instant + (run.id == '' and later or later_if_open)
    add_run(new, run.id, run.units, run.from, instant)
  end
  return new
end

-- Nothing is known of what such a term would have counted: all of it may have been in use just now.
local function all_spent(term, fence)
  local count = {runs = {}, full = 0, part = 0, most = 0}
  add_run(count, '', term.capacity, clock, clock + fence)
  return count
end

-- Goes on under the limit in force. A term follows the first of its kind.
local function follow(given, longer_use)
  local counts, taken = {}, {}
  for i, to in ipairs(given.terms) do
    for j, from in ipairs(state.terms) do
      if not counts[i] and not taken[j] and from.kind == to.kind then
        counts[i], taken[j] = moved(state.counts[j], from, to, longer_use), true
      end
    end
    counts[i] = counts[i] or all_spent(to, given.fence)
  end
  state.counts, state.terms, state.revision, state.line = counts, given.terms, given.revision, {}
  state.use = given.use
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

-- Epochs

-- Looks at the server: which it is, its replicas, its time, and for keys what it has evicted.
local function look()
  local run, replication, earlier, replicas = identity()
  here = {
    run = run, replication = replication, earlier = earlier, replicas = replicas,
    counted = keyed and statistics(), now = wall()
  }
end

local EVICTED = 'the store has evicted keys'
local UNCOUNTED = 'the statistics of the store were reset, and it may have evicted keys'

-- Said by a client that has just begun, so it may be its own clock that is wrong. The offsets that others
-- told stay then: such a client tells its own, and the next one on its machine is not surprised.
local MOVED_APART = "the store's clock was set forward, or that of a process back"

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
  gone = nil
  if record.law.partition ~= '' then
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
  local now, fence, given, fresh = here.now, said.given.fence, said.given, said.fresh and not record
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
  elseif said.epoch == text(record.began) and said.distrust ~= '' then
    return said.distrust
  end
end

local function load(key)
  local value = redis.call('GET', key)
  if not value then
    return nil
  end
  local known, content = pcall(cmsgpack.unpack, value)
  if not known or type(content) ~= 'table' then
    error(key .. ' is not a record of this version of Pacegate: use another name')
  end
  return content
end

-- The state of a key that has a limit of its own, and was written in an earlier epoch: how long a fence
-- that limit needs is known, whichever key is used first.
local function fenced(known)
  local fence = longest_fence(known.own.fence, known.before, known.before_until, known.clock)
  local closed = record.unfenced > 0 and 0 or record.opened + fence
  local new = new_state(known.own, closed)
  new.own, new.closed, new.before, new.before_until = known.own, closed, fence, closed
  return new
end

-- The fence was ended after this state was written.
local function unfence()
  state.closed = record.unfenced
  for _, count in ipairs(state.counts) do
    count.full, count.part = 0, 0
  end
end

local function load_state()
  local values
  if KEY then
    values = load(KEY)
  else
    values = record.state
  end
  local known = values and unpacked(values) or nil
  if known and known.began == record.began then
    clock = math.max(clock, known.clock)
    state = known
    if state.own and record.unfenced > 0 and state.closed > record.unfenced then
      unfence()
    end
  elseif known and known.own then -- of an earlier epoch, by whose clock nothing is to be told
    state = fenced(known)
  else
    state = new_state(record.law, record.emptied)
  end
end

local function load_record(check)
  record = load(RECORD)
  if record and record.format ~= FORMAT then
    error(RECORD .. ' is not a record of this version of Pacegate: use another name')
  elseif record and record.check ~= check then
    error('the keys of this name are hashed with another secret, or the name is that of another kind of limit')
  end
end

-- Whether the record is that of another server, or of this one before another took its place.
local function is_of_another()
  return record.run ~= here.run
    or record.replication ~= here.replication and string.find(here.earlier, '[^0]')
end

local function agree(given)
  local stated = record.law.partition
  if stated ~= given.partition then
    error((stated == '' and 'this process sets a partition, and earlier processes did not'
      or 'earlier processes set a different partition')
      .. ': set the same value in all processes. To change it, stop all processes and delete the key '
      .. RECORD .. ', which triggers a fence')
  end
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

-- Reads the record and the state, and moves the clock on. Returns what the client must answer first, if there
-- is anything.
--
-- What it says: its `claim`, which is that answer, with the address to which it is connected, or without if it
-- is not known; the `epoch` that it knows, and why it distrusts that, if it does; the limit of all that is
-- `given`; whether the name may be `fresh`; the `check` of the secret; and whether the server is `durable`, nil
-- if it does not say.
local function open(said)
  keyed = said.check ~= ''
  look()
  load_record(said.check)
  if record then
    agree(said.given)
  end
  local ask = judge(said)
  if ask then
    return ask
  end
  if keyed then
    record_changed = record_changed or here.counted.commands < record.commands
    record.evicted, record.commands = here.counted.evicted, here.counted.commands
  end
  clock = math.max(record.clock, here.now)
  note_replicas()
  load_state()
  state.clock = clock
  local current = law()
  if state.revision ~= current.revision then
    follow(current, math.max(0, current.use - state.use))
  end
  for i, count in ipairs(state.counts) do
    expire(count, state.terms[i])
  end
end

-- Returns the instant from which a state that is not known would decide the same as this one.
local function rests_at()
  local instant = 0
  for _, count in ipairs(state.counts) do
    local last = count.runs[#count.runs]
    instant = math.max(instant, count.full + 1, last and last.instant or 0)
  end
  for _, place in ipairs(state.line) do
    instant = math.max(instant, place.over)
  end
  return instant
end

local function save()
  if KEY then
    local rests = rests_at()
    if state.own then
      redis.call('SET', KEY, cmsgpack.pack(packed()))
    elseif rests <= clock then
      redis.call('DEL', KEY)
    else
      set_for(KEY, cmsgpack.pack(packed()), rests - clock)
    end
    if not record_changed and clock - record.clock < WRITTEN_WITHIN then
      return
    end
  elseif not keyed then
    record.state = packed()
  end
  record.clock = math.max(record.clock, clock)
  redis.call('SET', RECORD, cmsgpack.pack(record))
end

-- Ends the call if a replica is away that must confirm it: to wait for it would keep the connection of all
-- limits.
local function require_replicas()
  if gone then
    if record_changed then
      save()
    end
    error('the replica ' .. gone .. ' is unavailable, but must confirm each permit')
  end
end

-- The beginning of each reply: the clock, the epoch, the limit in force unless the client knows it, what
-- is left of a fence and of a pause, and why; and which replicas must confirm this call.
local function header(revision)
  local current = law()
  return {
    text(clock), text(record.began), text(current.revision),
    revision == text(current.revision) and '' or current.text, state.own and '1' or '',
    text(math.max(0, closed_until() - clock)), record.reason,
    text(math.max(0, record.paused - clock)), record.why, table.concat(record.replicas, ' ')
  }
end
