package dev.pacegate.redis;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Two processes that always have requests to send, in virtual time: real books of leases, and the
 * {@link StoreTwin}, which is restarted once and has then forgotten everything.
 */
final class SharedRun {

  static final long MILLI = 1_000_000;
  static final long END = 9_400 * MILLI;
  static final long LOSS = 4_800 * MILLI;
  static final long ANSWER = 200 * MILLI;
  private static final long GAP = 45 * MILLI; // between two requests of a process, at least
  private static final long WAY = 8 * MILLI; // to the store, and back
  private static final long WALL = 1_790_000_000_000_000L; // what the store's clock shows first
  private static final Cost BACKLOG = Cost.of(10);

  /** Units that a process may use from one instant to another. */
  record Leased(long from, long until, long units) {

    /** Returns both as one, as which they look. */
    Leased and(Leased other) {
      return new Leased(
          Math.min(from, other.from), Math.max(until, other.until), units + other.units);
    }
  }

  /** A process, and what it did. */
  static final class Side {
    final String name;
    final List<Leased> leases = new ArrayList<>();
    final List<Long> starts = new ArrayList<>();
    final List<Long> calls = new ArrayList<>(); // when the store carried them out
    private final LeaseBook book;
    private final ArrayDeque<Long> open = new ArrayDeque<>();
    private @Nullable Request request;
    private @Nullable Reply reply;
    private long sent;

    Side(String name, Terms terms) {
      this.name = name;
      this.book = new LeaseBook(terms);
    }

    private void add(Leased lease) {
      int last = leases.size() - 1;
      if (last >= 0 && lease.from < leases.get(last).until) {
        leases.set(last, leases.get(last).and(lease));
      } else {
        leases.add(lease);
      }
    }
  }

  final Terms terms;
  final List<Side> sides;
  final List<Long> fences = new ArrayList<>(); // when they begin
  private final StoreTwin store = new StoreTwin();
  private String epoch = "";

  SharedRun(String limit) {
    terms = Terms.of(Limits.parse(limit), null);
    sides = List.of(new Side("process A", terms), new Side("process B", terms));
    for (long now = 0; now < END; now += MILLI) {
      if (now == LOSS) {
        store.run += "'";
        store.forget();
      }
      for (Side side : sides) {
        step(side, now);
      }
    }
  }

  private void step(Side side, long now) {
    while (!side.open.isEmpty() && now - side.open.peek() >= ANSWER) {
      side.book.end(side.open.remove(), now, Cost.ONE, Outcome.ANSWERED);
    }
    talk(side, now);
    int last = side.starts.size() - 1;
    boolean wants = last < 0 || now - side.starts.get(last) >= GAP;
    if (wants && side.book.nanosUntil(now, Cost.ONE) == 0) {
      side.book.start(now, now, Cost.ONE);
      side.open.add(now);
      side.starts.add(now);
    }
  }

  private void talk(Side side, long now) {
    Request request = side.request;
    if (request == null) {
      side.request = side.book.request(now, BACKLOG);
      side.sent = now;
    } else if (side.reply == null && now - side.sent >= WAY) {
      side.reply = carryOut(side, request, now);
    } else if (side.reply != null && now - side.sent >= 2 * WAY) {
      side.book.replied(request, side.sent, now, side.reply);
      side.request = null;
      side.reply = null;
    }
  }

  private Reply carryOut(Side side, Request request, long now) {
    store.wall = WALL + now / 1000;
    Reply reply = store.acquire(side.name, request, terms, false);
    side.calls.add(now);
    if (!reply.epoch().equals(epoch)) {
      epoch = reply.epoch();
      fences.add(now);
    }
    for (Reply.Grant grant : reply.grants()) {
      side.add(new Leased(local(grant.from()), local(grant.until()), grant.units().get(0)));
    }
    return reply;
  }

  private static long local(long micros) {
    return (micros - WALL) * 1000;
  }

  /** Returns the most that the peer can have counted in an interval, of both together. */
  long most() {
    var audit = Audit.of(terms.limit());
    sides.stream()
        .flatMap(side -> side.starts.stream())
        .sorted(Comparator.naturalOrder())
        .forEach(start -> audit.add(start, start + ANSWER, Cost.ONE));
    return audit.verdict().measured();
  }
}
