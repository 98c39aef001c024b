package dev.pacegate.feedback;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each {@link Provider}, with its own limit and with that and a shorter one, to a client whose
 * limit is right, twice too high, or shared with another client.
 */
class ProvidersTest {

  private static final double MOST_REFUSED = 0.05;
  private static final List<Long> SEEDS = List.of(1L, 2L, 3L, 4L);
  private static final int WINDOWS = 60;

  record Case(Provider provider, boolean hasTwoTerms, long seed) {

    Case at(long otherSeed) {
      return new Case(provider, hasTwoTerms, otherSeed);
    }

    ProviderWorld world() {
      return new ProviderWorld(provider, hasTwoTerms, seed);
    }

    String limit(long times) {
      return provider.limit(times, hasTwoTerms);
    }

    /**
     * Returns which part of that it uses. SharePoint states what is left without a window, and the
     * two terms spread the requests: where 0 are left as own ones cease to count, the client takes
     * that for other clients' and pauses for a second, as resets are whole ones.
     */
    double leastUsed() {
      return hasTwoTerms && provider.name().equals("SharePoint") ? 0.94 : 0.97;
    }

    /** Returns what the client may send in a window if it does not know when the server counts. */
    double possible() {
      double seconds = (double) provider.seconds();
      return switch (provider.kind()) {
        case BUCKET, BUCKET_OF_SECONDS -> (double) provider.max();
        case FIXED, FIRST_HIT, SLIDING ->
            (double) provider.max() * seconds / (seconds * 1.001 + 0.001 + 0.03);
      };
    }
  }

  static Stream<Case> cases() {
    return Provider.ALL.stream().map(each -> new Case(each, true, 1));
  }

  static Stream<Case> moreCases() {
    return Stream.of(false, true)
        .flatMap(two -> Provider.ALL.stream().map(each -> new Case(each, two, 1)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theProvidersOwnLimitIsNeverRefusedAndNearlyUsedUp(Case each) {
    ProviderWorld world = each.world();
    world.send(each.limit(1));
    world.runUntil(WINDOWS);
    double used = (double) world.count(0, true, 2, WINDOWS) / (WINDOWS - 2) / each.possible();
    System.out.printf("%s: used %.3f%n", each, used);
    assertAll(
        () -> assertEquals(0, world.count(0, false, 0, WINDOWS), "refused"),
        () -> assertTrue(used >= each.leastUsed(), "used " + used));
  }

  /** From the third window on. */
  @ParameterizedTest
  @MethodSource("cases")
  void aLimitTwiceTheProvidersIsHardlyRefused(Case each) {
    ProviderWorld world = each.world();
    world.send(each.limit(2));
    world.runUntil(WINDOWS);
    double refused = world.refused(0, 2, WINDOWS);
    System.out.printf("%s: twice the limit: refused %.3f%n", each, refused);
    assertTrue(refused <= MOST_REFUSED, "refused " + refused);
  }

  /** From the tenth window on. */
  @ParameterizedTest
  @MethodSource("cases")
  void anotherClientKeepsItsHalf(Case each) {
    assertShared(shareBesideAnother(each));
  }

  private static double shareBesideAnother(Case each) {
    ProviderWorld world = each.world();
    world.send(each.limit(1));
    world.sendHalfEvenly();
    world.runUntil(WINDOWS);
    double refused = world.refused(0, 9, WINDOWS);
    double own = (double) world.count(0, true, 9, WINDOWS);
    double share = own / (own + (double) world.count(1, true, 9, WINDOWS));
    System.out.printf("%s: another client: refused %.3f, share %.3f%n", each, refused, share);
    assertTrue(refused <= MOST_REFUSED, "refused " + refused);
    return share;
  }

  private static void assertShared(double share) {
    assertTrue(share >= 0.35 && share <= 0.65, "share " + share);
  }

  /** From the tenth window on, over all phases; the larger share is that of each phase. */
  @ParameterizedTest
  @Tag("slow")
  @MethodSource("moreCases")
  void anotherProcessKeepsItsHalf(Case each) {
    double larger = 0;
    double accepted = 0;
    double refused = 0;
    for (long seed : SEEDS) {
      ProviderWorld world = each.at(seed).world();
      world.send(each.limit(1));
      world.send(each.limit(1));
      world.runUntil(WINDOWS);
      double first = (double) world.count(0, true, 9, WINDOWS);
      double second = (double) world.count(1, true, 9, WINDOWS);
      larger += Math.max(first, second);
      accepted += first + second;
      refused += (double) (world.count(0, false, 9, WINDOWS) + world.count(1, false, 9, WINDOWS));
    }
    double share = larger / accepted;
    double part = refused / (refused + accepted);
    System.out.printf("%s: another process: refused %.3f, larger share %.3f%n", each, part, share);
    assertAll(
        () -> assertTrue(part <= MOST_REFUSED, "refused " + part),
        () -> assertTrue(share <= 0.65, "share " + share));
  }

  /**
   * The share is that of all phases: beside a client that sends as evenly, a bucket of few serves
   * the one that comes first after each unit, 67 % of one term of Groq and Notion at one phase.
   */
  @ParameterizedTest
  @Tag("slow")
  @MethodSource("moreCases")
  void allOfThisHoldsAtEachPhase(Case each) {
    double share = 0;
    for (long seed : SEEDS) {
      theProvidersOwnLimitIsNeverRefusedAndNearlyUsedUp(each.at(seed));
      aLimitTwiceTheProvidersIsHardlyRefused(each.at(seed));
      share += shareBesideAnother(each.at(seed)) / SEEDS.size();
    }
    assertShared(share);
  }
}
