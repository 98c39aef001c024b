package dev.pacegate.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.time.ManualTime;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The figures of limiters in a registry. */
class LimiterMetricsTest {

  private final ManualTime time = ManualTime.manual();
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final Limiter api = Limiter.builder("peer(4/1m)").name("api").time(time).build();

  @AfterEach
  void nothingIsLeft() {
    assertEquals(0, api.snapshot().open());
    assertEquals(0, api.snapshot().waiting());
  }

  @Test
  void countsRequests() throws Exception {
    LimiterMetrics.of(api).bindTo(registry);
    api.acquire().answered();
    api.acquire().lost();
    api.acquire(2).notSent();
    api.acquire(2).answered();
    assertTrue(api.tryAcquire().isEmpty());
    CompletableFuture<Permit> first = api.acquireAsync();
    CompletableFuture<Permit> second = api.acquireAsync();
    assertEquals(2, value("permits.waiting"));
    second.cancel(false);
    time.advance(Duration.ofSeconds(30));
    assertEquals(30, value("permits.waiting.oldest"), 1e-2);
    assertEquals(1, value("limit.spent.lost"));
    time.advance(Duration.ofSeconds(60));
    Permit waited = first.get(10, TimeUnit.SECONDS);
    assertEquals(1, value("permits.open"));
    time.advance(Duration.ofSeconds(3));
    double waitedSeconds = waited.waited().toMillis() / 1e3;
    assertEquals(93 - waitedSeconds, value("permits.open.oldest"), 1e-2);
    waited.answered();

    assertEquals(5, value("permits.released"));
    assertEquals(1, value("permits.refused"));
    assertEquals(1, value("permits.cancelled"));
    assertEquals(1, value("permits.lost"));
    assertEquals(0, value("permits.open"));
    assertEquals(0, value("permits.waiting"));
    assertEquals(0, value("permits.waiting.oldest"));
    assertEquals(0, value("limit.spent.lost"));
    assertEquals(1, value("limit.used.most"));
  }

  @Test
  void theWaitsAreBucketsAsPrometheusHasThem() throws Exception {
    LimiterMetrics.of(api).bindTo(registry);
    api.acquire(4).answered();
    CompletableFuture<Permit> later = api.acquireAsync();
    time.advance(Duration.ofSeconds(61));
    Permit permit = later.get(10, TimeUnit.SECONDS);
    permit.answered();

    var timer = registry.get("pacegate.permits.wait").functionTimer();
    assertEquals(2, timer.count());
    assertEquals((double) permit.waited().toNanos(), timer.totalTime(TimeUnit.NANOSECONDS), 1);
    assertEquals(1, within("0.0"));
    assertEquals(1, within("0.001048576"));
    assertEquals(1, within("34.359738368"));
    assertEquals(2, within("68.719476736"));
    assertEquals(2, within("4398.046511104"));
    assertEquals(2, within("+Inf"));
  }

  @Test
  void tellsWhatThePeerDoes() throws Exception {
    LimiterMetrics.of(api).bindTo(registry);
    Permit permit = api.acquire();
    api.peerRefused(Duration.ofSeconds(1));
    permit.answered();
    assertEquals(1, value("peer.refused"));
    assertEquals(1, value("limiter.paused"));
    time.advance(Duration.ofSeconds(2));
    assertEquals(0, value("limiter.paused"));
    assertEquals(0, value("limiter.unavailable"));
    assertEquals(0, value("peer.taken.by.others"));
  }

  @Test
  void tellsWhetherTheStoreFails() {
    var store = new FencedSource();
    try (Limiter shared =
        Limiter.builder("peer(4/1m)").name("shared").time(time).source(store).build()) {
      LimiterMetrics.of(shared).bindTo(registry);
      var failing = registry.get("pacegate.limiter.source.failing").gauge();
      assertEquals(0, failing.value());
      store.unavailable("the store does not answer");
      assertEquals(1, failing.value());
      store.unavailable(null);
      assertEquals(0, failing.value());
    }
  }

  @Test
  void theRateIsThatOfTheLimitInForce() {
    LimiterMetrics.of(api).bindTo(registry);
    assertEquals(4 / 60.0, value("limit.rate"), 1e-3);
    assertRate("10/1s", 10);
    assertRate("bucket(5/1s, burst=50)", 5);
    assertRate("100/1s & 600/1m & 7/1s of mb", 10);
    assertRate("spacing(100ms)", 10);
    assertRate("aligned(1200/1m)", 20);
    assertRate("concurrent(4)", Double.NaN);
    assertRate("1200/1m & spacing(100ms)", 10);
    assertRate("unlimited", Double.NaN);
  }

