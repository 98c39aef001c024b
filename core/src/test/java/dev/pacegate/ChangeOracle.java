package dev.pacegate;

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
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps every request that was let through while the limit changed, and judges every interval: as
 * {@link ChangesTest} says, and by counting alone. It knows no meter and no log.
 */
final class ChangeOracle {

  /** A request that was let through. */
  static final class Request {
    final long start;
    final int number; // among all that happens
    final int era;
    Cost cost;
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
      this.cost = cost;
    }

    @Override
    public String toString() {
      String until = end == Long.MAX_VALUE ? ".." : ".." + seconds(end) + (lost ? " lost" : "");
      String late = sending == start ? "" : " sent " + seconds(sending);
      return cost + "@" + seconds(start) + late + until + "#" + era;
    }
  }

  /** Limits from one change to the next, as far as the oracle asks them. */
  private record Era(Limit limit, boolean tracks, List<Promise> promises) {
    static Era of(Limit limit) {
      return new Era(limit, limit.newMeter(0).tracks(), limit.promises());
    }
  }

  /**
   * A length that is some limit's own.
   *
   * @param bound how long after its start a request counts at most
   */
  private record Own(long nanos, Measure of, boolean whole, long bound) {
    boolean isAsLongAs(Own other) {
      return nanos == other.nanos && of.equals(other.of) && whole == other.whole;
    }
  }

  private final List<Era> eras = new ArrayList<>();
  private final List<Long> changes = new ArrayList<>();
  private final List<Request> requests = new ArrayList<>();
  private final List<Integer> logs = new ArrayList<>(); // in which era each began: the one left
  private int happened;
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

  boolean tracks() {
    return eras.get(era()).tracks;
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
    if (eras.get(era()).promises.stream().anyMatch(Promise.Counted.class::isInstance)) {
      request.known = now;
    }
  }

  void ended(Request request, long now, Outcome outcome) {
    request.end = now;
    request.ended = happened++;
    request.endedIn = era();
    request.lost = outcome == Outcome.LOST;
    request.sent = outcome != Outcome.NOT_SENT;
  }

  void changed(long now, Limit limit) {
    if (limit.equals(limit())) {
      return;
    }
    if (now >= logEnds) {
      logs.add(era());
      reach = limit().memory();
    }
    reach = Math.max(reach, limit.memory());
    logEnds = now + reach;
    eras.add(Era.of(limit));
    changes.add(now);
    knowUnanswered(limit);
  }

  // ---- who is known

  /** Returns the era in which the log began that the limit of {@code era} was told, or -1. */
  private int logOf(int era) {
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
    if (request.era > log) {
      return true;
    }
    return request.era == log
        && eras.get(log).promises.stream()
            .anyMatch(p -> p.of().equals(of) && !(p instanceof Promise.Open));
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
    return most(era, new Own(nanos, of, false, 0), false, largest);
  }

  private long most(int era, Own own, boolean whole, long largest) {
    long most = Long.MAX_VALUE;
    for (Promise promise : eras.get(era).promises) {
      boolean counts = promise.countsWhole() && bound(promise) >= own.bound;
      if (promise.of().equals(own.of) && (counts || !whole)) {
        most = Math.min(most, most(promise, own.nanos, largest));
      }
    }
    return most;
  }

  private static long most(Promise promise, long nanos, long largest) {
    long most = promise.most(nanos);
    if (inner(promise) instanceof Promise.Refilled bucket && largest > bucket.burst()) {
      return most + largest - bucket.burst();
    }
    return most;
  }

  /** Returns whether what ended matters to the limit, not only what is open. */
  private boolean countsWhole(int era, Measure of) {
    return countsWhole(era, of, 0);
  }

  /** Returns whether it does at least for {@code bound} after a start. */
  private boolean countsWhole(int era, Measure of, long bound) {
    return eras.get(era).promises.stream()
        .anyMatch(
            p ->
                p.countsWhole()
                    && p.of().equals(of)
                    && bound(p) >= bound
                    && !(p instanceof Promise.Open));
  }

  /** Returns for how long after its start a request counts at most. */
  private static long bound(Promise promise) {
    return promise instanceof Promise.Counted counted ? counted.nanos() : Long.MAX_VALUE;
  }

  private static Promise inner(Promise promise) {
    return promise instanceof Promise.Counted counted ? counted.promise() : promise;
  }

  private static boolean isWindow(Promise promise) {
    Promise inner = inner(promise);
    return inner instanceof Promise.AtMost || inner instanceof Promise.Gap;
  }

  private boolean isOwn(int era, Own own) {
    return eras.get(era).promises.stream().anyMatch(p -> isWindow(p) && own.equals(own(p)));
  }

  private static Own own(Promise promise) {
    return new Own(promise.length(), promise.of(), promise.countsWhole(), bound(promise));
  }

  // ---- judging

  /** Returns what is wrong, or null. */
  @Nullable String judge() {
    List<Request> sent = requests.stream().filter(request -> request.sent).toList();
    var owns = new LinkedHashSet<Own>();
    for (Era era : eras) {
      era.promises.stream().filter(ChangeOracle::isWindow).forEach(p -> owns.add(own(p)));
    }
    String wrong = null;
    for (Own own : owns) {
      wrong = wrong == null ? judgeStarts(sent, own) : wrong;
      wrong = wrong == null && own.whole ? judgeWhole(sent, own) : wrong;
    }
    wrong = wrong == null ? judgeReleases(sent) : wrong;
    wrong = wrong == null ? judgeBuckets(sent) : wrong;
    wrong = wrong == null ? judgeSums(sent) : wrong;
    return wrong == null ? judgeOpen(sent) : wrong;
  }

  /** P1 by starts. */
  private @Nullable String judgeStarts(List<Request> sent, Own own) {
    for (int last = 0; last < sent.size(); last++) {
      int log = logOf(sent.get(last).era);
      long sum = 0;
      long largest = 0;
      var in = new HashSet<Integer>();
      for (int first = last; first >= 0; first--) {
        Request request = sent.get(first);
        if (sent.get(last).start - request.start >= own.nanos) {
          break;
        }
        long amount = own.of.of(request.cost);
        if (amount > 0 && isKnown(request, log, own.of)) {
          sum += amount;
          largest = Math.max(largest, amount);
          in.add(request.era);
          long most = largest(in, own, false, largest);
          boolean whole =
              own.whole && inForce(in).allMatch(era -> countsWhole(era, own.of, own.bound));
          if (sum > most && !whole) {
            return "P1 starts: " + sum + ", not " + most + own + sent.subList(first, last + 1);
          }
        }
      }
    }
    return null;
  }

  /** Returns the largest of what limits promise for their own length. */
  private long largest(Set<Integer> in, Own own, boolean whole, long largest) {
    if (in.stream().noneMatch(era -> isOwn(era, own))) {
      return Long.MAX_VALUE;
    }
    return inForce(in).mapToLong(era -> mostFor(era, own, whole, largest)).max().orElseThrow();
  }

  /** Returns the eras from the first to the last of those that let through anything. */
  private static IntStream inForce(Set<Integer> in) {
    return IntStream.rangeClosed(Collections.min(in), Collections.max(in));
  }

  /** A window of just this length is what counts; of other terms the strictest. */
  private long mostFor(int era, Own own, boolean whole, long largest) {
    return eras.get(era).promises.stream()
        .filter(p -> isWindow(p) && own.isAsLongAs(own(p)))
        .filter(p -> !whole || bound(p) >= own.bound)
        .mapToLong(Promise::atOnce)
        .min()
        .orElseGet(() -> most(era, own, whole, largest));
  }

  /** P1 as the peer counts: each interval that begins where the count changes. */
  private @Nullable String judgeWhole(List<Request> sent, Own own) {
    for (Request request : sent) {
      String wrong = judgeWhole(sent, own, request.start - own.nanos + 1);
      long until = until(request, own.bound);
      if (wrong == null && until < Long.MAX_VALUE) {
        wrong = judgeWhole(sent, own, until);
        wrong = wrong == null ? judgeWhole(sent, own, until + 1) : wrong;
      }
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  private @Nullable String judgeWhole(List<Request> sent, Own own, long from) {
    var counted = new ArrayList<Request>();
    int latest = 0;
    for (Request request : sent) {
      if (request.start < from + own.nanos
          && until(request, own.bound) >= from
          && own.of.of(request.cost) > 0) {
        counted.add(request);
        latest = Math.max(latest, request.era);
      }
    }
    int log = logOf(latest);
    counted.removeIf(request -> !isKnown(request, log, own.of));
    long sum = 0;
    long largest = 0;
    var in = new HashSet<Integer>();
    for (Request request : counted) {
      sum += own.of.of(request.cost);
      largest = Math.max(largest, own.of.of(request.cost));
      in.add(request.era);
    }
    if (!in.isEmpty() && inForce(in).allMatch(era -> countsWhole(era, own.of, own.bound))) {
      long most = largest(in, own, true, largest);
      if (sum > most) {
        return "P1 whole: " + sum + ", not " + most + own + " from " + seconds(from) + counted;
      }
    }
    return null;
  }

  /** Returns until when a peer may count a request whose limit was told of its end. */
  private long until(Request request) {
    if (!eras.get(request.era).tracks) {
      return request.start;
    }
    return request.lost ? Math.max(request.end, request.known + unanswered) : request.end;
  }

  private long until(Request request, long bound) {
    return bound == Long.MAX_VALUE
        ? until(request)
        : Math.min(until(request), request.sending + bound);
  }

  /** P2. */
  private @Nullable String judgeReleases(List<Request> sent) {
    for (Request last : sent) {
      for (Promise promise : eras.get(last.era).promises) {
        if (isWindow(promise) && promise.of().of(last.cost) > 0) {
          long sum = 0;
          for (Request request : sent) {
            sum += isHeld(request, last, promise) ? promise.of().of(request.cost) : 0;
          }
          if (sum > promise.atOnce()) {
            return "P2: " + sum + ", not " + promise.text() + " up to " + last + sent;
          }
        }
      }
    }
    return null;
  }

  /** Returns whether {@code request} counts when {@code last} is released. */
  private boolean isHeld(Request request, Request last, Promise promise) {
    if (request.number > last.number || !isKnown(request, logOf(last.era), promise.of())) {
      return false;
    }
    long until = promise.countsWhole() ? heldUntil(request, last, promise.of()) : request.start;
    if (bound(promise) < Long.MAX_VALUE) {
      until = Math.min(until, request.sending + bound(promise));
    }
    return last.start < promise.length() || until > last.start - promise.length();
  }

  /** Of a request whose end was not told, no more is known than how long it may count. */
  private long heldUntil(Request request, Request last, Measure of) {
    boolean told =
        eras.get(request.era).tracks
            && (request.endedIn > logOf(last.era) || countsWhole(request.era, of));
    long until = told ? until(request) : Math.min(request.end, request.start + unanswered);
    return Math.min(until, request.sending + Math.min(bound(request.era, of), 1L << 60));
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
        sum += one.of().of(request.cost);
        largest = Math.max(largest, one.of().of(request.cost));
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
      long amount = of.of(request.cost);
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
        if (limit.of().of(last.cost) > 0
            && open.stream().mapToLong(r -> limit.of().of(r.cost)).sum() > limit.max()) {
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
