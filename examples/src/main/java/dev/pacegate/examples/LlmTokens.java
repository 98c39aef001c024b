package dev.pacegate.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pacegate.http.PacedHttpClient;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prompts for a language model, whose provider counts requests and tokens. How many tokens a
 * request costs stands in its answer. So each is charged what it may cost at most, and given back
 * what it did not: none is refused, and nearly all of the allowance is used.
 */
public final class LlmTokens {

  /** The most tokens that an answer may have; a request says so. */
  private static final int MAX_TOKENS = 300;

  private static final Pattern TOTAL = Pattern.compile("\"total_tokens\": *(\\d+)");

  /** The provider, on this machine: allows so many requests and tokens per window. */
  public static final class Provider implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(32);
    private final int maxRequests;
    private final long maxTokens;
    private final long window;
    private long began;
    private long requests; // in this window, as are the tokens
    private long tokens;
    private long delivered;
    private int refused;

    /** Starts a provider. */
    public Provider(int maxRequests, long maxTokens, Duration window) throws IOException {
      this.maxRequests = maxRequests;
      this.maxTokens = maxTokens;
      this.window = window.toNanos();
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 200);
      server.setExecutor(threads);
      server.createContext("/", this::answer);
      server.start();
    }

    /** Returns where prompts go. */
    public URI uri() {
      return URI.create("http://localhost:" + server.getAddress().getPort() + "/completions");
    }

    /** Reserves the most that the request may cost, and counts what it did cost in the end. */
    private void answer(HttpExchange exchange) throws IOException {
      try (exchange) {
        String prompt =
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        long input = prompt.length() / 4;
        long arrivedIn = reserve(input + MAX_TOKENS);
        if (arrivedIn < 0) {
          exchange.getResponseHeaders().add("Retry-After", "1");
          exchange.sendResponseHeaders(429, -1);
          return;
        }
        Thread.sleep(5); // the model thinks
        int output = 50 + Math.floorMod(prompt.hashCode(), 200);
        deliver(arrivedIn, input + output, output - MAX_TOKENS);
        byte[] body =
            ("{\"text\": \"...\", \"usage\": {\"total_tokens\": " + (input + output) + "}}")
                .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }

    /** Returns when the present window began; negative if the request is refused. */
    private synchronized long reserve(long most) {
      long now = System.nanoTime();
      if (requests == 0 || now - began >= window) {
        began = now;
        requests = 0;
        tokens = 0;
      }
      if (requests >= maxRequests || tokens + most > maxTokens) {
        refused++;
        return -1;
      }
      requests++;
      tokens += most;
      return began;
    }

    private synchronized void deliver(long arrivedIn, long total, long correction) {
      delivered += total;
      if (arrivedIn == began) {
        tokens += correction;
      }
    }

    /** Returns how many tokens all answers together had. */
    public synchronized long delivered() {
      return delivered;
    }

    /** Returns how many requests were refused. */
    public synchronized int refused() {
      return refused;
    }

    @Override
    public void close() {
      server.stop(0);
      threads.shutdownNow();
    }
  }

  private LlmTokens() {}

  /**
   * Returns a client that keeps {@code limit}, such as {@code 500/1m & 90000/1m of tokens}.
   *
   * @param settles whether costs are corrected from answers
   */
  public static HttpClient client(String limit, boolean settles) {
    PacedHttpClient.Builder client =
        PacedHttpClient.builder(HttpClient.newHttpClient())
            .limit(limit)
            .cost(request -> Cost.of("tokens", mostTokens(request)));
    if (settles) {
      client.settle((response, charged) -> used(response, charged));
    }
    return client.build();
  }

  /** A token of text is about four bytes; the answer has at most what the request allows. */
  private static long mostTokens(HttpRequest request) {
    return request.bodyPublisher().map(body -> body.contentLength() / 4).orElse(0L) + MAX_TOKENS;
  }

  private static Cost used(HttpResponse<?> response, Cost charged) {
    Matcher total = TOTAL.matcher(String.valueOf(response.body()));
    return total.find() ? Cost.of("tokens", Long.parseLong(total.group(1))) : charged;
  }

  /** Sends prompts for so long, as many as {@code client} lets through. */
  public static void send(HttpClient client, Provider provider, int prompts, Duration span)
      throws InterruptedException {
    long end = System.nanoTime() + span.toNanos();
    var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    for (int i = 0; i < prompts; i++) {
      String prompt = "{\"max_tokens\": " + MAX_TOKENS + ", \"prompt\": \"tell me of " + i + "\"}";
      HttpRequest request =
          HttpRequest.newBuilder(provider.uri()).POST(BodyPublishers.ofString(prompt)).build();
      answers.add(client.sendAsync(request, BodyHandlers.ofString()));
    }
    TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
    answers.forEach(answer -> answer.cancel(true)); // those that still wait cost nothing
  }

  /** Sends prompts for two seconds to a provider that allows 20 000 tokens a second. */
  public static void main(String[] arguments) throws Exception {
    try (var provider = new Provider(1_000, 20_000, Duration.ofSeconds(1))) {
      HttpClient client = client("peer(1000/1s & 20000/1s of tokens) & concurrent(16)", true);
      send(client, provider, 1_000, Duration.ofSeconds(2));
      System.out.printf(
          "%d tokens of 40000, %d requests refused%n", provider.delivered(), provider.refused());
    }
  }
}
