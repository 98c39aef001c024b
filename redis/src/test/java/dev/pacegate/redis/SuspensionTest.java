package dev.pacegate.redis;

import static java.util.Comparator.comparingLong;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.NewsSink;
import dev.pacegate.time.ManualTime;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Machines that are suspended: their own clock stands, the time of day and the store's clock go on.
 * The peer counts by true time.
 */
class SuspensionTest {

  private static final long MS = 1_000_000;

  private final StoreTwin store = new StoreTwin();
  private long now; // true time
  private Limit limit = Limits.parse("10/1s");
  private final List<Machine> machines = new ArrayList<>();

  SuspensionTest() {
    store.wall = 1_790_000_000_000_000L;
  }

  private static Cost cost(long units) {
    return Cost.sum(units, units);
  }

  private Terms terms() {
    return Terms.of(limit, Duration.ZERO);
  }

  private Machine machine(String name) {
    var machine = new Machine(name);
    machines.add(machine);
    return machine;
  }

  /** Two machines that share a limit, of which the store knows. */
  private Machine share(String text) {
    limit = Limits.parse(text);
    Machine a = machine("a");
    Machine b = machine("b");
    for (Machine each : List.of(a, b)) {
      each.call(1);
      each.call(1);
    }
    pass(3000);
    for (Machine each : List.of(a, b)) {
      each.call(0);
    }
    return a;
  }

  private void pass(long millis) {
    now += millis * MS;
    store.wall += millis * 1000;
    for (Machine machine : machines) {
      if (machine.suspended) {
        machine.time.setInstant(machine.time.instant().plusMillis(millis));
      } else {
        machine.time.advance(Duration.ofMillis(millis));
      }
    }
  }

  private void suspend(Machine machine, long millis) {
    machine.suspended = true;
    pass(millis);
    machine.suspended = false;
    pass(1);
  }

  /** Units are used again an interval after they were. */
  @Test
  void unitsLeasedBeforeASuspensionAreNotUsedAfterIt() {
    Machine a = share("10/1s");
    Machine b = machines.get(1);
    a.call(10);
    assertTrue(a.may(10));
    suspend(a, 3000);
    b.call(10);
    assertTrue(b.may(10));
    assertFalse(a.may(1));
  }

  @Test
  void aReplyThatWasUnderWayInASuspensionBringsNothing() {
    Machine a = share("10/1s");
    a.send(10);
    suspend(a, 3000);
    a.receive();
    assertFalse(a.may(1));
  }

  @Test
  void aPlaceIsNotUsedAgainAfterASuspension() {
    Machine a = share("concurrent(3, unanswered=1s)");
    a.call(3);
    long began = a.start(1);
    suspend(a, 3000);
    a.end(began, 1);
    assertFalse(a.may(1));
  }

  /** By its own clock it was over before the suspension ended. */
  @Test
  void aRequestThatWasOpenInASuspensionIsSpentUntilAnIntervalAfterItsEnd() {
    Machine a = share("peer(10/1s, unanswered=2s)");
    Machine b = machines.get(1);
    a.call(10);
    long began = a.start(10);
    suspend(a, 900);
    a.end(began, 10);
    a.send(0);
    pass(500); // by a's clock, which stood, more than an interval has passed for the store
    b.call(10);
    assertFalse(b.may(1));
  }

  /** The store may have taken what was not heard of for lost. */
  @Test
  void aRequestThatIsOpenAfterALongSuspensionIsToldAgain() {
    Machine a = share("peer(10/1s, unanswered=1s)");
    Machine b = machines.get(1);
    a.call(10);
    a.start(10);
    suspend(a, 3000);
    a.send(0);
    b.call(10);
    assertFalse(b.may(1));
  }

