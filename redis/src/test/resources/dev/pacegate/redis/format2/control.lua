-- Pauses a limit, lets it go on, or ends a fence.
--
-- ARGV: the check of the secret, who does it and why, "pause", "resume" or "unfence", and for a pause its
-- length in microseconds.

local CHECK, WHO, WHY, WHAT, LENGTH = argument(), argument(), argument(), argument(), number()

load_record(CHECK)
if not record then
  error('the store does not know this name')
end
open('', '', record.law, false, CHECK)
audit(WHAT, WHO, WHY)

if WHAT == 'pause' then
  record.paused, record.why = clock + LENGTH, WHY
elseif WHAT == 'resume' then
  record.paused, record.why = 0, ''
else
  record.closed, record.emptied = clock, 0
  for _, count in ipairs(state.counts) do
    count.full, count.part = 0, 0
  end
end
save()
return header('')
