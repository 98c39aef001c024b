package dev.pacegate.model;

import dev.pacegate.model.Scenario.Option;

/**
 * One fault each in the protocol: the property that finds it, and where it is found.
 *
 * <p>Every scenario here holds without the fault, so the property that fails is due to it alone.
 */
enum Mutant {
  /** {@code unpark} does nothing for a thread that is not parked yet. */
  DROPS_EARLY_TOKENS(Property.WAKE_UP, Scenario.concurrent(1).threads(2)),

  /** The fast path reads a free word and then writes it, instead of comparing and setting. */
  ENTERS_WITHOUT_COMPARE_AND_SET(Property.MUTUAL_EXCLUSION, Scenario.starts(1, 1).threads(2)),

  /** The holder leaves and the word stays held, as after an error on the way out. */
  LEAVES_THE_GATE_HELD(Property.WAKE_UP, Scenario.concurrent(1).threads(1)),

  /** The holder leaves the word FREE though a thread waits, so that the fast path overtakes. */
  LEAVES_FREE_WITH_WAITERS(Property.ORDER, Scenario.starts(1, 1).threads(3)),

  /** The holder leaves the word FREE though the limiter is paused. */
  LEAVES_FREE_WHEN_PAUSED(Property.PAUSE, Scenario.concurrent(1).threads(1).with(Option.PAUSE)),

  /** The clock is read on the way to the gate; the stamp is older than the release. */
  READS_THE_CLOCK_BEFORE_THE_GATE(Property.LIMIT, Scenario.starts(1, 1).threads(2)),

  /** An arrival asks the meter alone, even if a thread waits. */
  BARGES(Property.ORDER, Scenario.starts(1, 1).threads(3)),

  /**
   * An arrival passes waiters that are not called, if the meter can carry it besides the called.
   */
  PASSES_A_BIG_ONE(Property.ORDER, Scenario.concurrent(2).costs(1, 2, 1)),

  /** An arrival that finds everybody called takes what they were promised. */
  PASSES_THE_CALLED(Property.CALL, Scenario.concurrent(1).threads(3)),

  /** Calls everybody who could go alone, not together with those called already. */
  CALLS_WITHOUT_ADDING_UP(Property.CALL, Scenario.concurrent(1).threads(3)),

  /** Marks a waiter called and does not wake it. */
  CALLS_WITHOUT_UNPARKING(Property.WAKE_UP, Scenario.concurrent(1).threads(2)),

  /** Stamps the release of a called waiter when calling it, not when it goes on. */
  RELEASES_ON_BEHALF(Property.LIMIT, Scenario.starts(2, 1).costs(2, 1, 1).acquires(2)),

  /** A waiter that wakes takes a permit without looking. */
  TAKES_WAKING_FOR_A_CALL(Property.LIMIT, Scenario.concurrent(1).threads(2).with(Option.SPURIOUS)),

  /** A waiter that became the watch is not woken to learn its time. */
  LETS_A_NEW_WATCH_SLEEP(Property.WAKE_UP, Scenario.starts(1, 1).threads(3)),

  /** A watch whose time came nearer is woken only if it was not the watch before. */
  LETS_THE_OLD_WATCH_SLEEP(Property.WAKE_UP, Scenario.peer(1, 1).threads(2)),

  /** The watch parks without a time, like all others. */
  PARKS_THE_WATCH_WITHOUT_A_TIME(Property.WAKE_UP, Scenario.starts(1, 1).threads(2)),

  /** A look that ends in waiting wakes the watch to be sure, even if it is the watch that looks. */
  WAKES_THE_WATCH_AT_EVERY_LOOK(Property.END, Scenario.concurrent(1).threads(2)),

  /** A called waiter that is not due stays called and parks. */
  STAYS_CALLED_WHEN_NOT_DUE(Property.WAKE_UP, Scenario.concurrent(1).threads(2).with(Option.PAUSE)),

  /** A called waiter that is not due takes back only its own call. */
  UNCALLS_ONLY_ITSELF(
      Property.ORDER,
      Scenario.concurrent(3).threads(3).with(Option.PAUSE, Option.ONE_CALL, Option.EDGE)),

  /** Going on does not advance the queue. */
  RELEASES_WITHOUT_ADVANCING(Property.WAKE_UP, Scenario.starts(1, 1).threads(3)),

  /** Closing a permit does not advance the queue. */
  CLOSES_WITHOUT_ADVANCING(Property.WAKE_UP, Scenario.concurrent(1).threads(2)),

