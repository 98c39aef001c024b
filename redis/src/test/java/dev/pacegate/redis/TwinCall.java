package dev.pacegate.redis;

import dev.pacegate.redis.Reply.Grant;
import dev.pacegate.redis.Request.Demand;
import dev.pacegate.redis.StoreTwin.Mutant;
import dev.pacegate.redis.StoredLimit.Count;
import dev.pacegate.redis.StoredLimit.Place;
import dev.pacegate.redis.StoredLimit.Run;
import dev.pacegate.redis.StoredLimit.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One call of {@code acquire.lua}, in Java: it hears reports, and grants. */
final class TwinCall {
  private static final long SHORTEST_LOOK = 1_000_000;
  private static final long LONGEST_LOOK = 15_000_000;

  private final StoredLimit r;
  private final State s;
  private final String client;
  private final Request request;
  private final Mutant mutant;
  private final Terms law;
  private final int size;
  private final long soon; // within this time a client notices the end of a fence
  private final StoreTwin.Pace pace;
  private final int known; // clients of the record; -1 of a key
  private final List<Lease> leases = new ArrayList<>();
  long pause;

  /** A lease to be granted. */
  private static final class Lease {
    final long first;
    long from;
    List<Long> units;

    Lease(long from, List<Long> units) {
      this.first = from;
      this.from = from;
      this.units = units;
    }
  }

  TwinCall(
      StoredLimit r,
      State s,
      boolean keyed,
      String client,
      Request request,
      Mutant mutant,
      StoreTwin.Pace pace) {
    this.mutant = mutant;
    this.pace = pace;
    this.known = keyed ? -1 : r.clients.size();
    this.soon = keyed ? 5_000_000 : 1_000_000;
    this.r = r;
    this.s = s;
    this.client = client;
    this.request = request;
    this.law = s.law.terms();
    this.size = law.terms().size();
  }

  private Term term(int i) {
    return law.terms().get(i);
  }

  private Demand demand(int i) {
    return request.demands().get(i);
  }

  private List<Long> each(IntToLongFunction value) {
    return IntStream.range(0, size).mapToLong(value).boxed().toList();
  }

  List<Grant> grants() {
    return leases.stream()
        .map(lease -> new Grant(lease.from, lease.from + law.use(), lease.units))
        .toList();
  }

  void report(Report report, boolean isOfEpoch) {
    Count count = s.counts.get(report.term());
    Term term = term(report.term());
    String id = client + ":" + report.lease();
    Run run = count.find(id);
    long left = report.left();
    if (report.kind() == Report.Kind.OPEN || report.kind() == Report.Kind.ANEW) {
      long until = s.clock + term.spentFor();
      count.runs.remove(run);
      count.runs.add(
          run == null
              ? new Run(id, left, s.clock, until)
              : new Run(
                  id, Math.max(run.units(), left), run.from(), Math.max(run.instant(), until)));
    } else if (run != null && run.units() > left && isOfEpoch) {
      count.runs.remove(run);
      if (left > 0) {
        count.runs.add(new Run(id, left, run.from(), run.instant()));
      }
      if (report.kind() == Report.Kind.ENDED) {
        spend(count, term, run.units() - left, report.instant() + term.interval());
      }
    }
  }

  private void spend(Count count, Term term, long units, long instant) {
    long grain = term.interval() / 256 + 1;
    long rounded = -Math.floorDiv(-instant, grain) * grain;
    if (rounded <= s.clock) {
      count.pour(term, units, instant);
      return;
    }
    Run same =
        count.runs.stream()
            .filter(run -> run.id().isEmpty() && run.instant() == rounded)
            .findFirst()
            .orElse(null);
    count.runs.remove(same);
    count.runs.add(new Run("", units + (same == null ? 0 : same.units()), s.clock, rounded));
  }

