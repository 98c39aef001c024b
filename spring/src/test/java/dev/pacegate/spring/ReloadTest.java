package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.limit.Limit;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/** A changed property of a running application reschedules its waiters. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class ReloadTest {

  @Configuration
  @ImportAutoConfiguration(PacegateAutoConfiguration.class)
  static class Application {}

  private final Map<String, Object> properties = new ConcurrentHashMap<>();

  private ConfigurableApplicationContext start(String... arguments) {
    properties.put("pacegate.limits.sms", "1/1h");
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .initializers(
            context ->
                context
                    .getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("changing", properties)))
        .run(arguments);
  }

  private static CompletableFuture<Permit> second(Limiter limiter) {
    limiter.acquireAsync().join().answered();
    CompletableFuture<Permit> waiter = limiter.acquireAsync();
    assertFalse(waiter.isDone());
    return waiter;
  }

  /** It is read more than once a second; how soon after that is up to the machine. */
  @Test
  void withinASecond() throws Exception {
    try (var context = start()) {
      Duration refresh = context.getBean(PacegateProperties.class).refresh();
      assertTrue(refresh.toMillis() > 0 && refresh.toMillis() < 1000, refresh::toString);
      var waiter = second(context.getBean(Limiter.class));
      properties.put("pacegate.limits.sms", "100/1h");
      waiter.get(50, TimeUnit.SECONDS).answered();
      Waiting.nothingIsLeft(context.getBean(Limiter.class));
    }
  }

  @Test
  void atOnceOnTheEventOfSpringCloud() throws Exception {
    try (var context = start("--pacegate.refresh=0")) {
      var waiter = second(context.getBean(Limiter.class));
      properties.put("pacegate.limits.sms", "100/1h");
      context.publishEvent(new EnvironmentChangeEvent(this));
      waiter.get(10, TimeUnit.SECONDS).answered();
      Waiting.nothingIsLeft(context.getBean(Limiter.class));
    }
  }

  @Test
  void onlyThenIfRefreshIsOff() {
    try (var context = start("--pacegate.refresh=0")) {
      assertThat(Thread.getAllStackTraces().keySet())
          .noneMatch(thread -> thread.getName().equals("pacegate-refresh") && thread.isAlive());
      properties.put("pacegate.limits.sms", "100/1h");
      assertEquals("peer(1/1h)", context.getBean(Limiter.class).limit().toString());
      context.getBean(PacegateLimits.class).reload();
      assertEquals("peer(100/1h)", context.getBean(Limiter.class).limit().toString());
    }
  }

  @Test
  void aMistakeChangesNothingAndIsLoggedOnce(CapturedOutput output) throws Exception {
    try (var context = start("--pacegate.refresh=20ms", "--pacegate.limits.mail=5/1s")) {
      PacegateLimits limits = context.getBean(PacegateLimits.class);
      properties.putAll(new HashMap<>(Map.of("pacegate.limits.sms", "nonsense")));
      Waiting.until(() -> output.getAll().contains("the limits stay as they are"));
      context.getBean(Refresher.class).refresh();
      assertEquals("peer(1/1h)", limits.get("sms").limit().toString());
      assertThat(output.getAll()).containsOnlyOnce("the limits stay as they are");
      properties.put("pacegate.limits.sms", "2/1h");
      Waiting.until(() -> limits.get("sms").limit().toString().equals("peer(2/1h)"));
    }
  }

  @Test
  void aLimitSetByTheProgramStaysUntilThePropertyChanges() {
    try (var context = start("--pacegate.refresh=0")) {
      PacegateLimits limits = context.getBean(PacegateLimits.class);
      limits.get("sms").setLimit("7/1h");
      properties.put("pacegate.limits.other", "1/1s");
      limits.reload();
      assertEquals("7/1h", limits.get("sms").limit().toString());
      assertEquals("peer(1/1s)", limits.get("other").limit().toString());
      properties.remove("pacegate.limits.sms");
      limits.reload();
      assertEquals("7/1h", limits.get("sms").limit().toString());
    }
  }

  /** Keeps no limit of buckets, and cannot make what is named {@code broken}. */
  private static final class Picky implements LimiterMaker {

    final List<String> made = new ArrayList<>();

    @Override
    public void check(String name, Limit limit) {
      if (limit.toString().contains("bucket")) {
        throw new IllegalArgumentException("no buckets");
      }
    }

    @Override
    public Limiter make(String name, Limit limit) {
      if (name.equals("broken")) {
        throw new IllegalStateException("connection lost");
      }
      check(name, limit);
      made.add(name);
      return Limiter.builder(limit).name(name).build();
    }
  }

  @Test
  void aLimitThatCannotBeKeptChangesNoOther() {
    Map<String, String> texts = new HashMap<>(Map.of("sms", "1/1h"));
    var maker = new Picky();
    try (var limits = new PacegateLimits(maker, () -> Map.copyOf(texts))) {
      texts.putAll(Map.of("mail", "5/1s", "sms", "2/1h", "zoo", "bucket(5/1s, burst=5)"));
      assertThrows(InvalidConfigurationPropertyValueException.class, limits::reload);
      assertEquals(List.of("sms"), maker.made);
      assertEquals("peer(1/1h)", limits.get("sms").limit().toString());
    }
  }

  @Test
  void aReloadThatFailsHalfWayIsNotDoneTwice() {
    Map<String, String> texts = new HashMap<>(Map.of("sms", "1/1h"));
    var maker = new Picky();
    try (var limits = new PacegateLimits(maker, () -> Map.copyOf(texts))) {
      texts.putAll(Map.of("api", "5/1s", "broken", "1/1s"));
      assertThrows(IllegalStateException.class, limits::reload);
      limits.get("api").setLimit("7/1s");
      assertThrows(IllegalStateException.class, limits::reload);
      assertEquals(List.of("sms", "api"), maker.made);
      assertEquals("7/1s", limits.get("api").limit().toString());
    }
  }

  @Test
  void figuresFollowTheNames() {
    Map<String, String> texts = new HashMap<>(Map.of("sms", "1/1h"));
    var registry = new SimpleMeterRegistry();
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(PacegateMetricsAutoConfiguration.class))
        .withBean(
            PacegateLimits.class,
            () ->
                new PacegateLimits(
                    LimiterMaker.local(ContextPropagator.none()), () -> Map.copyOf(texts)))
        .run(
            context -> {
              context.getBean(MeterBinder.class).bindTo(registry);
              texts.put("mail", "5/1s");
              context.getBean(PacegateLimits.class).reload();
              for (String name : List.of("sms", "mail")) {
                registry.get("pacegate.permits.open").tag("limiter", name).gauge();
              }
            });
    assertEquals(List.of(), registry.getMeters());
  }
}
