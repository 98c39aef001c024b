package dev.pacegate.compatibility.llm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.engine.Line;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of language models: never over at the provider, and nearly all of the limit used. */
@Timeout(300)
class LlmClientsTest {

  private static final int THREADS = 12;
  private static final int WINDOWS = 5;
  private static final int PATIENCE = 50; // polls

  /** A limit, as the provider counts it. */
  private record Allowance(int requests, long tokens) {

    String text(Duration window) {
      long millis = window.toMillis();
      return "%d/%dms & %d/%dms of tokens".formatted(requests, millis, tokens, millis);
    }
  }

  /** Of one model the tokens are used up first, of the other the requests. */
  private static final Map<String, Allowance> ALLOWANCES =
      Map.of("large", new Allowance(200, 12_000), "small", new Allowance(40, 100_000));

  /** A provider, limiters for its models, and threads that ask. */
  private static final class World implements AutoCloseable {
    final Time time;
    final Duration window;
    final Map<String, Model> models = new HashMap<>();
    final Map<String, Limiter> limits = new HashMap<>();
    final Provider provider;
    final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    final ExecutorService executor =
        Executors.newCachedThreadPool(); // langchain4j reads streams on it
    final AtomicInteger running = new AtomicInteger();

    World(Time time, Duration window, int failing) throws Exception {
      this.time = time;
      this.window = window;
      ALLOWANCES.forEach(
          (name, allowed) -> {
            models.put(name, new Model(allowed.requests, allowed.tokens, window.toNanos()));
            limits.put(name, limiter("peer(" + allowed.text(window) + ")"));
          });
      provider = new Provider(time, models, failing);
    }

    private Limiter limiter(String limit) {
      return Limiter.builder(limit).time(time).executor(executor).build();
    }

    Ask open(LlmClient client, int retries) {
      return client.open(new Ask.Setup(provider.url(), limits, retries));
    }

    /**
     * Asks from all threads, each once and until the time is over, and fails with the first that
     * fails.
     */
    List<Future<?>> ask(Ask client, Duration span) {
      long end = time.nanoTime() + span.toNanos();
      var asking = new ArrayList<Future<?>>();
      for (int i = 0; i < THREADS; i++) {
        String model = i % 2 == 0 ? "large" : "small";
        running.incrementAndGet();
        asking.add(
            threads.submit(
                () -> {
                  try {
                    do {
                      client.ask(model, "tell me of the sea");
                    } while (time.nanoTime() < end);
                  } finally {
                    running.decrementAndGet();
                  }
                  return null;
                }));
      }
      return asking;
    }

    /** Asks from all threads, whether it fails or not; returns how often. */
    int calls(LlmClient client, int retries) throws Exception {
      var calls = new AtomicInteger();
      Ask asked = open(client, retries);
      Ask counted =
          (model, prompt) -> {
            calls.incrementAndGet();
            try {
              asked.ask(model, prompt);
            } catch (Exception failed) {
              // The provider fails now and then.
            }
          };
      for (Future<?> each : ask(counted, Duration.ofMillis(300))) {
        each.get();
      }
      return calls.get();
    }

    /**
     * Moves the clock while requests are sent, whenever all wait for it: so a busy machine changes
     * nothing. A future that is called may wait for it, too, if a callback that reads a response
     * holds up the others. Whether one does is not known, so they get a while in real time; moving
     * the clock too early then costs a millisecond, after which another thread is sent to them.
     */
    void run(ManualTime clock) throws InterruptedException {
      int polls = 0;
      while (running.get() > 0) {
        if (isAtRest(polls >= PATIENCE) && clock.advanceToNext()) {
          polls = 0;
        } else {
          polls++;
          TimeUnit.MICROSECONDS.sleep(100); // polls
        }
      }
    }

