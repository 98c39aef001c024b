package dev.pacegate.audit;

import dev.pacegate.limit.Cost;
import java.util.PriorityQueue;

/**
 * Puts requests in the order of their starts that come out of order by up to a span, such as those
 * of a log to which many threads write:
 *
 * <pre>{@code
 * var reorder = new Reorder(5_000_000_000L, audit::add);
 * reorder.add(start, end, cost);          // each line
 * reorder.flush();
 * }</pre>
 *
 * <p>A request is passed on once one that starts the span later has come, and what remains by
 * {@link #flush}; equal starts stay in the order they came in. It holds what has started within the
 * last span. Not thread-safe.
 */
public final class Reorder {

  /** Takes requests in the order of their starts, as {@link Audit#add(long, long, Cost)} does. */
  @FunctionalInterface
  public interface Sink {
    /** Takes a request. */
    void add(long start, long end, Cost cost);
  }

  private record Request(long start, long end, Cost cost, long number) {
    static int compare(Request a, Request b) {
      long difference = a.start == b.start ? a.number - b.number : a.start - b.start;
      return Long.signum(difference);
    }
  }

  private final long spanNanos;
  private final Sink sink;
  private final PriorityQueue<Request> waiting = new PriorityQueue<>(Request::compare);
  private long count;
  private long latest; // the latest start

  /**
   * Makes one.
   *
   * @param spanNanos by how much a start may be earlier than the latest before it, 0 or more
   * @param sink takes the requests
   */
  public Reorder(long spanNanos, Sink sink) {
    if (spanNanos < 0) {
      throw new IllegalArgumentException("the span must not be negative: " + spanNanos);
    }
    this.spanNanos = spanNanos;
    this.sink = sink;
  }

  /**
   * Takes in a request that started at {@code start} and was over at {@code end}.
   *
   * @throws OutOfOrderException if it starts more than the span before the latest start, or ends
   *     before it starts; then nothing changes
   */
  public void add(long start, long end, Cost cost) {
    check(start, end);
    if (count == 0 || start - latest > 0) {
      latest = start;
    }
    waiting.add(new Request(start, end, cost, count++));
    passOn(spanNanos);
  }

  private void check(long start, long end) {
    if (count > 0 && latest - start > spanNanos) {
      String message = start + " is earlier than " + latest + " by more than " + spanNanos + "ns";
      throw new OutOfOrderException(message, start, latest - spanNanos);
    }
    if (end - start < 0) {
      throw new OutOfOrderException("the end " + end + " is before its start " + start, end, start);
    }
  }

  /** Passes on everything; what is added afterwards must not start before it. */
  public void flush() {
    passOn(0);
  }

  private void passOn(long age) {
    while (!waiting.isEmpty() && latest - waiting.element().start >= age) {
      Request first = waiting.remove();
      sink.add(first.start, first.end, first.cost);
    }
  }
}
