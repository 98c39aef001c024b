package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A proxy in a process of its own, whose file changes. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ProxyReloadProcessTest {

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void readsItsFileAgainOnHangUpAndWhenItChanges(@TempDir Path folder) throws Exception {
    var arrived = new AtomicInteger();
    HttpServer upstream = upstream(arrived);
    Path file = folder.resolve("routes.yaml");
    String text =
        """
        to: http://127.0.0.1:%d
        limits: {api: starts(1/1h), each: {limit: starts(1/1h), key: header:K}}
        routes: [{match: {path: /each}, limit: each}, {limit: api}]
        """
            .formatted(upstream.getAddress().getPort());
    Files.writeString(file, text);
    Process proxy = start(file);
    try (BufferedReader told = proxy.inputReader(UTF_8)) {
      String port = after("listening on 127.0.0.1:", told);
      String admin = after("admin on 127.0.0.1:", told);
      assertEquals(200, get(port, "/").statusCode());
      assertEquals(429, get(port, "/").statusCode());

      signal(proxy, "HUP"); // no look would tell of a file that is the same
      assertEquals("2 routes", after("is in force:", told));
      Files.writeString(file, text.replace("api: starts(1/1h)", "api: starts(2/1h), b: 1/1h"));
      signal(proxy, "HUP");
      assertEquals("api; new: b; limit b: no route names it", after("limits changed:", told));
      assertEquals(200, get(port, "/").statusCode());
      assertEquals(429, get(port, "/").statusCode());
      assertEquals(200, get(port, "/each").statusCode());

      Files.writeString(file, text.replace("api: starts", "api: sterts"));
      assertTrue(after("line 2", told).endsWith("the configuration in force stays"));
      assertEquals(429, get(port, "/").statusCode());
      assertEquals(3, arrived.get());

      String page = get(admin, "/metrics").body();
      for (String line : new String[] {"api\"} 2.0", "each\"} 1.0", "b\"} 0.0"}) {
        assertTrue(page.contains("pacegate_permits_released_total{limiter=\"" + line), page);
      }
      assertTrue(page.contains("\npacegate_proxy_reloads_refused_total 1.0\n"), page);
      assertEquals(200, get(admin, "/readyz").statusCode());
      signal(proxy, "TERM");
      assertEquals(128 + 15, proxy.waitFor());
    } finally {
      proxy.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
      upstream.stop(0);
    }
  }

  private static HttpServer upstream(AtomicInteger arrived) throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          arrived.incrementAndGet();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static Process start(Path file) throws Exception {
    var command = new ArrayList<String>();
    if (OS.LINUX.isCurrentOs()) { // a build under nohup ignores it, and so would the proxy
      command.addAll(List.of("env", "--default-signal=HUP"));
    }
    command.addAll(
        ProcessTest.java(
            Main.class,
            "proxy",
            "--config",
            file.toString(),
            "--listen",
            "127.0.0.1:0",
            "--admin",
            "127.0.0.1:0"));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** Returns what follows these words in the next line that has them. */
  private static String after(String words, BufferedReader told) throws Exception {
    for (String line = told.readLine(); line != null; line = told.readLine()) {
      if (line.contains(words)) {
        return line.substring(line.indexOf(words) + words.length()).strip();
      }
    }
    throw new AssertionError("it did not say " + words);
  }

  private HttpResponse<String> get(String port, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  private static void signal(Process process, String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
  }
}
