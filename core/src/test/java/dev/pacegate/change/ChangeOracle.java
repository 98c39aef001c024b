package dev.pacegate.change;

import dev.pacegate.limit.Aligned;
import dev.pacegate.limit.All;
import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Promise;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every request that was let through while the limit changed, and judges every interval: as
 * {@link ChangesTest} says, and by counting alone. It knows no meter and no log.
 */
final class ChangeOracle {

  /** A cost from some number on, among all that happens. */
  private record Charge(int number, Cost cost) {}

  /** A request that was let through. */
  static final class Request {
    final long start;
    final int number; // among all that happens
    final int era;
    private final List<Charge> charges = new ArrayList<>(); // the latest last
    long sending; // its start, unless it was sent later
    long known; // the sending, once a limit that counts from there has heard of it
    boolean sent = true;
    boolean lost;
    long end = Long.MAX_VALUE; // of the permit
    int ended = Integer.MAX_VALUE; // as a number among all that happens
    int endedIn = Integer.MAX_VALUE; // the era

    Request(long start, int number, int era, Cost cost) {
      this.start = start;
      this.sending = start;
      this.known = start;
      this.number = number;
      this.era = era;
      this.charges.add(new Charge(number, cost));
    }

    Cost cost() {
      return charges.get(charges.size() - 1).cost;
    }

    long least(ToLongFunction<Cost> of) {
      return charges.stream().mapToLong(charge -> of.applyAsLong(charge.cost)).min().orElseThrow();
    }

    /** Returns an amount as far as it was known when {@code last} was released. */
    long amount(Request last, ToLongFunction<Cost> of) {
      long known = of.applyAsLong(cost());
      for (int i = charges.size() - 1; i > 0 && charges.get(i).number > last.number; i--) {
        known = Math.min(known, of.applyAsLong(charges.get(i - 1).cost));
      }
      return known;
    }

    @Override
    public String toString() {
      String until = end == Long.MAX_VALUE ? ".." : ".." + seconds(end) + (lost ? " lost" : "");
      String late = sending == start ? "" : " sent " + seconds(sending);
      return cost() + "@" + seconds(start) + late + until + "#" + era;
    }
  }

  /** Limits from one change to the next, as far as the oracle asks them. */
  record Era(Limit limit, boolean tracks, List<Promise> promises) {
    static Era of(Limit limit) {
      return new Era(limit, limit.newMeter(0).tracks(), limit.promises());
    }
  }

  private final List<Era> eras = new ArrayList<>();
  private final List<Long> changes = new ArrayList<>();
  private final List<Request> requests = new ArrayList<>();
  private final List<Integer> logs = new ArrayList<>(); // in which era each began: the one left
  private final Set<Request> carried = new HashSet<>(); // that were open at the last change
  private int happened;
  private int resumed; // the number from which on requests were never read from a file
  private long reach;
  private long logEnds = Long.MIN_VALUE;
  private long unanswered = Long.MAX_VALUE; // the smallest of all

  ChangeOracle(Limit limit) {
    eras.add(Era.of(limit));
    knowUnanswered(limit);
  }

  private static String seconds(long nanos) {
    return java.math.BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
  }

  private void knowUnanswered(Limit limit) {
    if (limit instanceof All all) {
      all.terms().forEach(this::knowUnanswered);
    } else if (limit instanceof Peer peer) {
      unanswered = Math.min(unanswered, peer.unansweredNanos());
    } else if (limit instanceof Aligned aligned) {
      unanswered = Math.min(unanswered, aligned.unansweredNanos());
    }
  }

  private int era() {
    return eras.size() - 1;
  }

  Limit limit() {
    return eras.get(era()).limit;
  }

  /** Returns whether all that was let through since the first change is in one log. */
  boolean hasOneLog() {
    return logs.size() <= 1;
  }

  boolean tracks() {
    return eras.get(era()).tracks;
  }

  /** Returns whether the limit that let it through is told of its end. */
  boolean tracked(Request request) {
    return requests.contains(request) && eras.get(request.era).tracks;
  }

  // ---- what happens

  Request released(long now, Cost cost) {
    var request = new Request(now, happened++, era(), cost);
    requests.add(request);
    return request;
  }

