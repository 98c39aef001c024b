package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.context.ContextPropagator;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import redis.embedded.RedisSentinel;
import redis.embedded.RedisServer;

/** Limits that applications share through the store that a property names. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class RedisStoreTest {

  private static final String PASSWORD = "s3cret-word";

  private static RedisServer server;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    port = freePort();
    server =
        RedisServer.newRedisServer()
            .port(port)
            .bind("127.0.0.1")
            .setting("requirepass " + PASSWORD)
            .setting("save \"\"")
            .build();
    server.start();
  }

  @AfterAll
  static void stop() throws Exception {
    server.stop();
  }

  private static ApplicationContextRunner runner(String store) {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(PacegateAutoConfiguration.class))
        .withPropertyValues(
            "pacegate.limits.sms=3/1h", "pacegate.fresh=true", "pacegate.store=" + store);
  }

  @Test
  void aPropagatorOfTheProgramIsThatOfSharedLimits() {
    ContextPropagator tenant = job -> job;
    runner("redis://:" + PASSWORD + "@127.0.0.1:" + port)
        .withBean(ContextPropagator.class, () -> tenant)
        .run(one -> assertThat(one.getBean(Limiter.class).context()).isSameAs(tenant));
  }

  @Test
  void twoApplicationsShareALimitAndThePasswordIsNotLogged(CapturedOutput output) {
    String store = "redis://:" + PASSWORD + "@127.0.0.1:" + port;
    runner(store)
        .run(
            one ->
                runner(store)
                    .run(
                        other -> {
                          for (int i = 0; i < 3; i++) {
                            var context = i % 2 == 0 ? one : other;
                            context.getBean(Limiter.class).acquire().answered();
                          }
                          var fourth = other.getBean(Limiter.class).acquireAsync();
                          assertEquals(0, one.getBean(Limiter.class).snapshot().open());
                          assertThat(fourth.isDone()).isFalse();
                          fourth.cancel(true);
                          assertThat(one.getBean(PacegateProperties.class).toString())
                              .doesNotContain(PASSWORD);
                        }));
    assertThat(output.getAll()).doesNotContain(PASSWORD);
  }

  @Test
  void sentinelLeadsToTheStore(CapturedOutput output) throws Exception {
    RedisSentinel sentinel =
        RedisSentinel.newRedisSentinel()
            .bind("127.0.0.1")
            .port(freePort())
            .masterName("main")
            .masterPort(port)
            .quorumSize(1)
            .build();
    sentinel.start();
    try {
      String store =
          "redis-sentinel://:" + PASSWORD + "@127.0.0.1:" + sentinel.ports().get(0) + "/0#main";
      runner(store)
          .withPropertyValues("pacegate.limits.watched=1/1h")
          .run(context -> context.getBean("watchedLimiter", Limiter.class).acquire().answered());
    } finally {
      sentinel.stop();
    }
    assertThat(output.getAll()).doesNotContain(PASSWORD);
  }

  private static int freePort() throws Exception {
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  @Configuration
  @ImportAutoConfiguration(PacegateAutoConfiguration.class)
  static class Application {}

  @Test
  void theStoreKeepsTheLimitAndTheLogSaysWhatWasAskedFor(CapturedOutput output) throws Exception {
    for (String limit : List.of("4/1h", "5/1h")) {
      try (var context =
          new SpringApplicationBuilder(Application.class)
              .web(WebApplicationType.NONE)
              .run(
                  "--pacegate.limits.kept=" + limit,
                  "--pacegate.fresh=true",
                  "--pacegate.store=redis://:" + PASSWORD + "@127.0.0.1:" + port)) {
        Limiter kept = context.getBean("keptLimiter", Limiter.class);
        kept.acquire().answered();
        assertEquals("peer(4/1h)", kept.limit().toString());
      }
    }
    assertThat(output.getAll()).contains("the limit asked of the store for kept is peer(5/1h)");
  }

  @Test
  void aLimitThatTheStoreCannotKeepEndsTheStart() {
    runner("redis://:" + PASSWORD + "@127.0.0.1:" + port)
        .withPropertyValues("pacegate.limits.daily=aligned(5000/1d)")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("aligned"));
  }

  @Test
  void anAddressThatIsNoneIsRefusedWithoutThePassword(CapturedOutput output) {
    runner("redis://:" + PASSWORD + "@")
        .run(
            context -> {
              assertThat(context.getStartupFailure())
                  .rootCause()
                  .hasMessageContaining("redis://user:password@host:6379/0")
                  .hasMessageNotContaining(PASSWORD);
            });
    assertThat(output.getAll()).doesNotContain(PASSWORD);
  }

  @Test
  void withoutTheModuleItSaysWhatIsMissing() {
    runner("redis://127.0.0.1:" + port)
        .withClassLoader(new FilteredClassLoader("dev.pacegate.redis"))
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("needs the dependency dev.pacegate:pacegate-redis"));
  }
}
