package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import org.apache.pekko.stream.javadsl.Sink;
import org.junit.jupiter.api.Test;

/** Streams run on a key as on any limiter, on real threads. */
class KeyStreamTest extends StreamTest {

  @Test
  void eachStreamGoesAtThePaceOfItsKey() {
    KeyedLimiter<String> keyed = KeyedLimiter.of("5/200ms");
    long began = System.nanoTime();
    var a = numbers(12).via(Throttle.of(keyed.limiter("a"))).runWith(Sink.seq(), materializer);
    var b = numbers(5).via(Throttle.of(keyed.limiter("b"))).runWith(Sink.seq(), materializer);
    assertEquals(from(1, 5), await(b));
    assertEquals(from(1, 12), await(a));
    assertTrue(System.nanoTime() - began >= 400_000_000, "12 of 5 take two intervals");
    assertEquals(17, keyed.all().snapshot().granted());
  }
}
