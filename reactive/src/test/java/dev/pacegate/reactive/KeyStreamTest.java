package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Streams run on a key as on any limiter. */
class KeyStreamTest {

  private final Bench bench = new Bench();
  private final KeyedLimiter<String> keyed =
      KeyedLimiter.builder("2/1s").time(bench.time).executor(Runnable::run).build();

  private Sink<Integer> throttled(String key) {
    return bench
        .sink(Pace.<Integer>throttle(keyed.limiter(key)).apply(Source.of(1, 2, 3, 4, 5)))
        .request(5);
  }

  @Test
  void eachStreamGoesAtThePaceOfItsKey() {
    var a = throttled("a");
    var b = throttled("b");
    assertEquals(List.of(1, 2), a.elements);
    assertEquals(List.of(1, 2), b.elements);
    bench.advance(1_000);
    var second = throttled("a");
    assertEquals(List.of(1, 2, 3, 4), b.elements);
    assertEquals(List.of(1, 2, 3, 4), a.elements);
    assertEquals(List.of(), second.elements, "two streams of a key share its limit");
    bench.advance(5_000);
    for (Sink<Integer> sink : List.of(a, b, second)) {
      assertEquals(List.of(1, 2, 3, 4, 5), sink.elements);
      assertTrue(sink.completed);
    }
    bench.advance(5_000);
    assertEquals(0, keyed.size());
    assertTrue(bench.isQuiet());
  }
}
