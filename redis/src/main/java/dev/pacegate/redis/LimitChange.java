package dev.pacegate.redis;

import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.Inlet;
import dev.pacegate.time.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A change of a limit on its way to the store. Repeated until the store has carried it out, or a
 * later change takes its place; the store carries it out once.
 */
final class LimitChange {

  private static final long PAUSE = Duration.ofMillis(100).toNanos();

  private final String id;
  private final String name;
  private final Terms from;
  private final Terms to;
  private final Inlet inlet;
  private final Store store;
  private final Time time;
  private volatile boolean dropped;
  private volatile boolean warned;

  LimitChange(String id, String name, Terms from, Terms to, Inlet inlet, Store store, Time time) {
    this.id = id;
    this.name = name;
    this.from = from;
    this.to = to;
    this.inlet = inlet;
    this.store = store;
    this.time = time;
  }

  void send() {
    if (!dropped) {
      store.run(Script.CHANGE, name, ScriptArguments.change(id, "", from, to), this::answered);
    }
  }

  private void answered(@Nullable Reply reply, @Nullable Throwable failure) {
    if (reply != null) {
      inlet.change(Limits.parse(reply.limit()));
      return;
    }
    if (store.isClosed()) {
      return;
    }
    if (!warned) {
      warned = true;
      Log.warning(
          name
              + ": the limit cannot be changed to "
              + to.limit()
              + " yet: "
              + SharedLimit.reason(failure));
    }
    time.at(time.nanoTime() + PAUSE, this::send);
  }

  /** Sends it no more, as another change takes its place. */
  void drop() {
    dropped = true;
  }
}
