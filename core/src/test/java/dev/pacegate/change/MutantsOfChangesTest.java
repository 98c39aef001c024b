package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.PlainMeter;
import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Concurrent;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Fixed;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Margin;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Unlimited;
import dev.pacegate.limit.Window;
import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@link ChangesTest} is worth: it finds ways of changing a limit that are known as wrong. */
@Tag("slow")
class MutantsOfChangesTest {

  private static final int MOST_CHANGES = 200_000;

  /** Only what a meter remembers by itself is passed on, if its limit is one of {@code these}. */
  private static ChangeSubjects.Changer forgetting(Predicate<Limit> these) {
    return (limit, old, began, next, now, timeOfDay, open) ->
        ChangedMeter.of(
            new Takeover(
                limit,
                these.test(limit) ? new Alone(old) : old,
                began,
                next,
                now,
                timeOfDay,
                open));
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

  /** A limit of which a change sees only some promises. */
  private record Hiding(Limit limit, Predicate<Promise> seen) implements Limit {
    @Override
    public List<Promise> promises() {
      return limit.promises().stream().filter(seen).toList();
    }

    @Override
    public List<Limit> terms() {
      return limit.terms().size() == 1
          ? List.of(this)
          : limit.terms().stream().<Limit>map(term -> new Hiding(term, seen)).toList();
    }

    @Override
    public Meter newMeter(long now) {
      return limit.newMeter(now);
    }

    @Override
    public Meter newMeter(long now, InstantSource timeOfDay) {
      return limit.newMeter(now, timeOfDay);
    }

    @Override
    public Limit withoutInitialState() {
      return limit.withoutInitialState();
    }

    @Override
    public long unansweredNanos() {
      return limit.unansweredNanos();
    }

    @Override
    public Margin margin() {
      return limit.margin();
    }

    @Override
    public long memory() {
      return limit.memory();
    }
  }

  /** The log ends when the last change is long ago, whatever is open. */
  private static final class Hasty implements ChangeSubjects.Changer {
    private long reach;
    private long endsAt = Long.MAX_VALUE;

    @Override
    public Meter of(
        Limit limit,
        Meter old,
        long began,
        Limit next,
        long now,
        InstantSource timeOfDay,
        Collection<OpenRequest> open) {
      boolean isOver = now >= endsAt;
      reach = Math.max(isOver ? 0 : reach, Math.max(limit.memory(), next.memory()));
      endsAt = now + reach;
      Meter known = isOver ? new Alone(old) : old;
      return ChangedMeter.of(new Takeover(limit, known, began, next, now, timeOfDay, open));
    }
  }

  private static void assertFound(ChangeSubjects.Changer mutant) {
    assertFound(limit -> new ChangeSubjects.OfMeter(limit, mutant));
  }

  private static void assertFound(Function<Limit, ChangePlay.Subject> mutant) {
    assertFound(ChangeScript::random, mutant);
  }

  private static void assertFound(
      Function<SplittableRandom, ChangeScript> scripts,
      Function<Limit, ChangePlay.Subject> mutant) {
    int changes = 0;
    for (int seed = 0; changes < MOST_CHANGES; seed++) {
      ChangeScript script = scripts.apply(new SplittableRandom(seed));
      changes += script.changes();
      if (ChangePlay.run(script, mutant.apply(script.first())) != null) {
        return;
      }
    }
    assertTrue(false, "not found in " + MOST_CHANGES + " changes");
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
                new Takeover(
                    limit,
                    old,
                    began,
                    hasty(next),
                    now,
                    timeOfDay,
                    List.<OpenRequest>copyOf(open))));
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

  /** Fault A of 2026. */
  @Test
  void findsAnOpenRequestWhoseSendingIsForgottenAtAChange() {
    assertFound(limit -> new ChangeSubjects.OfMeter(limit).forgettingSendings());
  }

  /** Fault B. */
  @Test
  void findsALogThatEndsWhileRequestsAreOpen() {
    assertFound(limit -> new ChangeSubjects.OfMeter(limit, new Hasty()));
  }

  /** Fault C. */
  @Test
  void findsCallsThatAreNotComparedWithCosts() {
    Predicate<Promise> ofCosts = promise -> !(inner(promise) instanceof Promise.Gap);
    assertFound(
        (limit, old, began, next, now, timeOfDay, open) ->
            ChangedMeter.of(
                new Takeover(limit, old, began, new Hiding(next, ofCosts), now, timeOfDay, open)));
  }

  /** Fault D. */
  @Test
  void findsStartsThatAreComparedWithEndsAlone() {
    assertFound(
        (limit, old, began, next, now, timeOfDay, open) -> {
          boolean whole = next.countsWhole();
          Predicate<Promise> seen = promise -> promise.countsWhole() || !whole;
          return ChangedMeter.of(
              new Takeover(limit, old, began, new Hiding(next, seen), now, timeOfDay, open));
        });
  }

  /** Fault J. It takes one fixed window after another, each used up. */
  @Test
  void findsAFixedWindowThatGrantsOneMoreAtAChange() {
    ChangeSubjects.Changer mutant =
        (limit, old, began, next, now, timeOfDay, open) -> {
          Meter meter =
              ChangedMeter.of(new Takeover(limit, old, began, next, now, timeOfDay, open));
          if (limit instanceof Fixed && next instanceof Fixed) {
            meter.settle(now, now, Cost.of(2), Cost.ONE);
          }
          return meter;
        };
    assertFound(
        MutantsOfChangesTest::ofFixedWindows, limit -> new ChangeSubjects.OfMeter(limit, mutant));
  }

  private static ChangeScript ofFixedWindows(SplittableRandom random) {
    List<ChangeScript.Step> steps = new ArrayList<>();
    for (ChangeScript.Step step : ChangeScript.random(random).steps()) {
      steps.add(step instanceof ChangeScript.Put ? new ChangeScript.Put(fixed(random)) : step);
    }
    return new ChangeScript(fixed(random), steps);
  }

  private static Limit fixed(SplittableRandom random) {
    return Limits.parse("fixed(" + random.nextInt(1, 4) + "/" + random.nextInt(1, 3) + "s)");
  }

  private static Promise inner(Promise promise) {
    return promise instanceof Promise.Counted counted ? counted.promise() : promise;
  }
}
