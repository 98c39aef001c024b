package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who has which slots of a cluster, as its nodes said last. They are asked again when something
 * fails, and not by the clock: a node that has a slot no more refuses what is asked of it. Never
 * waits, but when it is asked first. Thread-safe.
 */
final class Topology {

  /** Each look connects to all nodes, in each process. */
  private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();

  private static final long LAST_PAUSE = Duration.ofSeconds(1).toNanos();

  /** After so long without a look all was well. */
  private static final long CALM = Duration.ofSeconds(10).toNanos();

  /**
   * A look is not waited for any longer. The user's client may wait for a node for ever, and keeps
   * a connection to each until it has heard from all.
   */
  static final Duration LONGEST = Duration.ofSeconds(8);

  /** How often the pause doubles after looks that did not end: it is four minutes then. */
  private static final int MOST_DOUBLED = 5;

  private final Supplier<Partitions> known;
  private final Supplier<CompletionStage<Void>> look;
  private final Time time;
  private volatile Runnable onRefresh = () -> {};
  private @Nullable CompletableFuture<Void> underWay; // guarded by this, as all that follows
  private long began;
  private long pause;
  private int endless; // looks that did not end, since one did

  Topology(RedisClusterClient client, Time time) {
    this(client::getPartitions, client::refreshPartitionsAsync, time);
  }

  /**
   * Creates it.
   *
   * @param known waits for the first look
   * @param look asks the nodes
   */
  Topology(Supplier<Partitions> known, Supplier<CompletionStage<Void>> look, Time time) {
    this.known = known;
    this.look = look;
    this.time = time;
    this.began = time.nanoTime() - CALM;
  }

  /**
   * Asks the nodes if the client has not done so yet, and waits for what they say.
   *
   * @throws RedisException if none answers, or one takes too long
   */
  void require() {
    try {
      requireKnown(LONGEST);
    } catch (RedisException e) {
      Throwable first = e.getSuppressed().length > 0 ? e.getSuppressed()[0] : e.getCause();
      throw first == null
          ? e
          : new RedisException(e.getMessage() + ": " + Causes.ofConnecting(first), e);
    }
  }

  // The client waits without a limit, and can be interrupted.
  void requireKnown(Duration longest) {
    var first = new FutureTask<>(known::get);
    var asking = new Thread(first, "pacegate-topology");
    asking.setDaemon(true);
    asking.start();
    try {
      first.get(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw RedisFailures.unchecked(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw new RedisCommandTimeoutException("no answer for " + Durations.brief(longest));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } finally {
      first.cancel(true);
    }
  }

  /** Has this called after each look. */
  void onRefresh(Runnable action) {
    onRefresh = action;
  }

  /** Returns the primary that has a slot; null if none is known. */
  @Nullable RedisClusterNode owner(int slot) {
    return known.get().getMasterBySlot(slot);
  }

  /** Returns the primaries that have slots. */
  List<RedisClusterNode> primaries() {
    return known.get().getPartitions().stream()
        .filter(node -> node.is(NodeFlag.UPSTREAM) && !node.hasNoSlots())
        .toList();
  }

  /** Returns the primary of a place; null if it is none any more. */
  @Nullable RedisClusterNode primary(String place) {
    return primaries().stream().filter(node -> place(node).equals(place)).findFirst().orElse(null);
  }

  /** Returns which server a node is, and where. */
  static String place(RedisClusterNode node) {
    return node.getNodeId() + "@" + node.getUri().getHost() + ":" + node.getUri().getPort();
  }

  /** Asks the nodes soon, unless that was done just now. */
  void refresh() {
    long now = time.nanoTime();
    CompletableFuture<Void> begun;
    synchronized (this) {
      if (underWay != null || now - began < pause) {
        return;
      }
      begun = prepare(now);
    }
    ask(begun);
  }

  /**
   * Returns what ends once the nodes were asked, or it is known that one of them takes too long.
   */
  CompletionStage<Void> refreshed() {
    long now = time.nanoTime();
    CompletableFuture<Void> begun;
    synchronized (this) {
      if (underWay != null) {
        return underWay;
      } else if (endless > 0 && now - began < pause) {
        return CompletableFuture.completedFuture(null);
      }
      begun = prepare(now);
    }
    ask(begun);
    return begun;
  }

  // A process does not ask when all others do.
  private synchronized CompletableFuture<Void> prepare(long now) {
    pause = now - began >= CALM ? FIRST_PAUSE : Math.min(2 * pause, LAST_PAUSE);
    began = now - ThreadLocalRandom.current().nextLong(FIRST_PAUSE / 2);
    var begun = new CompletableFuture<Void>();
    underWay = begun;
    return begun;
  }

  private void ask(CompletableFuture<Void> begun) {
    Scheduled alarm = time.at(time.nanoTime() + LONGEST.toNanos(), () -> giveUp(begun));
    CompletionStage<Void> asked;
    try {
      asked = look.get();
    } catch (RuntimeException e) { // the client is closed
      asked = CompletableFuture.completedFuture(null);
    }
    var unused =
        asked.whenComplete(
            (all, failure) -> {
              alarm.cancel();
              over(begun);
            });
  }

  // What it tells is heeded when it comes.
  private void giveUp(CompletableFuture<Void> begun) {
    synchronized (this) {
      if (underWay != begun) {
        return;
      }
      underWay = null;
      endless = Math.min(endless + 1, MOST_DOUBLED);
      pause = LONGEST.toNanos() << endless;
    }
    begun.complete(null);
  }

  private void over(CompletableFuture<Void> begun) {
    synchronized (this) {
      underWay = underWay == begun ? null : underWay;
      pause = endless > 0 ? LAST_PAUSE : pause;
      endless = 0;
    }
    try {
      onRefresh.run();
    } finally {
      begun.complete(null);
    }
  }
}
