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
  private final String who;
  private final Address address;
  private final Terms from;
  private final Terms to;
  private final Inlet inlet;
  private final Store store;
  private final Time time;
  private volatile boolean dropped;
  private volatile boolean warned;

  LimitChange(
      String id,
      String who,
      Address address,
      Terms from,
      Terms to,
      Inlet inlet,
      Store store,
      Time time) {
    this.id = id;
    this.who = who;
    this.address = address;
    this.from = from;
    this.to = to;
    this.inlet = inlet;
    this.store = store;
    this.time = time;
  }

  void send() {
    if (!dropped) {
      store.run(
          Script.CHANGE,
          address,
          from.terms().size(),
          ScriptArguments.change(id, "", address.check(), who, "", from, to),
          this::answered);
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
          address.name()
              + ": the limit cannot be changed to "
              + to.limit()
              + " yet: "
              + Causes.of(failure));
    }
    time.at(time.nanoTime() + PAUSE, this::send);
  }

  /** Sends it no more, as another change takes its place. */
  void drop() {
    dropped = true;
  }
}
