package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.context.ConfigurableApplicationContext;
import sample.SampleApplication;

/** The sample application, started and called as its users call it. */
@Timeout(60)
class SampleTest {

  private final HttpClient http = HttpClient.newHttpClient();
  private static Peer peer;
  private static ConfigurableApplicationContext application;

  @BeforeAll
  static void start() throws Exception {
    peer = new Peer();
    application =
        SpringApplication.run(
            new Class<?>[] {SampleApplication.class, Security.None.class},
            arguments("--provider=" + peer.uri("/ok")));
  }

  /** Returns the arguments with which tests start the sample, and more. */
  static String[] arguments(String... more) {
    return Stream.concat(
            Stream.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                // Other tests need Resilience4j, which refuses Boot 4 in a whole application.
                "--spring.autoconfigure.exclude="
                    + "io.github.resilience4j.springboot3.verifier.autoconfigure"
                    + ".SpringBoot3VerifierAutoConfiguration",
                "--spring.main.web-application-type=servlet",
                "--management.endpoints.web.exposure.include=pacegate,health",
                "--management.endpoint.health.show-details=always",
                "--pacegate.limits.sms=5/100ms"),
            Stream.of(more))
        .toArray(String[]::new);
  }

  @BeforeEach
  void begin() {
    peer.forget();
    application.getBean(Limiter.class).setLimit("peer(5/100ms)");
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Waiting.nothingIsLeft(application.getBean(Limiter.class));
  }

  @AfterAll
  static void stop() {
    application.close();
    peer.close();
  }

  private HttpRequest.Builder to(String path) {
    String port = application.getEnvironment().getProperty("local.server.port");
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  private String get(String path) throws Exception {
    return http.send(to(path).build(), BodyHandlers.ofString()).body();
  }

  private HttpResponse<String> post(String body) throws Exception {
    return post("sms", body);
  }

  private HttpResponse<String> post(String name, String body) throws Exception {
    return http.send(
        to("/actuator/pacegate/" + name)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void allWaysShareTheLimit() throws Exception {
    for (String path : List.of("/rest", "/web", "/method")) {
      assertEquals("answer", get(path));
    }
    Waiting.atOnce(6, 2, () -> get("/rest") + get("/web"));
    assertEquals(27, peer.count());
    assertTrue(peer.mostIn(Duration.ofMillis(100)) <= 5);
  }

  @Test
  void theEndpointShowsChangesPausesAndResumes() throws Exception {
    get("/rest");
    assertThat(get("/actuator/pacegate"))
        .contains("\"sms\"")
        .contains("\"limit\":\"peer(5/100ms)\"")
        .contains("\"granted\":")
        .contains("\"lost\":")
        .contains("\"spentByLost\":")
        .contains("\"storeFails\":false")
        .contains("\"workingRate\":null", "\"keys\":null", "\"oldestWait\":null");
    assertThat(post("{\"limit\":\"7/1s\"}").body()).contains("\"limit\":\"peer(7/1s)\"");
    assertThat(post("{\"paused\":true}").body()).contains("\"paused\":true");
    var waiting = http.sendAsync(to("/rest").build(), BodyHandlers.ofString());
    Limiter limiter = application.getBean(Limiter.class);
    Waiting.until(() -> limiter.snapshot().waiting() == 1);
    assertThat(get("/actuator/pacegate/sms"))
        .contains("\"waiting\":1")
        .containsPattern("\"oldestWait\":\"[0-9.]+(ns|us|ms|s)\"");
    assertThat(get("/actuator/health/pacegate")).contains("\"status\":\"UP\"");
    assertThat(post("{\"paused\":false}").body()).contains("\"paused\":false");
    assertEquals("answer", waiting.get(10, TimeUnit.SECONDS).body());
    assertThat(post("{\"pauseFor\":\"1ms\"}").statusCode()).isEqualTo(200);
  }

  @Test
  void theRegistryHasTheFigures() throws Exception {
    get("/rest");
    double granted = (double) application.getBean(Limiter.class).snapshot().granted();
    var registry = application.getBean(MeterRegistry.class);
    assertEquals(
        granted,
        registry.get("pacegate.permits.released").tag("limiter", "sms").functionCounter().count());
  }

  @Test
  void theEndpointRefusesWhatIsWrong() throws Exception {
    assertThat(post("{\"limit\":\"nonsense\"}").statusCode()).isEqualTo(400);
    assertThat(post("{\"pauseFor\":\"nonsense\"}").statusCode()).isEqualTo(400);
    assertThat(post("other", "{\"limit\":\"5/1m\"}").statusCode()).isEqualTo(400);
    var endpoint = application.getBean(PacegateEndpoint.class);
    var unknown =
        assertThrows(
            InvalidEndpointRequestException.class,
            () -> endpoint.change("other", "5/1m", null, null));
    assertThat(unknown).hasMessageContaining("only [sms]");
    assertThat(
            http.send(to("/actuator/pacegate/other").build(), BodyHandlers.ofString()).statusCode())
        .isEqualTo(404);
    assertEquals("peer(5/100ms)", application.getBean(Limiter.class).limit().toString());
  }
}
