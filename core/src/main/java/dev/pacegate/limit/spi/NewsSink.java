package dev.pacegate.limit.spi;

import dev.pacegate.limit.Limit;
import java.util.function.LongConsumer;

/**
 * Where a {@link MeterSource} tells a limiter, or one key of it, what is new. Only limiters
 * implement it.
 *
 * <p>Thread-safe: for any thread that is not inside the gate, errands and callbacks of the limiter
 * included. A meter, which is called inside the gate, may only ask for {@link #now}; the other
 * methods then throw {@link IllegalStateException}.
 *
 * <p>After the limiter was closed or the key dropped, all of it is harmless.
 */
public interface NewsSink {

  /** Returns the present instant of the limiter's clock, as its meters count it. */
  long now();

  /**
   * Runs {@code news} inside the gate, with the present instant, and then lets go what can go: all
   * requests that wait for this meter are looked at anew. The news may change the meter's own state
   * and must not block or call the limiter. Ends a {@linkplain #refuse refusal}. When this method
   * returns the news have been told; the requests that can go may still be on their way.
   *
   * <p>If {@code news} throw, that is logged and all else is done nevertheless.
   */
  void tell(LongConsumer news);

  /**
   * Puts a limit in force that the source counts from now on: the present meter is replaced by a
   * {@linkplain MeterSource#newMeter new one}. Nothing happens if the limit is in force already, or
   * the limiter is closed. For a key, this is its own limit from now on, whether the key is in use
   * or not.
   *
   * @throws IllegalArgumentException if the source {@linkplain MeterSource#check cannot count it}
   */
  void change(Limit next);

  /**
   * Refuses all requests that wait, and all that come until news are told next, with a {@code
   * SourceUnavailableException}; {@code tryAcquire} returns empty. For a source that is
   * unavailable, if its user prefers a refusal to a wait. Dry-run mode refuses no request.
   *
   * <p>Another thread may tell news at the same time, and then either may come last. A source that
   * has become available while it called this method must tell news after it.
   *
   * @param why the reason, for the message: such as "the store is down since 12:04"
   */
  void refuse(String why);
}
