package dev.pacegate.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.limit.spi.Past;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Several limiters that take permits from one store, a millisecond away. */
class FedStoreTest {

  private static final long ROUND_TRIP = 1_000_000;

  private final ManualTime time = ManualTime.manual();
  private final List<Long> released = new ArrayList<>(); // by all, in readings of the one clock

  /** Leases permits of one limit that it counts: each lease ends a tenth of a second later. */
  private final class Store implements MeterSource {
    private static final int MOST_AT_ONCE = 5;
    private static final long LEASE = 100_000_000;

    private final Meter counted = Limits.parse("20/1s").newMeter(0);
    int calls;

    @Override
    public FedMeter newMeter(MeterContext context) {
      return new Leased(this, context);
    }

    /** Grants what there is, and counts it as released when the lease ends. */
    long lease(long wanted) {
      calls++;
      long granted = 0;
      long now = time.nanoTime();
      while (granted < Math.min(wanted, MOST_AT_ONCE)
          && counted.nanosUntil(now, now, Cost.ONE) == 0) {
        counted.release(now, now + LEASE, Cost.ONE);
        granted++;
      }
      return granted;
    }
  }

  private final class Leased implements FedMeter {
    private final Store store;
    private final MeterSource.MeterContext context;
    private long permits;
    private long endsAt;
    private long asksAt;
    private boolean asking;

    Leased(Store store, MeterSource.MeterContext context) {
      this.store = store;
      this.context = context;
    }

    @Override
    public long nanosUntil(long since, long now, Cost cost) {
      if (now < endsAt && cost.amount() <= permits) {
        return 0;
      }
      return asking || now >= asksAt ? AT_EVENT : asksAt - now;
    }

    @Override
    public long atLeast(long since, long now, Cost ahead, Cost cost) {
      return 0;
    }

    @Override
    public void release(long since, long now, Cost cost) {
      permits -= cost.amount();
      released.add(time.nanoTime());
    }

    @Override
    public @Nullable Runnable errand(long now, Cost wanted) {
      long missing = wanted.amount() - (now < endsAt ? permits : 0);
      if (asking || missing <= 0 || now < asksAt) {
        return null;
      }
      asking = true;
      return () -> time.at(time.nanoTime() + ROUND_TRIP, () -> answers(missing));
    }

    private void answers(long missing) {
      long granted = store.lease(missing);
      context
          .sink()
          .tell(
              now -> {
                permits = (now < endsAt ? permits : 0) + granted;
                endsAt = now + Store.LEASE - ROUND_TRIP;
                asking = false;
                asksAt = granted == 0 ? now + 10_000_000 : now;
              });
    }

    @Override
    public void retire(long now) {}

    @Override
    public boolean recall(long now, Past past) {
      return false;
    }

    @Override
    public long restsIn(long now) {
      return Math.max(0, endsAt - now);
    }

    @Override
    public void most(LongConsumer sink) {
      sink.accept(0);
    }
  }

  private Limiter node(Store store) {
    return Limiter.builder("20/1s").time(time).executor(Runnable::run).source(store).build();
  }

  @Test
  void allTogetherKeepTheLimitAndNoneStarves() {
    var store = new Store();
    List<Limiter> nodes = List.of(node(store), node(store), node(store));
    int[] granted = new int[nodes.size()];
    for (int i = 0; i < 300; i++) {
      int node = i % nodes.size();
      var unused = nodes.get(node).acquireAsync().thenAccept(permit -> granted[node]++);
    }
    time.advance(Duration.ofSeconds(10));
    assertKept();
    assertTrue(released.size() >= 150, () -> released.size() + " of 200 in 10 s");
    for (int of : granted) {
      assertTrue(of >= 20, () -> of + " of " + released.size());
    }
    time.advance(Duration.ofSeconds(20));
    assertEquals(300, released.size());
    int calls = store.calls;
    time.advance(Duration.ofMinutes(1));
    assertEquals(calls, store.calls); // while none waits the store is left alone
    assertEquals(0, time.pending());
  }

  @Test
  void aProgramThatOnlyPollsIsGivenPermits() {
    Limiter node = node(new Store());
    int polls = 0;
    while (node.tryAcquire().isEmpty() && polls++ < 10) {
      time.advanceNanos(ROUND_TRIP);
    }
    assertTrue(polls <= 2, polls + " polls");
  }

  @Test
  void executorsAndThrottlersNeedNoCodeOfTheirOwn() {
    var store = new Store();
    var done = new ArrayList<Integer>();
    var tasks = ThrottledExecutorService.of(node(store), Runnable::run);
    var throttler = Throttler.<Integer>builder(node(store)).executor(Runnable::run).build();
    throttler.target(done::add);
    for (int i = 0; i < 30; i++) {
      int number = i;
      tasks.execute(() -> done.add(number));
      assertTrue(throttler.offer(number));
    }
    time.advance(Duration.ofSeconds(10));
    assertEquals(60, done.size());
    assertKept();
  }

  private void assertKept() {
    var audit = Audit.of(Limits.parse("20/1s"));
    for (long instant : released) {
      audit = audit.add(instant);
    }
    Report report = audit.report();
    assertTrue(report.kept(), report::text);
  }
}
