package dev.pacegate.http;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer that goes no further. It is read on so that the connection can be used
 * again, but not for ever: what is long or slow is cancelled, which closes the connection.
 */
final class DiscardedBody<T extends @Nullable Object> implements BodySubscriber<T> {

  static final int MOST_BYTES = 64 * 1024;

  /** A round trip and some more; a new connection costs no longer. */
  static final Duration LONGEST = Duration.ofSeconds(1);

  private final Duration longest;
  private final Runnable whenGivenUp;
  private final CompletableFuture<T> body = new CompletableFuture<>();
  private final CompletableFuture<Void> alarm = new CompletableFuture<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile Flow.@Nullable Subscription source;
  private long bytes;

  /** Reads for no longer than {@code longest}; what is cancelled is told to {@code whenGivenUp}. */
  DiscardedBody(Duration longest, Runnable whenGivenUp) {
    this.longest = longest;
    this.whenGivenUp = whenGivenUp;
  }

  @Override
  public CompletionStage<T> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    source = subscription;
    rings();
    subscription.request(Long.MAX_VALUE);
  }

  /** The timer's thread only hands over: what follows calls functions of the user. */
  @SuppressWarnings("FutureReturnValueIgnored")
  private void rings() {
    alarm.thenRun(
        () -> {
          if (!over.get()) {
            CompletableFuture.runAsync(this::giveUp);
          }
        });
    alarm.completeOnTimeout(null, longest.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void onNext(List<ByteBuffer> item) {
    for (ByteBuffer each : item) {
      bytes += each.remaining();
    }
    if (bytes > MOST_BYTES) {
      giveUp();
    }
  }

  /**
   * Completes the body before the connection is closed: on JDK 25, to cancel a body that is not
   * complete fails the call. The permit ends before both, as the call may go on at once.
   */
  @SuppressWarnings("NullAway") // there is no value of a body that is not read
  private void giveUp() {
    Flow.Subscription subscription = source;
    if (ends() && subscription != null) {
      whenGivenUp.run();
      body.complete(null);
      subscription.cancel();
    }
  }

  @Override
  public void onError(Throwable failure) {
    if (ends()) {
      body.completeExceptionally(failure);
    }
  }

  @Override
  @SuppressWarnings("NullAway")
  public void onComplete() {
    if (ends()) {
      body.complete(null);
    }
  }

  /** Completes the alarm, as a cancelled one would stay with the timer. */
  private boolean ends() {
    boolean first = over.compareAndSet(false, true);
    alarm.complete(null);
    return first;
  }
}
