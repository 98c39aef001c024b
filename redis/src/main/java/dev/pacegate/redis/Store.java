package dev.pacegate.redis;

import dev.pacegate.time.Time;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The scripts on a server, called without blocking. A connection is one line, in which the server
 * answers in order: so a call that is late is not repeated, and its late reply is taken. It fails
 * when the connection is lost, the server answers with an error, or not all replicas of the limit
 * {@linkplain Confirmations confirm} it on the same connection; it may have been carried out then.
 * Many keys of one source share calls, and each gets its own reply or failure.
 *
 * <p>Thread-safe.
 */
final class Store implements ScriptRunner {

  /** After that a call is late. */
  static final Duration LATE = Duration.ofSeconds(1);

  /** How often a call says to which server it leads, before it is given up. */
  static final int MOST_CLAIMS = 3;

  static final String NO_CLAIM = "";

  private final StatefulRedisConnection<String, String> connection;
  private final Wire wire;
  private final UnaryOperator<Throwable> explanation;
  private final Time time;
  private final Runnable named;
  private final Set<CallEntry> underWay = new HashSet<>(); // or waiting for their turn
  private final CallWindow<CallEntry> window;
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
    this.window = new CallWindow<>(time, LATE, batch -> new Call(batch).make());
  }

  @Override
  public void run(Script script, Address address, int terms, Caller caller) {
    var entry = new CallEntry(script, address, terms, caller, time, this::explained, this::finish);
    if (!begin(entry)) {
      entry.fail(closedProblem());
      return;
    }
    CompletableFuture<?> waitedFor = caller.waitedFor().toCompletableFuture();
    if (waitedFor.isDone()) {
      entry.awaitLateness();
      window.add(entry.line(), entry);
    } else {
      window.addReport(entry.line(), entry);
      var unused = waitedFor.thenRun(() -> hurry(entry));
    }
  }

  private void hurry(CallEntry entry) {
    entry.awaitLateness();
    window.hurry(entry.line(), entry);
  }

  private Throwable explained(Throwable failure) {
    return connection.isOpen() ? failure : explanation.apply(failure);
  }

  /**
   * Waits for calls that are under way, for that long at most; then they fail, as later ones do.
   */
  void close(Duration longest) {
    long until = System.nanoTime() + longest.toNanos();
    List<CallEntry> left;
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
    left.forEach(entry -> entry.fail(closedProblem()));
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

  private boolean begin(CallEntry entry) {
    synchronized (underWay) {
      return !closed && underWay.add(entry);
    }
  }

  private void finish(CallEntry entry) {
    synchronized (underWay) {
      underWay.remove(entry);
      underWay.notifyAll();
    }
  }

  /** Entries on their way to the server and back. */
  private final class Call {
    private final CallWindow.CallBatch<CallEntry> batch;
    private final List<CallEntry> entries = new ArrayList<>(); // that have arguments
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final long madeAt = time.nanoTime();
    private String[] keys = {};
    private String[] arguments = {}; // the first is the claim
    private long number; // of the connection by which it was made last
    private int claims;

    Call(CallWindow.CallBatch<CallEntry> batch) {
      this.batch = batch;
    }

    void make() {
      attempt(
          () -> {
            List<String> ofEntries = gather();
            if (entries.isEmpty()) {
              leave();
              return;
            }
            var all = new ArrayList<>(entries.get(0).common());
            all.addAll(ofEntries);
            arguments = withClaim(all);
            ask(true);
          });
    }

    private List<String> gather() {
      var ofEntries = new ArrayList<String>();
      var names = new ArrayList<String>();
      for (CallEntry each : batch.entries()) {
        List<String> own = each.arguments();
        if (own != null) {
          entries.add(each);
          ofEntries.addAll(own);
          names.addAll(names.isEmpty() ? each.keys() : each.keys().subList(1, each.keys().size()));
        }
      }
      keys = names.toArray(String[]::new);
      return ofEntries;
    }

    private long usefulFor() {
      return batch.entries().stream().mapToLong(CallEntry::usefulFor).min().orElseThrow();
    }

    private void leave() {
      if (isOver.compareAndSet(false, true)) {
        window.over(batch, time.nanoTime() - madeAt, usefulFor());
      }
    }

    private void ask(boolean byDigest) {
      try {
        number = wire.number();
        Script script = entries.get(0).script();
        RedisAsyncCommands<String, String> redis = connection.async();
        CompletionStage<List<Object>> reply =
            byDigest
                ? redis.evalsha(script.digest(), ScriptOutputType.MULTI, keys, arguments)
                : redis.eval(script.source(), ScriptOutputType.MULTI, keys, arguments);
        reply.whenComplete(
            (fields, failure) -> {
              if (entries.stream().allMatch(CallEntry::isAnswered)) {
                leave(); // as the store is closed
              } else if (byDigest && failure instanceof RedisNoScriptException) {
                ask(false);
              } else {
                attempt(() -> heard(fields == null ? null : new Replies(fields), failure));
              }
            });
      } catch (Throwable e) {
        fail(e);
      }
    }

    // Whatever fails, such as for want of memory: a place in the window that is not left is lost.
    private void attempt(Runnable step) {
      try {
        step.run();
      } catch (Throwable e) {
        fail(e);
      }
    }

    private void heard(@Nullable Replies replies, @Nullable Throwable failure) {
      if (replies == null) {
        fail(failure);
        return;
      }
      String run = replies.asks();
      if (run != null) {
        claim(run);
        return;
      }
      List<String> needed = replies.replicas();
      if (needed.isEmpty()) {
        answer(replies);
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
        fail(problem);
      } else if (number != wire.number()) {
        fail(UnconfirmedException.lost());
      } else if (said.count() < needed.size()) {
        fail(UnconfirmedException.by(said.count(), needed.size()));
      } else if (!needed.containsAll(said.by())) {
        fail(UnconfirmedException.byAnother());
      } else {
        answer(replies);
      }
    }

    private void claim(String run) {
      if (claims++ == MOST_CLAIMS) {
        fail(new IllegalStateException("several servers answer in turn"));
        return;
      }
      String address = wire.address();
      arguments[0] = number == wire.number() ? run + " " + address : NO_CLAIM;
      ask(true);
    }

    private void answer(Replies replies) {
      try {
        for (int i = 0; i < entries.size(); i++) {
          entries.get(i).reply(replies, i);
        }
      } finally {
        leave();
      }
    }

    private void fail(@Nullable Throwable why) {
      try {
        batch.entries().forEach(each -> each.fail(why));
      } finally {
        leave();
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
