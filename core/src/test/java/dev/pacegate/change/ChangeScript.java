package dev.pacegate.change;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** What is to happen to a limiter whose limit changes, as data that can be made shorter. */
record ChangeScript(Limit first, List<ChangeScript.Step> steps) {

  /** Something that happens. */
  sealed interface Step {}

  /** Time passes. */
  record Pass(Duration span) implements Step {}

  /** Requests come, of which those go that may go at once. */
  record Take(Cost cost, int times) implements Step {}

  /** A request waits as long as the limiter says, and then goes if it may. */
  record Await(Cost cost) implements Step {}

  /** One of the permits that are open ends. */
  record End(int which, Outcome outcome) implements Step {}

  /** One of the permits that are open turns out to have cost less, or more. */
  record Settle(int which, int percent) implements Step {}

  /** The request of one of the permits that are open is sent only now. */
  record Send(int which) implements Step {}

  /** Another limit is put in force. */
  record Put(Limit limit) implements Step {}

  /** The process ends, and another resumes its file. */
  record Resume() implements Step {}

  static ChangeScript random(SplittableRandom random) {
    return new ChangeScripts(random).script();
  }

  int changes() {
    return (int) steps.stream().filter(Put.class::isInstance).count();
  }

  /** Leaves out whatever is not needed for {@code fails}. */
  ChangeScript shortened(Predicate<ChangeScript> fails) {
    ChangeScript shortest = this;
    for (int size = steps.size(); size > 0; size = size > 1 ? (size + 1) / 2 : 0) {
      for (int from = 0; from < shortest.steps.size(); ) {
        ChangeScript shorter = shortest.without(from, size);
        if (fails.test(shorter)) {
          shortest = shorter;
        } else {
          from += size;
        }
      }
    }
    return shortest;
  }

  /** Has the process end and another go on, here and there. */
  ChangeScript resumed(SplittableRandom random) {
    var more = new ArrayList<>(steps);
    for (int times = 1 + random.nextInt(3); times > 0; times--) {
      more.add(random.nextInt(more.size() + 1), new Resume());
    }
    return new ChangeScript(first, more);
  }

  private ChangeScript without(int from, int size) {
    var left = new ArrayList<>(steps.subList(0, from));
    left.addAll(steps.subList(Math.min(steps.size(), from + size), steps.size()));
    return new ChangeScript(first, left);
  }

  /** Returns a cost that fits {@code limit}. */
  static Cost cost(SplittableRandom random, Limit limit) {
    return new Shape(limit).fitting(random);
  }
}
