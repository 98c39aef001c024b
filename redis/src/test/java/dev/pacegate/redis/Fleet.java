package dev.pacegate.redis;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.redis.rig.RedisServer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Processes that share one limit, in virtual time: a real {@link LeaseBook} for each, and the real
 * scripts. The server carries out one call after the other, and each takes as long as it is told.
 */
public final class Fleet {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;
  private static final long LATE = SECOND; // a caller is told so of a call that takes longer
  private static final Address ADDRESS = Address.of("api");

  /**
   * What is simulated.
   *
   * @param limit which they share
   * @param processes how many there are
   * @param demand of the limit: more than 1 for all they can get
   * @param seconds for how long it is measured
   * @param way to the server and back, in milliseconds
   * @param loss whether the server forgets all before that
   */
  public record Setting(
      String limit, int processes, double demand, int seconds, int way, boolean loss) {}

  /**
   * What came of it.
   *
   * @param permits that were used while it was measured
   * @param share of the limit
   * @param calls of the script
   * @param late calls that were answered after more than a second
   * @param busy for what share of the time the server was
   * @param bytes of the record, on average
   * @param mostBytes the largest record
   * @param least permits of one process
   * @param most permits of one process
   * @param longest time for which a process that waited got no permit, in seconds
   * @param median wait for a permit, in milliseconds
   * @param slowest the 99th percentile of the waits, in milliseconds
   * @param cpu of the real server for a call, in microseconds, which depends on the machine
   * @param mostCounted in an interval, from the start of a request to its answer
   */
  public record Result(
      Setting setting,
      long permits,
      double share,
      long calls,
      long late,
      double busy,
      double bytes,
      long mostBytes,
      long least,
      long most,
      double longest,
      double median,
      double slowest,
      double cpu,
      long mostCounted,
      Herd herd) {

    /** Returns how many calls were made each second. */
    public double callsPerSecond() {
      return (double) calls / setting.seconds;
    }

    /** Returns how many calls were made for each permit. */
    public double callsPerPermit() {
      return (double) calls / Math.max(1, permits);
    }
  }

  /**
   * What followed a loss.
   *
   * @param fence in seconds
   * @param calls each second of the fence
   * @param most calls that arrived within 100 ms
   * @param until from the end of the fence until the first permit, in seconds
   */
  public record Herd(double fence, double calls, long most, double until) {}

  private record Event(long at, long number, Runnable step) implements Comparable<Event> {

    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  /** A process. */
  private final class Side {
    final String name;
    final LeaseBook book;
    final ArrayDeque<Long> waiting = new ArrayDeque<>(); // since when
    private long wakeAt = Long.MAX_VALUE;
    private @Nullable Long ahead;
    long permits;
    long servedAt; // or the line was empty last
    long longest;

    Side(int number) {
      this.name = String.format("client%04d", number);
      this.book = new LeaseBook(terms);
    }

    void want() {
      if (waiting.isEmpty()) {
        servedAt = now;
      }
      waiting.add(now);
    }

    void visit() {
      while (!waiting.isEmpty() && book.nanosUntil(now, Cost.ONE) == 0) {
        start();
      }
      Cost wanted = waiting.isEmpty() ? Cost.none() : Cost.of(waiting.size());
      Request request = book.request(now, wanted);
      if (request != null) {
        long sent = now;
        at(now + way / 2, () -> arrive(this, request, sent));
      }
      Long due = book.dueAt(now, wanted);
      long next = due == null ? Long.MAX_VALUE : due;
      long wait = waiting.isEmpty() ? Long.MAX_VALUE : book.nanosUntil(now, Cost.ONE);
      if (wait < Long.MAX_VALUE / 4) {
        next = Math.min(next, now + wait);
      }
      wake(next);
    }

    private void wake(long next) {
      if (next < Long.MAX_VALUE && next != wakeAt) {
        wakeAt = next;
        at(
            next,
            () -> {
              if (wakeAt == now) {
                wakeAt = Long.MAX_VALUE;
                visit();
              }
            });
      }
    }

