package dev.pacegate.compatibility.llm;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pacegate.time.Time;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A provider of language models on this machine, with the chat completions of OpenAI, streamed or
 * not. It counts by the clock that it is given, and thinks by it.
 */
final class Provider implements AutoCloseable {

  private static final Pattern MODEL = Pattern.compile("\"model\" *: *\"([^\"]*)\"");
  private static final Pattern MOST = Pattern.compile("\"max_[a-z_]*tokens\" *: *(\\d+)");
  private static final Pattern PROMPT = Pattern.compile("\"content\" *: *\"([^\"]*)\"");
  private static final Pattern STREAM = Pattern.compile("\"stream\" *: *true");
  private static final Pattern USAGE = Pattern.compile("\"include_usage\" *: *true");
  private static final int PARTS = 4;

  static {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // or bodies come 40 ms late
  }

  private final Time time;
  private final Map<String, Model> models;
  private final int failing; // every so many requests
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger arrivals = new AtomicInteger();
  private final AtomicInteger thinking = new AtomicInteger();

  /** Starts one that fails with 500 at each so-manieth request; 0 for never. */
  Provider(Time time, Map<String, Model> models, int failing) throws IOException {
    this.time = time;
    this.models = models;
    this.failing = failing;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
    server.setExecutor(threads);
    server.createContext("/v1/chat/completions", this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1";
  }

  /** Returns how many requests have arrived, refused and failed ones included. */
  int arrivals() {
    return arrivals.get();
  }

  /** Returns how many requests wait for the clock. */
  int thinking() {
    return thinking.get();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String asked = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      int number = arrivals.incrementAndGet();
      Model model = models.get(first(MODEL, asked));
      long input = first(PROMPT, asked).length() / 4;
      long most = input + Long.parseLong(first(MOST, asked));
      Model.Use use = model.arrive(time, most);
      if (use == null || (failing > 0 && number % failing == 0)) {
        refuse(exchange, model, use == null ? 429 : 500);
        return;
      }
      long output = 20 + ThreadLocalRandom.current().nextLong(most - input - 20) / 2;
      if (STREAM.matcher(asked).find()) {
        stream(exchange, model, use, input, output, USAGE.matcher(asked).find());
      } else {
        think(PARTS);
        model.done(use, input + output);
        reply(exchange, model, 200, Completions.whole(input, output));
      }
    }
  }

  private static String first(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    if (!found.find()) {
      throw new IllegalArgumentException("no " + pattern + " in " + text);
    }
    return found.group(1);
  }

  private void refuse(HttpExchange exchange, Model model, int status) throws IOException {
    exchange.getResponseHeaders().add("retry-after-ms", "5"); // clients of OpenAI obey it
    reply(exchange, model, status, "{\"error\":{\"message\":\"no\",\"type\":\"x\"}}");
  }

  private void reply(HttpExchange exchange, Model model, int status, String json)
      throws IOException {
    head(exchange, model, "application/json");
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private void head(HttpExchange exchange, Model model, String type) {
    exchange.getResponseHeaders().add("Content-Type", type);
    for (List<String> header : model.headers(time)) {
      exchange.getResponseHeaders().add(header.get(0), header.get(1));
    }
  }

  private void stream(
      HttpExchange exchange, Model model, Model.Use use, long input, long output, boolean tells)
      throws IOException {
    head(exchange, model, "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    OutputStream body = exchange.getResponseBody();
    for (int i = 0; i < PARTS; i++) {
      think(1);
      event(body, Completions.part("word "));
    }
    model.done(use, input + output);
    event(body, Completions.end());
    if (tells) {
      event(body, Completions.usage(input, output));
    }
    event(body, "[DONE]");
  }

  private static void event(OutputStream body, String data) throws IOException {
    body.write(("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
    body.flush();
  }

  /** Waits for the clock. */
  private void think(int parts) throws IOException {
    long nanos = 0;
    for (int i = 0; i < parts; i++) {
      nanos += TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(5, 50));
    }
    var done = new CountDownLatch(1);
    time.at(
        time.nanoTime() + nanos,
        () -> {
          thinking.decrementAndGet(); // before the clock can move on
          done.countDown();
        });
    thinking.incrementAndGet(); // not before the clock knows of it
    try {
      done.await();
    } catch (InterruptedException closed) {
      throw new IOException(closed);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