  @Test
  void unitsSpentAreCountedAsTheRateIs() throws Exception {
    LimiterMetrics.of(api).bindTo(registry);
    assertEquals(0, value("limit.spent"));
    api.setLimit("100/1s");
    api.acquire(50).answered();
    api.acquire(50).answered();
    assertTrue(api.tryAcquire().isEmpty());
    assertEquals(2, value("permits.released"));
    assertEquals(100, value("limit.spent"), "all of it");
    api.setLimit("100/1s & spacing(1s)");
    assertEquals(2, value("limit.spent"), "a spacing counts requests");
    api.setLimit("unlimited");
    api.acquire().answered();
    api.acquire(0).answered();
    api.acquire(Long.MAX_VALUE).answered();
    assertEquals((double) Long.MAX_VALUE, value("limit.spent"));
  }

  @Test
  void unitsOfAKeyAreItsOwn() throws Exception {
    var keyed = KeyedLimiter.builder("9/1m").name("accounts").time(time).<String>build();
    LimiterMetrics.of(keyed).bindTo(registry);
    keyed.limiter("alice").acquire(4).answered();
    keyed.limiter("bob").acquire(2).answered();
    keyed.acquire("bob").answered();
    assertEquals(7, value("limit.spent"));
    assertEquals(4, keyed.limiter("alice").snapshot().grantedUnits());
    assertEquals(3, keyed.limiter("bob").snapshot().grantedUnits());
  }

  private void assertRate(String limit, double perSecond) {
    api.setLimit(limit);
    double tolerance = Double.isNaN(perSecond) ? 1 : perSecond / 500;
    assertEquals(perSecond, value("limit.rate"), tolerance, limit);
    assertEquals(perSecond, value("limit.rate.working"), tolerance, limit);
  }

  @Test
  void figuresStayWhileNothingElseRefersToTheView() throws Exception {
    var keyed = KeyedLimiter.<String>of("10/1m");
    LimiterMetrics.of(keyed.limiter("alice")).bindTo(registry);
    keyed.acquire("alice").answered();
    collectGarbage();
    assertEquals(1, value("permits.released"));
  }

  /** Waits until a weak reference made now has been cleared. */
  private static void collectGarbage() {
    var gone = new java.lang.ref.WeakReference<>(new Object());
    for (int i = 0; i < 100 && gone.get() != null; i++) {
      System.gc();
    }
    assertEquals(null, gone.get());
  }

  @Test
  void aClosedLimiterKeepsItsFiguresUntilTheMetricsAreClosed() throws Exception {
    var limiter = Limiter.builder("10/1m").name("short").time(time).build();
    try (var metrics = LimiterMetrics.of(limiter)) {
      metrics.bindTo(registry);
      limiter.acquire().answered();
      limiter.close();
      assertEquals(1, value("permits.released"));
    }
    assertEquals(List.of(), registry.getMeters());
  }