  /**
   * Returns whether a request may be sent now: every limit since its release would still hold up
   * others for it. Nothing is told to a limit that needed no ends.
   */
  boolean isInTime(Request request, long now) {
    return requests.contains(request)
        && eras.get(request.era).tracks
        && eras.subList(request.era, eras.size()).stream()
            .flatMap(era -> era.promises.stream())
            .noneMatch(p -> now - request.sending >= heldUp(p));
  }

  private static long heldUp(Promise promise) {
    if (!(promise instanceof Promise.Counted counted)) {
      return Long.MAX_VALUE;
    }
    return counted.nanos() + (isWindow(promise) ? promise.length() : 0);
  }

  void sent(Request request, long now) {
    request.sending = now;
    boolean heard =
        eras.subList(request.era, eras.size()).stream()
            .flatMap(era -> era.promises.stream())
            .anyMatch(Promise.Counted.class::isInstance);
    request.known = heard ? now : request.known;
  }

  /** A file holds of a request the costs that its limit counts. */
  void resumed() {
    resumed = happened;
  }

  void settled(Request request, Cost actual) {
    request.charges.add(new Charge(happened++, actual));
  }

  void ended(Request request, long now, Outcome outcome) {
    request.end = now;
    request.ended = happened++;
    request.endedIn = era();
    request.lost = outcome == Outcome.LOST;
    request.sent = outcome != Outcome.NOT_SENT;
    if (carried.remove(request) && request.sent) {
      logEnds = Math.max(logEnds, now + reach);
    }
  }

  private boolean isOpen(Request request) {
    return request.end == Long.MAX_VALUE && tracked(request);
  }

  void changed(long now, Limit limit) {
    if (limit.equals(limit())) {
      return;
    }
    if (now >= logEnds && carried.isEmpty()) {
      logs.add(era());
      reach = limit().memory();
    }
    reach = Math.max(reach, limit.memory());
    logEnds = now + reach;
    requests.stream().filter(this::isOpen).forEach(carried::add);
    eras.add(Era.of(limit));
    changes.add(now);
    knowUnanswered(limit);
  }

  // ---- who is known

  /** Returns the era in which the log began that the limit of {@code era} was told, or -1. */
  int logOf(int era) {
    int log = -1;
    for (int began : logs) {
      log = began < era ? began : log;
    }
    return log;
  }

  /**
   * Returns whether the log holds {@code request}: one that was let through before it began only if
   * the limit in force by then counts what is counted here.
   */
  private boolean isKnown(Request request, int log, Measure of) {
    return isKnown(request, log, promise -> promise.of().equals(of));
  }

  boolean isKnown(Request request, int log, Predicate<Promise> counts) {
    if (request.era > log && request.number >= resumed) {
      return true;
    }
    return request.era >= log
        && eras.get(request.era).promises.stream()
            .anyMatch(p -> counts.test(p) && !(p instanceof Promise.Open));
  }

  /**
   * Returns whether every limit since has heard of {@code request}. A bucket may have forgiven some
   * of what other limits let through, so what it gives back of that is not judged.
   */
  boolean isKnown(Request request) {
    if (!requests.contains(request) || request.era == era()) {
      return requests.contains(request);
    }
    boolean counted =
        eras.get(request.era).promises.stream()
            .anyMatch(p -> p.of().equals(Measure.PLAIN) && !(p instanceof Promise.Open));
    return counted
        && eras.subList(request.era + 1, era() + 1).stream()
            .flatMap(era -> era.promises.stream())
            .noneMatch(p -> inner(p) instanceof Promise.Refilled);
  }

  // ---- what limits promise

  /** Returns what a limit promises for {@code nanos}; {@code Long.MAX_VALUE} if nothing. */
  private long most(int era, long nanos, Measure of, long largest) {
    long most = Long.MAX_VALUE;
    for (Promise promise : eras.get(era).promises) {
      if (promise.of().equals(of)) {
        most = Math.min(most, most(promise, nanos, largest));
      }
    }
    return most;
  }

