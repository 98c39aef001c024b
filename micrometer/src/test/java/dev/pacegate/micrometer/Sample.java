package dev.pacegate.micrometer;

import com.sun.net.httpserver.HttpServer;
import dev.pacegate.Backoff;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;

/** A program whose limiters are under load, with a page for Prometheus. */
final class Sample implements AutoCloseable {

  final Limiter sms =
      Limiter.builder("peer(20/1s, unanswered=100ms)")
          .name("sms")
          .late(Duration.ofMillis(1))
          .build();

  /** Another client uses its key. Nothing is refused, so it stays at its limit, where it counts. */
  final Limiter search = Limiter.builder("peer(20/1s)").name("search").build();

  final FencedSource store = new FencedSource();
  final Limiter shared = Limiter.builder("50/1s").name("shared").source(store).build();

  /** Its limit counts what requests cost. */
  final Limiter heavy = Limiter.builder("100/1s").name("heavy").build();

  final KeyedLimiter<String> accounts =
      KeyedLimiter.builder("5/1s").within("10/1s").name("accounts").build();
  private final Limiter slow = Limiter.builder("spacing(500ms)").name("slow").build();
  private final Throttler<String> mail = Throttler.<String>builder(slow).build();
  private final ThrottledExecutorService jobs =
      ThrottledExecutorService.of(slow, ForkJoinPool.commonPool());
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final HttpServer page;
  private final List<Thread> load = new ArrayList<>();
  private volatile boolean working = true;

  Sample() throws IOException {
    LimiterMetrics.of(sms).bindTo(registry);
    LimiterMetrics.of(search).bindTo(registry);
    LimiterMetrics.of(shared).bindTo(registry);
    LimiterMetrics.of(slow).bindTo(registry);
    LimiterMetrics.of(heavy).bindTo(registry);
    LimiterMetrics.of(accounts, List.of("alice", "bob")).bindTo(registry);
    LimiterMetrics.of("mail", mail).bindTo(registry);
    LimiterMetrics.of("jobs", jobs).bindTo(registry);
    page = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    page.createContext(
        "/metrics",
        exchange -> {
          byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
          exchange.sendResponseHeaders(200, text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
  }

  /** Starts page and load; returns the port of the page. */
  int start() throws InterruptedException {
    page.start();
    for (int i = 0; i < 3; i++) {
      run(this::send);
    }
    run(this::search);
    run(this::trouble);
    run(this::bill);
    run(() -> heavy.acquire(50).answered());
    for (int i = 0; i < 100; i++) {
      mail.send("message " + i);
      jobs.execute(() -> {});
    }
    return page.getAddress().getPort();
  }

  String scrape() {
    return registry.scrape();
  }

  private void run(Work work) {
    var thread =
        new Thread(
            () -> {
              try {
                while (working) {
                  work.once();
                }
              } catch (InterruptedException end) {
                // the end
              }
            });
    load.add(thread);
    thread.start();
  }

  private interface Work {
    void once() throws InterruptedException;
  }

  /** The sleeps are the time that a peer takes. */
  private void send() throws InterruptedException {
    try (Permit permit = sms.acquire()) {
      Thread.sleep(20);
      permit.answered();
    }
  }

  /** Takes longer than Prometheus waits between two scrapes, so that one sees it open. */
  private void search() throws InterruptedException {
    try (Permit permit = search.acquire()) {
      Thread.sleep(2_000);
      Quota quota = Quota.remaining(10).withLimit(20).withWindow(Duration.ofSeconds(1));
      search.heard(permit, PeerAnswer.NOTHING.withQuotas(List.of(quota)), Backoff.standard());
      permit.answered();
    }
  }

  /** What operators want to see: what is refused, given up, late, lost and unavailable. */
  private void trouble() throws InterruptedException {
    sms.tryAcquire().ifPresent(Permit::answered);
    CompletableFuture<Permit> given = sms.acquireAsync();
    if (!given.cancel(false)) {
      given.join().notSent();
    }
    try (Permit permit = sms.acquire()) {
      Thread.sleep(5);
      permit.sending();
    }
    sms.peerRefused(Duration.ofMillis(200));
    shared.tryAcquire().ifPresent(Permit::answered);
    store.unavailable("the store does not answer");
    shared.tryAcquire().ifPresent(Permit::answered);
    Thread.sleep(300);
    store.unavailable(null);
  }

  private void bill() throws InterruptedException {
    for (String account : List.of("alice", "bob", "carol")) {
      accounts.acquire(account).answered();
    }
  }

  /** Ends the load; after that no figure changes any more. */
  void rest() throws InterruptedException {
    working = false;
    mail.undelivered();
    mail.close();
    jobs.shutdownNow();
    for (Thread thread : load) {
      thread.join(30_000);
      if (thread.isAlive()) {
        throw new IllegalStateException("the load goes on: " + sms.snapshot());
      }
    }
  }

  @Override
  public void close() throws InterruptedException {
    rest();
    page.stop(0);
    List.of(sms, search, shared, slow, heavy).forEach(Limiter::close);
    accounts.close();
  }

  /** Runs until ended, on a page whose port it prints. */
  public static void main(String[] arguments) throws Exception {
    var sample = new Sample();
    System.out.println(sample.start());
    Thread.currentThread().join();
  }
}
