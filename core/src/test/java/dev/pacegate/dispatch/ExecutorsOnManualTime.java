package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;

/** Executors on virtual time, and what they have run. */
abstract class ExecutorsOnManualTime {

  static final Duration SECOND = Duration.ofSeconds(1);
  final ManualTime time = ManualTime.manual();
  final List<String> ran = new CopyOnWriteArrayList<>();
  final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  static ThrottledExecutorService on(Limiter limiter) {
    return ThrottledExecutorService.of(limiter, Runnable::run);
  }

  static Throwable causeOf(Future<?> future) {
    var failure = assertThrows(ExecutionException.class, () -> future.get(10, SECONDS));
    return requireNonNull(failure.getCause());
  }

  static void awaitUninterruptibly(CountDownLatch latch) {
    Rig.await("a latch", () -> latch.getCount() == 0);
  }
}
