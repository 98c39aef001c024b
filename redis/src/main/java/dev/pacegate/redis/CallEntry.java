package dev.pacegate.redis;

import dev.pacegate.redis.CallWindow.CallLine;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One caller's part of a call, which others may share. It waits for its turn and then for the
 * server; it is told to be late as often as it is, and answered once.
 *
 * <p>Thread-safe.
 */
final class CallEntry {

  private final Script script;
  private final Address address;
  private final int terms;
  private final Caller caller;
  private final Time time;
  private final UnaryOperator<Throwable> explanation;
  private final Consumer<CallEntry> over;
  private final AtomicBoolean answered = new AtomicBoolean();
  private final AtomicBoolean awaitsLateness = new AtomicBoolean();
  private volatile boolean made;
  private volatile @Nullable Scheduled lateness;
  private long patience = Store.LATE.toNanos(); // used by one timer after another

  /**
   * Creates an entry.
   *
   * @param terms how many terms the limit has that the caller knows
   * @param explanation of a failure
   * @param over is told once it is answered, and what its reply leads to has begun
   */
  CallEntry(
      Script script,
      Address address,
      int terms,
      Caller caller,
      Time time,
      UnaryOperator<Throwable> explanation,
      Consumer<CallEntry> over) {
    this.script = script;
    this.address = address;
    this.terms = terms;
    this.caller = caller;
    this.time = time;
    this.explanation = explanation;
    this.over = over;
  }

  Script script() {
    return script;
  }

  /** Returns the keys of the store: the record, and then its own if it has one. */
  List<String> keys() {
    return address.keys();
  }

  /** Returns what is said once in a call. */
  List<String> common() {
    return caller.common();
  }

  /** Returns what it shares calls with. */
  CallLine line() {
    return new CallLine(address.keys().get(0), caller.source());
  }

  long usefulFor() {
    return caller.usefulFor();
  }

  boolean isAnswered() {
    return answered.get();
  }

  /** Begins to be late after a while, if it has not begun. */
  void awaitLateness() {
    if (awaitsLateness.compareAndSet(false, true)) {
      awaitNextLateness();
    }
  }

  private void awaitNextLateness() {
    Scheduled next = time.at(time.nanoTime() + patience, this::late);
    lateness = next;
    if (answered.get()) {
      next.cancel();
    }
  }

  private void late() {
    if (answered.get()) {
      return;
    }
    String problem = "no answer for " + Durations.brief(Store.LATE);
    var why = new TimeoutException(made ? problem : problem + ", as many calls wait");
    try {
      caller.late(explanation.apply(why));
    } catch (Throwable ofTheCaller) { // else it would be told no more
      Log.warning("a late call was not told: " + ofTheCaller);
    }
    awaitNextLateness(); // a call that takes twice as long is told again
    patience *= 2;
  }

  /** Returns its arguments, as its call is made; null if there are none, so that it has failed. */
  @Nullable List<String> arguments() {
    made = true;
    if (answered.get()) {
      return null;
    }
    awaitLateness();
    try {
      return caller.arguments();
    } catch (Throwable e) { // such as for want of memory; others are in the call too
      fail(e);
      return null;
    }
  }

  /** Its call was answered, and that to this entry is the one of this number. */
  void reply(Replies replies, int number) {
    Reply reply = null;
    Throwable failure = null;
    try {
      reply = replies.of(number, terms);
    } catch (RedisCommandExecutionException e) {
      failure = e; // of this entry alone
    } catch (RuntimeException e) {
      failure = new IllegalStateException("not a reply of this version: " + replies, e);
    }
    end(reply, failure);
  }

  void fail(@Nullable Throwable why) {
    end(null, why);
  }

  private void end(@Nullable Reply reply, @Nullable Throwable failure) {
    if (!answered.compareAndSet(false, true)) {
      return;
    }
    Scheduled set = lateness;
    if (set != null) {
      set.cancel();
    }
    try {
      caller.answered(reply, failure == null ? null : explanation.apply(failure));
    } catch (Throwable ofTheCaller) { // others wait to be told by the same thread
      Log.warning("the reply to a call was not used: " + ofTheCaller);
    } finally {
      over.accept(this);
    }
  }
}
