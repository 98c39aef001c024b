-- Tells what is known of a limit, and changes nothing.
--
-- ARGV: none.

if not load() then
  return {}
elseif record.format ~= FORMAT then
  error(RECORD .. ' is not a record of this version of Pacegate')
end
keyed = record.check ~= ''
look()
clock = math.max(record.clock, here.now)
local longest = longest_fence(record.law.fence, record.before, record.before_until, clock)
local reply = {
  text(clock), text(record.began), record.law.text,
  keyed and string.match(record.check, '/(%d+)$') or keyed and '1' or '',
  epochs().doubt({}) or '',
  text(math.max(0, record.closed - clock)), record.reason,
  text(math.max(0, record.paused - clock)), record.why, text(math.max(longest, record.own_fence)),
  text(#record.replicas)
}
for _, name in ipairs(record.replicas) do
  reply[#reply + 1] = name
end

local function add(...)
  for _, each in ipairs({...}) do
    reply[#reply + 1] = each
  end
end

-- What a client has, and what it waits for, of each term.
local holders, order = {}, {}

local function holding(client)
  if not holders[client] then
    holders[client] = {has = {}, wants = {}}
    order[#order + 1] = client
  end
  return holders[client]
end

local terms = {}
if not keyed and record.state then
  state = unpacked(record.state)
  terms = state.terms
  advance_all(clock - state.clock)
  for i, count in ipairs(state.counts) do
    for at = FIRST, #count, RUN do
      if count[at] ~= '' then
        local has = holding(holder(count[at])).has
        has[i] = (has[i] or 0) + count[at + 1]
      end
    end
  end
  for _, place in ipairs(state.line) do
    holding(place.client).wants = place.want
  end
end

add(text(#terms))
for i, each in ipairs(terms) do
  local count, spent = state.counts[i], 0
  for at = FIRST, #count, RUN do
    spent = spent + (count[at + 2] <= 0 and count[at + 1] or 0)
  end
  spent = spent + lack(count[1], count[2], each, 0)
  add(text(each.capacity), text(spent), text(count[3]))
end

add(text(#order))
for _, client in ipairs(order) do
  add(client, record.clients[client] or '')
  for i = 1, #terms do
    add(text(holders[client].has[i] or 0), text(holders[client].wants[i] or 0))
  end
end

for _, each in ipairs(record.audit) do
  add(text(each[1]), each[2], each[3], each[4])
end
return reply