    private void start() {
      long since = waiting.remove();
      long startedAt = now;
      book.start(now, now, Cost.ONE);
      note(since);
      long answeredAt = now + answer();
      audit.add(startedAt, answeredAt, Cost.ONE);
      at(
          answeredAt,
          () -> {
            book.end(startedAt, now, Cost.ONE, Outcome.ANSWERED);
            if (setting.demand > 1) {
              want();
            }
            visit();
          });
    }

    private void note(long since) {
      permits += isMeasured() ? 1 : 0;
      starts += isMeasured() ? 1 : 0;
      if (isMeasured()) {
        waits.add(now - since);
        longest = Math.max(longest, now - Math.max(servedAt, begin));
      }
      if (lostAt > 0 && now >= lostAt + terms.fence() * 1000 && firstAfter == 0) {
        firstAfter = now;
      }
      servedAt = now;
    }

    void replied(Request request, long sent, Reply reply) {
      ahead = now / 1000 - reply.clock();
      book.replied(request, sent, now, reply);
      visit();
    }

    long ahead() {
      return ahead == null ? 0 : ahead;
    }
  }

  private final Setting setting;
  private final Terms terms;
  private final long way;
  private final long begin; // of what is measured
  private final long end;
  private final VirtualStore store;
  private final DoubleUnaryOperator service; // microseconds by bytes
  private final SplittableRandom random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<Side> sides = new ArrayList<>();
  private final Audit audit;
  private final List<Long> waits = new ArrayList<>();
  private final Map<Long, Integer> arrivals = new HashMap<>(); // in each 100 ms after a loss
  private long now;
  private long number;
  private long freeAt;
  private long starts;
  private long calls;
  private long late;
  private long busy;
  private double bytes;
  private long mostBytes;
  private long lostAt;
  private long firstAfter;

  private Fleet(Setting setting, VirtualStore store, DoubleUnaryOperator service, long seed) {
    this.setting = setting;
    this.terms = Terms.of(Limits.parse(setting.limit), null);
    this.audit = Audit.of(terms.limit());
    this.way = setting.way * MILLI;
    this.begin = settled(terms, setting.processes) + (setting.loss ? terms.fence() * 1000 : 0);
    this.end = begin + setting.seconds * SECOND;
    this.store = store;
    this.service = service;
    this.random = new SplittableRandom(seed);
    for (int i = 0; i < setting.processes; i++) {
      sides.add(new Side(i));
    }
  }

  /**
   * Lets it go.
   *
   * @param service how many microseconds the server takes for a call, by the bytes of the record
   */
  public static Result run(
      RedisServer server, Setting setting, DoubleUnaryOperator service, long seed)
      throws Exception {
    try (var store = new VirtualStore(server)) {
      return new Fleet(setting, store, service, seed).run();
    }
  }

  /** Returns how long a fence of a limit takes, in seconds. */
  public static double fence(String limit) {
    return Terms.of(Limits.parse(limit), null).fence() / 1e6;
  }

  /** Returns for how long a number of processes is let alone before it is measured, in seconds. */
  public static double settled(String limit, int processes) {
    return settled(Terms.of(Limits.parse(limit), null), processes) / 1e9;
  }

  // Many processes take a while until each calls as seldom as it should.
  private static long settled(Terms terms, int processes) {
    long interval = terms.terms().get(0).interval() * 1000;
    return 3 * interval + 2 * SECOND + Math.max(0L, processes - 100) * 12 * MILLI;
  }

  /** Returns for how long a lease of a limit may be used, in seconds. */
  public static double use(String limit) {
    return Terms.of(Limits.parse(limit), null).use() / 1e6;
  }

  /** Returns how many processes may use a limit before they are told to stay away for a gap. */
  public static int mostWithoutCrowd(String limit) {
    long use = Terms.of(Limits.parse(limit), null).use();
    int most = 1;
    while (StoreTwin.Pace.USUAL.gap(most + 1) <= use) {
      most++;
    }
    return most;
  }

  private Result run() throws Exception {
    for (Side side : sides) {
      at(random.nextLong(SECOND), () -> begin(side));
    }
    if (setting.loss) {
      at(begin - terms.fence() * 1000 - SECOND, this::lose);
    }
    while (!events.isEmpty() && events.peek().at < end) {
      Event event = events.remove();
      now = event.at;
      event.step.run();
    }
    now = end;
    return result(store.quietMicros());
  }