    /** A permit beyond those of thinking requests is about to end on another thread. */
    private boolean isAtRest(boolean despiteFutures) {
      int thinking = provider.thinking(); // first: until the clock moves it only grows
      int waiting = 0;
      int due = 0;
      int summoned = 0;
      int open = 0;
      for (Limiter each : limits.values()) {
        Line line = Line.of(each);
        waiting += line.waiting();
        due += line.due();
        summoned += line.summoned();
        open += line.open();
      }
      boolean calls = due > 0 || (summoned > 0 && !despiteFutures);
      return !calls && open == thinking && waiting + summoned + thinking == running.get();
    }

    void assertNeverOver() throws Exception {
      int granted = 0;
      for (Map.Entry<String, Model> each : models.entrySet()) {
        String name = each.getKey();
        Allowance allowed = ALLOWANCES.get(name);
        assertEquals(0, each.getValue().refused(), name);
        Audit audit = Audit.of(Limits.parse(allowed.text(window)));
        for (Model.Use use : each.getValue().all()) {
          audit.add(use.arrived, Cost.of("tokens", use.tokens()));
        }
        assertTrue(audit.report().kept(), audit.report().text());
        Limiter limiter = limits.get(name);
        assertEquals(0, limiter.snapshot().open(), name);
        granted += (int) limiter.snapshot().granted();
      }
      assertEquals(granted, provider.arrivals());
    }

    /** Returns the part of the allowance that was used: of tokens or requests, whatever is more. */
    double used(String name, Duration span) {
      Allowance allowed = ALLOWANCES.get(name);
      double windows = (double) span.toNanos() / window.toNanos();
      double tokens = 0;
      double requests = 0;
      for (Model.Use use : models.get(name).all()) {
        if (use.arrived < span.toNanos()) {
          tokens += use.tokens();
          requests++;
        }
      }
      return Math.max(tokens / (windows * allowed.tokens), requests / (windows * allowed.requests));
    }

    @Override
    public void close() {
      provider.close();
      threads.shutdownNow();
      executor.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theAllowanceIsNeverPassedAndNearlyAllUsed(LlmClient client) throws Exception {
    var time = ManualTime.manual();
    try (var world = new World(time, Duration.ofMinutes(1), 0)) {
      Duration span = world.window.multipliedBy(WINDOWS);
      List<Future<?>> asking = world.ask(world.open(client, 0), span);
      world.run(time);
      for (Future<?> each : asking) {
        each.get();
      }
      world.assertNeverOver();
      double large = world.used("large", span);
      double small = world.used("small", span);
      System.out.printf(
          "%s: %.3f of the tokens, %.3f of the requests, %d sent%n",
          client, large, small, world.provider.arrivals());
      assertTrue(large >= 0.8, "tokens used: " + large);
      assertTrue(small >= 0.8, "requests used: " + small);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theAllowanceIsNeverPassedInRealTime(LlmClient client) throws Exception {
    try (var world = new World(Time.system(), Duration.ofSeconds(1), 0)) {
      for (Future<?> each : world.ask(world.open(client, 0), Duration.ofMillis(2_500))) {
        each.get();
      }
      world.assertNeverOver();
      System.out.printf("%s, real time: %d sent%n", client, world.provider.arrivals());
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachRetryOfTheClientTakesAPermit(LlmClient client) throws Exception {
    try (var world = new World(Time.system(), Duration.ofSeconds(1), 5)) {
      int calls = world.calls(client, 2);
      int sent = world.provider.arrivals();
      System.out.printf("%s: %d calls, %d sent%n", client, calls, sent);
      if (client.retries()) {
        assertTrue(sent > calls, sent + " sent for " + calls);
      } else {
        assertEquals(calls, sent);
      }
      world.assertNeverOver();
    }
  }

  @ParameterizedTest
  @EnumSource
  void withoutRetriesEachCallIsSentOnce(LlmClient client) throws Exception {
    try (var world = new World(Time.system(), Duration.ofSeconds(1), 5)) {
      assertEquals(world.calls(client, 0), world.provider.arrivals());
      world.assertNeverOver();
    }
  }
}