  static long most(Promise promise, long nanos, long largest) {
    long most = promise.most(nanos);
    if (inner(promise) instanceof Promise.Refilled bucket && largest > bucket.burst()) {
      return most + largest - bucket.burst();
    }
    return most;
  }

  /** Returns whether what ended matters to the limit, not only what is open. */
  private boolean countsWhole(int era, Measure of) {
    return eras.get(era).promises.stream()
        .anyMatch(p -> p.countsWhole() && p.of().equals(of) && !(p instanceof Promise.Open));
  }

  /** Returns for how long after its start a request counts at most. */
  static long bound(Promise promise) {
    return promise instanceof Promise.Counted counted ? counted.nanos() : Long.MAX_VALUE;
  }

  static Promise inner(Promise promise) {
    return promise instanceof Promise.Counted counted ? counted.promise() : promise;
  }

  private static boolean isWindow(Promise promise) {
    Promise inner = inner(promise);
    return inner instanceof Promise.AtMost || inner instanceof Promise.Gap;
  }

  // ---- judging

  /** Returns what is wrong, or null. */
  @Nullable String judge() {
    List<Request> sent = requests.stream().filter(request -> request.sent).toList();
    String wrong = new LargerPromise(this, eras, sent).judge();
    wrong = wrong == null ? judgeReleases(sent) : wrong;
    wrong = wrong == null ? judgeBuckets(sent) : wrong;
    wrong = wrong == null ? judgeSums(sent) : wrong;
    return wrong == null ? judgeOpen(sent) : wrong;
  }

  /** Returns until when a peer may count a request whose limit was told of its end. */
  private long until(Request request) {
    if (!eras.get(request.era).tracks) {
      return request.start;
    }
    return request.lost ? Math.max(request.end, request.known + unanswered) : request.end;
  }

  /** P2. */
  private @Nullable String judgeReleases(List<Request> sent) {
    for (Request last : sent) {
      for (Promise promise : eras.get(last.era).promises) {
        if (isWindow(promise) && promise.of().of(last.cost()) > 0) {
          long sum = 0;
          for (Request request : sent) {
            sum += isHeld(request, last, promise) ? amount(request, last, promise.of()::of) : 0;
          }
          if (sum > promise.atOnce()) {
            return "P2: " + sum + ", not " + promise.text() + " up to " + last + sent;
          }
        }
      }
    }
    return null;
  }

  /**
   * Returns what is known of a request when {@code last} is released. A first meter knows no more
   * of it than the most that fits into its limit.
   */
  long amount(Request request, Request last, ToLongFunction<Cost> of) {
    return request.era <= logOf(last.era) ? request.least(of) : request.amount(last, of);
  }

  /** Returns whether {@code request} counts when {@code last} is released. */
  private boolean isHeld(Request request, Request last, Promise promise) {
    if (request.number > last.number || !isKnown(request, logOf(last.era), promise.of())) {
      return false;
    }
    long until = promise.countsWhole() ? heldUntil(request, last, promise.of()) : request.start;
    if (bound(promise) < Long.MAX_VALUE) {
      until = Math.min(until, request.known + bound(promise));
    }
    return last.start < promise.length() || until > last.start - promise.length();
  }

  /** Of a request whose end was not told, no more is known than how long it may count. */
  private long heldUntil(Request request, Request last, Measure of) {
    boolean told =
        eras.get(request.era).tracks
            && (request.endedIn > logOf(last.era) || countsWhole(request.era, of));
    long until = told ? until(request) : untilAsStarted(request);
    return Math.min(until, request.known + Math.min(bound(request.era, of), 1L << 60));
  }

  /** Returns until when a request counts if only its start is known. */
  long untilAsStarted(Request request) {
    return Math.min(request.end, request.start + unanswered);
  }

  /**
   * Returns whether a limit that begins {@code log} with a request that is over can report only its
   * start to a limit that counts {@code of}: its own terms count that by starts alone.
   */
  boolean knowsStartAlone(Request request, int log, Measure of) {
    return request.endedIn <= log
        && !countsWhole(request.era, of)
        && eras.get(request.era).promises.stream()
            .anyMatch(p -> p.of().equals(of) && !p.countsWhole());
  }

