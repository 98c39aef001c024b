package dev.pacegate.model;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is explored: the callers, the limit, and what else may happen to them.
 *
 * <p>One formula covers the three limits: {@code spent + cost <= limit}, where {@code spent} is the
 * cost open now plus the cost stamped less than {@code interval} ticks ago. A limit that is not
 * {@code tracked} stamps a permit when it is released and never has one open; a tracked one stamps
 * it when it is closed.
 *
 * @param costs the cost each thread asks for, one entry per thread
 * @param acquires how often each thread acquires, one after the other
 * @param limit the cost that may be spent at a time
 * @param interval for how many ticks a stamp counts, 0 to 2
 * @param tracked whether a permit stays open until its holder closes it
 * @param options what may happen besides
 */
record Scenario(
    List<Integer> costs,
    int acquires,
    int limit,
    int interval,
    boolean tracked,
    Set<Option> options) {

  /** What a packed state has room for. */
  static final int MAX_THREADS = 4;

  static final int MAX_ACQUIRES = 3;
  static final int MAX_INTERVAL = 2;
  static final int MAX_LIMIT = 3;

  /** What may happen besides arriving, waiting, going on and closing. */
  enum Option {
    /** Any thread that waits may be interrupted. */
    INTERRUPT,
    /** Any thread that waits may run out of time. */
    TIME_OUT,
    /** {@code park} may return for no reason, twice per run. */
    SPURIOUS,
    /** The limiter may be paused once, and is then resumed. */
    PAUSE,
    /** Nothing may go during the second tick, so that a call can turn out wrong. */
    EDGE,
    /** A visit calls at most one thread but its own, so that three make a crowd. */
    ONE_CALL,
    /**
     * Once, a thread that was called dies before it comes, or before it has woken those it called.
     * The alarm is explored with this option alone: without it a crowd must do without.
     */
    DIE,
    /**
     * Permits come as news from a source that is asked for them, one at a time, besides what the
     * limit says. The pauser tells the news, so no scenario has both.
     */
    FED,
    /** News may once take all permits back. */
    REVOKE,
    /** News may once fail, and bring nothing. */
    STUMBLE,
    /** Permits may once end as time goes by, and no news tell. */
    EXPIRE,
    /** Every visit to the slow path advances the queue first, to heal what an error left undone. */
    HEAL
  }

  Scenario {
    costs = List.copyOf(costs);
    options = Collections.unmodifiableSet(copy(options));
    check("threads", costs.size(), 1, MAX_THREADS);
    boolean fed = options.contains(Option.FED);
    if (fed && (options.contains(Option.PAUSE) || interval > 0 || !tracked)) {
      throw new IllegalArgumentException("only concurrent, without a pause, is explored as fed");
    }
    check("acquires", acquires, 1, MAX_ACQUIRES);
    check("limit", limit, 1, MAX_LIMIT);
    check("interval", interval, tracked ? 0 : 1, MAX_INTERVAL);
    for (int cost : costs) {
      check("cost", cost, 1, limit);
    }
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " must be from " + least + " to " + most + ": " + value);
    }
  }

  private static EnumSet<Option> copy(Set<Option> options) {
    EnumSet<Option> copy = EnumSet.noneOf(Option.class);
    copy.addAll(options);
    return copy;
  }

  /** At most {@code limit} starts in any {@code interval} ticks: driven by time alone. */
  static Scenario starts(int limit, int interval) {
    return new Scenario(List.of(1), 1, limit, interval, false, Set.of());
  }

  /** At most {@code limit} open: driven by answers alone. */
  static Scenario concurrent(int limit) {
    return new Scenario(List.of(1), 1, limit, 0, true, Set.of());
  }

  /** At most {@code limit} open or ended less than {@code interval} ticks ago: driven by both. */
  static Scenario peer(int limit, int interval) {
    return new Scenario(List.of(1), 1, limit, interval, true, Set.of());
  }

  /** The same with {@code threads} threads that ask for one each. */
  Scenario threads(int threads) {
    return new Scenario(
        Collections.nCopies(threads, 1), acquires, limit, interval, tracked, options);
  }

  /** The same with one thread for each of {@code costs}. */
  Scenario costs(Integer... costs) {
    return new Scenario(List.of(costs), acquires, limit, interval, tracked, options);
  }

  /** The same with every thread acquiring {@code acquires} times. */
  Scenario acquires(int acquires) {
    return new Scenario(costs, acquires, limit, interval, tracked, options);
  }

  /** The same with more that may happen. */
  Scenario with(Option... more) {
    EnumSet<Option> all = copy(options);
    all.addAll(List.of(more));
    return new Scenario(costs, acquires, limit, interval, tracked, all);
  }

  boolean has(Option option) {
    return options.contains(option);
  }

  /** Returns whether permits may become fewer though none goes. */
  boolean mayLosePermits() {
    return has(Option.REVOKE) || has(Option.STUMBLE) || has(Option.EXPIRE);
  }

  /** Returns whether nothing may go after so many ticks. */
  boolean isEdge(int ticks) {
    return has(Option.EDGE) && ticks == 1;
  }

  @Override
  public String toString() {
    String name =
        tracked
            ? interval == 0 ? "concurrent(" + limit + ")" : "peer(" + limit + "/" + interval + ")"
            : "starts(" + limit + "/" + interval + ")";
    String callers = costs.stream().map(String::valueOf).collect(Collectors.joining("+"));
    return name + ", costs " + callers + ", acquires " + acquires + ", " + options;
  }
}
