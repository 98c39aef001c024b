package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.pacegate.time.Time;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyVerbTest {

  private static final long PATIENCE_SECONDS = 20;

  /** An upstream, and a proxy before it that was begun by a command line. */
  private static final class Begun implements AutoCloseable {
    private final HttpServer upstream;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final ArrayBlockingQueue<Runnable> exits = new ArrayBlockingQueue<>(1);
    private final CompletableFuture<Integer> status;
    private final Runnable exit;

    Begun(HttpHandler handler, String... options) throws Exception {
      upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      upstream.createContext("/", handler);
      upstream.start();
      var world =
          new World(
              InputStream.nullInputStream(),
              OutputStream.nullOutputStream(),
              new PrintStream(err, true, UTF_8),
              Time.system(),
              exits::add,
              World.Screen.NONE,
              Map.of());
      String to = "http://127.0.0.1:" + upstream.getAddress().getPort();
      var given = new ArrayList<>(List.of("proxy", "--listen", "127.0.0.1:0", "--to", to));
      given.addAll(List.of(options));
      status = CompletableFuture.supplyAsync(() -> Main.run(world, given.toArray(String[]::new)));
      exit = Objects.requireNonNull(exits.poll(PATIENCE_SECONDS, TimeUnit.SECONDS), err::toString);
      while (!err.toString(UTF_8).contains("listening")) {
        Thread.onSpinWait();
      }
    }

    List<String> said() {
      return err.toString(UTF_8).lines().toList();
    }

    String told() {
      return err.toString(UTF_8);
    }

    CompletableFuture<Integer> ask(String... headers) {
      String listening =
          said().stream().filter(line -> line.contains("listening")).findFirst().orElseThrow();
      String port = listening.substring(listening.lastIndexOf(':') + 1);
      var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"));
      if (headers.length > 0) {
        request.headers(headers);
      }
      return HttpClient.newHttpClient()
          .sendAsync(request.build(), BodyHandlers.discarding())
          .thenApply(HttpResponse::statusCode);
    }

    @Override
    public void close() throws Exception {
      exit.run();
      assertEquals(0, status.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
      upstream.stop(0);
    }
  }

  private static void answer(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(204, -1);
    exchange.close();
  }

  @Test
  void passesRequestsOnAndAnswersThemAllBeforeItEnds() throws Exception {
    var arrived = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    CompletableFuture<Integer> asked;
    try (var proxy =
        new Begun(
            exchange -> {
              arrived.countDown();
              try {
                assertTrue(release.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              answer(exchange);
            },
            "10/1s")) {
      assertEquals("pacegate: limit peer(10/1s)", proxy.said().get(0));
      asked = proxy.ask();
      assertTrue(arrived.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
      var draining = CompletableFuture.runAsync(proxy.exit);
      release.countDown();
      draining.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    assertEquals(204, asked.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  @Test
  void keepsALimitForEachKeyAndOneForAll() throws Exception {
    String[] options = {
      "starts(1/1h)", "--key", "header:X-Key", "--within", "starts(3/1h)", "--most-keys", "2"
    };
    try (var proxy = new Begun(ProxyVerbTest::answer, options)) {
      assertEquals("pacegate: limit starts(1/1h) per key within starts(3/1h)", proxy.said().get(0));
      assertEquals(204, proxy.ask("X-Key", "a").get());
      assertEquals(429, proxy.ask("x-key", "a").get());
      assertEquals(204, proxy.ask().get());
      assertEquals(503, proxy.ask("X-Key", "b").get(), "there are two keys already");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ftp://a | 127.0.0.1:0 | --to: the upstream must begin with https://, http:// or h2c://,"
            + " such as https://api.example.com: ftp://a",
        "api.example.com | 127.0.0.1:0 | --to: the upstream must begin with https://, http:// or"
            + " h2c://, such as https://api.example.com: api.example.com",
        "http://a?key=secret | 127.0.0.1:0 | --to: the upstream must have no query and no fragment:"
            + " requests bring them: http://a",
        "http://u:p@a | 127.0.0.1:0 | --to: the upstream must have no credentials: requests bring"
            + " them",
        "http://a | ::1:8080 | --listen must be HOST:PORT, such as 127.0.0.1:8080: ::1:8080",
        "http://a | :8080 | --listen must be HOST:PORT, such as 127.0.0.1:8080: :8080",
        "http://a | 127.0.0.1:70000 | --listen must be HOST:PORT, such as 127.0.0.1:8080:"
            + " 127.0.0.1:70000",
        "http://a | 8080x | --listen must be HOST:PORT, such as 127.0.0.1:8080: 8080x"
      })
  void saysWhatIsWrong(String to, String listen, String message) {
    Session.given("").run("proxy", "--listen", listen, "--to", to, "10/1s").fails(2, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--key X-Api-Key | --key must be header:NAME, such as header:X-Api-Key: X-Api-Key",
        "--key header: | --key: no header can have the name ''",
        "--key header:a,b | --key: no header can have the name 'a,b'",
        "--key header:a --within 5/1s@of@tokens | --within: no request here has a cost of tokens:"
            + " 5/1s of tokens cannot be kept",
        "--queue-per-key 5 | --queue-per-key needs --key",
        "--admin 127.0.0.1:8080 | admin must be another address than listen: 127.0.0.1:8080",
        "--within 5/1s | --within needs --key",
        "--most-keys 5 | --most-keys needs --key",
        "--most-keys 0 --key header:a | --most-keys must be at least 1: 0",
        "--key header:a --within 5/x | --within: \"5/x\", column 3: \"x\" has unit \"x\", expected"
            + " one of ns us ms s m min h d",
        "--key header:a --state f | --key cannot be used with --state or --store: keys are counted"
            + " here only"
      })
  void saysWhatIsWrongWithKeys(String options, String message) {
    var given = new ArrayList<>(List.of("proxy", "5/1s", "--to", "http://127.0.0.1:1"));
    given.addAll(Stream.of(options.split(" ", -1)).map(word -> word.replace('@', ' ')).toList());
    Session.given("").run(given.toArray(String[]::new)).fails(2, message);
  }

  @Test
  void aBoundThatRefusesEachRequestIsNamed() {
    String[] given = {"proxy", "5/1s", "--to", "http://127.0.0.1:1", "--queue-per-client", "0"};
    var session = Session.given("").run(given);
    assertEquals(Status.BAD, session.status());
    assertEquals("pacegate: --queue-per-client must be at least 1: 0\n", session.err());
  }

  /** As the pause of a run is: in a file beside that of the state. */
  @Test
  void keepsAPauseThatTheUpstreamAskedFor(@TempDir Path folder) throws Exception {
    String state = folder.resolve("state").toString();
    String[] options = {"10/1s", "--state", state, "--max-wait", "0s"};
    HttpHandler refuses =
        exchange -> {
          exchange.getResponseHeaders().add("Retry-After", "1000");
          exchange.sendResponseHeaders(429, -1);
          exchange.close();
        };
    try (var proxy = new Begun(refuses, options)) {
      assertEquals(429, proxy.ask().get());
      while (!Files.exists(folder.resolve("state.pause"))) {
        Thread.onSpinWait();
      }
    }
    try (var proxy = new Begun(ProxyVerbTest::answer, options)) {
      assertTrue(proxy.said().get(0).startsWith("pacegate: nothing is sent for 16m"), proxy::told);
      assertEquals(429, proxy.ask().get());
    }
  }

  @Test
  void oneOfTwoWaysToNameAnUpstreamIsNeeded() {
    Session.given("").run("proxy", "10/1s").fails(2, "give --to=URL and LIMIT, or --config=FILE");
  }
}
