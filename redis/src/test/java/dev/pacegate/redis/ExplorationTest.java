package dev.pacegate.redis;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.Exploration.Fault;
import dev.pacegate.redis.Exploration.Replicas;
import dev.pacegate.redis.Exploration.Result;
import dev.pacegate.redis.Exploration.Setting;
import dev.pacegate.redis.Exploration.Together;
import dev.pacegate.redis.StoreTwin.Mutant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever happens to two clients and their store, the peer never counts more than the limit. */
class ExplorationTest {

  private static final Terms ONE_UNIT = Setting.terms(2, 1, Setting.window(1, 3, 1));
  private static final Terms TWO_UNITS = Setting.terms(2, 1, Setting.window(2, 3, 1));
  private static final int FOR_EVER = 1_000_000;

  /** Of a hundred, how many ways are walked; the build walks a quarter. */
  private static final int VOLUME = Integer.getInteger("pacegate.volume", 100);

  private static final Set<Fault> OF_REPLICAS =
      EnumSet.of(Fault.REPLICA_ATTACHES, Fault.FAILOVER, Fault.BACK_TO_FIRST);

  /**
   * Two faults of which one needs a replica have no end that was reached, after fifteen million
   * states: both servers go on from whatever the replica knew. These are two fences.
   */
  private static final int TICKS_OF_PAIRS = 14;

  /** Which half of the pairs is explored: 0, 1, or both. */
  private static final int HALF = Integer.getInteger("pacegate.half", 2);

  /** And two more: then both servers may grant what the other has granted. */
  private static final int TICKS_OF_A_FENCE = 9;

  /** What comes with servers that have replicas alone is searched with those. */
  private static final Set<Fault> WITH_REPLICAS = EnumSet.of(Fault.REPLACED, Fault.REPLICA_COPIES);

  private static final Set<Fault> OF_NO_MESSAGES = ofNoMessages();

  private static Set<Fault> ofNoMessages() {
    Set<Fault> faults =
        EnumSet.complementOf(
            EnumSet.of(
                Fault.LOST_CALL, Fault.LOST_REPLY, Fault.LATE_CALL, Fault.LATE_REPLY, Fault.PAUSE));
    faults.removeAll(WITH_REPLICAS);
    faults.remove(Fault.TAG_LOST); // of keys that are spread
    return faults;
  }

  /** For all keys: a key of one unit may not use it again when another may. */
  private static final Terms ALL = Setting.terms("peer(1/2s)", 2, 1, Setting.window(1, 2, 1));

  private static final Terms OWN = Setting.terms("peer(1/2s)", 2, 1, Setting.window(1, 8, 1));

  private static final Terms BUCKET = Setting.terms(2, 1, Setting.bucket(1, 3, 1));
  private static final Terms PLACES = Setting.terms(2, 1, Setting.places(1, 1));
  private static final Terms BUCKET_AND_PLACES =
      Setting.terms(2, 1, Setting.bucket(1, 2, 1), Setting.places(1, 1));
  private static final Terms SHORT_WINDOWS =
      Setting.terms(2, 1, Setting.window(1, 2, 1), Setting.window(2, 4, 1));

  /** One unit, or two, of the other kinds, and of several terms. */
  private static final List<Terms> KINDS =
      List.of(
          BUCKET,
          PLACES,
          Setting.terms(2, 1, Setting.window(1, 3, 1), Setting.window(2, 6, 1)),
          BUCKET_AND_PLACES);

  private static final List<Terms> TERMS =
      List.of(
          TWO_UNITS,
          Setting.terms(2, 2, Setting.window(3, 4, 2)),
          Setting.terms(3, 2, Setting.window(2, 6, 3)),
          Setting.terms(2, 1, Setting.bucket(2, 2, 1)),
          Setting.terms(2, 1, Setting.bucket(1, 3, 2)),
          Setting.terms(2, 1, Setting.places(2, 2)),
          Setting.terms(2, 1, Setting.window(2, 3, 1), Setting.window(3, 7, 1)),
          Setting.terms(2, 1, Setting.bucket(2, 2, 1), Setting.places(1, 1)));

  @ParameterizedTest
  @EnumSource(Fault.class)
  void withTwoFaultsOfAKindThePeerCountsNoMore(Fault fault) {
    walk(EnumSet.of(fault), VOLUME);
  }

