package dev.pacegate.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import reactor.core.publisher.Mono;

/** Beside what Spring Framework 7 itself has: retries, and a limit of concurrent calls. */
@Timeout(60)
class ResilientMethodsTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
          .withPropertyValues("pacegate.limits.sms=100/1h")
          .withUserConfiguration(Resilient.class)
          .withBean(Service.class);

  @Configuration
  @EnableResilientMethods
  static class Resilient {}

  static class Service {

    private final AtomicInteger calls = new AtomicInteger();
    private final CompletableFuture<String> answer = new CompletableFuture<>();

    public int calls() {
      return calls.get();
    }

    public CompletableFuture<String> answer() {
      return answer;
    }

    @Retryable(maxRetries = 2, delay = 1)
    @Throttled("sms")
    public void fails() {
      calls.incrementAndGet();
      throw new IllegalStateException("once more");
    }

    @Retryable(maxRetries = 2, delay = 1)
    @Throttled("sms")
    public Mono<String> failsLater() {
      calls.incrementAndGet();
      return Mono.error(new IllegalStateException("once more"));
    }

    @ConcurrencyLimit(1)
    @Throttled("sms")
    public CompletableFuture<String> stage() {
      calls.incrementAndGet();
      return answer;
    }
  }

  private interface Call {
    void of(Service service);
  }

  private void assertThreePermits(Call call) {
    runner.run(
        context -> {
          Service service = context.getBean(Service.class);
          Limiter limiter = context.getBean(Limiter.class);
          assertThrows(IllegalStateException.class, () -> call.of(service));
          assertEquals(3, service.calls());
          assertEquals(3, limiter.snapshot().granted());
          Waiting.nothingIsLeft(limiter);
        });
  }

  @Test
  void eachAttemptTakesAPermit() {
    assertThreePermits(Service::fails);
  }

  @Test
  void eachAttemptOfAMonoTakesAPermit() {
    assertThreePermits(service -> service.failsLater().block(Duration.ofSeconds(20)));
  }

  /** What the documentation says of the difference. */
  @Test
  void aConcurrencyLimitEndsWithTheCallAndAPermitWithTheStage() {
    runner.run(
        context -> {
          Service service = context.getBean(Service.class);
          Limiter limiter = context.getBean(Limiter.class);
          var first = service.stage();
          var second = service.stage(); // the first is still under way, so 1 does not hold it up
          assertEquals(2, service.calls());
          assertEquals(2, limiter.snapshot().open());
          service.answer().complete("answer");
          assertTrue(first.isDone() && second.isDone());
          Waiting.nothingIsLeft(limiter);
        });
  }
}
