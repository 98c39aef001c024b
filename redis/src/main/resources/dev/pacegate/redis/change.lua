-- Puts another limit in force, for the key if there is one, otherwise for all. What has been granted
-- stays granted, and is spent for as long as the new limit says.
--
-- A change names the limit that it replaces, by its revision: it is carried out while that is in force,
-- and never otherwise. A revision is never used again, so a change that is repeated is carried out once,
-- and does not undo one that came after its sender had looked.
--
-- ARGV: the claim, the revision that it replaces, 0 for a key without a limit of its own; empty to look which that
-- is. The check of the secret, who changes it and why, its limit until now, and the next limit.

local RARE = epochs()
local argument, limit = RARE.argument, RARE.limit
local CLAIM, REPLACED, CHECK, WHO, WHY = argument(), argument(), argument(), argument(), argument()
local GIVEN, NEXT = limit(), limit()

-- A limit for one key: no other key waits for its fence.
local function change_own()
  local longest = math.max(law().fence, NEXT.fence)
  if state.own then
    longest = longest_fence(longest, state.before, state.before_until, clock)
  end
  local closed = closed_until()
  state.closed = clock < closed and math.max(closed, record.opened + NEXT.fence) or 0
  state.before, state.before_until = longest, clock + longest
  state.own = NEXT
  record.own_fence = math.max(record.own_fence, NEXT.fence)
end

local function change_all()
  local longest = math.max(record.law.fence, NEXT.fence)
  longest = longest_fence(longest, record.before, record.before_until, clock)
  record.before, record.before_until = longest, clock + longest
  if record.closed > clock then
    record.closed = record.closed + math.max(0, NEXT.fence - record.law.fence)
    record.emptied = math.max(record.emptied, record.closed)
  end
  record.law = NEXT
end

local function change()
  record.sequence = math.max(record.sequence, clock) + 1
  NEXT.revision = record.sequence
  local longer_use = math.max(0, NEXT.use - law().use)
  if KEY then
    change_own()
  else
    change_all()
  end
  follow(NEXT, longer_use, 0)
  advance_all(0)
end

local ask = open_record({
  claim = CLAIM, given = function() return GIVEN end, partition = GIVEN.partition, check = CHECK
})
if ask then
  return ask
end
if gone then
  epochs().refuse_call()
end
open_state(KEYS[2], KEYS[2] and redis.call('GET', KEYS[2]))
if REPLACED == (KEY and not state.own and '0' or text(law().revision)) then
  audit('set ' .. NEXT.text .. (KEY and ' for a key' or ''), WHO, WHY)
  change()
end
save_state()
save_record()
return reply_of_one()