  @Test
  void withAnyTwoFaultsThePeerCountsNoMore() {
    walk(EnumSet.allOf(Fault.class), 2 * VOLUME);
  }

  @Test
  @Tag("slow")
  void withAnyTwoFaultsThePeerCountsNoMoreOnManyWays() {
    walk(EnumSet.allOf(Fault.class), 1_000);
  }

  @Test
  @Tag("heavy")
  void withAnyTwoFaultsThePeerCountsNoMoreOnAMillionWays() {
    walk(EnumSet.allOf(Fault.class), 1_000_000 / TERMS.size());
  }

  /** All that can happen with one unit, calls that take no time, and one fault: without end. */
  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "LOST_CALL",
        "LOST_REPLY",
        "LATE_CALL",
        "LATE_REPLY",
        "PAUSE",
        "REPLACED",
        "REPLICA_COPIES",
        "TAG_LOST"
      })
  @Tag("slow")
  void ofOneUnitNoneIsStartedTwice(Fault fault) {
    visitAll(ONE_UNIT, fault, 0);
  }

  /**
   * The same of the other kinds of limits, of several terms, and of a key: some faults for each, in
   * as many ticks as a fence takes and a few before it.
   */
  @ParameterizedTest
  @MethodSource("kindsAndSomeFaults")
  @Tag("slow")
  void ofOneUnitOfAKindNoneIsStartedTwice(Terms terms, String key, Fault fault, int ticks) {
    visitAll(terms, key, ticks, 0, 1, Set.of(fault));
  }

  /** Each kind has other faults, and each fault another kind. */
  static Stream<Arguments> kindsAndSomeFaults() {
    return Stream.of(
        Arguments.of(SHORT_WINDOWS, "", Fault.CRASH, 10),
        Arguments.of(PLACES, "", Fault.RESTART, 6),
        Arguments.of(BUCKET_AND_PLACES, "", Fault.FLUSH, 8),
        Arguments.of(ONE_UNIT, "key", Fault.EVICT_KEY, FOR_EVER),
        Arguments.of(BUCKET, "", Fault.FORWARD, 10),
        Arguments.of(SHORT_WINDOWS, "", Fault.BACK, 10),
        Arguments.of(BUCKET_AND_PLACES, "", Fault.REPLICA_ATTACHES, 8),
        Arguments.of(ONE_UNIT, "key", Fault.FAILOVER, 10),
        Arguments.of(BUCKET, "", Fault.BACK_TO_FIRST, 10));
  }

  /** In as few ticks what is wrong is found. */
  @ParameterizedTest
  @MethodSource("kindsAndSomeMutants")
  @Tag("slow")
  void aStoreThatIsBrokenForAKindIsFound(Terms terms, Fault fault, int ticks, Mutant mutant) {
    Result result = search(terms, "", ticks, 0, 1, Set.of(fault), mutant);
    assertNotEquals(List.of(), result.broken());
  }

  static Stream<Arguments> kindsAndSomeMutants() {
    return Stream.of(
        Arguments.of(SHORT_WINDOWS, Fault.FLUSH, 10, Mutant.NO_FENCE),
        Arguments.of(PLACES, Fault.RESTART, 6, Mutant.NO_FENCE),
        Arguments.of(BUCKET_AND_PLACES, Fault.FLUSH, 8, Mutant.ABSENT_IS_FRESH),
        Arguments.of(BUCKET, Fault.FORWARD, 10, Mutant.CLOCK_TRUSTED));
  }

  /** A replica is promoted, and its primary goes on for one of the clients. */
  @ParameterizedTest
  @EnumSource(value = Replicas.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  @Tag("slow")
  void ofAServerThatIsReplacedAndGoesOnNoUnitIsStartedTwice(Replicas replicas) {
    visitAllWith(replicas, 0, replacing(replicas));
  }

  /** A call may take time, so that the server is replaced between a grant and what confirms it. */
  @Test
  @Tag("heavy")
  void ofAServerThatIsReplacedDuringACallNoUnitIsStartedTwice() {
    visitAllWith(Replicas.ONE, 1, Set.of(Fault.REPLACED));
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"RESTART_WITH_FILE", "FLUSH", "CRASH"})
  @Tag("heavy")
  void ofAServerThatIsReplacedAfterAnotherFaultNoUnitIsStartedTwice(Fault fault) {
    visitAllWith(Replicas.ONE, 0, EnumSet.of(Fault.REPLACED, fault));
  }

  private static void visitAllWith(Replicas replicas, int slow, Set<Fault> kinds) {
    Result result = searchWith(replicas, slow, kinds, Mutant.NONE);
    System.out.printf("exploration: %s with %s: %s%n", kinds, replicas, result);
    assertEquals(List.of(), result.broken());
    assertTrue(result.all());
  }

  @ParameterizedTest
  @CsvSource({
    "ONE, 0, LAG_FOR_WAIT",
    "ONE, 1, WAIT_ON_ANOTHER_CONNECTION",
    "TWO, 0, WAIT_FOR_ONE",
    "ANOTHER, 0, UNNAMED_TAKES_OVER"
  })
  void aClientOrAReplicaThatBelievesTooMuchIsFound(Replicas replicas, int slow, Mutant mutant) {
    Result result = searchWith(replicas, slow, replacing(replicas), mutant);
    assertNotEquals(List.of(), result.broken());
  }

  private static Set<Fault> replacing(Replicas replicas) {
    return replicas == Replicas.ANOTHER
        ? EnumSet.of(Fault.REPLICA_COPIES, Fault.FAILOVER)
        : EnumSet.of(Fault.REPLACED);
  }

  private static Result searchWith(Replicas replicas, int slow, Set<Fault> kinds, Mutant mutant) {
    var setting =
        new Setting(
            ONE_UNIT,
            "",
            null,
            null,
            Together.NOTHING,
            TICKS_OF_A_FENCE - slow, // a call that may take time makes many more states
            FOR_EVER,
            slow,
            true,
            kinds.size(),
            kinds,
            replicas,
            mutant);
    return new Exploration(setting).search(20_000_000);
  }

  @ParameterizedTest
  @MethodSource("kindsAndFaults")
  @Tag("heavy")
  void ofOneUnitOfEachKindNoneIsStartedTwice(Terms terms, String key, Fault fault) {
    visitAll(terms, key, FOR_EVER, 0, 1, Set.of(fault));
  }

  static Stream<Arguments> kindsAndFaults() {
    var all = new ArrayList<Arguments>();
    for (Fault fault : OF_NO_MESSAGES) {
      for (Terms terms : KINDS) {
        all.add(Arguments.of(terms, "", fault));
      }
      all.add(Arguments.of(ONE_UNIT, "key", fault));
    }
    return all.stream();
  }

  /** One call may take any time, on its way to the store or back. */
  @Test
  @Tag("heavy")
  void ofOneUnitNoneIsStartedTwiceByALateReply() {
    visitAll(ONE_UNIT, Fault.LATE_REPLY, 1);
  }

  /** The same of two units; where messages are lost, one call may take time. */
  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"LATE_CALL", "LATE_REPLY", "PAUSE", "REPLACED", "REPLICA_COPIES", "TAG_LOST"})
  @Tag("heavy")
  void ofTwoUnitsNoneIsStartedTwice(Fault fault) {
    visitAll(TWO_UNITS, fault, OF_NO_MESSAGES.contains(fault) ? 0 : 1);
  }

  /** Of two units these two take more memory than a machine of 24 GiB has. */
  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"LATE_CALL", "PAUSE"})
  @Tag("heavy")
  void ofOneUnitNoneIsStartedTwiceByLateCallsAndPauses(Fault fault) {
    visitAll(ONE_UNIT, fault, fault == Fault.PAUSE ? 0 : 1);
  }

  /** And with any two faults of the store and of processes. */
  @ParameterizedTest
  @MethodSource("pairs")
  @Tag("heavy")
  void ofOneUnitNoneIsStartedTwiceWithTwoFaults(Fault one, Fault other) {
    Set<Fault> kinds = EnumSet.of(one, other);
    boolean grows = !Collections.disjoint(kinds, OF_REPLICAS);
    visitAll(ONE_UNIT, "", grows ? TICKS_OF_PAIRS : FOR_EVER, 0, 2, kinds);
  }

  static Stream<Arguments> pairs() {
    var pairs = new ArrayList<Arguments>();
    for (Fault one : OF_NO_MESSAGES) {
      for (Fault other : OF_NO_MESSAGES) {
        if (one.compareTo(other) <= 0) {
          pairs.add(Arguments.of(one, other));
        }
      }
    }
    return IntStream.range(0, pairs.size()).filter(i -> i % 2 != 1 - HALF).mapToObj(pairs::get);
  }

  private static void visitAll(Terms terms, Fault fault, int slow) {
    visitAll(terms, "", FOR_EVER, slow, 1, Set.of(fault));
  }

  private static void visitAll(
      Terms terms, String key, int ticks, int slow, int faults, Set<Fault> kinds) {
    Result result = search(terms, key, ticks, slow, faults, kinds, Mutant.NONE);
    System.out.printf("exploration: %s, %s%s: %s%n", kinds, key, units(terms), result);
    assertEquals(List.of(), result.broken());
    assertTrue(result.all());
  }

  private static String units(Terms terms) {
    return terms.terms().stream()
        .map(term -> term.capacity() + " of " + term.name())
        .collect(joining(" & "));
  }

  private static Result search(
      Terms terms, String key, int ticks, int slow, int faults, Set<Fault> kinds, Mutant mutant) {
    return new Exploration(
            new Setting(
                terms,
                key,
                null,
                null,
                Together.NOTHING,
                ticks,
                FOR_EVER,
                slow,
                true,
                faults,
                kinds,
                replicas(kinds),
                mutant))
        .search(20_000_000);
  }

  /** A key that has a limit of its own, and another key that has that of all. */
  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"RESTART_WITH_FILE", "EVICT_KEY", "FAILOVER"})
  @Tag("slow")
  void aLimitOfAKeysOwnIsKeptToo(Fault fault) {
    searchOwn(fault, 12);
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {
        "RESTART_WITH_FILE",
        "EVICT_KEY",
        "BACK",
        "FORWARD",
        "REPLICA_ATTACHES",
        "FAILOVER",
        "BACK_TO_FIRST"
      })
  @Tag("heavy")
  void aLimitOfAKeysOwnIsKeptForLonger(Fault fault) {
    searchOwn(fault, 16);
  }

  private static void searchOwn(Fault fault, int ticks) {
    Result result = searchOwn(fault, ticks, Mutant.NONE);
    System.out.printf("exploration: %s, a limit of a key's own: %s%n", fault, result);
    assertEquals(List.of(), result.broken());
    assertTrue(result.all());
  }

  @Test
  void aFenceThatTheKeyWhichIsUsedFirstNamesIsFound() {
    assertNotEquals(
        List.of(),
        searchOwn(Fault.RESTART_WITH_FILE, 12, Mutant.FENCE_OF_THE_FIRST_CALLER).broken());
  }

  private static Result searchOwn(Fault fault, int ticks, Mutant mutant) {
    return new Exploration(
            new Setting(
                ONE_UNIT,
                "key",
                OWN,
                null,
                Together.NOTHING,
                ticks,
                FOR_EVER,
                0,
                true,
                1,
                Set.of(fault),
                Replicas.NONE,
                mutant))
        .search(20_000_000);
  }

  /** Two keys within one limit for all, which has another name on the same server. */
  @ParameterizedTest
  @CsvSource({"FLUSH, NONE, 8", "FAILOVER, ONE, 7"})
  @Tag("slow")
  void ofTwoKeysWithinOneLimitForAllNeitherPassesIt(Fault fault, Replicas replicas, int ticks) {
    visitAllWithin(fault, replicas, ticks);
  }

  @ParameterizedTest
  @CsvSource({
    "FLUSH, NONE, 10",
    "RESTART_WITH_FILE, NONE, 10",
    "EVICT_KEY, NONE, 10",
    "CRASH, NONE, 8",
    "FAILOVER, ONE, 9",
    "REPLACED, ONE, 9"
  })
  @Tag("heavy")
  void ofTwoKeysWithinOneLimitForAllNeitherPassesItForLonger(
      Fault fault, Replicas replicas, int ticks) {
    visitAllWithin(fault, replicas, ticks);
  }

  private static void visitAllWithin(Fault fault, Replicas replicas, int ticks) {
    Result result = searchWithin(fault, replicas, ticks, Mutant.NONE);
    System.out.printf("exploration: %s with %s, within one for all: %s%n", fault, replicas, result);
    assertEquals(List.of(), result.broken());
    assertTrue(result.all());
  }

  @ParameterizedTest
  @CsvSource({"FLUSH, NONE, KEY_ALONE", "FLUSH, NONE, NO_FENCE", "REPLACED, ONE, LAG_FOR_WAIT"})
  void aLimitForAllKeysThatIsPassedIsFound(Fault fault, Replicas replicas, Mutant mutant) {
    Result result = searchWithin(fault, replicas, 10, mutant);
    assertNotEquals(List.of(), result.broken());
  }

  private static Result searchWithin(Fault fault, Replicas replicas, int ticks, Mutant mutant) {
    return new Exploration(
            new Setting(
                ONE_UNIT,
                "key",
                null,
                ALL,
                Together.NOTHING,
                ticks,
                FOR_EVER,
                0,
                true,
                1,
                Set.of(fault),
                replicas,
                mutant))
        .search(20_000_000);
  }

  /** Keys that are spread: what their tag loses is fenced, whatever the first tag knows. */
  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"TAG_LOST", "FLUSH", "RESTART_WITH_FILE", "EVICT_KEY", "CRASH"})
  @Tag("slow")
  void ofAKeyOfATagNoUnitIsStartedTwice(Fault fault) {
    visitAll(ONE_UNIT, Setting.OF_A_TAG, FOR_EVER, 0, 1, Set.of(fault));
  }

  @Test
  void tagsThatShareAnEpochAreFound() {
    Set<Fault> kinds = Set.of(Fault.TAG_LOST);
    Result result =
        search(TWO_UNITS, Setting.OF_A_TAG, FOR_EVER, 0, 1, kinds, Mutant.TAGS_SHARE_AN_EPOCH);
    assertNotEquals(List.of(), result.broken());
  }

  /** Replies and what confirms them are lost too, of the one name or of the other. */
  @Test
  void ofTwoKeysWithinOneLimitForAllNeitherPassesItOnRandomWays() {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    for (Fault fault : Fault.values()) {
      var exploration =
          new Exploration(setting(ONE_UNIT, "key", ALL, Together.NOTHING, Set.of(fault)));
      Result result = exploration.walk(VOLUME / 2, seed);
      assertEquals(List.of(), result.broken(), () -> "seed " + seed + ", " + fault);
    }
  }

  /** Two clients of a process that may ask in one call, of one key or of two. */
  @ParameterizedTest
  @CsvSource({"FLUSH, ONE_KEY, 12", "FLUSH, TWO_KEYS, 8", "RESTART_WITH_FILE, TWO_KEYS, 8"})
  @Tag("slow")
  void ofKeysThatAreAskedForTogetherNoUnitIsStartedTwice(
      Fault fault, Together together, int ticks) {
    visitAllTogether(fault, together, ticks);
  }

  @ParameterizedTest
  @CsvSource({
    "FLUSH, ONE_KEY, 1000000",
    "EVICT_KEY, ONE_KEY, 1000000",
    "CRASH, ONE_KEY, 1000000",
    "FLUSH, TWO_KEYS, 10",
    "EVICT_KEY, TWO_KEYS, 10",
    "CRASH, TWO_KEYS, 9",
    "FORWARD, TWO_KEYS, 9",
    "FAILOVER, TWO_KEYS, 9"
  })
  @Tag("heavy")
  void ofKeysThatAreAskedForTogetherNoUnitIsStartedTwiceForLonger(
      Fault fault, Together together, int ticks) {
    visitAllTogether(fault, together, ticks);
  }

  private static void visitAllTogether(Fault fault, Together together, int ticks) {
    Result result = searchTogether(fault, together, ticks, Mutant.NONE);
    System.out.printf("exploration: %s, together %s: %s%n", fault, together, result);
    assertEquals(List.of(), result.broken());
    assertTrue(result.all());
  }

  @Test
  void aCallThatMixesItsKeysIsFound() {
    Result result = searchTogether(Fault.FLUSH, Together.TWO_KEYS, 8, Mutant.KEY_BEFORE);
    assertNotEquals(List.of(), result.broken());
  }

  private static Result searchTogether(Fault fault, Together together, int ticks, Mutant mutant) {
    return new Exploration(
            new Setting(
                ONE_UNIT,
                "key",
                null,
                null,
                together,
                ticks,
                FOR_EVER,
                0,
                true,
                1,
                Set.of(fault),
                Replicas.NONE,
                mutant))
        .search(20_000_000);
  }

  /** Replies are lost, and calls arrive late, of one key or of the other. */
  @ParameterizedTest
  @EnumSource(
      value = Together.class,
      names = {"ONE_KEY", "TWO_KEYS"})
  void ofKeysThatAreAskedForTogetherNoUnitIsStartedTwiceOnRandomWays(Together together) {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    for (Fault fault : Fault.values()) {
      for (Terms terms : List.of(ONE_UNIT, TWO_UNITS)) {
        Setting setting = setting(terms, "key", null, together, Set.of(fault));
        Result result = new Exploration(setting).walk(VOLUME / 4, seed);
        assertEquals(List.of(), result.broken(), () -> "seed " + seed + ", " + fault + terms);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "FLUSH, 1, 0, NO_FENCE",
    "FLUSH, 1, 0, ABSENT_IS_FRESH",
    "LOST_CALL, 1, 1, LEASE_ENDS_WITH_USE",
    "FORWARD, 1, 0, CLOCK_TRUSTED",
    "FORWARD, 1, 0, BEGINNER_BELIEVES"
  })
  void aBrokenStoreOrClientIsFound(Fault fault, int faults, int slow, Mutant mutant) {
    Terms terms = faults == 2 ? ONE_UNIT : TWO_UNITS;
    Result result = search(terms, "", FOR_EVER, slow, faults, Set.of(fault), mutant);
    assertNotEquals(List.of(), result.broken());
  }

  /** It would use a lease for as long as its reply took after that is over. */
  @Test
  void aClientThatBelievesALateReplyIsFound() {
    Set<Fault> kinds = Set.of(Fault.LATE_REPLY);
    Result result = search(ONE_UNIT, "", FOR_EVER, 1, 1, kinds, Mutant.LATE_REPLY_BELIEVED);
    assertNotEquals(List.of(), result.broken());
  }

  @Test
  @Tag("slow")
  void aClientThatTakesAReplicaForItsPrimaryIsFound() {
    aBrokenStoreOrClientIsFound(Fault.FAILOVER, 2, 0, Mutant.EPOCH_BY_RUN_ALONE);
  }

  @Test
  @Tag("slow")
  void aStoreThatGivesWhatIsReservedIsFound() {
    Result result =
        search(ONE_UNIT, "", FOR_EVER, 1, 1, Set.of(Fault.LOST_CALL), Mutant.RESERVED_IS_FREE);
    assertNotEquals(List.of(), result.broken());
  }

  /** Those with which the faults can come. */
  static Replicas replicas(Set<Fault> faults) {
    if (faults.contains(Fault.REPLACED)) {
      return Replicas.ONE;
    }
    return faults.contains(Fault.REPLICA_COPIES) ? Replicas.ANOTHER : Replicas.NONE;
  }

  private static void walk(Set<Fault> faults, int ways) {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    long steps = 0;
    for (Terms terms : TERMS) {
      for (String key : List.of("", "key", Setting.OF_A_TAG)) {
        Result result = new Exploration(setting(terms, key, faults)).walk(ways / 3, seed);
        assertEquals(List.of(), result.broken(), () -> "seed " + seed + ", " + key + terms);
        steps += result.steps();
      }
    }
    System.out.println("exploration: " + faults + ", " + steps + " steps, seed " + seed);
  }

  private static Setting setting(Terms terms, String key, Set<Fault> faults) {
    return setting(terms, key, null, Together.NOTHING, faults);
  }

  private static Setting setting(
      Terms terms, String key, @Nullable Terms within, Together together, Set<Fault> faults) {
    return new Setting(
        terms,
        key,
        null,
        within,
        together,
        40,
        FOR_EVER,
        FOR_EVER,
        false,
        2,
        faults,
        replicas(faults),
        Mutant.NONE);
  }
}
