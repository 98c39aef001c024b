package dev.pacegate.spring;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.pacegate.Limiter;
import dev.pacegate.context.ContextPropagator;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * A method that has waited sees the MDC and the thread-locals of its caller, with no option set.
 */
@Timeout(60)
class ThreadLocalsTest {

  private static final ThreadLocal<String> USER = new ThreadLocal<>();

  static {
    ContextRegistry.getInstance()
        .registerThreadLocalAccessor("user", USER)
        .registerThreadLocalAccessor(new Slf4jThreadLocalAccessor());
  }

  static class Service {
    @Throttled("sms")
    public CompletableFuture<String> seen() {
      return CompletableFuture.completedFuture(MDC.get("request") + ", " + USER.get());
    }
  }

  @AfterEach
  void clear() {
    USER.remove();
    MDC.clear();
  }

  @Test
  void aMethodThatHasWaitedSeesTheThreadLocalsOfItsCaller() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
        .withPropertyValues("pacegate.limits.sms=starts(1/1h)")
        .withBean(Service.class)
        .run(
            context -> {
              Service service = context.getBean(Service.class);
              Limiter sms = context.getBean(PacegateLimits.class).get("sms");
              MDC.put("request", "17");
              USER.set("ann");
              assertEquals("17, ann", service.seen().get(50, SECONDS));
              CompletableFuture<String> waiting = service.seen();
              assertFalse(waiting.isDone());
              clear();
              sms.setLimit("unlimited");
              assertEquals("17, ann", waiting.get(50, SECONDS));
            });
  }

  @Test
  void aPropagatorOfTheProgramTakesThePlaceOfMicrometers() {
    ContextPropagator tenant = job -> job;
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
        .withPropertyValues("pacegate.limits.sms=10/1s")
        .withBean(ContextPropagator.class, () -> tenant)
        .run(
            context ->
                assertSame(tenant, context.getBean(PacegateLimits.class).get("sms").context()));
  }
}
