package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Requests that are sent late, and so charged again, while the limit changes from window to window.
 * No request goes that would be more than the larger promise in an interval that ends with it; the
 * late starts themselves are not asked for. A window holds for the late starts of its limit until
 * one length after that limit was replaced, and after each late start before that.
 */
class LateChangesTest {

  private static final int RUNS = 8_000;
  private static final String[] LENGTHS = {"1s", "2s", "3s", "5s", "8s", "10s"};

  /** A limit and its window. */
  private static final class Era {
    final Limit limit;
    final Promise window;
    long heldUntil = Long.MAX_VALUE;

    Era(Limit limit) {
      this.limit = limit;
      this.window = limit.promises().get(0);
    }

    void holdFrom(long now) {
      heldUntil = now + window.length();
    }
  }

  /** A start, perhaps a late one, of a request of an era. */
  private record Start(long at, int era, boolean held) {}

  private record Taken(Permit permit, int era) {}

  @Test
  void theLargerPromiseHoldsWhateverIsSentLate() {
    Seeds.forEach(RUNS, seeded -> new Play(seeded).play());
  }

  /** A limiter in virtual time, and all that it has let through. */
  private static final class Play {
    private final SplittableRandom random;
    private final ManualTime time = ManualTime.manual();
    private final long began = time.nanoTime();
    private final List<Era> eras = new ArrayList<>();
    private final List<Start> starts = new ArrayList<>();
    private final List<Taken> taken = new ArrayList<>();
    private final Limiter limiter;

    private Play(SplittableRandom random) {
      this.random = random;
      this.eras.add(new Era(limit()));
      this.limiter =
          Limiter.builder(eras.get(0).limit)
              .time(time)
              .executor(Runnable::run)
              .late(Duration.ofMillis(1))
              .build();
    }

    private void play() {
      for (int steps = 0; steps < 60; steps++) {
        switch (random.nextInt(8)) {
          case 0 -> change();
          case 1, 2, 3 -> take();
          case 4 -> sendSomeLate();
          case 5 -> time.advance(shorter(limiter.estimateWait(1), Duration.ofSeconds(20)));
          default -> time.advance(Duration.ofMillis(random.nextInt(3000)));
        }
      }
    }

    private static Duration shorter(Duration one, Duration other) {
      return one.compareTo(other) < 0 ? one : other;
    }

    private Limit limit() {
      if (random.nextInt(6) == 0) {
        return Limits.parse("spacing(" + LENGTHS[random.nextInt(3)] + ")");
      }
      return Limits.parse(1 + random.nextInt(6) + "/" + LENGTHS[random.nextInt(LENGTHS.length)]);
    }

    private long now() {
      return time.nanoTime() - began;
    }

    private int present() {
      return eras.size() - 1;
    }

    private void change() {
      boolean again = random.nextInt(3) == 0;
      Limit next = again ? eras.get(random.nextInt(eras.size())).limit : limit();
      if (!next.equals(eras.get(present()).limit)) {
        eras.get(present()).holdFrom(now());
        eras.add(new Era(next));
        limiter.setLimit(next);
      }
    }

    private void take() {
      for (int left = 1 + random.nextInt(6); left > 0; left--) {
        limiter
            .tryAcquire()
            .ifPresent(
                permit -> {
                  taken.add(new Taken(permit, present()));
                  starts.add(new Start(now(), present(), true));
                  eras.forEach(this::judge);
                });
      }
    }

    private void sendSomeLate() {
      for (int left = random.nextInt(4); left >= 0 && !taken.isEmpty(); left--) {
        Taken late = taken.get(random.nextInt(taken.size()));
        long before = limiter.snapshot().late();
        late.permit.sending();
        if (limiter.snapshot().late() > before) {
          starts.add(new Start(now(), late.era, now() < eras.get(late.era).heldUntil));
          eras.stream()
              .limit(present())
              .filter(era -> now() < era.heldUntil)
              .forEach(era -> era.holdFrom(now()));
        }
      }
    }

    private void judge(Era era) {
      long length = era.window.length();
      List<Start> counted = starts.stream().filter(start -> start.at > now() - length).toList();
      if (counted.stream().anyMatch(start -> start.held && eras.get(start.era) == era)) {
        int first = counted.stream().mapToInt(Start::era).min().orElseThrow();
        long most =
            eras.subList(first, eras.size()).stream()
                .mapToLong(each -> each.window.most(length))
                .max()
                .orElseThrow();
        assertTrue(
            counted.size() <= most,
            () -> counted.size() + ", not " + most + " by " + era.limit + " in " + counted);
      }
    }
  }
}
