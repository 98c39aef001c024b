package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.redis.Request.Demand;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a limiter's part in a shared limit looks again, whatever the order of its errands. */
class SharedLimitTest {

  private static final long MS = 1_000_000;

  private final ManualTime time = ManualTime.manual(1000 * MS);
  private final StoreTwin twin = new StoreTwin();
  private final Terms terms = Terms.of(Limits.parse("peer(10/1s, unanswered=1m)"), Duration.ZERO);
  private final LeaseBook book = new LeaseBook(terms);
  private final Settings settings = new Settings(WhenDown.WAIT, Duration.ZERO, true, null, "");
  private final Store store =
      new Store(unconnected(), new Wire(), problem -> problem, () -> {}, time);
  private final SharedLimit limit = limit(book, store);
  private int told;

  SharedLimitTest() {
    twin.wall = 1_790_000_000_000_000L;
    call(1);
    String revision = Long.toString(requireNonNull(twin.stored).law.revision());
    twin.acquire(
        "b",
        new Request(1, List.of(new Demand(9, 9, 0)), "", "", revision, List.of()),
        terms,
        true);
    call(2);
    book.start(time.nanoTime(), time.nanoTime(), Cost.ONE);
  }

  @Test
  void anEarlierErrandDoesNotPutOffALaterOne() {
    Runnable whileNoRequestWaits = errand(0);
    Runnable whileOneWaits = errand(1);
    whileOneWaits.run();
    whileNoRequestWaits.run();
    time.advance(Duration.ofSeconds(1));
    assertEquals(1, told);
  }

  @Test
  void itDoesNotLookAgainOnceItsLimiterIsClosed() {
    errand(1).run();
    assertEquals(1, time.pending());
    book.end(time.nanoTime(), time.nanoTime(), Cost.ONE, Outcome.NOT_SENT);
    limit.retire();
    call(0);
    errand(0).run();
    assertEquals(0, time.pending());
  }

  @Test
  void anErrandThatComesAfterTheStoreWasClosedLeavesNoTimer() {
    Runnable late = errand(1);
    store.close(Duration.ZERO);
    limit.stop();
    late.run();
    assertEquals(0, time.pending());
  }

  /** Else a unit in use is granted elsewhere while its process has full calls of other keys. */
  @Test
  void aReportIsHurriedOnceTheStoreMustHearOfWhatIsOpen() {
    var asked = new ArrayList<Caller>();
    var ofTwo = new LeaseBook(terms);
    var reporting = limit(ofTwo, keeping(asked));
    twin.wall += 100_000_000;
    call(ofTwo, 2);
    call(ofTwo, 2);
    long began = time.nanoTime();
    ofTwo.start(began, began, Cost.of(2));
    time.advance(Duration.ofMillis(1));
    ofTwo.end(began, time.nanoTime(), Cost.ONE, Outcome.ANSWERED);
    time.advance(Duration.ofSeconds(2));
    run(reporting.errand(time.nanoTime(), Cost.none()));
    CompletableFuture<?> waitedFor = asked.get(0).waitedFor().toCompletableFuture();
    run(reporting.errand(time.nanoTime(), Cost.none()));
    assertFalse(waitedFor.isDone(), "only what ended is told");
    long heartbeat = terms.terms().get(0).spentFor() * 1000 / 4;
    time.advance(Duration.ofNanos(began + heartbeat - time.nanoTime()));
    assertEquals(1, told, "it looks again");
    run(reporting.errand(time.nanoTime(), Cost.none()));
    assertTrue(waitedFor.isDone());
    assertNull(reporting.errand(time.nanoTime(), Cost.none()));
    assertEquals(0, time.pending());
  }

  private static void run(@Nullable Runnable errand) {
    requireNonNull(errand).run();
  }

  private static ScriptRunner keeping(List<Caller> asked) {
    return new ScriptRunner() {
      @Override
      public void run(Script script, Address address, int terms, Caller caller) {
        asked.add(caller);
      }

      @Override
      public boolean isClosed() {
        return false;
      }
    };
  }

  private SharedLimit limit(LeaseBook ofLimit, ScriptRunner runner) {
    var source = new SharedSource("api", null, settings, store, time);
    return new SharedLimit(
        Address.of("api"), "a", settings, runner, time, new CountingSink(), null, source, ofLimit);
  }

  private Runnable errand(long waiting) {
    return requireNonNull(limit.errand(time.nanoTime(), cost(waiting)));
  }

  private static Cost cost(long units) {
    return units == 0 ? Cost.none() : Cost.of(units);
  }

  private void call(long wanted) {
    call(book, wanted);
  }

  private void call(LeaseBook of, long wanted) {
    Request request = requireNonNull(of.request(time.nanoTime(), cost(wanted)));
    Reply reply = twin.acquire("a", request, terms, true);
    of.replied(request, time.nanoTime(), time.nanoTime(), reply);
  }

  @SuppressWarnings("unchecked")
  private static StatefulRedisConnection<String, String> unconnected() {
    return (StatefulRedisConnection<String, String>)
        Proxy.newProxyInstance(
            SharedLimitTest.class.getClassLoader(),
            new Class<?>[] {StatefulRedisConnection.class},
            (proxy, method, arguments) -> {
              throw new AssertionError("the store is called: " + method);
            });
  }

  private final class CountingSink implements NewsSink {

    @Override
    public long now() {
      return time.nanoTime();
    }

    @Override
    public void tell(LongConsumer news) {
      told++;
      news.accept(now());
    }

    @Override
    public void change(Limit next) {}

    @Override
    public void refuse(String why) {}
  }
}
