package dev.pacegate.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.Limiter;
import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.springboot3.retry.autoconfigure.RetryAutoConfiguration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import reactor.core.publisher.Mono;

/** The permit is taken inside the retries of others: one for each attempt. */
@Timeout(60)
class RetryOrderTest {

  static class Service {

    private final AtomicInteger calls = new AtomicInteger();

    public int calls() {
      return calls.get();
    }

    @Retry(name = "three")
    @Throttled("sms")
    public void resilience4j() {
      calls.incrementAndGet();
      throw new IllegalStateException("once more");
    }

    @Retry(name = "three")
    @Throttled("sms")
    public Mono<String> resilience4jMono() {
      calls.incrementAndGet();
      return Mono.error(new IllegalStateException("once more"));
    }

    @Retryable(maxAttempts = 3, backoff = @Backoff(1))
    @Throttled("sms")
    public void springRetry() {
      calls.incrementAndGet();
      throw new IllegalStateException("once more");
    }
  }

  @Configuration
  @ImportAutoConfiguration({PacegateAutoConfiguration.class, RetryAutoConfiguration.class})
  @EnableRetry
  @Import(Service.class)
  static class Application {}

  private interface Call {
    void of(Service service);
  }

  private static void assertThreePermits(Call call) throws Exception {
    try (var context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .run(
                "--pacegate.limits.sms=100/1h",
                "--resilience4j.retry.instances.three.max-attempts=3",
                "--resilience4j.retry.instances.three.wait-duration=1ms")) {
      Service service = context.getBean(Service.class);
      Limiter limiter = context.getBean(Limiter.class);
      assertThrows(IllegalStateException.class, () -> call.of(service));
      assertEquals(3, service.calls());
      assertEquals(3, limiter.snapshot().granted());
      Waiting.nothingIsLeft(limiter);
    }
  }

  @Test
  void ofResilience4j() throws Exception {
    assertThreePermits(Service::resilience4j);
  }

  @Test
  void ofResilience4jWithAMono() throws Exception {
    assertThreePermits(service -> service.resilience4jMono().block());
  }

  @Test
  void ofSpringRetry() throws Exception {
    assertThreePermits(Service::springRetry);
  }
}
