package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import io.lettuce.core.RedisException;
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
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The scripts on a server, called without blocking. A call that is not answered in time fails,
 * whatever the client's own options say; it may yet be carried out. So does one that not all
 * replicas of the limit {@linkplain Confirmations confirm} on the same connection.
 *
 * <p>Thread-safe.
 */
final class Store implements ScriptRunner {

  private static final Duration LONGEST_CALL = Duration.ofSeconds(1);

  /** How often a call says to which server it leads, before it is given up. */
  static final int MOST_CLAIMS = 3;

  static final String NO_CLAIM = "";

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
    this.window = new CallWindow(time, LONGEST_CALL);
  }

  @Override
  public void run(
      Script script,
      Address address,
      int terms,
      Supplier<List<String>> arguments,
      BiConsumer<@Nullable Reply, @Nullable Throwable> then) {
    new Call(script, address, terms, arguments, then).start();
  }

  /** Waits for calls that are under way, for that long at most; later ones are not made. */
  void close(Duration longest) {
    long until = System.nanoTime() + longest.toNanos();
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
    }
    window.failAll(closedProblem());
  }

  private static IllegalStateException closedProblem() {
    return new IllegalStateException("the connection was closed");
  }

  @Override
  public boolean isClosed() {
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
    private final Supplier<List<String>> argumentsLater;
    private final BiConsumer<@Nullable Reply, @Nullable Throwable> then;
    private final AtomicBoolean answered = new AtomicBoolean();
    private final AtomicBoolean inWindow = new AtomicBoolean();
    private long madeAt; // once it has begun
    private String[] keys = {}; // once it has begun
    private String[] arguments = {}; // once it has begun; the first is the claim
    private @Nullable Scheduled deadline; // once it has begun
    private long number; // of the connection by which it was made last
    private int claims;

    Call(
        Script script,
        Address address,
        int terms,
        Supplier<List<String>> argumentsLater,
        BiConsumer<@Nullable Reply, @Nullable Throwable> then) {
      this.script = script;
      this.address = address;
      this.terms = terms;
      this.argumentsLater = argumentsLater;
      this.then = then;
    }

    void start() {
      if (!begin(this)) {
        fail(closedProblem());
      } else if (window.isFull() && !connection.isOpen()) {
        fail(new RedisException("not connected")); // the client keeps those that are under way
      } else {
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
      deadline = time.at(madeAt + LONGEST_CALL.toNanos(), this::late);
      attempt(
          () -> {
            keys = address.keys().toArray(String[]::new);
            arguments = withClaim(argumentsLater.get());
            ask(true);
          });
    }

    @Override
    public void fail(Throwable why) {
      end(null, why);
    }

    // The connection keeps it until it is answered or lost: so it stays in the window.
    private void late() {
      fail(new TimeoutException("no answer for " + Durations.brief(LONGEST_CALL)));
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
        CompletionStage<List<String>> reply =
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
                attempt(() -> heard(fields, failure));
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

    private void heard(@Nullable List<String> fields, @Nullable Throwable failure) {
      if (fields == null) {
        answer(null, failure);
        return;
      }
      String run = Reply.asks(fields);
      if (run != null) {
        claim(run);
        return;
      }
      List<String> needed = Reply.replicas(fields);
      if (needed.isEmpty()) {
        answer(fields, null);
      } else {
        named.run();
        confirmations.ask(
            needed.size(),
            (said, problem) -> attempt(() -> confirm(fields, needed, said, problem)));
      }
    }

    // On another connection WAIT says nothing of this call: nothing was written there.
    private void confirm(
        List<String> fields,
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
        answer(fields, null);
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

    private void answer(@Nullable List<String> fields, @Nullable Throwable failure) {
      try {
        end(fields, failure);
      } finally {
        leave();
      }
    }

    private void end(@Nullable List<String> fields, @Nullable Throwable failure) {
      if (answered.compareAndSet(false, true)) {
        Scheduled set = deadline;
        if (set != null) {
          set.cancel();
        }
        try {
          hand(fields, failure);
        } finally {
          finish(this); // what the reply leads to has begun by now
        }
      }
    }

    private void hand(@Nullable List<String> fields, @Nullable Throwable failure) {
      Reply reply = null;
      Throwable problem =
          failure == null || connection.isOpen() ? failure : explanation.apply(failure);
      try {
        reply = fields == null ? null : Reply.parse(fields, terms);
      } catch (RuntimeException e) {
        problem = new IllegalStateException("not a reply of this version: " + fields, e);
      }
      try {
        then.accept(reply, problem);
      } catch (Throwable ofTheCaller) { // others wait to be told by the same thread
        Log.warning("the reply to a call was not used: " + ofTheCaller);
      }
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
