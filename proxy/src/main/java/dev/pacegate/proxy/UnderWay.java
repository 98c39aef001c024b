package dev.pacegate.proxy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The requests that are under way. Confined to the event loop, but for their number. */
final class UnderWay {

  private final Set<Passage> passages = new HashSet<>();
  private final AtomicInteger count = new AtomicInteger();
  private boolean ended;

  void add(Passage begun) {
    passages.add(begun);
    count.incrementAndGet();
  }

  void remove(Passage ended) {
    passages.remove(ended);
    count.decrementAndGet();
  }

  int count() {
    return count.get();
  }

  /**
   * Answers those that were not sent, and cuts the others off; on any thread. Each tells which it
   * is when its turn has come: until then a permit may send it.
   */
  Future<Void> end(Vertx vertx, Consumer<String> log) {
    Promise<Void> done = Promise.promise();
    vertx.runOnContext(
        now -> {
          ended = true;
          var counts = new EnumMap<Unfinished, Integer>(Unfinished.class);
          for (Passage passage : passages) {
            passage.endNow(unfinished -> counts.merge(unfinished, 1, Integer::sum));
          }
          vertx.runOnContext( // after them: there is one event loop
              after -> {
                tell(counts, log);
                done.complete();
              });
        });
    return done.future();
  }

  private static void tell(Map<Unfinished, Integer> counts, Consumer<String> log) {
    if (!counts.isEmpty()) {
      log.accept(
          "the time to drain is over: "
              + requests(counts.getOrDefault(Unfinished.NOT_SENT, 0))
              + " not sent and answered 503, "
              + counts.getOrDefault(Unfinished.CUT_OFF, 0)
              + " cut off");
    }
  }

  /** Returns whether no more are to begin, such as those behind others on a connection. */
  boolean isEnded() {
    return ended;
  }

  static String requests(int count) {
    return count == 1 ? "1 request" : count + " requests";
  }
}
