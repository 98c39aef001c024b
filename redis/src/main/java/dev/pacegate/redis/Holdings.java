package dev.pacegate.redis;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client has of all terms of its limit: a request takes its units of each, by the term's own
 * measure. Not thread-safe. Local instants are nanoseconds.
 */
final class Holdings implements Iterable<Holding> {

  private List<Holding> all = new ArrayList<>(1); // one for each term

  Holdings(List<Term> terms) {
    for (Term term : terms) {
      all.add(new Holding(term, all.size()));
    }
  }

  @Override
  public Iterator<Holding> iterator() {
    return all.iterator();
  }

  int size() {
    return all.size();
  }

  Holding get(int term) {
    return all.get(term);
  }

  /** Goes on under another limit. A term follows the first of its kind. */
  void change(Terms next, long now, @Nullable StoreClock clock) {
    var before = new ArrayList<>(all);
    var after = new ArrayList<Holding>(next.terms().size());
    for (Term term : next.terms()) {
      Holding holding = follower(before, term, after.size());
      holding.change(term, after.size(), now, clock);
      after.add(holding);
    }
    all = after;
  }

  private static Holding follower(List<Holding> before, Term term, int index) {
    for (Holding holding : before) {
      if (term.follows(holding.term())) {
        before.remove(holding);
        return holding;
      }
    }
    return new Holding(term, index);
  }

  /** Returns whether what may be used at an instant is enough for a cost. */
  boolean cover(long instant, Cost cost) {
    for (Holding holding : all) {
      long units = units(holding, cost);
      if (units > 0 && holding.usableAt(instant) < units) {
        return false;
      }
    }
    return true;
  }

  /** Returns the first instant after that one from which more may be used; null if none. */
  @Nullable Long nextFrom(long instant) {
    Long next = null;
    for (Holding holding : all) {
      next = LeaseBook.earlier(next, holding.nextFrom(instant));
    }
    return next;
  }

  /** Returns whether a unit of each term may be used now. */
  boolean haveUsable(long now) {
    return all.stream().allMatch(holding -> holding.usableAt(now) > 0);
  }

  /** Returns whether less is in hand than is wanted. */
  boolean lack(long now, Cost wanted) {
    for (Holding holding : all) {
      if (holding.missing(now, units(holding, wanted)) > 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Records the start of a request.
   *
   * @param span in which it is of interest how much was used
   */
  void start(long startedAt, long now, Cost cost, long span, @Nullable StoreClock clock) {
    for (Holding holding : all) {
      start(holding, startedAt, now, cost, span, clock);
    }
  }

  /** Charges a request again that starts only now to the terms that count starts. */
  void startsLate(long now, Cost cost, long span, @Nullable StoreClock clock) {
    for (Holding holding : all) {
      if (!holding.term().tracks()) {
        start(holding, now, now, cost, span, clock);
      }
    }
  }

  private static void start(
      Holding holding, long startedAt, long now, Cost cost, long span, @Nullable StoreClock clock) {
    long units = units(holding, cost);
    if (units > 0) {
      holding.start(startedAt, now, units, span, clock);
    }
  }

  /** Records how a request ended that was started at that instant. */
  void end(long startedAt, long now, Cost cost, Outcome outcome, @Nullable StoreClock clock) {
    for (Holding holding : all) {
      holding.end(startedAt, now, units(holding, cost), outcome, clock);
    }
  }

  /** Records that a request cost something else than it was charged. */
  void settle(
      long startedAt, long now, Cost charged, Cost actual, long span, @Nullable StoreClock clock) {
    for (Holding holding : all) {
      long more = units(holding, actual) - units(holding, charged);
      if (more > 0) {
        holding.start(startedAt, now, more, span, clock);
      } else if (more < 0) {
        holding.end(startedAt, now, -more, Outcome.NOT_SENT, clock);
      }
    }
  }

  /** Records when a request was sent, which names it from now on. */
  void sent(long startedAt, long now, Cost cost) {
    for (Holding holding : all) {
      holding.sent(startedAt, now, units(holding, cost));
    }
  }

  /** Records an open request that began under another limit. */
  void adopt(long startedAt, long now, Cost cost, @Nullable StoreClock clock) {
    for (Holding holding : all) {
      long units = units(holding, cost);
      if (units > 0 && holding.term().tracks() && !holding.knows(startedAt)) {
        holding.startWithoutGrant(startedAt, now, units, clock);
      }
    }
  }

  boolean haveOpen() {
    return all.stream().anyMatch(Holding::hasOpen);
  }

  private static long units(Holding holding, Cost cost) {
    return holding.term().measure().of(cost);
  }
}
