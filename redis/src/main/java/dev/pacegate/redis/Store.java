package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The scripts on a server, called without blocking. A connection is one line, in which the server
 * answers in order: so a call that is late is not repeated, and its late reply is taken. It fails
 * when the connection is lost, the server answers with an error, or not all replicas of the limit
 * {@linkplain Confirmations confirm} it on the same connection; it may have been carried out then.
 *
 * <p>Thread-safe.
 */
final class Store {

  /** After that a call is late. */
  static final Duration LATE = Duration.ofSeconds(1);

  /** How often a call says to which server it leads, before it is given up. */
  static final int MOST_CLAIMS = 3;

  static final String NO_CLAIM = "";

  /** What a call is for. */
  interface Caller {

    /** Returns the arguments of the script; asked when the call is made, once. */
    List<String> arguments();

    /**
     * There is no answer yet, after {@link #LATE} and whenever as much time has passed again,
     * whether the call waits for its turn or for the server. May come when there is one already.
     */
    void late(Throwable why);

    /** Gets the reply, or else why there is none; once. */
    void answered(@Nullable Reply reply, @Nullable Throwable failure);
  }

  private final StatefulRedisConnection<String, String> connection;
  private final Wire wire;
  private final UnaryOperator<Throwable> explanation;
  private final Time time;
  private final Runnable named;
  private final Set<Call> underWay = new HashSet<>();
  private final CallWindow window;
  private final Confirmations confirmations;
  private boolean closed;

  /**
   * Creates a store.
   *
   * @param explanation of what fails without a connection
   * @param named is told whenever an answer names replicas
   */
  Store(
      StatefulRedisConnection<String, String> connection,
      Wire wire,
      UnaryOperator<Throwable> explanation,
      Runnable named,
      Time time) {
    this.connection = connection;
    this.confirmations = new Confirmations(connection);
    this.wire = wire;
    this.explanation = explanation;
    this.named = named;
    this.time = time;
    this.window = new CallWindow(time, LATE);
  }

  /**
   * Runs a script on the limit of that address, once not too many calls are under way.
   *
   * @param terms how many terms the limit has that the caller knows
   */
  void run(Script script, Address address, int terms, Caller caller) {
    new Call(script, address, terms, caller).start();
  }

  /**
   * Waits for calls that are under way, for that long at most; then they fail, as later ones do.
   */
  void close(Duration longest) {
    long until = System.nanoTime() + longest.toNanos();
    List<Call> left;
    synchronized (underWay) {
      while (!underWay.isEmpty() && until - System.nanoTime() > 0) {
        try {
          TimeUnit.NANOSECONDS.timedWait(underWay, until - System.nanoTime());
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          break;
        }
      }
      closed = true;
      left = List.copyOf(underWay);
    }
    left.forEach(call -> call.fail(closedProblem()));
  }

  private static IllegalStateException closedProblem() {
    return new IllegalStateException("the connection was closed");
  }

  boolean isClosed() {
    synchronized (underWay) {
      return closed;
    }
  }

  private boolean begin(Call call) {
    synchronized (underWay) {
      return !closed && underWay.add(call);
    }
  }

  private void finish(Call call) {
    synchronized (underWay) {
      underWay.remove(call);
      underWay.notifyAll();
    }
  }

  private final class Call implements CallWindow.PendingCall {
    private final Script script;
    private final Address address;
    private final int terms;
    private final Caller caller;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final AtomicBoolean inWindow = new AtomicBoolean();
    private volatile @Nullable Scheduled lateness;
    private long madeAt; // once it is made
    private String[] keys = {}; // once it is made
    private String[] arguments = {}; // once it is made; the first is the claim
    private long number; // of the connection by which it was made last
    private int claims;

    Call(Script script, Address address, int terms, Caller caller) {
      this.script = script;
      this.address = address;
      this.terms = terms;
      this.caller = caller;
    }

    void start() {
      if (!begin(this)) {
        fail(closedProblem());
      } else {
        awaitLateness();
        window.add(address.name(), this);
      }
    }

    @Override
    public void make() {
      madeAt = time.nanoTime();
      inWindow.set(true);
      if (answered.get()) {
        leave();
        return;
      }
      attempt(
          () -> {
            keys = address.keys().toArray(String[]::new);
            arguments = withClaim(caller.arguments());
            ask(true);
          });
    }

    // The connection keeps it until it is answered or lost: so it stays in the window.
    void fail(Throwable why) {
      end(null, why);
    }

    private void awaitLateness() {
      Scheduled next = time.at(time.nanoTime() + LATE.toNanos(), this::late);
      lateness = next;
      if (answered.get()) {
        next.cancel();
      }
    }

