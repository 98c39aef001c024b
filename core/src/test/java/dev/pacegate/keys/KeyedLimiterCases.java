package dev.pacegate.keys;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Keyed limiters on virtual time, and who asks them. */
abstract class KeyedLimiterCases {

  static final Duration SECOND = Duration.ofSeconds(1);
  static final Duration MINUTE = Duration.ofMinutes(1);
  static final Duration SOON = Duration.ofMillis(10); // by when what is at rest is dropped

  final ManualTime time = ManualTime.manual();
  final List<String> released = new ArrayList<>();

  KeyedLimiter<String> keyed(String perKey) {
    return keyed(perKey, "unlimited");
  }

  KeyedLimiter<String> keyed(String perKey, String all) {
    return KeyedLimiter.builder(perKey).within(limiter(all)).build();
  }

  Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).stamped(true).build();
  }

  CompletableFuture<Permit> ask(KeyedLimiter<String> limiter, String key) {
    CompletableFuture<Permit> place = limiter.acquireAsync(key);
    var unused = place.thenRun(() -> released.add(key));
    return place;
  }

  static boolean tries(KeyedLimiter<String> limiter, String key) {
    return limiter.tryAcquire(key).isPresent();
  }
}
