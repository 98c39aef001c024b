package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Unlimited;
import dev.pacegate.limit.Window;
import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@link ChangesTest} is worth: it finds ways of changing a limit that are known as wrong. */
@Tag("slow")
class MutantsOfChangesTest {

  private static final int MOST_RUNS = 20_000;

  /** Only what a meter remembers by itself is passed on, if its limit is one of {@code these}. */
  private static ChangeSubjects.Changer forgetting(Predicate<Limit> these) {
    return (limit, old, began, next, now, timeOfDay, open) ->
        ChangedMeter.of(
            limit, these.test(limit) ? new Alone(old) : old, began, next, now, timeOfDay, open);
  }

  /** A meter without what is known beside it. */
  private record Alone(Meter meter) implements PlainMeter {
    @Override
    public long nanosUntil(long since, long now, Cost cost) {
      return meter.nanosUntil(since, now, cost);
    }

    @Override
    public long atLeast(long since, long now, Cost ahead, Cost cost) {
      return meter.atLeast(since, now, ahead, cost);
    }

    @Override
    public void release(long since, long now, Cost cost) {
      meter.release(since, now, cost);
    }

    @Override
    public void end(long startedAt, long now, Cost cost, Outcome outcome) {
      meter.end(startedAt, now, cost, outcome);
    }

    @Override
    public boolean tracks() {
      return meter.tracks();
    }

    @Override
    public Measure measure() {
      return meter.measure();
    }

    @Override
    public List<Meter> leaves() {
      return meter.leaves();
    }
  }

  private static void assertFound(ChangeSubjects.Changer mutant) {
    assertFound(limit -> new ChangeSubjects.OfMeter(limit, mutant));
  }

  private static void assertFound(Function<Limit, ChangePlay.Subject> mutant) {
    for (int seed = 0; seed < MOST_RUNS; seed++) {
      ChangeScript script = ChangeScript.random(new SplittableRandom(seed));
      if (ChangePlay.run(script, mutant.apply(script.first())) != null) {
        return;
      }
    }
    assertTrue(false, "not found in " + MOST_RUNS + " runs");
  }

  @Test
  void findsAPeersWindowThatForgetsWhatASmallOneDoesNotRemember() {
    assertFound(forgetting(limit -> limit instanceof Peer peer && peer.limit() instanceof Window));
  }

  @Test
  void findsABucketThatForgetsTheWindowBeforeIt() {
    assertFound(forgetting(Bucket.class::isInstance));
  }

  @Test
  void findsAPeersBucketForWhichALostRequestIsOverAtOnce() {
    assertFound(
        (limit, old, began, next, now, timeOfDay, open) ->
            ChangedMeter.of(
                limit, old, began, hasty(next), now, timeOfDay, List.<OpenRequest>copyOf(open)));
  }

  private static Limit hasty(Limit limit) {
    return limit instanceof Peer peer && peer.limit() instanceof Bucket && !peer.counted()
        ? peer.unanswered(Duration.ZERO)
        : limit;
  }

  @Test
  void findsALimiterThatDoesNotTellWhenARequestIsSent() {
    assertFound(limit -> new ChangeSubjects.OfMeter(limit).deaf());
  }

  @Test
  void findsLimitsThatForgetAsTheyLimitNoStarts() {
    assertFound(forgetting(limit -> limit instanceof Concurrent || limit instanceof Unlimited));
  }
}