  @Test
  void twoLimitersOfOneNameAreRefusedAndNothingIsAdded() {
    LimiterMetrics.of(api).bindTo(registry);
    List<Meter> before = registry.getMeters();
    var other = LimiterMetrics.of(Limiter.builder("9/1m").name("api").build());
    var refused = assertThrows(IllegalStateException.class, () -> other.bindTo(registry));
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains("limiter='api'") || message.contains("api"), message);
    assertTrue(message.contains("a name of its own"), message);
    assertEquals(List.copyOf(before), registry.getMeters());
  }

  @Test
  void aFilterThatRenamesHidesNoOtherLimiterOfThatName() {
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                return id.withName("my." + id.getName());
              }
            });
    LimiterMetrics.of(api).bindTo(registry);
    List<Meter> before = List.copyOf(registry.getMeters());
    var other = LimiterMetrics.of(Limiter.builder("9/1m").name("api").build());
    assertThrows(IllegalStateException.class, () -> other.bindTo(registry));
    other.close();
    assertEquals(before, registry.getMeters());
  }

  @Test
  void aRefusalLaterOnTakesBackWhatWasAdded() {
    registry.gauge("pacegate.limit.rate.working", List.of(Tag.of("limiter", "api")), 1);
    assertThrows(IllegalStateException.class, () -> LimiterMetrics.of(api).bindTo(registry));
    assertEquals(1, registry.getMeters().size());
  }

  @Test
  void limitersWithoutANameAreNamedByTheirLimits() {
    LimiterMetrics.of(Limiter.of("10/1m")).bindTo(registry);
    LimiterMetrics.of(Limiter.of("20/1m")).bindTo(registry);
    assertEquals(
        List.of("10/1m", "20/1m"),
        registry.find("pacegate.permits.open").meters().stream()
            .map(meter -> String.valueOf(meter.getId().getTag("limiter")))
            .sorted()
            .toList());
  }

  @Test
  void bindingTwiceHasNoEffect() {
    LimiterMetrics metrics = LimiterMetrics.of(api);
    metrics.bindTo(registry);
    int meters = registry.getMeters().size();
    metrics.bindTo(registry);
    assertEquals(meters, registry.getMeters().size());
  }

  @Test
  void oneBinderServesSeveralRegistries() throws Exception {
    var composite = new CompositeMeterRegistry();
    var inside = new SimpleMeterRegistry();
    composite.add(inside);
    try (LimiterMetrics metrics = LimiterMetrics.of(api)) {
      metrics.bindTo(registry);
      metrics.bindTo(composite);
      api.acquire().answered();
      assertEquals(1, value("permits.released"));
      assertEquals(1, inside.get("pacegate.permits.released").functionCounter().count());
    }
    assertEquals(0, registry.getMeters().size() + inside.getMeters().size());
  }

  @Test
  void tagsAreAdded() {
    LimiterMetrics.of(api).tags("region", "eu").tags(List.of(Tag.of("zone", "a"))).bindTo(registry);
    for (Meter meter : registry.getMeters()) {
      assertEquals("eu", meter.getId().getTag("region"));
      assertEquals("a", meter.getId().getTag("zone"));
      assertEquals("api", meter.getId().getTag("limiter"));
    }
  }

  @Test
  void keysAreNoTags() throws Exception {
    var keyed =
        KeyedLimiter.builder("2/1m").within("100/1s").name("accounts").time(time).<String>build();
    LimiterMetrics.of(keyed).bindTo(registry);
    keyed.acquire("alice").answered();
    keyed.acquire("bob").answered();
    assertEquals(2, value("permits.released"));
    assertEquals(2, value("keys.known"));
    assertTrue(
        registry.getMeters().stream().allMatch(meter -> meter.getId().getTag("key") == null));
  }

  @Test
  void keysThatAreAskedForAreTags() throws Exception {
    var keyed = KeyedLimiter.builder("2/1m").name("accounts").time(time).<String>build();
    LimiterMetrics.of(keyed, List.of("alice", "carol")).bindTo(registry);
    keyed.acquire("alice").answered();
    keyed.acquire("bob").answered();
    assertEquals(1, ofKey("released", "alice"));
    assertEquals(0.5, ofKey("used.most", "alice"));
    assertEquals(0, ofKey("released", "carol"));
    assertEquals(0, ofKey("open", "alice"));
    assertEquals(0, ofKey("waiting", "alice"));
    assertEquals(2, registry.find("pacegate.key.released").meters().size());
    assertEquals(2, keyed.size(), "looking at a key makes it known");
    keyed.limiter("carol").pause();
    assertEquals(1, ofKey("paused", "carol"));
    assertEquals(0, ofKey("paused", "alice"));
  }

  @Test
  void tooManyKeysAreRefused() {
    var keyed = KeyedLimiter.<Integer>of("2/1m");
    List<Integer> keys = IntStream.rangeClosed(0, LimiterMetrics.MAX_KEYS).boxed().toList();
    var refused =
        assertThrows(IllegalArgumentException.class, () -> LimiterMetrics.of(keyed, keys));
    assertEquals("at most 100 keys may have figures of their own: 101", refused.getMessage());
  }

  @Test
  void tellsWhatIsQueuedForDelivery() throws Exception {
    try (Throttler<String> throttler = Throttler.<String>builder(api).build()) {
      LimiterMetrics.of("mail", throttler).bindTo(registry);
      throttler.send("a");
      throttler.send("b");
      var queued = registry.get("pacegate.throttler.queued").tag("throttler", "mail").gauge();
      assertEquals(2, queued.value());
      throttler.undelivered();
      assertEquals(0, queued.value());
    }
  }

  @Test
  void tellsWhatIsQueuedInAnExecutor() throws Exception {
    api.acquire(4).answered();
    var executor = ThrottledExecutorService.of(api, Runnable::run);
    LimiterMetrics.of("jobs", executor).bindTo(registry);
    executor.execute(() -> {});
    var queued = registry.get("pacegate.executor.queued").tag("executor", "jobs").gauge();
    assertEquals(1, queued.value());
    executor.shutdownNow();
    assertEquals(0, queued.value());
  }

  private double value(String name) {
    Meter meter = registry.get("pacegate." + name).meter();
    return meter.measure().iterator().next().getValue();
  }

  private double within(String le) {
    return registry.get("pacegate.permits.within").tag("le", le).functionCounter().count();
  }

  private double ofKey(String figure, String key) {
    return registry
        .get("pacegate.key." + figure)
        .tag("key", key)
        .tag("limiter", "accounts")
        .meter()
        .measure()
        .iterator()
        .next()
        .getValue();
  }
}
