package dev.pacegate.http;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.WaitTooLongException;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What one request needs to get its permit; refusals become I/O errors. */
record Pass(Limiter limiter, Cost cost, Duration maxWait, @Nullable Feedback feedback) {

  static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  Permit acquire() throws IOException, InterruptedException {
    try {
      if (maxWait.equals(FOREVER)) {
        return limiter.acquire(cost);
      }
      Optional<Permit> permit = limiter.tryAcquire(cost, maxWait);
      if (permit.isPresent()) {
        return permit.get();
      }
      throw new HttpWaitTooLongException(maxWait, limiter.estimateWait(cost));
    } catch (RefusedException refused) {
      throw ioException(refused);
    }
  }

  CompletableFuture<Permit> acquireAsync() {
    return limiter.acquireAsync(cost, maxWait);
  }

  /** Returns {@code failure}, or the I/O error that a refusal is to be. */
  Throwable reported(Throwable failure) {
    return failure instanceof RefusedException refused ? ioException(refused) : failure;
  }

  private IOException ioException(RefusedException refused) {
    return refused instanceof WaitTooLongException late
        ? new HttpWaitTooLongException(maxWait, late.atLeast())
        : new HttpRefusedException(refused);
  }

  /** Has the limiter heed an answer. */
  void heed(Permit permit, ResponseInfo answer) {
    if (feedback != null) {
      var read = new Answer(answer.statusCode(), answer.headers()::allValues, Instant.now());
      feedback.heed(limiter, permit, read);
    }
  }
}
