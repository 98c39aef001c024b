package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What only a proxy in a process of its own shows. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class ProxyProcessTest {

  /** An upstream that never answers, and a proxy that would wait an hour for it. */
  @Test
  void aSecondSignalEndsADrainThatTakesTooLong() throws Exception {
    try (var upstream = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Process proxy =
          new ProcessBuilder(
                  ProcessTest.java(
                      Main.class,
                      "proxy",
                      "10/1s",
                      "--to",
                      "http://127.0.0.1:" + upstream.getLocalPort(),
                      "--listen",
                      "127.0.0.1:0",
                      "--admin",
                      "127.0.0.1:0",
                      "--drain",
                      "1h"))
              .redirectErrorStream(true)
              .start();
      try (BufferedReader told = proxy.inputReader(UTF_8)) {
        String port = portAfter("listening on", told);
        String admin = portAfter("admin on", told);
        HttpClient client = HttpClient.newHttpClient();
        var unused = client.sendAsync(request(port, "/"), BodyHandlers.discarding());
        try (Socket arrived = upstream.accept()) {
          String page = client.send(request(admin, "/metrics"), BodyHandlers.ofString()).body();
          assertTrue(page.contains("\npacegate_proxy_open 1.0\n"), page);
          assertTrue(page.contains("\npacegate_proxy_rejected_total{status=\"429\"} 0.0\n"), page);
          assertTrue(
              page.contains("pacegate_permits_released_total{limiter=\"peer(10/1s)\"} 1.0"), page);
          signal(proxy);
          while (client.send(request(admin, "/readyz"), BodyHandlers.discarding()).statusCode()
              != 503) {
            Thread.onSpinWait();
          }
          signal(proxy);
          proxy.waitFor();
          assertEquals(128 + 15, proxy.exitValue());
        }
      } finally {
        proxy.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
      }
    }
  }

  /** So it is with more clients than the process may have files. */
  @Test
  void goesOnWhenDescriptorsHaveRunOutAndEndsOnASignal() throws Exception {
    var command = new ArrayList<>(List.of("sh", "-c", "ulimit -n 200; exec \"$@\"", "sh"));
    command.addAll(ProcessTest.java(Main.class, "proxy", "1/1h", "--to", "http://127.0.0.1:1"));
    command.addAll(List.of("--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--drain", "0s"));
    Process proxy = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader told = proxy.inputReader(UTF_8)) {
      int port = Integer.parseInt(portAfter("listening on", told));
      String admin = portAfter("admin on", told);
      var clients = new ArrayList<Socket>();
      for (int i = 0; i < 250; i++) { // the rest is in the backlog
        clients.add(new Socket(InetAddress.getLoopbackAddress(), port));
      }
      String line = told.readLine();
      while (!line.contains("cannot accept connections: ")) {
        line = told.readLine();
      }
      for (Socket client : clients) {
        client.close();
      }
      HttpClient client = HttpClient.newHttpClient();
      assertEquals(
          200, client.send(request(admin, "/healthz"), BodyHandlers.discarding()).statusCode());
      signal(proxy);
      proxy.waitFor();
      assertEquals(128 + 15, proxy.exitValue());
    } finally {
      proxy.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
    }
  }

  private static String portAfter(String words, BufferedReader told) throws Exception {
    for (String line = told.readLine(); line != null; line = told.readLine()) {
      if (line.contains(words)) {
        return line.substring(line.lastIndexOf(':') + 1);
      }
    }
    throw new AssertionError("it did not say " + words);
  }

  private static HttpRequest request(String port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
  }

  private static void signal(Process process) throws Exception {
    new ProcessBuilder("kill", "-TERM", String.valueOf(process.pid())).start().waitFor();
  }
}
