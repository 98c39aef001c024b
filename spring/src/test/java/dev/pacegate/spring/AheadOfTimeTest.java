package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/** A context that Spring has processed ahead of time: its beans come from generated code. */
@Timeout(180)
@CompileWithForkedClassLoader
class AheadOfTimeTest {

  private static final String EXPOSED = "management.endpoints.web.exposure.include=pacegate";

  @Configuration(proxyBeanMethods = false)
  static class Program {
    @Bean
    Sender sender(@Qualifier("sms") Limiter limiter) {
      return new Sender(limiter);
    }
  }

  /** Sends with a permit. */
  static class Sender {

    private final Limiter limiter;

    Sender(Limiter limiter) {
      this.limiter = limiter;
    }

    @Throttled("sms")
    public int open() {
      return limiter.snapshot().open();
    }
  }

  private static TestGenerationContext generated(Consumer<String> initializer) {
    try (var context = new AnnotationConfigApplicationContext()) {
      TestPropertyValues.of(EXPOSED, "pacegate.limits.sms=9/1m").applyTo(context);
      context.register(
          PacegateAutoConfiguration.class,
          PacegateEndpointAutoConfiguration.class,
          PacegateMetricsAutoConfiguration.class,
          Program.class);
      var generation = new TestGenerationContext();
      initializer.accept(
          new ApplicationContextAotGenerator()
              .processAheadOfTime(context, generation)
              .canonicalName());
      generation.writeGeneratedContent();
      return generation;
    }
  }

  private static void with(Consumer<GenericApplicationContext> test) {
    var initializer = new StringBuilder();
    TestCompiler.forSystem()
        .with(generated(initializer::append))
        .compile(
            compiled -> {
              try (var context = new GenericApplicationContext()) {
                TestPropertyValues.of(EXPOSED, "pacegate.limits.sms=2/1h").applyTo(context);
                initialize(
                    compiled.getInstance(
                        ApplicationContextInitializer.class, initializer.toString()),
                    context);
                context.refresh();
                test.accept(context);
              }
            });
  }

  @SuppressWarnings("unchecked")
  private static void initialize(
      ApplicationContextInitializer<?> initializer, GenericApplicationContext context) {
    ((ApplicationContextInitializer<GenericApplicationContext>) initializer).initialize(context);
  }

  @Test
  void itStartsAndPacesItsMethodsByTheLimitOfTheStart() {
    with(
        context -> {
          Sender sender = context.getBean(Sender.class);
          Limiter limiter = context.getBean("smsLimiter", Limiter.class);
          assertEquals(1, sender.open());
          assertEquals(1, sender.open());
          assertEquals(2, limiter.snapshot().granted());
          assertTrue(limiter.estimateWait(1).compareTo(Duration.ofMinutes(50)) > 0);
          PacegateEndpoint endpoint = context.getBean(PacegateEndpoint.class);
          assertEquals("peer(3/1h)", endpoint.change("sms", "3/1h", null, null).limit());
          assertEquals(1, sender.open());
        });
  }

  @Test
  void aNativeImageKeepsWhatTheEndpointShowsAndTheProperties() {
    var hints = generated(name -> assertThat(name).isNotEmpty()).getRuntimeHints();
    assertThat(RuntimeHintsPredicates.reflection().onType(LimiterState.class)).accepts(hints);
    assertThat(RuntimeHintsPredicates.reflection().onType(PacegateProperties.class)).accepts(hints);
    assertThat(RuntimeHintsPredicates.resource().forResource("dev/pacegate/redis/acquire.lua"))
        .accepts(hints);
  }
}
