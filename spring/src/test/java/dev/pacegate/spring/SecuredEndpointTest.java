package dev.pacegate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import sample.SampleApplication;

/** The endpoint behind Spring Security, called with {@code curl -u} as the page says. */
@Timeout(120)
class SecuredEndpointTest {

  private static final String LIMIT = "{\"limit\": \"7/1s\"}";

  private final HttpClient http = HttpClient.newHttpClient();

  private static ConfigurableApplicationContext start(Class<?>... security) {
    var sources = new ArrayList<Class<?>>(List.of(SampleApplication.class));
    sources.addAll(Arrays.asList(security));
    return SpringApplication.run(
        sources.toArray(Class[]::new),
        SampleTest.arguments(
            "--spring.security.user.name=ops",
            "--spring.security.user.password=secret",
            "--spring.security.user.roles=OPERATOR",
            "--provider=http://127.0.0.1:1"));
  }

  private HttpResponse<String> send(
      ConfigurableApplicationContext application, String path, String password, String body)
      throws Exception {
    String port = application.getEnvironment().getProperty("local.server.port");
    byte[] user = ("ops:" + password).getBytes(StandardCharsets.US_ASCII);
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(user))
            .header("Content-Type", "application/json");
    return http.send(
        (body.isEmpty() ? request : request.POST(BodyPublishers.ofString(body))).build(),
        BodyHandlers.ofString());
  }

  @Test
  void passwordsAloneRefuseAChangeForTheLackOfACsrfToken() throws Exception {
    try (var application = start(Security.Passwords.class)) {
      assertEquals(200, send(application, "/actuator/pacegate", "secret", "").statusCode());
      assertThat(send(application, "/actuator/pacegate/sms", "secret", LIMIT).statusCode())
          .isIn(401, 403);
    }
  }

  @Test
  void theConfigurationOfThePageAcceptsAChangeWithThePasswordOnly() throws Exception {
    try (var application = start(Security.Passwords.class, Security.OfPage.class)) {
      String path = "/actuator/pacegate/sms";
      assertEquals(401, send(application, path, "wrong", LIMIT).statusCode());
      Limiter limiter = application.getBean(Limiter.class);
      assertEquals("peer(5/100ms)", limiter.limit().toString());
      HttpResponse<String> changed = send(application, path, "secret", LIMIT);
      assertEquals(200, changed.statusCode());
      assertThat(changed.body()).contains("\"limit\":\"peer(7/1s)\"");
      assertThat(send(application, "/rest", "secret", LIMIT).statusCode())
          .as("all other paths are still protected")
          .isIn(401, 403);
    }
  }
}
