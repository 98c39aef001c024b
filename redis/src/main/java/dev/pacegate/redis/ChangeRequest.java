package dev.pacegate.redis;

import dev.pacegate.limit.Limit;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A change of a limit on its way to the store: it asks which limit it replaces, and then names that
 * one until the store answers. So it is carried out once at most, and never after another change
 * that came meanwhile, however often it is repeated. A later change of this process takes its
 * place.
 */
final class ChangeRequest {

  private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();
  private static final long LAST_PAUSE = Duration.ofSeconds(2).toNanos();

  private final String who;
  private final Address address;
  private final Terms from;
  private final Terms to;
  private final Consumer<Reply> then;
  private final ScriptRunner store;
  private final Time time;
  private volatile String replaced = ""; // once the store has told that
  private volatile String epoch = ""; // in which it did
  private volatile boolean dropped;
  private volatile boolean warned;
  private long pause = FIRST_PAUSE; // used by one call after another

  /**
   * Creates a change.
   *
   * @param then gets the reply, which tells the limit that is in force
   */
  ChangeRequest(
      String who,
      Address address,
      Terms from,
      Terms to,
      Consumer<Reply> then,
      ScriptRunner store,
      Time time) {
    this.who = who;
    this.address = address;
    this.from = from;
    this.to = to;
    this.then = then;
    this.store = store;
    this.time = time;
  }

  void send() {
    if (!dropped) {
      store.run(
          Script.CHANGE,
          address,
          from.terms().size(),
          () -> ScriptArguments.change(replaced, address.check(), who, "", from, to),
          this::answered);
    }
  }

  private void answered(@Nullable Reply reply, @Nullable Throwable failure) {
    if (reply != null) {
      answered(reply);
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
              + " yet: the store "
              + Causes.ofCall(failure));
    }
    time.at(time.nanoTime() + pause, this::send);
    pause = Math.min(2 * pause, LAST_PAUSE); // a call that waits for a replica holds up others
  }

  private void answered(Reply reply) {
    boolean ofKey = address.hash() != null;
    if (replaced.isEmpty()) {
      epoch = reply.epoch();
      replaced = reply.revisionToReplace(ofKey);
      send();
      return;
    }
    if (!reply.hasInForce(to.limit(), ofKey)) {
      Log.warning(address.name() + ": " + inForceInstead(reply, epoch, to.limit()));
    }
    then.accept(reply);
  }

  /**
   * Returns why another limit is in force, as the reply to a change tells.
   *
   * @param epoch in which the store told the limit that was to be replaced
   */
  static String inForceInstead(Reply reply, String epoch, Limit changed) {
    return reply.hasLost(epoch)
        ? "the limit is "
            + reply.limit()
            + " again because the store has lost everything, including the change to "
            + changed
            + "; change it once more"
        : "the limit is "
            + reply.limit()
            + ": another change was made while this process was changing it to "
            + changed;
  }

  /** Sends it no more, as another change takes its place. */
  void drop() {
    dropped = true;
  }
}
