package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.pacegate.time.Time;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyVerbTest {

  @Test
  void passesRequestsOnAndAnswersThemAllBeforeItEnds() throws Exception {
    var arrived = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    HttpServer upstream =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext(
        "/",
        exchange -> {
          arrived.countDown();
          try {
            assertTrue(release.await(20, TimeUnit.SECONDS));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    upstream.start();
    var err = new ByteArrayOutputStream();
    var exits = new ArrayBlockingQueue<Runnable>(1);
    var world =
        new World(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            new PrintStream(err, true, UTF_8),
            Time.system(),
            exits::add,
            false,
            Map.of());
    String to = "http://127.0.0.1:" + upstream.getAddress().getPort();
    var status =
        CompletableFuture.supplyAsync(
            () -> Main.run(world, "proxy", "--listen", "127.0.0.1:0", "--to", to, "10/1s"));
    Runnable exit = exits.poll(20, TimeUnit.SECONDS);
    while (!err.toString(UTF_8).contains("listening")) {
      Thread.onSpinWait();
    }
    String[] lines = err.toString(UTF_8).split("\n", -1);
    assertEquals("pacegate: limit peer(10/1s)", lines[0]);
    String port = lines[1].substring(lines[1].lastIndexOf(':') + 1).strip();
    var answer =
        HttpClient.newHttpClient()
            .sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build(),
                BodyHandlers.discarding());
    assertTrue(arrived.await(20, TimeUnit.SECONDS));
    var draining = CompletableFuture.runAsync(exit);
    release.countDown();
    assertEquals(204, answer.get(20, TimeUnit.SECONDS).statusCode());
    draining.get(20, TimeUnit.SECONDS);
    assertEquals(0, status.get(20, TimeUnit.SECONDS));
    upstream.stop(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ftp://a | 127.0.0.1:0 | --to: the upstream must begin with http:// or https://, such as https://api.example.com: a",
        "http://u:p@a | 127.0.0.1:0 | --to: the upstream must have no credentials: requests bring them, such as https://api.example.com: a",
        "http://a | ::1:8080 | --listen must be HOST:PORT, such as 127.0.0.1:8080: ::1:8080",
        "http://a | :8080 | --listen must be HOST:PORT, such as 127.0.0.1:8080: :8080",
        "http://a | 127.0.0.1:70000 | --listen must be HOST:PORT, such as 127.0.0.1:8080: 127.0.0.1:70000",
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
        "--key header: | --key must be header:NAME, such as header:X-Api-Key: header:",
        "--within 5/1s | --within needs --key",
        "--most-keys 5 | --most-keys needs --key",
        "--most-keys 0 --key header:a | --most-keys must be at least 1: 0",
        "--key header:a --within 5/x | --within: \"5/x\", column 3: \"x\" has unit \"x\", expected one of ns us ms s m min h d",
        "--key header:a --state f | --key cannot be used with --state or --store: keys are counted here only"
      })
  void saysWhatIsWrongWithKeys(String options, String message) {
    var given = new ArrayList<>(List.of("proxy", "5/1s", "--to", "http://127.0.0.1:1"));
    given.addAll(List.of(options.split(" ", -1)));
    Session.given("").run(given.toArray(String[]::new)).fails(2, message);
  }

  @Test
  void aBoundThatRefusesEachRequestIsNamed() {
    String[] given = {"proxy", "5/1s", "--to", "http://127.0.0.1:1", "--queue-per-client", "0"};
    var session = Session.given("").run(given);
    assertEquals(Status.BAD, session.status());
    assertEquals("pacegate: --queue-per-client must be at least 1: 0\n", session.err());
  }
}