  /** Resuming does not advance the queue. */
  RESUMES_WITHOUT_ADVANCING(Property.WAKE_UP, Scenario.concurrent(1).threads(1).with(Option.PAUSE)),

  /** A thread that was called takes its permit and calls nobody else. */
  HANDS_NOTHING_ON(
      Property.WAKE_UP,
      Scenario.concurrent(3).threads(3).acquires(1).with(Option.PAUSE, Option.ONE_CALL)),

  /** A thread that has woken others takes its permit though its call may have been taken back. */
  TAKES_WITHOUT_LOOKING_AGAIN(
      Property.PAUSE, Scenario.concurrent(2).costs(2, 1, 1).with(Option.PAUSE, Option.ONE_CALL)),

  /** A thread that has woken others parks, though it is called and no other wakes it. */
  PARKS_BEFORE_IT_TAKES(
      Property.WAKE_UP, Scenario.concurrent(3).threads(3).with(Option.PAUSE, Option.ONE_CALL)),

  /** A thread that was called is interrupted, and calls nobody else. */
  IS_INTERRUPTED_AND_HANDS_NOTHING_ON(
      Property.WAKE_UP,
      Scenario.concurrent(3).threads(3).with(Option.PAUSE, Option.ONE_CALL, Option.INTERRUPT)),

  /** No alarm is set for a thread that was called and never comes. */
  SETS_NO_ALARM(Property.WAKE_UP, Scenario.concurrent(1).threads(3).with(Option.DIE)),

  /** An alarm is set only if more threads remain to be called. */
  SETS_THE_ALARM_ONLY_FOR_A_REST(
      Property.WAKE_UP, Scenario.concurrent(1).threads(2).with(Option.DIE)),

  /** The alarm calls the rest, and not again those whose calls were lost. */
  ALARM_REPAIRS_NOTHING(Property.WAKE_UP, Scenario.concurrent(1).threads(3).with(Option.DIE)),

  /** A thread that dies leaves no mark. */
  DIES_UNNOTICED(Property.WAKE_UP, Scenario.concurrent(1).threads(3).with(Option.DIE)),

  /** An interrupted waiter leaves without advancing the queue. */
  IS_INTERRUPTED_WITHOUT_ADVANCING(
      Property.WAKE_UP, Scenario.concurrent(1).threads(3).with(Option.INTERRUPT)),

  /** A waiter out of time leaves without advancing the queue. */
  TIMES_OUT_WITHOUT_ADVANCING(
      Property.WAKE_UP, Scenario.starts(1, 1).threads(3).with(Option.TIME_OUT)),

  /** News do not advance the queue. */
  NEWS_DO_NOT_ADVANCE(Property.WAKE_UP, Scenario.concurrent(1).threads(1).with(Option.FED)),

  /** News take permits back, and waiters that were called for them stay called. */
  NEWS_LEAVE_THE_CALLED_CALLED(
      Property.CALL, Scenario.concurrent(2).threads(2).with(Option.FED, Option.REVOKE)),

  /** After news that fail the source is not asked again. */
  NEWS_THAT_FAIL_LOSE_THE_ERRAND(
      Property.WAKE_UP, Scenario.concurrent(1).threads(1).with(Option.FED, Option.STUMBLE)),

  /** Only requests lead to errands: after news that bring too little the source is not asked. */
  NEWS_ASK_FOR_NO_ERRAND(Property.WAKE_UP, Scenario.concurrent(2).costs(2).with(Option.FED)),

  /** A waiter that finds its permit ended does not make the limiter ask for another. */
  A_LOOK_ASKS_FOR_NO_ERRAND(
      Property.WAKE_UP, Scenario.concurrent(1).threads(1).with(Option.FED, Option.EXPIRE)),

  /** A called waiter that gives up leaves its part of the called sum behind. */
  LEAVES_ITS_CALLED_COST_BEHIND(
      Property.CLEAN, Scenario.concurrent(1).threads(2).with(Option.INTERRUPT));

  private final Property caughtBy;

  @SuppressWarnings("ImmutableEnumChecker") // its collections are unmodifiable copies
  private final Scenario scenario;

  Mutant(Property caughtBy, Scenario scenario) {
    this.caughtBy = caughtBy;
    this.scenario = scenario;
  }

  Property caughtBy() {
    return caughtBy;
  }

  Scenario scenario() {
    return scenario;
  }
}
