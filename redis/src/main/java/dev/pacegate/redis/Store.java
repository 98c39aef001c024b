package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The scripts on a server, called without blocking. A call that is not answered in time fails,
 * whatever the client's own options say; it may yet be carried out.
 *
 * <p>Thread-safe.
 */
final class Store {

  private static final Duration LONGEST_CALL = Duration.ofSeconds(1);

  private final StatefulRedisConnection<String, String> connection;
  private final UnaryOperator<Throwable> explanation; // of what fails without a connection
  private final Time time;
  private final Set<Call> underWay = new HashSet<>();
  private boolean closed;

  Store(
      StatefulRedisConnection<String, String> connection,
      UnaryOperator<Throwable> explanation,
      Time time) {
    this.connection = connection;
    this.explanation = explanation;
    this.time = time;
  }

  /**
   * Runs a script on the limit of that address.
   *
   * @param terms how many terms the limit has that the caller knows
   * @param then gets the reply, or else why there is none; once
   */
  void run(
      Script script,
      Address address,
      int terms,
      List<String> arguments,
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

  private final class Call {
    private final Script script;
    private final String[] keys;
    private final int terms;
    private final String[] arguments;
    private final BiConsumer<@Nullable Reply, @Nullable Throwable> then;
    private final AtomicBoolean answered = new AtomicBoolean();
    private @Nullable Scheduled deadline; // once it has begun

    Call(
        Script script,
        Address address,
        int terms,
        List<String> arguments,
        BiConsumer<@Nullable Reply, @Nullable Throwable> then) {
      this.script = script;
      this.keys = address.keys().toArray(String[]::new);
      this.terms = terms;
      this.arguments = arguments.toArray(String[]::new);
      this.then = then;
    }

    private void late() {
      answer(null, new TimeoutException("no answer for " + Durations.brief(LONGEST_CALL)));
    }

    void start() {
      if (!begin(this)) {
        answer(null, new IllegalStateException("the connection was closed"));
        return;
      }
      deadline = time.at(time.nanoTime() + LONGEST_CALL.toNanos(), this::late);
      ask(() -> redis().evalsha(script.digest(), ScriptOutputType.MULTI, keys, arguments), true);
    }

    private void startWithSource() {
      ask(() -> redis().eval(script.source(), ScriptOutputType.MULTI, keys, arguments), false);
    }

    private RedisScriptingAsyncCommands<String, String> redis() {
      return connection.async();
    }

    private void ask(Question question, boolean mayBeUnknown) {
      try {
        question
            .ask()
            .whenComplete(
                (fields, failure) -> {
                  if (mayBeUnknown && failure instanceof RedisNoScriptException) {
                    startWithSource();
                  } else {
                    answer(fields, failure);
                  }
                });
      } catch (RuntimeException e) {
        answer(null, e);
      }
    }

    private void answer(@Nullable List<String> fields, @Nullable Throwable failure) {
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
      then.accept(reply, problem);
    }
  }

  /** One command. */
  private interface Question {
    CompletionStage<List<String>> ask();
  }
}
