package dev.pacegate.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Seeds;
import dev.pacegate.peer.HeadersWorld.Traffic;
import dev.pacegate.peer.StatingPeer.Counts;
import dev.pacegate.peer.StatingPeer.Windows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An hour under {@code counted=headers} at simulated peers that count at different times. Each
 * refuses what is too much, and bodies take 15 to 45 s.
 */
class CountedByHeadersTest {

  private static final String PLAIN = "peer(60/1m)";
  private static final String HEADERS = "peer(60/1m, counted=headers)";
  private static final Duration SLOW = Duration.ofSeconds(3);

  private static List<Arguments> peers(List<Counts> counts) {
    var all = new ArrayList<Arguments>();
    for (Counts when : counts) {
      for (Windows windows : Windows.values()) {
        all.add(Arguments.of(when, windows));
      }
    }
    return all;
  }

  static List<Arguments> early() {
    return peers(List.of(Counts.ON_ARRIVAL, Counts.BEFORE_HEADERS));
  }

  static List<Arguments> mixed() {
    return peers(List.of(Counts.AT_RANDOM, Counts.SOME_AFTER_BODY));
  }

  private static List<Traffic> traffic() {
    return List.of(
        Traffic.endless(),
        Traffic.atRandom(20),
        Traffic.atRandom(50),
        Traffic.atRandom(70),
        Traffic.endless().leg(SLOW));
  }

  /** Runs an hour, in which none may be refused; returns how many requests a minute were sent. */
  private static double run(String limit, Counts counts, Windows windows, Traffic on, long seed) {
    var world = new HeadersWorld(limit, counts, windows, on, seed);
    double rate = world.run();
    assertEquals(0, world.refused(), () -> limit + ", " + on);
    return rate;
  }

  @ParameterizedTest
  @MethodSource("early")
  void longBodiesCostNothingAtAPeerThatCountsByItsHeaders(Counts counts, Windows windows) {
    Seeds.forEach(
        4,
        random -> {
          long seed = random.nextLong();
          double plain = run(PLAIN, counts, windows, Traffic.endless(), seed);
          double early = run(HEADERS, counts, windows, Traffic.endless(), seed);
          System.out.printf("%s, %s: %.1f, without %.1f a minute%n", counts, windows, early, plain);
          assertTrue(plain < 42, "without: " + plain);
          assertTrue(early > 0.98 * HeadersWorld.LIMIT, "with: " + early);
        });
  }

  /** Requests that come one by one are never apart from those before, so few answers prove much. */
  @ParameterizedTest
  @MethodSource("early")
  void noRequestIsRefusedHoweverRequestsCome(Counts counts, Windows windows) {
    Seeds.forEach(
        4,
        random -> {
          for (Traffic traffic : traffic()) {
            long seed = random.nextLong();
            double plain = run(PLAIN, counts, windows, traffic, seed);
            double early = run(HEADERS, counts, windows, traffic, seed);
            assertTrue(early >= 0.99 * plain, traffic + ": " + early + ", without " + plain);
          }
        });
  }

  /** No answer can prove anything, so every decision is that of the plain limit. */
  @ParameterizedTest
  @EnumSource(Windows.class)
  void aPeerThatCountsAfterTheBodyIsTreatedAsByThePlainLimit(Windows windows) {
    Seeds.forEach(
        4,
        random -> {
          for (Traffic traffic : traffic()) {
            long seed = random.nextLong();
            double plain = run(PLAIN, Counts.AFTER_BODY, windows, traffic, seed);
            assertEquals(plain, run(HEADERS, Counts.AFTER_BODY, windows, traffic, seed));
          }
        });
  }

  /** It is not as the limit says, so nothing is promised; a few of thousands may be refused. */
  @ParameterizedTest
  @MethodSource("mixed")
  void aPeerThatCountsSomeLateIsFoundOut(Counts counts, Windows windows) {
    var refused = new AtomicInteger();
    Seeds.forEach(
        8,
        random -> {
          for (Traffic traffic : traffic()) {
            var world = new HeadersWorld(HEADERS, counts, windows, traffic, random.nextLong());
            double rate = world.run();
            assertTrue(rate < 42, traffic + ": " + rate);
            assertTrue(refused.addAndGet(world.refused()) <= 2, traffic + ": " + refused);
          }
        });
  }

  @Test
  void aPeerThatSaysNothingIsTreatedAsByThePlainLimit() {
    Traffic traffic = Traffic.endless();
    var plain = new HeadersWorld(PLAIN, Counts.ON_ARRIVAL, Windows.SLIDING, traffic, 1);
    var early = new HeadersWorld(HEADERS, Counts.ON_ARRIVAL, Windows.SLIDING, traffic, 1).silent();
    assertEquals(plain.run(), early.run());
  }
}