  /** A limit that counts only for so long after a start tells no more of it. */
  private long bound(int era, Measure of) {
    return eras.get(era).promises.stream()
        .filter(p -> p.of().equals(of))
        .mapToLong(ChangeOracle::bound)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** P3. */
  private @Nullable String judgeBuckets(List<Request> sent) {
    for (int first = 0; first < sent.size(); first++) {
      int era = sent.get(first).era;
      if (!(eras.get(era).limit instanceof Bucket one)) {
        continue;
      }
      long sum = 0;
      long largest = 0;
      for (int last = first; last < sent.size(); last++) {
        Request request = sent.get(last);
        if (request.era > era + 1
            || !(eras.get(request.era).limit instanceof Bucket other)
            || !other.of().equals(one.of())) {
          break;
        }
        sum += request.least(one.of()::of);
        largest = Math.max(largest, one.of().of(request.cost()));
        long nanos = request.start - sent.get(first).start + 1;
        long most =
            Math.max(
                most(era, nanos, one.of(), largest), most(request.era, nanos, one.of(), largest));
        if (sum > most) {
          return "P3: " + sum + ", not " + most + " in " + sent.subList(first, last + 1);
        }
      }
    }
    return null;
  }

  /** P4. */
  private @Nullable String judgeSums(List<Request> sent) {
    var measures = new LinkedHashSet<Measure>();
    eras.forEach(era -> era.promises.forEach(promise -> measures.add(promise.of())));
    for (Measure of : measures) {
      for (int first = 0; first < sent.size(); first++) {
        String wrong = judgeSums(sent, first, of);
        if (wrong != null) {
          return wrong;
        }
      }
    }
    return null;
  }

  private @Nullable String judgeSums(List<Request> sent, int first, Measure of) {
    var limits = new HashSet<Limit>();
    var in = new HashSet<Integer>();
    int era = sent.get(first).era;
    long sum = 0;
    long largest = 0;
    for (int last = first; last < sent.size(); last++) {
      Request request = sent.get(last);
      long amount = request.least(of::of);
      if (amount == 0) {
        continue;
      }
      sum += amount;
      largest = Math.max(largest, amount);
      for (; era <= request.era; era++) {
        if (limits.add(eras.get(era).limit) || hasBuckets(era)) {
          in.add(era);
        }
      }
      long nanos = request.start - sent.get(first).start + 1;
      long most = 0;
      for (int each : in) {
        long more = most(each, nanos, of, largest);
        most = more == Long.MAX_VALUE || most == Long.MAX_VALUE ? Long.MAX_VALUE : most + more;
      }
      if (sum > most) {
        return "P4: " + sum + ", not " + most + " in " + sent.subList(first, last + 1);
      }
    }
    return null;
  }

  /** Several buckets may each go on from another one of those before. */
  private boolean hasBuckets(int era) {
    return eras.get(era).promises.stream().filter(p -> inner(p) instanceof Promise.Refilled).count()
        > 1;
  }

  /** P5. */
  private @Nullable String judgeOpen(List<Request> sent) {
    for (Request last : sent) {
      for (Concurrent limit : concurrent(eras.get(last.era).limit)) {
        List<Request> open = sent.stream().filter(r -> isOpen(r, last, limit)).toList();
        if (limit.of().of(last.cost()) > 0
            && open.stream().mapToLong(r -> r.amount(last, limit.of()::of)).sum() > limit.max()) {
          return "P5: " + limit + " and open at " + last + ": " + open;
        }
      }
    }
    return null;
  }

  private static List<Concurrent> concurrent(Limit limit) {
    List<Limit> terms = limit instanceof All all ? all.terms() : List.of(limit);
    return terms.stream().filter(Concurrent.class::isInstance).map(Concurrent.class::cast).toList();
  }

  private boolean isOpen(Request request, Request last, Concurrent limit) {
    if (!eras.get(request.era).tracks || request.number > last.number) {
      return false;
    }
    boolean told = request.era == last.era || request.endedIn > logOf(last.era);
    boolean mayBeOpen =
        request.lost && told && last.start - request.start < limit.unansweredNanos();
    return request.ended > last.number || mayBeOpen;
  }
}
