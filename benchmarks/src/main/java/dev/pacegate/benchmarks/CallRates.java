package dev.pacegate.benchmarks;

import dev.pacegate.Limiter;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.http.PacedHttpClient;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * What an HTTP request and a task of an executor cost that never have to wait, beside the same
 * without Pacegate, in rounds of all in turn. In the first 50 000 requests the JVM is busy
 * compiling all that a request runs through, longest what only a paced one does.
 */
final class CallRates {

  /** What makes calls, one after another. */
  private enum Caller {
    BARE_HTTP("`HttpClient`, a request at a time", null, 0),
    EMPTY_BODY_HTTP("the same, each with an empty body", BARE_HTTP, 0),
    PACED_HTTP("`PacedHttpClient`, `1_000_000_000/1s`", BARE_HTTP, 0.9),
    ACQUIRE("two threads, `unlimited.acquire()` in the task", null, 0),
    EXECUTOR("the same threads below a `ThrottledExecutorService`, `unlimited`", ACQUIRE, 0.5);

    final String title;
    final @Nullable Caller base;
    final double goal; // of the rate of the base; 0 if there is none

    Caller(String title, @Nullable Caller base, double goal) {
      this.title = title;
      this.base = base;
      this.goal = goal;
    }
  }

  private static final String WIDE = "1_000_000_000/1s";

  private final int warming;
  private final int requests;
  private final int tasks;
  private final Map<Caller, List<Double>> rates = new EnumMap<>(Caller.class);

  /**
   * @param warming how many requests each client sends before any counts
   */
  CallRates(int warming, int requests, int tasks) {
    this.warming = warming;
    this.requests = requests;
    this.tasks = tasks;
  }

  /** Runs all in turn {@code rounds} times, after one round that does not count. */
  void measure(int rounds) throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    Limiter unlimited = Limiter.of("unlimited");
    Executor paced = ThrottledExecutorService.of(unlimited, threads);
    HttpClient bare = HttpClient.newHttpClient();
    HttpClient client = PacedHttpClient.builder(HttpClient.newHttpClient()).limit(WIDE).build();
    HttpClient other = HttpClient.newHttpClient();
    try (var server = new FixedAnswer()) {
      HttpRequest get = HttpRequest.newBuilder(server.uri()).build();
      HttpRequest empty =
          HttpRequest.newBuilder(server.uri())
              .method("GET", BodyPublishers.ofByteArray(new byte[0]))
              .build();
      for (int round = 0; round <= rounds; round++) {
        System.out.println("calls, round " + round);
        boolean counts = round > 0;
        int sent = counts ? requests : warming;
        add(Caller.BARE_HTTP, send(sent, bare, get), counts);
        add(Caller.EMPTY_BODY_HTTP, send(sent, other, empty), counts);
        add(Caller.PACED_HTTP, send(sent, client, get), counts);
        add(Caller.ACQUIRE, run(threads, unlimited::acquireUninterruptibly), counts);
        add(Caller.EXECUTOR, run(paced, () -> {}), counts);
      }
    } finally {
      threads.shutdown();
    }
  }

  private void add(Caller caller, double rate, boolean counts) {
    if (counts) {
      rates.computeIfAbsent(caller, key -> new ArrayList<>()).add(rate);
    }
  }

  private static double send(int times, HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    for (int i = 0; i < times; i++) {
      client.send(request, BodyHandlers.ofString());
    }
    return times * 1e9 / (System.nanoTime() - begin);
  }

  private double run(Executor executor, Runnable task) throws InterruptedException {
    var left = new CountDownLatch(tasks);
    long begin = System.nanoTime();
    for (int i = 0; i < tasks; i++) {
      executor.execute(
          () -> {
            task.run();
            left.countDown();
          });
    }
    left.await();
    return tasks * 1e9 / (System.nanoTime() - begin);
  }

  String[] lines() {
    var lines = new ArrayList<>(HEAD);
    var goals = new ArrayList<String>();
    for (Caller caller : Caller.values()) {
      Caller base = caller.base == null ? caller : caller.base;
      List<Double> shares = shares(caller, base);
      double share = shares.get(shares.size() / 2);
      lines.add(
          String.format(
              Locale.ROOT,
              "| %s | %,.0f | %.2f | %.2f to %.2f |",
              caller.title,
              rates.get(caller).stream().sorted().toList().get(shares.size() / 2),
              share,
              shares.get(0),
              shares.get(shares.size() - 1)));
      if (caller.goal > 0) {
        goals.add(
            String.format(
                Locale.ROOT,
                "- %s: %.2f of the rate, at least %.2f: %s",
                caller.title,
                share,
                caller.goal,
                share >= caller.goal ? "reached." : "**missed.**"));
      }
    }
    lines.add("");
    lines.add("**The goals**, in the median of the rounds:");
    lines.add("");
    lines.addAll(goals);
    return lines.toArray(String[]::new);
  }

  /** Returns its share of the rate of {@code base} in each round, the least first. */
  private List<Double> shares(Caller caller, Caller base) {
    var shares = new ArrayList<Double>();
    for (int round = 0; round < rates.get(caller).size(); round++) {
      shares.add(rates.get(caller).get(round) / rates.get(base).get(round));
    }
    return shares.stream().sorted().toList();
  }

  private static final List<String> HEAD =
      List.of(
          "",
          "## Requests and tasks that need not wait",
          "",
          "Requests go to a server of the same process on the loopback. *share*: of the rate without Pacegate in the same round.",
          "",
          "| | per second | share, median | least to most |",
          "|---|--:|--:|--:|");

  /** A server that answers each request alike, and keeps connections. */
  private static final class FixedAnswer implements AutoCloseable {

    private static final byte[] ANSWER =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
            .getBytes(StandardCharsets.US_ASCII);

    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    FixedAnswer() throws IOException {
      start(this::accept);
    }

    URI uri() {
      return URI.create("http://127.0.0.1:" + entrance.getLocalPort() + "/");
    }

    private static void start(Runnable work) {
      var thread = new Thread(work, "answers");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      try {
        while (true) {
          Socket client = entrance.accept();
          client.setTcpNoDelay(true);
          start(() -> answer(client));
        }
      } catch (IOException closed) {
        // the end
      }
    }

    /** A request ends with an empty line, as none has a body. */
    private static void answer(Socket client) {
      try (client) {
        var in = new BufferedInputStream(client.getInputStream());
        int last = 0;
        for (int next = in.read(); next >= 0; next = in.read()) {
          last = last << 8 | next;
          if (last == 0x0d0a0d0a) {
            client.getOutputStream().write(ANSWER);
          }
        }
      } catch (IOException gone) {
        // the client has closed it
      }
    }

    @Override
    public void close() throws IOException {
      entrance.close();
    }
  }
}
