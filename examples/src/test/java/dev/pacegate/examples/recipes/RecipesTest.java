package dev.pacegate.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.failsafe.FailsafeException;
import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.Snapshot;
import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.http.HttpWaitTooLongException;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the recipes, with limits that are shorter than a minute, before a server that counts. */
@Timeout(180)
class RecipesTest {

  private final CountingServer server = server();

  private static CountingServer server() {
    try {
      return new CountingServer();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static void assertNothingLeft(Snapshot snapshot) {
    assertEquals(0, snapshot.open());
    assertEquals(0, snapshot.waiting());
  }

  /** Runs jobs on twenty threads at once. */
  private static void together(List<Callable<String>> jobs) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(20);
    try {
      for (Future<String> answer : threads.invokeAll(jobs, 120, TimeUnit.SECONDS)) {
        assertTrue(answer.get().startsWith("sent "));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static List<Callable<String>> times(int count, Callable<String> job) {
    return IntStream.range(0, count).mapToObj(i -> job).toList();
  }

  @Test
  void twentyThreads() throws Exception {
    var recipe = new TwentyThreads(server);
    recipe.api.setLimit("peer(10/200ms)");
    together(times(60, () -> recipe.fetch("page")));
    assertEquals(60, server.arrivals());
    server.assertKept("peer(10/200ms)");
    assertNothingLeft(recipe.api.snapshot());
  }

  @Test
  void perCustomer() throws Exception {
    var recipe = new PerCustomer(server);
    for (int i = 0; i < 10; i++) {
      recipe.order("a", "tea");
    }
    assertTrue(recipe.customers.limiter("a").tryAcquire().isEmpty());
    assertEquals("sent tea", recipe.order("b", "tea"));
    assertNothingLeft(recipe.customers.all().snapshot());
    recipe.customers.close();
  }

  /** The table's own timestamps keep the limit, not only the starts. */
  @Test
  void sparingConsumer() throws Exception {
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    Queue<Long> written = new ConcurrentLinkedQueue<>();
    var recipe =
        new SparingConsumer(
            row -> {
              most.accumulateAndGet(inside.incrementAndGet(), Math::max);
              written.add(System.nanoTime());
              inside.decrementAndGet();
            });
    recipe.database.setLimit("peer(50/100ms) & concurrent(4)");
    together(
        times(
            200,
            () -> {
              recipe.onMessage("row");
              return "sent row";
            }));
    var audit = Audit.of(Limits.parse("50/100ms"));
    written.stream().sorted().forEach(audit::add);
    Report report = audit.report();
    assertTrue(report.kept(), report::text);
    assertEquals(200, written.size());
    assertTrue(most.get() <= 4, () -> "at once: " + most);
    assertNothingLeft(recipe.database.snapshot());
  }

  @Test
  void anOrderDoesNotWaitForReads() throws Exception {
    var recipe = new OrdersFirst();
    recipe.exchange.setLimit("peer(300/1d)"); // 60 for orders, 240 for reads and the rest
    HttpRequest read = HttpRequest.newBuilder(server.uri().resolve("/api/v3/depth")).build();
    for (int i = 0; i < 4; i++) {
      assertEquals(204, recipe.reads.send(read, BodyHandlers.discarding()).statusCode());
    }
    assertThrows(
        HttpWaitTooLongException.class, () -> recipe.reads.send(read, BodyHandlers.discarding()));
    HttpRequest order = HttpRequest.newBuilder(server.uri()).build();
    assertEquals(204, recipe.orders.send(order, BodyHandlers.discarding()).statusCode());
    assertEquals(5, recipe.exchange.snapshot().granted());
  }

  @Test
  void eachAttemptOfResilience4jTakesAPermit() throws Exception {
    var recipe = new Retries(server.failing(2));
    assertEquals("sent tea", recipe.withResilience4j("tea"));
    assertThreeOfThree(recipe.api);
  }

  @Test
  void eachAttemptOfFailsafeTakesAPermit() {
    var recipe = new Retries(server.failing(2));
    assertEquals("sent tea", recipe.withFailsafe("tea"));
    assertThreeOfThree(recipe.api);
  }

  @Test
  void retriesEnd() {
    var recipe = new Retries(server.failing(99));
    assertThrows(IOException.class, () -> recipe.withResilience4j("tea"));
    assertThrows(FailsafeException.class, () -> recipe.withFailsafe("tea"));
    assertEquals(6, server.arrivals());
    assertNothingLeft(recipe.api.snapshot());
  }

  private void assertThreeOfThree(Limiter api) {
    assertEquals(3, server.arrivals());
    assertEquals(3, api.snapshot().granted());
    assertNothingLeft(api.snapshot());
  }

  @Test
  void tokens() throws Exception {
    var recipe = new Tokens((prompt, most) -> new Tokens.Answer("tea", 300));
    assertEquals("tea", recipe.ask("what to drink?"));
    assertEquals(Duration.ZERO, recipe.llm.estimateWait(Cost.of("tokens", 89_700)));
    assertFalse(recipe.llm.estimateWait(Cost.of("tokens", 89_701)).isZero());
    assertNothingLeft(recipe.llm.snapshot());
  }

  @Test
  void upload() throws Exception {
    var audit = Audit.of(Limits.parse("1000000/100ms"));
    var written = new ByteArrayOutputStream();
    var recipe =
        new Upload(
            chunk -> {
              audit.add(System.nanoTime(), chunk.length);
              written.write(chunk);
            });
    recipe.bytes.setLimit("peer(1000000/100ms)");
    byte[] file = new byte[4_950_001];
    new Random(5).nextBytes(file);
    recipe.upload(new ByteArrayInputStream(file));
    assertArrayEquals(file, written.toByteArray());
    Report report = audit.report();
    assertTrue(report.kept(), report::text);
    assertNothingLeft(recipe.bytes.snapshot());
  }

  @Test
  void aChunkThatIsLargerThanTheLimitIsRefusedAtOnce() {
    var recipe = new Upload(chunk -> {});
    assertTrue(recipe.bytes.tryAcquire(1_000_000).isPresent());
    var thrown = assertThrows(CostTooLargeException.class, () -> recipe.bytes.acquire(1_000_001));
    assertTrue(("" + thrown.getMessage()).contains("a cost of 1000001 can never pass"));
  }

  @Test
  void scheduledMail(@TempDir Path folder) throws Exception {
    Queue<String> outbox = new ArrayDeque<>(IntStream.range(0, 600).mapToObj(i -> "" + i).toList());
    var recipe = new ScheduledMail(server, outbox, folder.resolve("mail.state"));
    recipe.sendDue();
    assertEquals(500, server.arrivals());
    recipe.mail.close();

    var afterRestart = new ScheduledMail(server, outbox, folder.resolve("mail.state"));
    afterRestart.sendDue();
    assertEquals(500, server.arrivals());
    assertEquals(100, outbox.size());
    assertNothingLeft(afterRestart.mail.snapshot());
    afterRestart.mail.close();
  }

  @Test
  void configured(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("limits.properties");
    Files.writeString(file, "sms = peer(spacing(1h))");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (var recipe = new Configured(server, file)) {
      recipe.text("first");
      Future<String> second = thread.submit(() -> recipe.text("second"));
      assertFalse(second.isDone());
      Files.writeString(file, "sms = peer(spacing(100ms))");
      recipe.limits.reload();
      assertEquals("sent second", second.get(120, TimeUnit.SECONDS));
      assertNothingLeft(recipe.limits.get("sms").snapshot());
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  void inbound() throws Exception {
    HttpServer inbound =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    var recipe = new Inbound();
    inbound
        .createContext(
            "/",
            exchange -> {
              exchange.sendResponseHeaders(204, -1);
              exchange.close();
            })
        .getFilters()
        .add(recipe);
    inbound.start();
    try {
      var uri = URI.create("http://localhost:" + inbound.getAddress().getPort() + "/");
      HttpClient client = HttpClient.newHttpClient();
      List<HttpResponse<Void>> answers = new ArrayList<>();
      for (int i = 0; i < 11; i++) {
        answers.add(client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding()));
      }
      assertEquals(10, answers.stream().filter(answer -> answer.statusCode() == 204).count());
      HttpResponse<Void> refused = answers.get(10);
      assertEquals(429, refused.statusCode());
      long seconds = refused.headers().firstValueAsLong("Retry-After").orElseThrow();
      assertTrue(seconds > 0 && seconds <= 60, () -> "Retry-After: " + seconds);
    } finally {
      inbound.stop(0);
      recipe.callers.close();
    }
  }
}
