package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.feedback.Feedback;
import java.io.IOException;
import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After each fault: nothing open, no waiter, and no exception that is not an I/O error. */
@Timeout(60)
class FaultTest {

  private static final int CALLS = 2;

  private final Limiter limiter = Limiter.of("peer(1/5ms, unanswered=20ms)");

  @BeforeAll
  static void loadClasses() throws Exception {
    PacedHttpCases.loadClasses();
  }

  private static HttpClient.Builder plain() {
    return HttpClient.newBuilder()
        .version(Version.HTTP_1_1)
        .followRedirects(Redirect.NORMAL)
        .authenticator(
            new Authenticator() {
              @Override
              protected PasswordAuthentication getPasswordAuthentication() {
                return new PasswordAuthentication("me", new char[] {'x'});
              }
            });
  }

  private PacedHttpClient paced() {
    return PacedHttpClient.builder(plain())
        .limiter(limiter)
        .feedback(Feedback.standard().pause(Duration.ofMillis(2)).maxPause(Duration.ofMillis(20)))
        .build();
  }

  private static List<HttpRequest> requests(RawServer server) {
    var requests = new ArrayList<HttpRequest>();
    for (int i = 0; i < CALLS; i++) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(server.uri("/")).timeout(Duration.ofMillis(100));
      if (i % 2 == 1) {
        request.POST(BodyPublishers.ofString("body"));
      }
      requests.add(request.build());
    }
    return requests;
  }

  private void assertQuiet(RawServer server) throws InterruptedException {
    for (int i = 0; i < 2_000 && limiter.snapshot().open() > 0; i++) {
      Thread.sleep(5); // polls: that of the client ends a permit after the answer
    }
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
    assertTrue(server.arrivals() <= limiter.snapshot().granted(), limiter.snapshot().toString());
  }

  @ParameterizedTest
  @EnumSource(Fate.class)
  void whileThreadsWait(Fate fate) throws Exception {
    try (var server = new RawServer(fate)) {
      PacedHttpClient client = paced();
      do {
        for (HttpRequest request : requests(server)) {
          try {
            client.send(request, BodyHandlers.ofString());
          } catch (IOException expected) {
            // Anything else fails the test.
          }
        }
      } while (server.arrivals() == 0); // on a busy machine the time may be out before
      assertQuiet(server);
    }
  }

  @ParameterizedTest
  @EnumSource(Fate.class)
  void whileNoThreadWaits(Fate fate) throws Exception {
    gather(fate, BodyHandlers.ofString());
  }

  /** The stream of whatever comes is closed unread. */
  @ParameterizedTest
  @EnumSource(Fate.class)
  void whileNoReaderIsThere(Fate fate) throws Exception {
    for (HttpResponse<?> answer : gather(fate, BodyHandlers.ofInputStream())) {
      assertTrue(answer.body() == null || answer.body() instanceof AutoCloseable);
    }
  }

  private <T> List<HttpResponse<T>> gather(Fate fate, BodyHandler<T> handler) throws Exception {
    var gathered = new ArrayList<HttpResponse<T>>();
    try (var server = new RawServer(fate)) {
      PacedHttpClient client = paced();
      do {
        var answers = new ArrayList<CompletableFuture<HttpResponse<T>>>();
        for (HttpRequest request : requests(server)) {
          answers.add(client.sendAsync(request, handler));
        }
        for (CompletableFuture<HttpResponse<T>> answer : answers) {
          try {
            HttpResponse<T> response = answer.get();
            if (response.body() instanceof AutoCloseable body) {
              body.close();
            }
            gathered.add(response);
          } catch (ExecutionException failure) {
            assertInstanceOf(IOException.class, failure.getCause());
          }
        }
      } while (server.arrivals() == 0); // on a busy machine the time may be out before
      assertQuiet(server);
    }
    return gathered;
  }
}