  void grant() {
    granted();
    if (!leases.isEmpty()) {
      return;
    }
    var others = new ArrayList<>(Collections.nCopies(size, 0L));
    var kept = new ArrayList<>(others);
    List<Long> ahead = List.copyOf(others);
    boolean passed = false;
    boolean waiting = false;
    s.line.removeIf(place -> !place.client().equals(client) && place.over() < s.clock);
    for (Place place : s.line) {
      if (place.client().equals(client)) {
        passed = true;
        continue;
      }
      add(others, place);
      ahead = passed ? ahead : List.copyOf(others);
      if (!passed
          && (place.over() <= s.clock + law.horizon()
              || (!waiting && TwinCrowd.isNear(law, place, s.clock)))) {
        add(kept, place);
      }
      waiting = true;
    }
    var crowd = new TwinCrowd(pace, s, law, known, client, request);
    boolean isKeptForAll = !crowd.isThere() || !passed;
    grant(crowd, ahead, isKeptForAll ? ahead : kept, others, waiting);
  }

  private void add(List<Long> sum, Place place) {
    for (int i = 0; i < size; i++) {
      sum.set(i, sum.get(i) + place.want().get(i));
    }
  }

  private void grant(
      TwinCrowd crowd, List<Long> ahead, List<Long> kept, List<Long> others, boolean waiting) {
    List<Long> batch = each(i -> batch(i));
    List<Long> few =
        each(i -> waiting ? Math.min(demand(i).want(), batch.get(i)) : demand(i).want());
    List<Long> need = crowd.isThere() ? each(i -> crowd.need(i, few.get(i), batch.get(i))) : few;
    long first = Math.max(s.clock, Math.max(r.closedUntil(s), r.paused));
    List<Long> sum = Collections.nCopies(size, 0L);
    boolean isFree = false;
    if (first <= s.clock + law.horizon()) {
      sum = lease(first, need, kept);
      isFree = crowd.isThere() && isFree(first, ahead, kept, sum);
      if (!crowd.isThere() && !waiting && first == s.clock && satisfied(sum)) {
        addSpare(first, sum);
      }
    }
    keep();
    noteMost();
    if (crowd.isThere() && satisfied(sum) && !leases.isEmpty()) {
      pause = leases.get(leases.size() - 1).from + law.use() - s.clock;
      pause = isFree || !crowd.isTwice() ? Math.max(crowd.spread(), pause) : pause;
    }
    finish(crowd, sum, need, ahead, others, batch);
  }

  private boolean isFree(long first, List<Long> ahead, List<Long> kept, List<Long> sum) {
    NavigableSet<Long> points = points(first, kept);
    return IntStream.range(0, size)
        .allMatch(i -> available(i, first, first, points) - ahead.get(i) >= 2 * sum.get(i));
  }

  private long batch(int i) {
    return Math.max(Math.max(4, (term(i).capacity() + 7) / 8), demand(i).least());
  }

  private boolean satisfied(List<Long> sum) {
    return IntStream.range(0, size).allMatch(i -> sum.get(i) >= demand(i).want());
  }

  private void granted() {
    for (int n = 0; ; n++) {
      String id = client + ":" + request.number() + "." + n;
      List<Run> runs = s.counts.stream().map(count -> count.find(id)).toList();
      Run any = runs.stream().filter(run -> run != null).findFirst().orElse(null);
      if (any == null) {
        return;
      }
      leases.add(
          0,
          new Lease(
              any.from(),
              each(
                  i -> {
                    Run run = runs.get(i);
                    return run == null ? 0 : run.units();
                  })));
    }
  }

  /** Returns what a term has at an instant that no later reservation needs. */
  private long available(int i, long first, long instant, NavigableSet<Long> points) {
    if (mutant == Mutant.RESERVED_IS_FREE) {
      return left(i, first, instant);
    }
    return points.tailSet(instant).stream()
        .mapToLong(point -> left(i, first, point))
        .min()
        .orElseThrow();
  }

  private long left(int i, long first, long instant) {
    Count count = s.counts.get(i).at(term(i), instant);
    long held =
        count.runs.stream()
            .filter(run -> run.from() <= Math.max(first, instant))
            .mapToLong(Run::units)
            .sum();
    return term(i).capacity() - held - count.lack(term(i), instant);
  }

