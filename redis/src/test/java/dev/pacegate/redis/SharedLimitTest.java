package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;

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
import java.util.List;
import java.util.function.LongConsumer;
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
  private final SharedLimit limit =
      new SharedLimit(
          Address.of("api"),
          "a",
          settings,
          store,
          time,
          new CountingSink(),
          null,
          new SharedSource("api", null, settings, store, time),
          book);
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

  private Runnable errand(long waiting) {
    return requireNonNull(limit.errand(time.nanoTime(), cost(waiting)));
  }

  private static Cost cost(long units) {
    return units == 0 ? Cost.none() : Cost.of(units);
  }

  private void call(long wanted) {
    Request request = requireNonNull(book.request(time.nanoTime(), cost(wanted)));
    Reply reply = twin.acquire("a", request, terms, true);
    book.replied(request, time.nanoTime(), time.nanoTime(), reply);
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
