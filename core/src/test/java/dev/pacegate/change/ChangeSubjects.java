package dev.pacegate.change;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.OtherMachine;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.history.ChangedMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.history.Takeover;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.state.BootClock;
import dev.pacegate.time.ManualTime;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What limits, as users have it, and bare. */
final class ChangeSubjects {

  private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

  private ChangeSubjects() {}

  /** A permit as users have it. */
  private record HeldPermit(Permit permit) implements ChangePlay.Held {
    @Override
    public void end(Outcome outcome) {
      switch (outcome) {
        case ANSWERED -> permit.answered();
        case LOST -> permit.lost();
        case NOT_SENT -> permit.notSent();
      }
    }

    @Override
    public void send() {
      permit.sending();
    }

    @Override
    public boolean settle(Cost actual) {
      permit.settle(actual);
      return true;
    }
  }

  private static ChangePlay.@Nullable Held held(Optional<Permit> permit) {
    return permit.map(HeldPermit::new).orElse(null);
  }

  /** Returns {@code cost}, of which a plain amount that {@code limiter} does not count is 1. */
  private static Cost asked(Limiter limiter, Cost cost) {
    try {
      return limiter.requireCounted(cost);
    } catch (IllegalArgumentException uncounted) {
      return cost.withAmount(1);
    }
  }

  /** A limiter. */
  static class OfLimiter implements ChangePlay.Subject {
    final ManualTime time = ManualTime.manual();
    private final long began = time.nanoTime();
    Limiter limiter;

    OfLimiter(Limit limit) {
      limiter = build(limit);
    }

    Limiter build(Limit limit) {
      return Limiter.builder(limit).time(time).executor(Runnable::run).stamped(true).build();
    }

    /** Returns the limiter that the next request asks. */
    Limiter next() {
      return limiter;
    }

    @Override
    public long now() {
      return time.nanoTime() - began;
    }

    @Override
    public void pass(long nanos) {
      time.advance(Duration.ofNanos(nanos));
    }

    @Override
    public Cost asked(Cost cost) {
      return ChangeSubjects.asked(next(), cost);
    }

    @Override
    public ChangePlay.@Nullable Held take(Cost cost) {
      try {
        return held(next().tryAcquire(cost));
      } catch (CostTooLargeException never) {
        return null;
      }
    }

    @Override
    public long wait(Cost cost) {
      try {
        return next().estimateWait(cost).toNanos();
      } catch (CostTooLargeException | ArithmeticException never) {
        return Long.MAX_VALUE;
      }
    }

    @Override
    public void put(Limit limit) {
      limiter.setLimit(limit);
    }
  }

  /** A limiter whose requests wait in lanes, in turn. */
  static final class OfLanes extends OfLimiter {
    private int asked;

    OfLanes(Limit limit) {
      super(limit);
    }

    @Override
    Limiter build(Limit limit) {
      return Limiter.builder(limit)
          .time(time)
          .executor(Runnable::run)
          .stamped(true)
          .lane("a", Share.weight(1))
          .lane("b", Share.weight(2))
          .build();
    }

    @Override
    Limiter next() {
      return switch (asked++ % 3) {
        case 0 -> limiter.lane("a");
        case 1 -> limiter.lane("b");
        default -> limiter;
      };
    }
  }

  /** The limit of all keys of a limiter by keys, which ask in turn. */
  static final class OfAllKeys extends OfLimiter {
    private final KeyedLimiter<Integer> keys;
    private int asked;

    OfAllKeys(Limit limit) {
      super(limit);
      keys = KeyedLimiter.builder("unlimited").within(limiter).build();
    }

    @Override
    Limiter next() {
      return keys.limiter(asked++ % 3);
    }

    @Override
    public void put(Limit limit) {
      keys.all().setLimit(limit);
    }
  }

  /** A limiter whose process ends now and then, and another goes on. */
  static final class OfFile extends OfLimiter {
    private static Path next = Path.of("state");
    private final Path file;

    OfFile(Limit limit, Path file) {
      super(at(limit, file));
      this.file = file;
    }

    private static Limit at(Limit limit, Path file) {
      next = file;
      return limit;
    }

    @Override
    Limiter build(Limit limit) {
      var machine = new BootClock(Clock.fixed(NOON, ZoneOffset.UTC), new UUID(1, 2));
      return OtherMachine.runs(Limiter.builder(limit), machine)
          .time(time)
          .stamped(true)
          .state(next)
          .build();
    }

    @Override
    public boolean resume() {
      Limit limit = limiter.limit();
      limiter.close();
      next = file;
      limiter = build(limit);
      return true;
    }

    /** Leaves the file: another test's may be taken for it when this one is deleted. */
    @Override
    public void close() {
      limiter.close();
    }
  }

