-- Reads the arguments of a script, and a limit among them.

local function argument()
  arguments = arguments + 1
  return ARGV[arguments]
end

local function number()
  return tonumber(argument())
end

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