  private NavigableSet<Long> points(long first, List<Long> ahead) {
    long last = s.clock + law.horizon();
    var points = new TreeSet<Long>();
    points.add(first);
    for (int i = 0; i < size; i++) {
      for (Run run : s.counts.get(i).runs) {
        if (run.from() > first) {
          points.add(run.from());
        }
        if (run.instant() > first && run.instant() <= last) {
          points.add(run.instant());
        }
      }
      long least = demand(i).least();
      Long earliest = least == 0 ? null : earliest(i, ahead.get(i) + least);
      if (earliest != null && earliest > first && earliest <= last) {
        points.add(earliest);
      }
      if (term(i).refill() > 0) {
        long step = (last - first) / 16 + 1;
        for (long at = first + step; at <= last; at += step) {
          points.add(at);
        }
      }
    }
    return points;
  }

  private List<Long> lease(long first, List<Long> need, List<Long> ahead) {
    NavigableSet<Long> points = points(first, ahead);
    long together =
        Math.max(
            law.horizon() / 16,
            law.terms().stream().mapToLong(Term::interval).max().orElseThrow() / 64);
    List<Long> sum = Collections.nCopies(size, 0L);
    Lease last = null;
    for (long instant : points) {
      if (instant > s.clock + law.horizon()) {
        break;
      }
      List<Long> before = sum;
      List<Long> total = grantable(first, instant, points, need, ahead);
      boolean isEnough =
          IntStream.range(0, size)
              .allMatch(i -> total.get(i) >= demand(i).least() && total.get(i) >= before.get(i));
      List<Long> more = each(i -> total.get(i) - before.get(i));
      if (isEnough && !isNone(more)) {
        if (last == null || instant - last.first > together) {
          last = new Lease(instant, more);
          leases.add(last);
        } else {
          List<Long> units = last.units;
          last.units = each(i -> units.get(i) + more.get(i));
          last.from = instant;
        }
        sum = total;
      }
    }
    return sum;
  }

  private List<Long> grantable(
      long first, long instant, NavigableSet<Long> points, List<Long> need, List<Long> ahead) {
    List<Long> has =
        each(
            i ->
                Math.max(
                    0, Math.min(available(i, first, instant, points) - ahead.get(i), need.get(i))));
    double share = 1;
    int scarce = -1;
    for (int i = 0; i < size; i++) {
      if (need.get(i) > 0) {
        double of = has.get(i) / (double) need.get(i);
        if (scarce < 0 || of < share) {
          share = of;
          scarce = i;
        }
      }
    }
    int scarcest = scarce;
    double part = share;
    return each(
        i -> {
          if (need.get(i) == 0) {
            return 0;
          } else if (need.get(i).equals(need.get(scarcest))) {
            return has.get(scarcest);
          }
          return Math.min(
              has.get(i), Math.max(demand(i).least(), (long) Math.floor(part * need.get(i))));
        });
  }

  private boolean isNone(List<Long> units) {
    return units.stream().allMatch(each -> each <= 0);
  }

  private void addSpare(long first, List<Long> sum) {
    NavigableSet<Long> points = points(first, Collections.nCopies(size, 0L));
    List<Long> more =
        each(
            i ->
                Math.max(
                    0,
                    Math.min(demand(i).spare(), available(i, first, first, points) - sum.get(i))));
    boolean isLacking =
        IntStream.range(0, size).anyMatch(i -> demand(i).spare() > 0 && more.get(i) == 0);
    if (isLacking || isNone(more)) {
      return;
    }
    if (leases.size() == 1 && leases.get(0).from == s.clock) {
      List<Long> units = leases.get(0).units;
      leases.get(0).units = each(i -> units.get(i) + more.get(i));
    } else {
      leases.add(0, new Lease(s.clock, more));
    }
  }

