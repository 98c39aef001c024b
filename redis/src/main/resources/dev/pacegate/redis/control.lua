-- Pauses a limit, lets it go on, ends a fence, or forgets a replica; or looks whether it is there.
--
-- ARGV: the claim, the check of the secret, who does it and why, "pause", "resume", "unfence", "forget" or "look",
-- and for a pause its length in microseconds, for a fence the epoch that began with it (empty: also one that this call
-- begins), or the name of the replica, which must never take over.

local argument = epochs().argument
local CLAIM, CHECK, WHO, WHY, WHAT, VALUE = argument(), argument(), argument(), argument(), argument(), argument()

load_record(CHECK)
if not record then
  error('the store does not know this name')
end
local ask = open_record({
  claim = CLAIM, given = function() return record.law end, partition = record.law.partition, check = CHECK
})
if ask then
  return ask
end
open_state()

if WHAT == 'look' then
  save_record()
  return reply_of_one()
elseif WHAT == 'pause' then
  record.paused, record.why = clock + tonumber(VALUE), WHY
elseif WHAT == 'resume' then
  record.paused, record.why = 0, ''
elseif WHAT == 'forget' then
  local place = has(record.replicas, VALUE)
  if not place then
    error('the record names no replica ' .. VALUE .. ', but ' .. table.concat(record.replicas, ', '))
  end
  table.remove(record.replicas, place)
elseif VALUE ~= '' and VALUE ~= text(record.began) then
  error('another fence has begun meanwhile: look at the limit again')
elseif keyed or record.closed > clock then -- it may have ended by itself, and units be used since
  record.closed, record.emptied, record.unfenced = clock, 0, clock
  fill(clock)
end
audit(WHAT == 'forget' and 'forget ' .. VALUE or WHAT, WHO, WHY)
save_state()
save_record()
return reply_of_one()
