package dev.pacegate.audit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Cost;
import dev.pacegate.time.Durations;
import java.util.PriorityQueue;

/**
 * Sorts requests by start that are out of order by at most a given span, as in a log that many
 * threads write:
 *
 * <pre>{@code
 * var reorder = new Reorder(5_000_000_000L, audit::add);
 * reorder.add(start, end, cost);          // each line
 * reorder.flush();
 * }</pre>
 *
 * <p>A request is passed on once another has come that starts the span later; the rest is passed on
 * by {@link #flush}. Equal starts keep their order. It buffers the requests that started within the
 * last span. Not thread-safe.
 */
public final class Reorder {

  /**
   * Receives requests in the order of their starts, as {@link Audit#add(long, long, Cost)} does.
   */
  @FunctionalInterface
  public interface Sink {
    /** Receives a request. */
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
   * Creates a buffer.
   *
   * @param spanNanos by how many nanoseconds a start may be earlier than the latest before it, 0 or
   *     more
   * @param sink receives the requests
   */
  public Reorder(long spanNanos, Sink sink) {
    if (spanNanos < 0) {
      throw new IllegalArgumentException("spanNanos must not be negative: " + spanNanos);
    }
    this.spanNanos = spanNanos;
    this.sink = requireNonNull(sink);
  }

  /**
   * Adds a request that started at {@code start} and ended at {@code end}.
   *
   * @throws OutOfOrderException if it starts more than the span before the latest start, or ends
   *     before it starts; then nothing changes
   */
  public void add(long start, long end, Cost cost) {
    requireNonNull(cost);
    check(start, end);
    if (count == 0 || start - latest > 0) {
      latest = start;
    }
    waiting.add(new Request(start, end, cost, count++));
    passOn(spanNanos);
  }

  private void check(long start, long end) {
    if (count > 0 && latest - start > spanNanos) {
      String message =
          start + " is earlier than " + latest + " by more than " + Durations.decimal(spanNanos);
      throw new OutOfOrderException(message, start, latest - spanNanos);
    }
    if (end - start < 0) {
      throw new OutOfOrderException("the end " + end + " is before its start " + start, end, start);
    }
  }

  /** Passes on all requests; later ones must not start before them. */
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