  /** One key of a limiter by keys. */
  static final class OfKey implements ChangePlay.Subject {
    private final ManualTime time = ManualTime.manual();
    private final long began = time.nanoTime();
    private final KeyedLimiter<String> keys;

    OfKey(Limit limit) {
      Limiter all =
          Limiter.builder("unlimited").time(time).executor(Runnable::run).stamped(true).build();
      keys = KeyedLimiter.builder(limit).within(all).build();
    }

    @Override
    public long now() {
      return time.nanoTime() - began;
    }

    @Override
    public void pass(long nanos) {
      time.advance(Duration.ofNanos(nanos));
    }

    @Override
    public Cost asked(Cost cost) {
      return ChangeSubjects.asked(keys.limiter("key"), cost);
    }

    @Override
    public ChangePlay.@Nullable Held take(Cost cost) {
      try {
        return held(keys.limiter("key").tryAcquire(cost));
      } catch (CostTooLargeException never) {
        return null;
      }
    }

    @Override
    public long wait(Cost cost) {
      try {
        return keys.limiter("key").estimateWait(cost).toNanos();
      } catch (CostTooLargeException | ArithmeticException never) {
        return Long.MAX_VALUE;
      }
    }

    @Override
    public void put(Limit limit) {
      keys.setLimit(limit);
      if (keys.size() > 0) {
        wait(Cost.ONE); // keys where nothing waits or is open change only when they are used
      }
    }

    @Override
    public boolean forgot() {
      return keys.size() == 0;
    }
  }

  /** Makes the meter of a limit that takes over. */
  @FunctionalInterface
  interface Changer {
    Meter of(
        Limit limit,
        Meter old,
        long began,
        Limit next,
        long now,
        InstantSource timeOfDay,
        Collection<OpenRequest> open);
  }

  /** A meter, and however it is changed. */
  static final class OfMeter implements ChangePlay.Subject {
    private final Changer changer;
    private final List<HeldCost> open = new ArrayList<>();
    private Limit limit;
    private Meter meter;
    private boolean changed;
    private boolean isDeaf;
    private boolean forgetsSendings;
    private long now;

    /** Has it forget when requests are sent. */
    OfMeter deaf() {
      isDeaf = true;
      return this;
    }

    /** Has it tell the next limit when requests were released, not when they were sent. */
    OfMeter forgettingSendings() {
      forgetsSendings = true;
      return this;
    }

    OfMeter(Limit limit) {
      this(
          limit,
          (before, old, began, next, now, timeOfDay, open) ->
              ChangedMeter.of(new Takeover(before, old, began, next, now, timeOfDay, open)));
    }

    OfMeter(Limit limit, Changer changer) {
      this.changer = changer;
      this.limit = limit;
      this.meter = limit.newMeter(0, this::timeOfDay);
    }

    private Instant timeOfDay() {
      return NOON.plusNanos(now);
    }

    @Override
    public long now() {
      return now;
    }

    @Override
    public void pass(long nanos) {
      now += nanos;
    }

    @Override
    public long wait(Cost cost) {
      return meter.nanosUntil(now, now, cost);
    }

    @Override
    public ChangePlay.@Nullable Held take(Cost cost) {
      if (wait(cost) > 0) {
        return null;
      }
      meter.release(now, now, cost);
      var held = new HeldCost(this, now, cost, meter);
      if (meter.tracks()) {
        open.add(held);
      }
      return held;
    }

    @Override
    public void put(Limit next) {
      if (!next.equals(limit)) {
        List<OpenRequest> requests =
            open.stream()
                .map(held -> new OpenRequest(forgetsSendings ? held.start : held.known, held.cost))
                .toList();
        meter = changer.of(limit, meter, 0, next, now, this::timeOfDay, requests);
        limit = next;
        changed = true;
      }
    }
  }

  /** A permit of a bare meter. */
  private static final class HeldCost implements ChangePlay.Held {
    private final OfMeter subject;
    private final long start;
    private long known; // by which instant: its start, or its sending
    private final Meter of;
    private Cost cost;

    HeldCost(OfMeter subject, long start, Cost cost, Meter of) {
      this.subject = subject;
      this.start = start;
      this.known = start;
      this.cost = cost;
      this.of = of;
    }

    @Override
    public void end(Outcome outcome) {
      if (subject.open.remove(this) && (subject.meter.tracks() || subject.changed)) {
        subject.meter.end(known, subject.now, cost, outcome);
      }
    }

    @Override
    public void send() {
      if (subject.open.contains(this) && !subject.isDeaf) {
        subject.meter.sent(known, subject.now, cost);
        known = subject.now;
      }
    }

    @Override
    @SuppressWarnings("ReferenceEquality")
    public boolean settle(Cost actual) {
      if (of != subject.meter) {
        return false; // which limiters can, and do their part for
      }
      of.settle(start, known, subject.now, cost, actual);
      cost = actual;
      return true;
    }
  }
}
