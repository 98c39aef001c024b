-- Takes what clients report of the units of one or more keys, or of a limit without keys, and grants them units.
--
-- ARGV: the claim, "1" if the name may be new, "1" if the server loses nothing, the check of the secret, the
-- process's name for people, the limit of all as it knows it. Then an entry for each key in turn, and one for a limit
-- without keys: the client, the number of its request, the epoch that it knows, why it distrusts that epoch's clock,
-- the revision that it knows, by how much its wall clock is ahead of the store's (empty if it has not seen that yet);
-- the number of terms of its own limit, and for each of them how many units it waits for, how many of them it needs
-- at once, and how many it would like beyond them; the number of its reports, and for each of them a term, a lease,
-- the units that are left in it, what became of the others, and the instant until which they may have been counted.
--
-- All entries are looked through before the record is judged: an epoch that one of them ends is over for all. A key
-- that cannot be read or written fails alone.

local CLAIM, FRESH, DURABLE, CHECK, LABEL = ARGV[1], ARGV[2] == '1', ARGV[3] == '1', ARGV[4], ARGV[5]
local BEFORE_LIMIT, PARTITION = 5, ARGV[10]
local BEFORE_ENTRIES = 11 + 6 * tonumber(ARGV[11])

local function given()
  arguments = BEFORE_LIMIT
  return epochs().limit()
end

-- After which argument each entry begins, the epochs that some distrust, and whether some know none.
local STARTS, DISTRUSTS, BEGINS, begin_at = {}, nil, false, BEFORE_ENTRIES
repeat
  STARTS[#STARTS + 1] = begin_at
  BEGINS = BEGINS or ARGV[begin_at + 3] == ''
  if ARGV[begin_at + 4] ~= '' then
    DISTRUSTS = DISTRUSTS or {}
    DISTRUSTS[#DISTRUSTS + 1] = {epoch = ARGV[begin_at + 3], reason = ARGV[begin_at + 4]}
  end
  begin_at = begin_at + 8 + 3 * tonumber(ARGV[begin_at + 7])
  begin_at = begin_at + 5 * tonumber(ARGV[begin_at])
until begin_at >= #ARGV

-- The entry that is served, and the limit in force for it.
local CLIENT, REQUEST, EPOCH, REVISION, OFFSET, LAW, TERMS
local WANT, LEAST, SPARE = {}, {}, {}
local BEGAN, REVISION_OF_ALL -- the epoch and the limit of all, as clients name them

local function read_entry(start)
  CLIENT, REQUEST, EPOCH, REVISION = ARGV[start + 1], ARGV[start + 2], ARGV[start + 3], ARGV[start + 5]
  OFFSET = ARGV[start + 6]
  local terms, at = tonumber(ARGV[start + 7]), start + 7
  for i = 1, terms do
    WANT[i], LEAST[i], SPARE[i] = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
    at = at + 3
  end
  for i = #WANT, terms + 1, -1 do
    WANT[i], LEAST[i], SPARE[i] = nil, nil, nil
  end
  arguments = at
end

-- By how much the clocks of clients are ahead of the store's: those that differ by more than a second, of
-- this epoch, the last eight. A client that has just begun judges the store's clock by them.
local MOST_OFFSETS, AS_GOOD_AS = 8, 1000000

local noted -- the last one, as it was told: all of a process are the same

local function note_offset()
  if OFFSET == '' or OFFSET == noted or EPOCH ~= BEGAN then
    return
  end
  noted = OFFSET
  local offset = tonumber(OFFSET)
  for _, each in ipairs(record.offsets) do
    if math.abs(each - offset) <= AS_GOOD_AS then
      return
    end
  end
  table.insert(record.offsets, offset)
  if #record.offsets > MOST_OFFSETS then
    table.remove(record.offsets, 1)
  end
  record_changed = true
end
