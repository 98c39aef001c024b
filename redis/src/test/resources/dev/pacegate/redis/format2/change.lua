-- Puts another limit in force, for the key if there is one, otherwise for all. What has been granted
-- stays granted, and is spent for as long as the new limit says.
--
-- ARGV: the change's own name, the revision that the client knows, the check of the secret, who changes
-- it and why, its limit until now, and the next limit.

local NAME, REVISION, CHECK, WHO, WHY = argument(), argument(), argument(), argument(), argument()
local GIVEN, NEXT = limit(), limit()

local function change()
  record.sequence = math.max(record.sequence, clock) + 1
  NEXT.revision = record.sequence
  local longest = longest_fence(NEXT)
  record.before, record.before_until = longest, clock + longest
  local longer = math.max(0, NEXT.fence - law().fence)
  if record.closed > clock then
    record.closed = record.closed + longer
    record.emptied = math.max(record.emptied, record.closed)
  end
  local longer_use = math.max(0, NEXT.use - law().use)
  if KEY then
    state.own = NEXT
  else
    record.law = NEXT
  end
  follow(NEXT, longer_use)
  for i, count in ipairs(state.counts) do
    expire(count, state.terms[i])
  end
end

open('', '', GIVEN, false, CHECK)
if record.changed ~= NAME then
  record.changed = NAME
  audit('set ' .. NEXT.text .. (KEY and ' for a key' or ''), WHO, WHY)
  change()
end
save()
return header(REVISION)
