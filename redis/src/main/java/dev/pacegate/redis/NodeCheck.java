package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the server to which a connection leads, before the first call and whenever the
 * connection was made anew: it may lead to another server then. Never waits. Thread-safe.
 */
final class NodeCheck {

  /** What waits for a check was not called yet, so it may take longer than a call. */
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final StatefulRedisConnection<String, String> connection;
  private final Wire wire;
  private final Demands demands;
  private final Consumer<ServerFacts> passed;
  private final Time time;
  private volatile long checked = -1; // the number of the connection
  private String run = ""; // of the server that was checked; guarded by this, as the next
  private @Nullable Check underWay;
  private @Nullable Inquiry inquiry; // the last

  /** What is waited for on the connection of a number. */
  private record Check(long number, CompletableFuture<Void> result) {}

  /** What is asked on it, and answered at last. */
  private record Inquiry(long number, CompletableFuture<Void> answer) {}

  /**
   * What a server is to be.
   *
   * @param mode in which it runs, as INFO tells it
   * @param keys which it has, and no limit can have
   * @param partition and the next as {@link Settings} has them
   */
  record Demands(String mode, List<String> keys, @Nullable Duration partition, boolean durable) {}

  /**
   * Creates a check.
   *
   * @param passed is told of each server that has passed
   */
  NodeCheck(
      StatefulRedisConnection<String, String> connection,
      Wire wire,
      Demands demands,
      Consumer<ServerFacts> passed,
      Time time) {
    this.connection = connection;
    this.wire = wire;
    this.demands = demands;
    this.passed = passed;
    this.time = time;
  }

  /** Returns whether the server was checked on the connection that there is, or was last. */
  boolean isOver() {
    return wire.number() == checked;
  }

  /**
   * Returns the check that is under way, or begins one; null if the server was checked. It fails
   * with the reason if the server does not pass, or does not answer in time.
   */
  @Nullable CompletableFuture<Void> pending() {
    return pending(LONGEST);
  }

  /** As {@link #pending()}, with another longest time. */
  @Nullable CompletableFuture<Void> pending(Duration longest) {
    long number = wire.number();
    if (number == checked) {
      return null;
    }
    var begun = new Check(number, new CompletableFuture<>());
    Check former;
    synchronized (this) {
      former = underWay;
      if (former != null && former.number() == number) {
        return former.result();
      }
      underWay = begun;
    }
    if (former != null) {
      former.result().completeExceptionally(lost());
    }
    begin(begun, longest);
    return begun.result();
  }

  private static RedisException lost() {
    return new RedisException("the connection was lost");
  }

  private void begin(Check begun, Duration longest) {
    var silence = new TimeoutException("no answer for " + Durations.brief(longest));
    Scheduled alarm = time.at(time.nanoTime() + longest.toNanos(), () -> end(begun, silence));
    var unused =
        answer(begun.number())
            .whenComplete(
                (passed, failure) -> {
                  alarm.cancel();
                  end(begun, Causes.cause(failure));
                });
  }

  // A server answers in order: what it has not answered yet is not asked again of this connection.
  private CompletableFuture<Void> answer(long number) {
    var begun = new Inquiry(number, new CompletableFuture<>());
    synchronized (this) {
      if (inquiry != null && inquiry.number() == number && !inquiry.answer().isDone()) {
        return inquiry.answer();
      }
      inquiry = begun;
    }
    var unused =
        facts()
            .thenCompose(facts -> judge(facts, number))
            .whenComplete(
                (facts, failure) -> {
                  if (failure == null) {
                    checked = number; // if it is lost by now, the next call has the next checked
                    begun.answer().complete(null);
                  } else {
                    begun.answer().completeExceptionally(failure);
                  }
                });
    return begun.answer();
  }

  private CompletionStage<ServerFacts> facts() {
    try {
      return ServerFacts.ask(connection.async());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void end(Check begun, @Nullable Throwable failure) {
    synchronized (this) {
      underWay = begun.equals(underWay) ? null : underWay;
    }
    if (failure == null) {
      begun.result().complete(null);
    } else {
      begun.result().completeExceptionally(failure);
    }
  }

  private CompletionStage<ServerFacts> judge(ServerFacts facts, long number) {
    requireSame(number);
    ServerCheck.check(facts, demands.mode());
    if (isKnown(facts.run())) {
      return CompletableFuture.completedFuture(facts);
    }
    return Rights.check(connection.async(), demands.keys(), demands.partition() == null)
        .thenApply(
            allowed -> {
              requireSame(number);
              return pass(facts);
            });
  }

  // What was not answered is repeated on the next connection, which may lead to another server.
  private void requireSame(long number) {
    if (number != wire.number()) {
      throw lost();
    }
  }

  private synchronized boolean isKnown(String server) {
    return server.equals(run);
  }

  private ServerFacts pass(ServerFacts facts) {
    ServerCheck.requireMemoryOfPromotions(facts);
    if (demands.durable()) {
      Durability.check(facts, demands.partition(), Eviction.of(facts));
    }
    synchronized (this) {
      run = facts.run();
    }
    passed.accept(facts);
    return facts;
  }
}
