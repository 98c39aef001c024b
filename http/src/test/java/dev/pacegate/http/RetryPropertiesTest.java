package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * However the JDK's client is told to try again, each arrival has a permit, and there are as many
 * as without us. It reads its properties once, so each case has a process of its own.
 */
@Timeout(60)
@Tag("slow")
class RetryPropertiesTest {

  @ParameterizedTest
  @CsvSource({
    "jdk.httpclient.enableAllMethodRetry, true, GET 2 2 2, POST 2 2 2, redirects 5 5 5",
    "jdk.httpclient.redirects.retrylimit, 1, GET 1 1 1, POST 1 1 1, redirects 1 1 1",
    "jdk.httpclient.redirects.retrylimit, 3, GET 2 2 2, POST 1 1 1, redirects 3 3 3",
    "jdk.httpclient.disableRetryConnect, true, GET 2 2 2, POST 1 1 1, redirects 5 5 5"
  })
  void eachArrivalHasAPermit(
      String property, String value, String get, String post, String redirects) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", // for a second of work that is the fastest
                "-XX:+UseSerialGC",
                "-D" + property + "=" + value,
                "-cp",
                classPath(),
                Probe.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertEquals(List.of(get, post, redirects), said.lines().toList());
    assertEquals(0, process.waitFor());
  }

  private static String classPath() {
    return Stream.of(Probe.class, RawServer.class, PacedHttpClient.class, Limiter.class)
        .map(RetryPropertiesTest::placeOf)
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String placeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Says how many requests arrive from the JDK's client, and from ours, and with what permits. */
  static final class Probe {

    private Probe() {}

    public static void main(String[] arguments) throws Exception {
      HttpRequest.Builder post = HttpRequest.newBuilder().POST(BodyPublishers.ofString("body"));
      try (var closing = new RawServer((request, connection) -> connection.close());
          var circular = new RawServer((r, connection) -> connection.status(302, "Location: /"))) {
        print("GET", closing, HttpRequest.newBuilder(closing.uri("/")).build());
        print("POST", closing, post.uri(closing.uri("/")).build());
        print("redirects", circular, HttpRequest.newBuilder(circular.uri("/")).build());
      }
    }

    private static void print(String what, RawServer server, HttpRequest request)
        throws InterruptedException {
      HttpClient.Builder client =
          HttpClient.newBuilder().version(Version.HTTP_1_1).followRedirects(Redirect.ALWAYS);
      Limiter limiter = Limiter.of("peer(1000/1h)");
      int before = server.arrivals();
      send(client.build(), request);
      int theirs = server.arrivals() - before;
      send(PacedHttpClient.builder(client).limiter(limiter).build(), request);
      int ours = server.arrivals() - before - theirs;
      long granted = limiter.snapshot().granted();
      System.out.println(what + " " + theirs + " " + ours + " " + granted);
    }

    private static void send(HttpClient client, HttpRequest request) throws InterruptedException {
      try {
        client.send(request, BodyHandlers.discarding());
      } catch (IOException expected) {
        // The server closes.
      }
    }
  }
}
