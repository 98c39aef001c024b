package dev.pacegate.redis;

import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A server that carries out one call after the other, in virtual time, and grants each key what it
 * wants. A call takes its time, and each of its entries too.
 */
final class LoadedServer {

  private static final int REVISION = 4; // where an entry says which limit it knows
  private static final int WANT = 7;

  private final ManualTime time;
  private final String limit;
  private final long use; // microseconds
  private final long call;
  private final long entry;
  private final long way;
  private long freeAt;
  private int calls;

  /**
   * Creates a server.
   *
   * @param call how long it takes for a call beside its entries
   * @param way to the server, and back
   */
  LoadedServer(ManualTime time, String limit, Duration call, Duration entry, Duration way) {
    this.time = time;
    this.limit = limit;
    this.use = Terms.of(Limits.parse(limit), Duration.ZERO).use();
    this.call = call.toNanos();
    this.entry = entry.toNanos();
    this.way = way.toNanos();
    this.freeAt = time.nanoTime();
  }

  StatefulRedisConnection<String, String> connection() {
    return Asked.connection(this::ask);
  }

  int calls() {
    return calls;
  }

  private void ask(Asked asked) {
    calls++;
    freeAt = Math.max(freeAt, time.nanoTime() + way) + call + entry * asked.entries().size();
    long carriedOut = freeAt;
    time.at(carriedOut + way, () -> answer(asked, carriedOut));
  }

  private void answer(Asked asked, long carriedOut) {
    var entries = new ArrayList<List<Object>>();
    for (List<String> each : asked.entries()) {
      boolean knowsLimit = !each.get(REVISION).isEmpty();
      long want = Long.parseLong(each.get(WANT));
      var entry = ReplyFields.of(knowsLimit ? "" : limit).at(carriedOut / 1000);
      entries.add((knowsLimit && want > 0 ? entry.grant(want, use) : entry).toEntry());
    }
    asked.complete(ReplyFields.of(limit).toReply(entries));
  }
}
