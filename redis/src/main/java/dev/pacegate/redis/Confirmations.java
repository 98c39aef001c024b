package dev.pacegate.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks how many replicas have what was written on a connection ({@code WAIT}): once for all calls
 * that were answered since it was asked last. While it is, the server reads nothing else from the
 * connection, so one such question for each call would make all calls wait for each other.
 *
 * <p>Thread-safe.
 */
final class Confirmations {

  /** The connection's silence must not be taken for that of a server that is gone. */
  static final Duration LONGEST_WAIT = Duration.ofMillis(400);

  private final StatefulRedisConnection<String, String> connection;
  private List<Question> next = new ArrayList<>(); // guarded by this, as is what follows
  private boolean isAsked; // and not answered yet

  /** Of one call, which has been answered. */
  private record Question(
      int needed, BiConsumer<@Nullable Confirmation, @Nullable Throwable> then) {}

  Confirmations(StatefulRedisConnection<String, String> connection) {
    this.connection = connection;
  }

  /**
   * Asks for all that has been answered on this connection until now.
   *
   * @param needed how many replicas are enough for this call
   * @param then gets how many have it, at least after a while, and which there are; or why that is
   *     not known
   */
  void ask(int needed, BiConsumer<@Nullable Confirmation, @Nullable Throwable> then) {
    synchronized (this) {
      next.add(new Question(needed, then));
      if (isAsked) {
        return;
      }
      isAsked = true;
    }
    askAll();
  }

  private void askAll() {
    List<Question> questions = take();
    if (!questions.isEmpty()) {
      int most = questions.stream().mapToInt(Question::needed).max().orElseThrow();
      count(most)
          .whenComplete(
              (said, problem) -> {
                askAll();
                questions.forEach(each -> each.then().accept(said, problem));
              });
    }
  }

  private synchronized List<Question> take() {
    List<Question> taken = next;
    next = new ArrayList<>();
    isAsked = !taken.isEmpty();
    return taken;
  }

  // WAIT tells how many, and not which: a replica that has just been synchronised counts as well.
  private CompletionStage<Confirmation> count(int most) {
    try {
      RedisAsyncCommands<String, String> redis = connection.async();
      CompletionStage<Long> count = redis.waitForReplication(most, LONGEST_WAIT.toMillis());
      return count.thenCombine(redis.info("replication"), Confirmation::of);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
