package dev.pacegate.micrometer;

import dev.pacegate.Backoff;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.time.ManualTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program that calls a service for half an hour of virtual time, with real limiters, while now
 * and then something goes wrong. Every bottleneck comes at least once.
 */
final class BusyProgram implements AutoCloseable {

  /** Seconds between two scrapes. */
  static final long SCRAPE = 15;

  /** The name of its limiter. */
  static final String NAME = "api";

  /** Its limit, which is also that of the service. */
  static final String LIMIT = "peer(10/1s)";

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private static final Span RUSH = Span.minutes(5, 8);
  private static final Span MAINTENANCE = Span.minutes(12, 14.5);
  private static final Span OTHER_CLIENT = Span.minutes(17, 21.5);
  private static final Span BAD_LINK = Span.minutes(22.5, 24);
  private static final Span STORE_DOWN = Span.minutes(25.5, 29.5);

  private static final int CUSTOMERS = 200;
  private static final long UNITS = 10; // what the service accepts in a second
  private static final long TAKEN = 6; // of them, by the other client
  private static final Duration PATIENCE = Duration.ofSeconds(30); // of a customer

  /** From one instant to another. */
  private record Span(long from, long to) {

    static Span minutes(double from, double to) {
      return new Span((long) (from * MINUTE), (long) (to * MINUTE));
    }

    boolean contains(long now) {
      return from <= now && now < to;
    }
  }

  private final ManualTime time = ManualTime.manual();
  private final FencedSource store = new FencedSource();
  private final Limiter all =
      Limiter.builder(LIMIT)
          .name(NAME)
          .source(store)
          .late(Duration.ofMillis(50))
          .time(time)
          .executor(Runnable::run)
          .build();
  private final KeyedLimiter<String> customers = KeyedLimiter.builder("300/1m").within(all).build();
  private final Throttler<String> mail =
      Throttler.<String>builder(all).executor(Runnable::run).build();
  private final ThrottledExecutorService jobs = ThrottledExecutorService.of(all, Runnable::run);
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final SplittableRandom chance = new SplittableRandom(1);
  private final Deque<Long> counted = new ArrayDeque<>(); // a unit each, at the service
  private final Scrapes scrapes = new Scrapes();

  private BusyProgram() {
    LimiterMetrics.of(customers, List.of("alice", "bob")).bindTo(registry);
    LimiterMetrics.of("mail", mail).bindTo(registry);
    LimiterMetrics.of("jobs", jobs).bindTo(registry);
    mail.targetWithPermit((message, permit) -> send(permit));
  }

  /** Returns what it showed in its first {@code minutes}. */
  static Scrapes run(long minutes) {
    try (var program = new BusyProgram()) {
      program.plan(minutes * MINUTE);
      program.time.advance(Duration.ofMinutes(minutes));
      return program.scrapes;
    }
  }

  private void plan(long end) {
    for (long at = 0; at <= end; at += SCRAPE * SECOND) {
      long second = at / SECOND;
      time.at(at, () -> scrapes.add(second, registry.scrape()));
    }
    for (long at = gap(0); at < end; at += gap(at)) {
      time.at(at, this::customerComes);
    }
    for (long at = SECOND; at < end; at += 5 * SECOND) {
      time.at(at, this::checkHealth);
    }
    time.at(RUSH.from + MINUTE, this::sendInBulk);
    time.at(STORE_DOWN.from, () -> store.unavailable("the store does not answer"));
    time.at(STORE_DOWN.to, () -> store.unavailable(null));
  }

  /** Returns how long it takes until the next customer comes. */
  private long gap(long now) {
    double perSecond = RUSH.contains(now) ? 9 : 3.5;
    return (long) (-StrictMath.log(1 - fraction()) * SECOND / perSecond);
  }

  private void customerComes() {
    String who =
        fraction() < 0.2 ? "alice" : fraction() < 0.1 ? "bob" : "customer " + below(CUSTOMERS);
    long cost = fraction() < 0.1 ? 2 : 1;
    CompletableFuture<Permit> permit = customers.limiter(who).acquireAsync(cost);
    var unused = permit.thenCompose(this::send);
    time.at(time.nanoTime() + PATIENCE.toNanos(), () -> permit.cancel(false));
  }

  private void checkHealth() {
    var unused = all.tryAcquire(1).map(this::send);
  }

  private void sendInBulk() {
    for (int i = 0; i < 120; i++) {
      mail.offer("message " + i);
    }
    for (int i = 0; i < 60; i++) {
      jobs.execute(() -> {});
    }
  }

  /** Sends a request, whose permit ends by itself. */
  private CompletableFuture<Void> send(Permit permit) {
    var done = new CompletableFuture<Void>();
    long now = time.nanoTime();
    long sent = now + (fraction() < 0.005 ? 300 * MILLI : 0); // the program stood still
    long arrives = sent + (20 + below(60)) * MILLI;
    time.at(sent, permit::sending);
    if (BAD_LINK.contains(now) && fraction() < 0.05) {
      time.at(sent + 5 * SECOND, () -> end(permit::lost, done));
    } else {
      time.at(arrives, () -> arrive(permit, done));
    }
    return done;
  }

  private void arrive(Permit permit, CompletableFuture<Void> done) {
    PeerAnswer answer = answer(permit.cost().amount());
    long back = time.nanoTime() + (20 + below(60)) * MILLI;
    time.at(
        back,
        () -> {
          all.heard(permit, answer, Backoff.standard());
          end(permit::answered, done);
        });
  }

  private static void end(Runnable permit, CompletableFuture<Void> done) {
    permit.run();
    done.complete(null);
  }

  /** Answers as the service does, which counts a request as it arrives. */
  private PeerAnswer answer(long cost) {
    long now = time.nanoTime();
    if (MAINTENANCE.contains(now)) {
      Duration rest = Duration.ofNanos(MAINTENANCE.to - now);
      return PeerAnswer.of(PeerVerdict.OVERLOADED).withRetryAfter(rest, "Retry-After");
    }
    while (!counted.isEmpty() && now - counted.peek() > SECOND) {
      counted.remove();
    }
    long taken = OTHER_CLIENT.contains(now) ? TAKEN : 0;
    if (counted.size() + taken + cost > UNITS) {
      return PeerAnswer.of(PeerVerdict.REFUSED);
    }
    for (int i = 0; i < cost; i++) {
      counted.add(now);
    }
    return PeerAnswer.NOTHING;
  }

  private double fraction() {
    return (chance.nextLong() >>> 11) * 0x1p-53;
  }

  private long below(long bound) {
    return (long) (fraction() * bound);
  }

  @Override
  public void close() {
    mail.undelivered();
    mail.close();
    jobs.shutdownNow();
    customers.close();
    all.close();
  }
}