  private void keep() {
    for (int n = 0; n < leases.size(); n++) {
      Lease lease = leases.get(n);
      String id = client + ":" + request.number() + "." + (leases.size() - 1 - n);
      while (isKnown(id)) {
        id += "'";
      }
      for (int i = 0; i < size; i++) {
        if (lease.units.get(i) > 0) {
          long until = lease.from + law.use() + term(i).spentFor();
          if (mutant == Mutant.LEASE_ENDS_WITH_USE) {
            until = lease.from + law.use();
          }
          s.counts.get(i).runs.add(new Run(id, lease.units.get(i), lease.from, until));
        }
      }
    }
  }

  /** Notes the most units that are spent at once, now or when what is reserved begins. */
  private void noteMost() {
    var points = new TreeSet<Long>(List.of(s.clock));
    s.counts.forEach(count -> count.runs.forEach(run -> points.add(run.from())));
    for (int i = 0; i < size; i++) {
      Count count = s.counts.get(i);
      long least = available(i, s.clock, s.clock, points);
      count.most = Math.max(count.most, term(i).capacity() - least);
    }
  }

  private boolean isKnown(String id) {
    return s.counts.stream().anyMatch(count -> count.find(id) != null);
  }

  private void finish(
      TwinCrowd crowd,
      List<Long> sum,
      List<Long> need,
      List<Long> ahead,
      List<Long> others,
      List<Long> batch) {
    Place place = s.line.stream().filter(p -> p.client().equals(client)).findFirst().orElse(null);
    if (satisfied(sum)) {
      s.line.remove(place);
      return;
    }
    boolean served = !isNone(sum);
    List<Long> rest =
        each(
            i -> {
              long lacking = Math.max(0, demand(i).want() - sum.get(i));
              long more = Math.max(lacking, need.get(i) - sum.get(i));
              return lacking == 0 ? 0 : Math.min(more, batch.get(i));
            });
    long back = comeBack(crowd, served ? others : ahead, rest);
    pause = Math.max(back - s.clock, law.horizon() / 16 + 1);
    var next = new Place(client, rest, s.clock + pause + law.horizon());
    int at = s.line.indexOf(place);
    if (served || at < 0) {
      s.line.remove(place);
      s.line.add(next);
    } else {
      s.line.set(at, next);
    }
  }

  private long comeBack(TwinCrowd crowd, List<Long> ahead, List<Long> rest) {
    long shut = Math.max(r.closedUntil(s), r.paused);
    if (shut > s.clock) {
      long later = crowd.isThere() ? crowd.spread() : 0;
      return Math.min(shut - law.horizon() + later, s.clock + Math.max(soon, later));
    } else if (crowd.isThere() && !isNone(ahead)) {
      long away = crowd.spread();
      for (int i = 0; i < size; i++) {
        if (rest.get(i) > 0) {
          away = Math.max(away, Math.min(crowd.turn(i, ahead.get(i) + rest.get(i)), LONGEST_LOOK));
        }
      }
      return s.clock + away;
    }
    long first = s.clock;
    long last = s.clock;
    long look = Math.max(law.horizon(), SHORTEST_LOOK);
    for (int i = 0; i < size; i++) {
      if (rest.get(i) > 0) {
        long least = Math.max(1, Math.min(demand(i).least(), rest.get(i)));
        long over = s.clock + overIn(term(i), least);
        look = Math.max(look, Math.min((over - s.clock) / 4, LONGEST_LOOK));
        first = Math.max(first, orOver(earliest(i, ahead.get(i) + least), over));
        last = Math.max(last, orOver(earliest(i, ahead.get(i) + rest.get(i)), over));
      }
    }
    last = Math.min(last, first + law.horizon() / 2) - law.horizon() * 3 / 4;
    return Math.min(last, s.clock + look);
  }

  private @Nullable Long earliest(int i, long units) {
    return s.counts.get(i).earliest(term(i), units, s.clock);
  }

  private long orOver(@Nullable Long instant, long over) {
    return instant == null ? over : Math.min(instant, over);
  }

  private long overIn(Term term, long units) {
    return term.refill() > 0
        ? -Math.floorDiv(-units * term.every(), term.refill()) + term.interval()
        : Math.max(term.interval(), law.horizon());
  }
}