  @Test
  void afterASuspensionItGoesOn() {
    Machine a = share("10/1s");
    a.call(10);
    suspend(a, 3000);
    for (int i = 0; i < 100 && !a.may(10); i++) {
      a.call(10);
      pass(100);
    }
    assertTrue(a.may(10));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10/1s", "peer(10/1s, unanswered=2s)", "concurrent(5, unanswered=2s)"})
  void thePeerNeverCountsTooManyWhateverIsSuspended(String text) {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    var random = new Random(seed);
    for (int i = 0; i < 60; i++) {
      var world = new SuspensionTest();
      world.walk(text, random, "seed " + seed + ", world " + i);
    }
  }

  private void walk(String text, Random random, String seed) {
    share(text);
    for (int step = 0; step < 400; step++) {
      Machine machine = machines.get(random.nextInt(2));
      switch (random.nextInt(6)) {
        case 0 -> machine.send(1 + random.nextInt(10));
        case 1 -> machine.receive();
        case 2, 3 -> machine.startSome(1 + random.nextInt(10));
        case 4 -> machine.endSome(random);
        default -> pass(random.nextInt(60));
      }
      if (step == 200 || random.nextInt(40) == 0) {
        suspend(machine, 300 + random.nextInt(700));
      }
      machines.forEach(Machine::endOld);
    }
    judge(seed);
  }

  /** Looks at it as the peer, which counts each request when it begins, or when it ends. */
  private void judge(String seed) {
    if (limit instanceof Concurrent) {
      var places = Audit.of(limit);
      byTime(each -> each.from)
          .forEach(each -> places.add(each.from, each.to, Cost.sum(each.units, each.units)));
      assertKept(places, seed);
      return;
    }
    for (ToLongFunction<Sent> counted : List.<ToLongFunction<Sent>>of(e -> e.from, e -> e.to)) {
      var window = Audit.of(Limits.parse("10/1s"));
      byTime(counted).forEach(each -> window.add(counted.applyAsLong(each), each.units));
      assertKept(window, seed);
    }
  }

  private Stream<Sent> byTime(ToLongFunction<Sent> instant) {
    return machines.stream().flatMap(m -> m.all.stream()).sorted(comparingLong(instant));
  }

  private static void assertKept(Audit audit, String seed) {
    assertTrue(audit.verdict().kept(), () -> seed + ": " + audit.verdict().text());
  }

  /** A request: by true time, and by the clock of its machine. */
  private static final class Sent {
    final long from;
    final long local;
    final long units;
    final boolean tracked;
    long to;

    Sent(long from, long local, long units, boolean tracked) {
      this.from = from;
      this.local = local;
      this.units = units;
      this.tracked = tracked;
      this.to = from;
    }
  }

  /** A process on a machine of its own. */
  private final class Machine implements NewsSink {
    final String name;
    final ManualTime time = ManualTime.manual(1000 * MS);
    final SharedLimit part;
    final List<Sent> open = new ArrayList<>();
    final List<Sent> all = new ArrayList<>();
    boolean suspended;
    @Nullable Request request;
    @Nullable Reply reply;
    long sentAt;

    Machine(String name) {
      this.name = name;
      var settings = new Settings(WhenDown.WAIT, Duration.ZERO, true, null, "");
      var none = new Store(unconnected(), new Wire(), problem -> problem, () -> {}, time);
      this.part =
          new SharedLimit(
              Address.of("api"),
              name,
              settings,
              none,
              time,
              this,
              null,
              new SharedSource("api", null, settings, none, time),
              new LeaseBook(terms()));
    }

    LeaseBook book() {
      return part.bookAt(now());
    }

    boolean may(long units) {
      return book().nanosUntil(now(), cost(units)) == 0;
    }

    void call(long wanted) {
      send(wanted);
      receive();
    }

    /** Calls the store, which carries it out at once. */
    void send(long wanted) {
      if (request == null) {
        request = book().request(now(), cost(wanted));
        if (request != null) {
          sentAt = now();
          reply = store.acquire(name, request, terms(), true);
        }
      }
    }

    void receive() {
      Request sent = request;
      if (sent != null) {
        request = null;
        book().replied(sent, sentAt, now(), requireNonNull(reply));
      }
    }

    long start(long units) {
      assertTrue(may(units));
      long at = now();
      var one = new Sent(now, at, units, terms().tracks());
      book().start(at, at, cost(units));
      all.add(one);
      if (one.tracked) {
        open.add(one);
      }
      return at;
    }

    void startSome(long units) {
      if (may(units) && open.stream().noneMatch(each -> each.local == now())) {
        start(units);
      }
    }

    void end(long began, long units) {
      book().end(began, now(), cost(units), Outcome.ANSWERED);
    }

    void endSome(Random random) {
      if (!open.isEmpty()) {
        end(open.remove(random.nextInt(open.size())));
      }
    }

    /** None lasts longer than the limit says. */
    void endOld() {
      for (Sent each : List.copyOf(open)) {
        if (now - each.from > 900 * MS) {
          open.remove(each);
          end(each);
        }
      }
    }

    private void end(Sent each) {
      each.to = now;
      end(each.local, each.units);
    }

    @Override
    public long now() {
      return time.nanoTime();
    }

    @Override
    public void tell(LongConsumer news) {
      news.accept(now());
    }

    @Override
    public void change(Limit next) {}

    @Override
    public void refuse(String why) {}
  }

  @SuppressWarnings("unchecked")
  private static StatefulRedisConnection<String, String> unconnected() {
    return (StatefulRedisConnection<String, String>)
        Proxy.newProxyInstance(
            SuspensionTest.class.getClassLoader(),
            new Class<?>[] {StatefulRedisConnection.class},
            (proxy, method, arguments) -> {
              throw new AssertionError("the store is called: " + method);
            });
  }
}
