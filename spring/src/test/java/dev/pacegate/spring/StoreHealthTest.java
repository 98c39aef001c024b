package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.RedisLimiters;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import redis.embedded.RedisServer;
import sample.SampleApplication;

/** What operators see of a store that does not answer. */
@Timeout(180)
class StoreHealthTest {

  private final HttpClient http = HttpClient.newHttpClient();

  private static ConfigurableApplicationContext start(String... arguments) {
    return SpringApplication.run(
        new Class<?>[] {SampleApplication.class, Security.None.class},
        SampleTest.arguments(arguments));
  }

  private HttpResponse<String> get(ConfigurableApplicationContext application, String path)
      throws Exception {
    String port = application.getEnvironment().getProperty("local.server.port");
    URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/" + path);
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  private static RedisServer server(int port) throws Exception {
    var server =
        RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
    server.start();
    return server;
  }

  /** Sends until the health has that status: of a lease that is left, a request still goes. */
  private String health(ConfigurableApplicationContext application, Limiter limiter, int status)
      throws Exception {
    Waiting.until(
        () -> {
          limiter.tryAcquire().ifPresent(Permit::answered);
          return healthNow(application).statusCode() == status;
        });
    return healthNow(application).body();
  }

  private HttpResponse<String> healthNow(ConfigurableApplicationContext application) {
    try {
      return get(application, "health/pacegate");
    } catch (Exception failure) {
      throw new IllegalStateException(failure);
    }
  }

  @Test
  void itIsDownUntilTheStoreAnswersAgain() throws Exception {
    int port;
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    RedisServer server = server(port);
    try (var application =
        start(
            "--pacegate.store=redis://127.0.0.1:" + port,
            "--pacegate.fresh=true",
            "--pacegate.limits.api=peer(10/1s, unanswered=100ms)",
            "--provider=http://127.0.0.1:1")) {
      Limiter api = application.getBean(PacegateLimits.class).get("api");
      api.acquire().answered();
      assertUpWhilePaused(application, api, "redis://127.0.0.1:" + port);
      server.stop();
      assertThat(health(application, api, 503))
          .contains("\"status\":\"DOWN\"")
          .contains("\"api\":\"the store of api does not answer: ");
      assertThat(get(application, "pacegate/api").body())
          .contains("\"storeFails\":true")
          .contains("\"waitsFor\":\"the store of api does not answer: ");
      server = server(port);
      assertThat(health(application, api, 200)).contains("\"status\":\"UP\"");
      api.acquireAsync().get(50, TimeUnit.SECONDS).answered(); // behind a fence
    } finally {
      server.stop();
    }
  }

  /** An operator meant it: no instance is ill. */
  private void assertUpWhilePaused(
      ConfigurableApplicationContext application, Limiter api, String store) throws Exception {
    try (var redis = RedisLimiters.connect(store)) {
      redis.operations().pause("api", Duration.ofHours(1), "maintenance");
      Waiting.until(
          () -> {
            api.tryAcquire().ifPresent(Permit::answered);
            return healthNow(application).body().contains("paused in the store: maintenance");
          });
      HttpResponse<String> health = healthNow(application);
      assertEquals(200, health.statusCode());
      assertThat(health.body()).contains("\"status\":\"UP\"");
      redis.operations().resume("api", "done");
      api.acquireAsync().get(50, TimeUnit.SECONDS).answered();
    }
  }

  @Test
  void itIsSwitchedOffAsThatOfOthersIs() throws Exception {
    try (var application =
        start("--management.health.pacegate.enabled=false", "--provider=http://127.0.0.1:1")) {
      HttpResponse<String> health = get(application, "health");
      assertEquals(200, health.statusCode());
      assertThat(health.body()).contains("\"ping\"").doesNotContain("\"pacegate\"");
      assertEquals(404, get(application, "health/pacegate").statusCode());
    }
  }
}
