package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Limiters by property. */
@ExtendWith(OutputCaptureExtension.class)
class LimitsTest {

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class));

  record Two(Limiter sms, Limiter mail) {}

  @Configuration(proxyBeanMethods = false)
  static class User {
    @Bean
    Two two(@Qualifier("sms") Limiter one, @Qualifier("mail") Limiter other) {
      return new Two(one, other);
    }
  }

  @Test
  void limitersAreInjectedByNameAndCountAsThePeerDoes() {
    runner
        .withPropertyValues("pacegate.limits.sms=10/1m", "pacegate.limits.mail=starts(5/1s)")
        .withUserConfiguration(User.class)
        .run(
            context -> {
              Two two = context.getBean(Two.class);
              assertEquals("peer(10/1m)", two.sms().limit().toString());
              assertEquals("starts(5/1s)", two.mail().limit().toString());
              assertEquals("sms", two.sms().name());
              assertThat(context.getBean("smsLimiter")).isSameAs(two.sms());
              assertThat(context.getBean(PacegateLimits.class).get("sms")).isSameAs(two.sms());
            });
  }

  @Test
  void aSingleLimiterNeedsNoName() {
    runner
        .withPropertyValues("pacegate.limits.sms=10/1m & concurrent(4)")
        .run(
            context ->
                assertEquals(
                    "peer(10/1m) & concurrent(4)",
                    context.getBean(Limiter.class).limit().toString()));
  }

  static class Sms {
    @Throttled("sms")
    public void send() {}
  }

  @Test
  void aBeanOfTheProgramTakesThePlaceOfThatOfTheProperty() {
    runner
        .withPropertyValues("pacegate.limits.sms=10/1m")
        .withBean("smsLimiter", Limiter.class, () -> Limiter.of("peer(7/1m)"))
        .withBean(Sms.class)
        .run(
            context -> {
              context.getBean(Sms.class).send();
              assertEquals("peer(7/1m)", context.getBean(Limiter.class).limit().toString());
              assertEquals(1, context.getBean(Limiter.class).snapshot().granted());
            });
  }

  @Test
  void dependentBeansAreLeftOutWithTheLimits() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                PacegateEndpointAutoConfiguration.class, PacegateMetricsAutoConfiguration.class))
        .withPropertyValues("management.endpoints.web.exposure.include=pacegate")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Test
  void theContextClosesThem() {
    var limiter = new AtomicReference<Limiter>();
    runner
        .withPropertyValues("pacegate.limits.sms=10/1m")
        .run(context -> limiter.set(context.getBean(Limiter.class)));
    assertThrows(LimiterClosedException.class, () -> requireNonNull(limiter.get()).tryAcquire());
  }

  @Test
  void onlyDaemonThreadsAreThere() {
    runner
        .withPropertyValues("pacegate.limits.sms=10/1m")
        .run(
            context -> {
              try (var permit = context.getBean(Limiter.class).acquire()) {
                permit.answered();
              }
              Thread.getAllStackTraces().keySet().stream()
                  .filter(thread -> thread.getName().contains("pacegate"))
                  .forEach(thread -> assertTrue(thread.isDaemon(), thread::getName));
            });
  }

  @Test
  void editorsKnowTheProperties() throws IOException {
    var metadata = "/META-INF/spring-configuration-metadata.json";
    try (var file = requireNonNull(PacegateLimits.class.getResourceAsStream(metadata))) {
      assertThat(new String(file.readAllBytes(), StandardCharsets.UTF_8))
          .contains("\"pacegate.limits\"", "\"pacegate.store\"", "\"pacegate.refresh\"")
          .contains("\"pacegate.limits.values\"", "\"spacing(100ms)\"");
    }
  }

  @Configuration
  @ImportAutoConfiguration(PacegateAutoConfiguration.class)
  static class Application {}

  @Test
  void aWrongTextIsOneClearErrorAtTheStart(CapturedOutput output) {
    var application = new SpringApplication(Application.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    assertThrows(
        RuntimeException.class, () -> application.run("--pacegate.limits.sms=10/1x").close());
    assertThat(output.getAll())
        .contains("APPLICATION FAILED TO START")
        .contains("'10/1x' for configuration property 'pacegate.limits.sms'")
        .contains("\"10/1x\", column ")
        .contains("Allowed are limits such as 10/1m");
  }
}
