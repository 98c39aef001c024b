package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.pacegate.redis.Exploration.Fault;
import dev.pacegate.redis.Exploration.Result;
import dev.pacegate.redis.Exploration.Setting;
import dev.pacegate.redis.StoreTwin.Mutant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever happens to two clients and their store, the peer never counts more than the limit. */
class ExplorationTest {

  private static final List<Terms> TERMS =
      List.of(
          Setting.terms(2, 3, 2, 1, 1), Setting.terms(3, 4, 2, 2, 2), Setting.terms(2, 6, 3, 2, 3));

  @ParameterizedTest
  @EnumSource(Fault.class)
  void withTwoFaultsOfAKindThePeerCountsNoMore(Fault fault) {
    walk(EnumSet.of(fault), Mutant.NONE, 300);
  }

  @Test
  void withAnyTwoFaultsThePeerCountsNoMore() {
    walk(EnumSet.allOf(Fault.class), Mutant.NONE, 1_500);
  }

  @Test
  @Tag("slow")
  void withAnyTwoFaultsThePeerCountsNoMoreOnManyWays() {
    walk(EnumSet.allOf(Fault.class), Mutant.NONE, 50_000);
  }

  @Test
  @Tag("heavy")
  void withAnyTwoFaultsThePeerCountsNoMoreOnAMillionWays() {
    walk(EnumSet.allOf(Fault.class), Mutant.NONE, 1_000_000);
  }

  /** Every way on which calls take no time, as far as that goes in so many states. */
  @Test
  @Tag("slow")
  void onAllShortWaysThePeerCountsNoMore() {
    for (Fault fault : Fault.values()) {
      var setting = new Setting(TERMS.get(0), 9, 3, 0, true, 1, Set.of(fault), Mutant.NONE);
      Result result = new Exploration(setting).search(15_000);
      System.out.println("exploration: " + fault + ", " + result.steps() + " states");
      assertEquals(List.of(), result.broken());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "FAILOVER, NO_FENCE",
    "FLUSH, ABSENT_IS_FRESH",
    "LOST_CALL, UNUSED_TO_NOW",
    "FORWARD, CLOCK_TRUSTED"
  })
  void aBrokenStoreOrClientIsFound(Fault fault, Mutant mutant) {
    assertNotEquals(
        List.of(),
        new Exploration(setting(TERMS.get(2), Set.of(fault), mutant)).walk(60_000, 42).broken());
  }

  private static void walk(Set<Fault> faults, Mutant mutant, int ways) {
    long seed = System.nanoTime();
    long steps = 0;
    for (Terms terms : TERMS) {
      Result result = new Exploration(setting(terms, faults, mutant)).walk(ways, seed);
      assertEquals(List.of(), result.broken(), () -> "seed " + seed + ", " + terms);
      steps += result.steps();
    }
    System.out.println("exploration: " + faults + ", " + steps + " steps, seed " + seed);
  }

  private static Setting setting(Terms terms, Set<Fault> faults, Mutant mutant) {
    return new Setting(terms, 40, 1_000, 1_000, false, 2, faults, mutant);
  }
}
