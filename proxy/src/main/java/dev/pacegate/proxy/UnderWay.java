package dev.pacegate.proxy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The requests that are under way. Confined to the event loop, but for their number. */
final class UnderWay {

  private final Set<Passage> passages = new HashSet<>();
  private final AtomicInteger count = new AtomicInteger();

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

  /** Answers those that were not sent, and then cuts the others off; on any thread. */
  Future<Void> end(Vertx vertx, Consumer<String> log) {
    Promise<Void> done = Promise.promise();
    vertx.runOnContext(
        now -> {
          var unsent = passages.stream().filter(Passage::isUnsent).toList();
          var others = passages.stream().filter(passage -> !passage.isUnsent()).toList();
          log.accept(
              "the time to drain is over: "
                  + requests(unsent.size())
                  + " not sent and answered 503, "
                  + others.size()
                  + " cut off");
          unsent.forEach(Passage::endUnsent);
          others.forEach(Passage::cutOff);
          vertx.runOnContext(answered -> done.complete()); // after them: there is one event loop
        });
    return done.future();
  }

  static String requests(int count) {
    return count == 1 ? "1 request" : count + " requests";
  }
}
