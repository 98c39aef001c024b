package dev.pacegate.feedback;

import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.feedback.PeerCount.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a limiter makes of refusals if its limit is not the peer's. Each case runs with several
 * phases of the peer's windows.
 */
class LearningTest {

  private static final int SHARED = 120;
  private static final List<Kind> KINDS = List.of(Kind.FIXED, Kind.SLIDING, Kind.BUCKET);
  private static final List<Long> SEEDS = List.of(1L, 2L, 3L, 4L);

  record Case(Kind kind, long max, Duration interval, boolean tells, int workers) {
    LearningWorld world(long seed) {
      return new LearningWorld(kind, max, interval, tells, seed);
    }

    /** Returns the limit of the peer's kind, with so many times the peer's rate. */
    String limit(long times) {
      String rate = max * times + "/" + interval.toSeconds() + "s";
      return kind == Kind.BUCKET
          ? "peer(bucket(" + rate + ", burst=" + max * times + "))"
          : "peer(" + rate + ")";
    }

    double mostRefused() {
      return max == 10 && !tells ? 0.1 : 0.05;
    }
  }

  static List<Case> cases() {
    var cases = new ArrayList<Case>();
    for (Kind kind : KINDS) {
      for (long max : new long[] {10, 100}) {
        for (int seconds : new int[] {1, 60}) {
          for (boolean tells : new boolean[] {false, true}) {
            cases.add(new Case(kind, max, Duration.ofSeconds(seconds), tells, 1));
            cases.add(new Case(kind, max, Duration.ofSeconds(seconds), tells, 8));
          }
        }
      }
    }
    return cases;
  }

  static List<Case> casesOfASecond() {
    return cases().stream().filter(each -> each.interval.toSeconds() == 1).toList();
  }

  static List<Case> casesOfAMinute() {
    return cases().stream().filter(each -> each.interval.toSeconds() > 1).toList();
  }

  @ParameterizedTest
  @Tag("slow")
  @MethodSource("casesOfAMinute")
  void ofALimitAMinuteTwiceThePeersNearlyNothingIsRefused(Case each) {
    ofALimitTwiceThePeersNearlyNothingIsRefused(each);
  }

  /** Counted from the third interval on, over all phases. */
  @ParameterizedTest
  @MethodSource("casesOfASecond")
  void ofALimitTwiceThePeersNearlyNothingIsRefused(Case each) {
    double accepted = 0;
    double refused = 0;
    for (long seed : SEEDS) {
      LearningWorld world = each.world(seed);
      world.send(each.limit(2), each.workers, Feedback.standard());
      world.run(40);
      accepted += world.count(0, true, 2, 40);
      refused += world.count(0, false, 2, 40);
    }
    double share = refused / (accepted + refused);
    double delivered = accepted / SEEDS.size() / (38.0 * (double) each.max);
    System.out.printf("%s: refused %.3f, delivered %.3f%n", each, share, delivered);
    assertAll(
        () -> assertTrue(share <= each.mostRefused(), "refused " + share),
        () -> assertTrue(delivered >= 0.85, "delivered " + delivered));
  }

  @ParameterizedTest
  @Tag("slow")
  @MethodSource("cases")
  void aLimitThatIsRaisedIsUsedWithinTenIntervals(Case each) {
    isUsedWithin(10, each);
  }

  static List<Case> casesOfFew() {
    return KINDS.stream()
        .flatMap(
            kind -> Stream.of(false, true).map(tells -> new Case(kind, 6, ofSeconds(1), tells, 8)))
        .toList();
  }

  /** It then lets through fewer than twenty. */
  @ParameterizedTest
  @MethodSource("casesOfFew")
  void aLimitOfFewThatIsRaisedIsUsedWithinThirteenIntervals(Case each) {
    isUsedWithin(13, each);
  }

  private static void isUsedWithin(int intervals, Case each) {
    for (long seed : SEEDS) {
      LearningWorld world = each.world(seed);
      world.send(each.limit(2), each.workers, Feedback.standard());
      world.run(20 + (int) seed);
      world.change(2 * each.max);
      world.run(20);
      int from = 20 + (int) seed;
      double best = 0;
      for (int i = 0; i < intervals; i++) {
        best = Math.max(best, (double) world.count(0, true, from + i, from + i + 1));
      }
      double reached = best / (2.0 * each.max);
      assertTrue(reached >= 0.9, "seed " + seed + ": " + reached);
    }
  }

  /**
   * Counted from the tenth interval on, over all phases. The larger part of the two is that of each
   * phase.
   */
  @ParameterizedTest
  @Tag("slow")
  @MethodSource("cases")
  void twoProcessesWithOneKeyShareIt(Case each) {
    double accepted = 0;
    double refused = 0;
    double larger = 0;
    for (long seed : SEEDS) {
      LearningWorld world = each.world(seed);
      world.send(each.limit(1), each.workers, Feedback.standard());
      world.send(each.limit(1), each.workers, Feedback.standard());
      world.run(SHARED);
      double first = world.count(0, true, 9, SHARED);
      double second = world.count(1, true, 9, SHARED);
      accepted += first + second;
      larger += Math.max(first, second);
      refused += world.count(0, false, 9, SHARED) + world.count(1, false, 9, SHARED);
    }
    double share = larger / accepted;
    double refusedShare = refused / (accepted + refused);
    System.out.printf("%s: larger share %.3f refused %.3f%n", each, share, refusedShare);
    assertAll(
        () -> assertTrue(share <= 0.65, "share " + share),
        () -> assertTrue(refusedShare <= 0.05, "refused " + refusedShare));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void underThePeersOwnLimitNothingChanges(Case each) {
    LearningWorld with = each.world(1);
    with.send(each.limit(1), each.workers, Feedback.standard());
    with.run(30);
    assertEquals(0, with.count(0, false, 0, 30), "refused");
    assertTrue(with.limiters.get(0).snapshot().workingRate().isEmpty());
    assertEquals(0, with.limiters.get(0).snapshot().takenByOthers());
  }
}