  private void begin(Side side) {
    if (setting.demand > 1) {
      for (int i = 0; i < threads(); i++) {
        side.want();
      }
      side.visit();
    } else {
      arrive(side);
    }
  }

  // As many as would reach the demand if each permit were there at once.
  private long threads() {
    double requests = setting.demand * perSecond() * meanAnswer() / SECOND;
    return Math.max(2, (long) Math.ceil(requests / setting.processes));
  }

  private double perSecond() {
    Term term = terms.terms().get(0);
    return term.capacity() * 1e6 / term.span();
  }

  private static long meanAnswer() {
    return 40 * MILLI;
  }

  private long answer() {
    return random.nextLong(20 * MILLI, 60 * MILLI);
  }

  private void arrive(Side side) {
    double mean = SECOND * setting.processes / (setting.demand * perSecond());
    at(
        now + (long) (-Math.log(1 - random.nextDouble()) * mean),
        () -> {
          side.want();
          side.visit();
          arrive(side);
        });
  }

  private void lose() {
    store.forget();
    lostAt = now;
  }

  private boolean isMeasured() {
    return now >= begin;
  }

  private void at(long instant, Runnable step) {
    events.add(new Event(instant, number++, step));
  }

  private void arrive(Side side, Request request, long sent) {
    long micros = (long) service.applyAsDouble((double) store.bytes());
    freeAt = Math.max(now, freeAt) + micros * 1000;
    calls += isMeasured() ? 1 : 0;
    busy += isMeasured() ? micros * 1000 : 0;
    if (lostAt > 0 && now < lostAt + (terms.fence() + terms.use()) * 1000) {
      arrivals.merge(now / (100 * MILLI), 1, Integer::sum);
    }
    at(freeAt, () -> carryOut(side, request, sent));
  }

  private void carryOut(Side side, Request request, long sent) {
    Reply reply;
    try {
      var entry = new VirtualStore.Entry(ADDRESS, side.name, request, side.ahead());
      reply = store.acquire(now, terms, List.of(entry));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    bytes += isMeasured() ? store.bytes() : 0;
    mostBytes = Math.max(mostBytes, isMeasured() ? store.bytes() : 0);
    late += isMeasured() && now + way / 2 - sent > LATE ? 1 : 0;
    at(now + way / 2, () -> side.replied(request, sent, reply));
  }

  private Result result(double cpu) {
    long[] permits = sides.stream().mapToLong(side -> side.permits).toArray();
    long longest = 0;
    for (Side side : sides) {
      long waiting = side.waiting.isEmpty() ? 0 : end - Math.max(side.servedAt, begin);
      longest = Math.max(longest, Math.max(side.longest, waiting));
    }
    long[] sorted = waits.stream().mapToLong(each -> each).sorted().toArray();
    return new Result(
        setting,
        starts,
        starts / (perSecond() * setting.seconds),
        calls,
        late,
        (double) busy / (end - begin),
        bytes / Math.max(1, calls),
        mostBytes,
        Arrays.stream(permits).min().orElse(0),
        Arrays.stream(permits).max().orElse(0),
        (double) longest / SECOND,
        percentile(sorted, 50),
        percentile(sorted, 99),
        cpu,
        audit.verdict().measured(),
        herd());
  }

  private Herd herd() {
    long fence = terms.fence() * 1000;
    long over = lostAt + fence;
    long during = 0;
    long most = 0;
    for (Map.Entry<Long, Integer> each : arrivals.entrySet()) {
      during += each.getKey() * 100 * MILLI < over ? each.getValue() : 0;
      most = Math.max(most, each.getValue());
    }
    return new Herd(
        (double) fence / SECOND,
        (double) during * SECOND / fence,
        most,
        firstAfter == 0 ? -1 : (double) (firstAfter - over) / SECOND);
  }

  private static double percentile(long[] sorted, int percent) {
    return sorted.length == 0
        ? 0
        : (double) sorted[(int) ((sorted.length - 1) * (long) percent / 100)] / MILLI;
  }
}
