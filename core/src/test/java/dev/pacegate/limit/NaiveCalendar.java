package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Windows of a calendar, each request in all that it touches. */
final class NaiveCalendar implements Naive {

  private static final class Request {
    final long start;
    final long amount;
    long known; // by which instant: its start, or its sending
    long end = Long.MAX_VALUE; // until it is known
    boolean counts = true;

    Request(long start, long amount) {
      this.start = start;
      this.known = start;
      this.amount = amount;
    }
  }

  private final Aligned limit;
  private final CalendarWindows windows;
  private final long margin;
  private final long began = CalendarWindows.nanos(Play.BEGAN);
  private final List<Request> requests = new ArrayList<>();

  NaiveCalendar(Aligned limit) {
    this.limit = limit;
    this.windows = limit.windows();
    this.margin = limit.marginNanos();
  }

  @Override
  public long wait(long since, long now, Cost cost) {
    long amount = limit.of().of(cost);
    if (amount == 0) {
      return 0;
    }
    if (amount > limit.max()) {
      return Meter.NEVER;
    }
    long wall = began + now;
    if (fits(wall, amount)) {
      return 0;
    }
    long known = wall + margin; // no window behind is touched by what has an end
    for (Request request : requests) {
      known = request.end == Long.MAX_VALUE ? known : Math.max(known, began + request.end);
    }
    for (long k = windows.index(wall - margin); ; k++) {
      long instant = windows.beginning(k) + margin;
      if (instant > wall && fits(instant, amount)) {
        return instant - wall;
      }
      if (windows.beginning(k) > known + 4 * margin + limit.windows().length().usual()) {
        return Meter.AT_EVENT;
      }
    }
  }

  private boolean fits(long wall, long amount) {
    long last = windows.index(wall + margin);
    for (long k = windows.index(wall - margin); k <= last; k++) {
      BigInteger sum = BigInteger.valueOf(amount);
      for (Request request : requests) {
        if (request.counts && touches(request, k)) {
          sum = sum.add(BigInteger.valueOf(request.amount));
        }
      }
      if (sum.compareTo(BigInteger.valueOf(limit.max())) > 0) {
        return false;
      }
    }
    return true;
  }

  private boolean touches(Request request, long window) {
    return began + request.start - margin < windows.beginning(window + 1)
        && Nanos.add(request.end, began + margin) >= windows.beginning(window);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    requests.add(new Request(now, Math.min(limit.of().of(cost), limit.max())));
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    Request request = find(startedAt, cost);
    request.end = end == Outcome.LOST ? Math.max(now, startedAt + limit.unansweredNanos()) : now;
    request.counts = end != Outcome.NOT_SENT;
  }

  @Override
  public void sent(long startedAt, long now, Cost cost) {
    find(startedAt, cost).known = now;
  }

  private Request find(long startedAt, Cost cost) {
    long amount = Math.min(limit.of().of(cost), limit.max());
    for (Request request : requests) {
      if (request.known == startedAt
          && request.amount == amount
          && request.counts
          && request.end == Long.MAX_VALUE) {
        return request;
      }
    }
    throw new AssertionError("no such request: " + startedAt + " " + cost);
  }
}
