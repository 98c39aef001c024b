package dev.pacegate.compatibility.llm;

import dev.pacegate.time.NanoClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * One model of the provider, which counts requests and tokens in any window as OpenAI does: a
 * request reserves what it may cost at most when it arrives, and is corrected when it is done.
 */
final class Model {

  /** A request that was admitted. */
  static final class Use {
    final long arrived;
    private long tokens;

    private Use(long arrived, long tokens) {
      this.arrived = arrived;
      this.tokens = tokens;
    }

    long tokens() {
      return tokens;
    }
  }

  private final int maxRequests;
  private final long maxTokens;
  private final long windowNanos;
  private final Deque<Use> window = new ArrayDeque<>();
  private final List<Use> all = new ArrayList<>();
  private long reserved; // tokens in the window
  private int refused;

  Model(int maxRequests, long maxTokens, long windowNanos) {
    this.maxRequests = maxRequests;
    this.maxTokens = maxTokens;
    this.windowNanos = windowNanos;
  }

  /** Returns the use of a request that may cost so much, or null if it is refused. */
  synchronized Use arrive(NanoClock clock, long most) {
    long now = clock.nanoTime(); // here, so that arrivals are in order
    expire(now);
    if (window.size() >= maxRequests || reserved + most > maxTokens) {
      refused++;
      return null;
    }
    var use = new Use(now, most);
    window.add(use);
    all.add(use);
    reserved += most;
    return use;
  }

  private void expire(long now) {
    while (!window.isEmpty() && now - window.peek().arrived >= windowNanos) {
      reserved -= window.remove().tokens;
    }
  }

  synchronized void done(Use use, long tokens) {
    if (window.contains(use)) {
      reserved += tokens - use.tokens;
    }
    use.tokens = tokens;
  }

  /** Returns the headers of a response, by their names and values. */
  synchronized List<List<String>> headers(NanoClock clock) {
    long now = clock.nanoTime();
    expire(now);
    long reset = window.isEmpty() ? 0 : windowNanos - (now - window.getLast().arrived);
    String span = String.format(Locale.ROOT, "%.3fs", reset / 1e9);
    return List.of(
        List.of("x-ratelimit-limit-requests", "" + maxRequests),
        List.of("x-ratelimit-remaining-requests", "" + (maxRequests - window.size())),
        List.of("x-ratelimit-reset-requests", span),
        List.of("x-ratelimit-limit-tokens", "" + maxTokens),
        List.of("x-ratelimit-remaining-tokens", "" + (maxTokens - reserved)),
        List.of("x-ratelimit-reset-tokens", span));
  }

  synchronized int refused() {
    return refused;
  }

  /** Returns all requests that were admitted, in order. */
  synchronized List<Use> all() {
    return List.copyOf(all);
  }
}
