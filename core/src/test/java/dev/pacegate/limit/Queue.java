package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A line of requests behind a meter, served in order: how long the last of them really waits,
 * compared with what the meter foretold.
 */
final class Queue {

  private final Limit limit;
  private final Play play;
  private final List<Cost> ahead = new ArrayList<>();
  private final Cost cost;
  private final long firstSince;
  private final boolean endsAtOnce;
  private final SplittableRandom random;

  Queue(Limit limit, Shape shape, Play play, SplittableRandom random) {
    this.limit = limit;
    this.play = play;
    this.random = random;
    this.endsAtOnce = random.nextBoolean();
    this.cost = shape.fitting(random);
    boolean equal = random.nextInt(3) == 0;
    for (int i = random.nextInt(8); i > 0; i--) {
      ahead.add(equal ? cost : shape.fitting(random));
    }
    this.firstSince = play.now;
    play.pass(shape.gap(random));
  }

  void judge() {
    // No request waits behind what would go at once, or never.
    Cost first = ahead.isEmpty() ? cost : ahead.get(0);
    long since = play.ask(firstSince, first) > 0 ? firstSince : play.now;
    long foretold = foretold(since);
    long before = play.spans.size();
    long arrival = play.now;
    if (foretold == Meter.NEVER || !serve(since)) {
      return;
    }
    long wait = play.now - arrival;
    assertTrue(
        foretold <= wait, () -> "foretold " + foretold + " but " + wait + " " + told(before));
    if (isExact()) {
      assertEquals(foretold, wait, () -> told(before));
    }
  }

  private String told(long before) {
    return ahead
        + " ahead of "
        + cost
        + " since "
        + firstSince
        + " of "
        + play.spans
        + ", "
        + before;
  }

  private long foretold(long since) {
    Cost sum = Cost.none();
    for (Cost one : ahead) {
      sum = sum.plus(one);
    }
    return play.meter.atLeast(play.origin + since, play.origin + play.now, sum, cost);
  }

  /** Lets everybody through in turn; false if that takes for ever. */
  private boolean serve(long firstSince) {
    long since = firstSince;
    var line = new ArrayList<Cost>(ahead);
    line.add(cost);
    for (Cost next : line) {
      if (!awaitTurn(since, next)) {
        return false;
      }
      play.release(since, next);
      since = play.now;
    }
    return true;
  }

  private boolean awaitTurn(long since, Cost next) {
    endSome();
    int asked = 0;
    for (long wait = play.ask(since, next); wait > 0; wait = play.ask(since, next)) {
      assertTrue(asked++ < 1000, () -> next + " is put off for ever " + told(play.spans.size()));
      if (wait == Meter.NEVER) {
        return false;
      }
      if (wait == Meter.AT_EVENT || (!play.open.isEmpty() && random.nextInt(3) == 0)) {
        if (play.open.isEmpty() || !play.pass(random.nextLong(1 + Math.min(wait, 1 << 30)))) {
          return false;
        }
        endOne();
      } else if (!play.pass(wait)) {
        return false;
      }
      endSome();
    }
    return true;
  }

  private void endSome() {
    while (!play.open.isEmpty() && (endsAtOnce || random.nextInt(3) == 0)) {
      endOne();
    }
  }

  private void endOne() {
    boolean lost = !endsAtOnce && random.nextInt(4) == 0;
    play.end(
        play.open.get(random.nextInt(play.open.size())), lost ? Outcome.LOST : Outcome.ANSWERED);
  }

  /** Where time alone decides, and no window has a rest that a next request is too large for. */
  private boolean isExact() {
    Limit rule = limit instanceof Starts starts ? starts.limit() : limit;
    if (rule instanceof Spacing) {
      return true;
    }
    if (rule instanceof Warmup warmup) {
      // Each wait is rounded up by itself.
      return warmup.rate().nanos() % warmup.rate().permits() == 0 && warmup.of().of(cost) > 0;
    }
    if (rule instanceof Bucket bucket) {
      // A request that needs all of the bucket has its wait rounded up by itself. What is free goes
      // with the last of those ahead, of which only the sum is known.
      long most = bucket.burst() + bucket.debt();
      return bucket.of().of(cost) < most
          && (bucket.of().of(cost) > 0 || bucket.debt() == 0)
          && ahead.stream().allMatch(c -> bucket.of().of(c) < most);
    }
    if (rule instanceof Fixed fixed) {
      return ahead.stream().allMatch(c -> fixed.of().of(c) == fixed.of().of(cost))
          && fillsUp(fixed.rate().permits(), fixed.of().of(cost));
    }
    return rule instanceof Window window
        && ahead.stream().allMatch(c -> window.of().of(c) == window.of().of(cost))
        && fillsUp(window.rate().permits(), window.of().of(cost));
  }

  private static boolean fillsUp(long max, long amount) {
    return amount == 0 || max % amount == 0;
  }
}
