package dev.pacegate.redis;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;

import dev.pacegate.redis.StoredLimit.Count;
import dev.pacegate.redis.StoredLimit.Place;
import dev.pacegate.redis.StoredLimit.Run;
import dev.pacegate.redis.StoredLimit.State;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The text of what is stored of a limit, or of a key, by the scripts and by their {@link
 * StoreTwin}. Two that are the same answer all later calls alike.
 */
final class StoredTexts {

  /** Values are as they are packed: instants are distances from the clock of their state. */
  static final Script READ =
      Script.of(
          """
          local function text(value)
            if type(value) ~= 'table' then
              return type(value) == 'number' and string.format('%.17g', value) or tostring(value)
            end
            local texts = {}
            for i, each in ipairs(value) do
              texts[i] = text(each)
            end
            return '[' .. table.concat(texts, ' ') .. ']'
          end

          local function of_state(values)
            local counts = {}
            for i, flat in ipairs(values[7]) do
              local runs = {}
              for at = 4, #flat, 4 do
                local id = flat[at] == '' and '-' or flat[at]
                runs[#runs + 1] = text({id, flat[at + 1], flat[at + 2], flat[at + 3]})
                assert(at == 4 or flat[at - 1] <= flat[at + 3], 'runs are sorted')
              end
              table.sort(runs)
              counts[i] = {flat[1], flat[2], flat[3], runs}
            end
            return text({
              values[2], values[3], values[4], values[5], counts, values[8], values[9] and 'own' or 'all',
              values[10] or 0, values[11] or 0, values[12] or 0
            })
          end

          local texts = {}
          for i, key in ipairs(KEYS) do
            local value = redis.call('GET', key)
            local known, content = pcall(cmsgpack.unpack, value)
            if not value then
              texts[i] = 'none'
            elseif not known or type(content) ~= 'table' then
              texts[i] = 'unreadable'
            elseif i > 1 then
              texts[i] = of_state(content) .. ' for ' .. (content[9] and 'ever' or redis.call('HGET', 'lives', key))
            else
              local r = content
              texts[1] = text({
                r.began, r.clock, r.opened, r.closed, r.emptied, r.unfenced, r.before, r.before_until, r.own_fence,
                r.paused, r.sequence, r.law.revision, r.durable, r.run, r.replication, '<' .. r.reason .. '>',
                '<' .. r.why .. '>', r.offsets, r.replicas
              })
              if r.check == '' then
                texts[2] = r.state and of_state(r.state) or 'none'
              end
            end
          end
          return texts
          """);

  private StoredTexts() {}

  /** Returns the text of a record and of its state, or of those of its keys. */
  static List<String> inRedis(RedisCommands<String, String> redis, List<String> keys) {
    return redis.evalsha(READ.digest(), ScriptOutputType.MULTI, keys.toArray(String[]::new));
  }

  /** Returns the same of a twin, by the names that it has for the keys; one may be empty. */
  static List<String> inTwin(StoreTwin twin, List<String> keys) {
    var texts = new ArrayList<String>();
    StoredLimit stored = twin.stored;
    texts.add(stored == null ? "none" : record(stored));
    for (String key : keys) {
      State state = stored == null ? null : stored.states.get(key);
      texts.add(twin.unreadable.contains(key) ? "unreadable" : state(state) + life(key, state));
    }
    return texts;
  }

  private static String record(StoredLimit r) {
    return list(
        Stream.of(
            r.began,
            r.clock,
            r.opened,
            r.closed,
            r.emptied,
            r.unfenced,
            r.before,
            r.beforeUntil,
            r.ownFence,
            r.paused,
            r.sequence,
            r.law.revision(),
            r.durable,
            r.run,
            r.replication,
            '<' + r.reason + '>',
            '<' + r.why + '>',
            list(r.offsets),
            list(r.replicas)));
  }

  private static String state(@Nullable State s) {
    if (s == null) {
      return "none";
    }
    return list(
        Stream.of(
            s.clock,
            s.began,
            s.law.revision(),
            s.law.terms().use(),
            list(s.counts.stream().map(count -> count(count, s.clock))),
            list(s.line.stream().map(place -> place(place, s.clock))),
            s.isOwn ? "own" : "all",
            s.isOwn ? s.closed - s.clock : 0,
            s.isOwn ? s.before : 0,
            s.isOwn ? s.beforeUntil - s.clock : 0));
  }

  /** Returns for how long a state is kept; the key of a limit without keys is empty. */
  private static String life(String key, @Nullable State s) {
    if (s == null || key.isEmpty()) {
      return "";
    }
    return " for " + (s.isOwn ? "ever" : StoreTwin.restsAt(s) - s.clock);
  }

  private static String count(Count count, long clock) {
    Collection<String> runs =
        count.runs.stream().map(run -> run(run, clock)).collect(toCollection(ArrayList::new));
    return list(Stream.of(count.full - clock, count.part, count.most, list(sorted(runs))));
  }

  private static List<String> sorted(Collection<String> texts) {
    return texts.stream().sorted().toList();
  }

  private static String run(Run run, long clock) {
    boolean isOver = run.id().isEmpty();
    return list(
        Stream.of(
            isOver ? "-" : run.id(),
            run.units(),
            isOver ? 0 : run.from() - clock,
            run.instant() - clock));
  }

  private static String place(Place place, long clock) {
    return list(Stream.of(place.client(), place.over() - clock, list(place.want())));
  }

  private static String list(Collection<?> values) {
    return list(values.stream());
  }

  private static String list(Stream<?> values) {
    return values.map(String::valueOf).collect(joining(" ", "[", "]"));
  }
}