    private void late() {
      if (answered.get()) {
        return;
      }
      String problem = "no answer for " + Durations.brief(LATE);
      var why = new TimeoutException(inWindow.get() ? problem : problem + ", as many calls wait");
      try {
        caller.late(explained(why));
      } catch (Throwable ofTheCaller) { // else it would be told no more
        Log.warning("a late call was not told: " + ofTheCaller);
      }
      awaitLateness();
    }

    private void leave() {
      if (inWindow.compareAndSet(true, false)) {
        window.over(time.nanoTime() - madeAt);
      }
    }

    private void ask(boolean byDigest) {
      try {
        number = wire.number();
        RedisAsyncCommands<String, String> redis = connection.async();
        CompletionStage<List<Object>> reply =
            byDigest
                ? redis.evalsha(script.digest(), ScriptOutputType.MULTI, keys, arguments)
                : redis.eval(script.source(), ScriptOutputType.MULTI, keys, arguments);
        reply.whenComplete(
            (fields, failure) -> {
              if (answered.get()) {
                leave();
              } else if (byDigest && failure instanceof RedisNoScriptException) {
                ask(false);
              } else {
                attempt(() -> heard(fields == null ? null : new Replies(fields), failure));
              }
            });
      } catch (Throwable e) {
        answer(null, e);
      }
    }

    // Whatever fails, such as for want of memory: a place in the window that is not left is lost.
    private void attempt(Runnable step) {
      try {
        step.run();
      } catch (Throwable e) {
        answer(null, e);
      }
    }

    private void heard(@Nullable Replies replies, @Nullable Throwable failure) {
      if (replies == null) {
        answer(null, failure);
        return;
      }
      String run = replies.asks();
      if (run != null) {
        claim(run);
        return;
      }
      List<String> needed = replies.replicas();
      if (needed.isEmpty()) {
        answer(replies, null);
      } else {
        named.run();
        confirmations.ask(
            needed.size(),
            (said, problem) -> attempt(() -> confirm(replies, needed, said, problem)));
      }
    }

    // On another connection WAIT says nothing of this call: nothing was written there.
    private void confirm(
        Replies replies,
        List<String> needed,
        @Nullable Confirmation said,
        @Nullable Throwable problem) {
      if (said == null) {
        answer(null, problem);
      } else if (number != wire.number()) {
        answer(null, UnconfirmedException.lost());
      } else if (said.count() < needed.size()) {
        answer(null, UnconfirmedException.by(said.count(), needed.size()));
      } else if (!needed.containsAll(said.by())) {
        answer(null, UnconfirmedException.byAnother());
      } else {
        answer(replies, null);
      }
    }

    private void claim(String run) {
      if (claims++ == MOST_CLAIMS) {
        answer(null, new IllegalStateException("several servers answer in turn"));
        return;
      }
      String address = wire.address();
      arguments[0] = number == wire.number() ? run + " " + address : NO_CLAIM;
      ask(true);
    }

    private void answer(@Nullable Replies replies, @Nullable Throwable failure) {
      try {
        end(replies, failure);
      } finally {
        leave();
      }
    }

    private void end(@Nullable Replies replies, @Nullable Throwable failure) {
      if (answered.compareAndSet(false, true)) {
        Scheduled set = lateness;
        if (set != null) {
          set.cancel();
        }
        try {
          hand(replies, failure);
        } finally {
          finish(this); // what the reply leads to has begun by now
        }
      }
    }

    private void hand(@Nullable Replies replies, @Nullable Throwable failure) {
      Reply reply = null;
      Throwable problem = failure == null ? null : explained(failure);
      try {
        reply = replies == null ? null : replies.of(0, terms);
      } catch (RedisCommandExecutionException e) {
        problem = e; // of the one entry
      } catch (RuntimeException e) {
        problem = new IllegalStateException("not a reply of this version: " + replies, e);
      }
      try {
        caller.answered(reply, problem);
      } catch (Throwable ofTheCaller) { // others wait to be told by the same thread
        Log.warning("the reply to a call was not used: " + ofTheCaller);
      }
    }

    private Throwable explained(Throwable failure) {
      return connection.isOpen() ? failure : explanation.apply(failure);
    }
  }

  /** Returns the arguments of a script, with room for a claim. */
  static String[] withClaim(List<String> arguments) {
    var all = new String[arguments.size() + 1];
    all[0] = NO_CLAIM;
    for (int i = 1; i < all.length; i++) {
      all[i] = arguments.get(i - 1);
    }
    return all;
  }
}
