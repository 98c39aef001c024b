package dev.pacegate.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Seeds;
import dev.pacegate.limit.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a meter has let through is remembered by the next process, as if nothing had happened. */
@Tag("slow")
class RestartTest {

  private static final FileSize AMPLE = new FileSize(1024, 256);

  @TempDir Path folder;

  private interface Case {
    void run(Lives lives, SplittableRandom random) throws Exception;
  }

  private void forEach(int cases, String limit, FileSize size, Case body) {
    Seeds.forEach(
        cases,
        random -> {
          try (var lives = new Lives(Limits.parse(limit), folder, size)) {
            body.run(lives, random);
          } catch (RuntimeException e) {
            throw e;
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  private static void restart(Lives lives, SplittableRandom random) {
    boolean crashed = random.nextBoolean();
    if (crashed) {
      lives.crash();
    } else {
      lives.end();
    }
    lives.now += new Shape(lives.limit).gap(random) >> random.nextInt(3);
    if (!crashed && random.nextInt(3) == 0) {
      lives.reboot(random); // the wall clock tells how long it took
    } else {
      lives.setWall(random); // which is of no consequence
    }
    lives.loseOpen();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1s",
        "3/1s of tokens",
        "5000/1s",
        "spacing(100ms)",
        "bucket(10/1s, burst=5)",
        "bucket(10/1s, burst=5, pay=later, debt=20, slack=10ms)",
        "bucket(7/1s, burst=5, initial=empty)",
        "warmup(2/1s, over=3s, cold=3)",
        "fixed(3/1s)",
        "concurrent(4)",
        "unlimited",
        "starts(10/1m, initial=spent)",
        "peer(10/1s, unanswered=3s)",
        "peer(spacing(100ms), unanswered=1s)",
        "peer(bucket(10/1s, burst=5), unanswered=1s)",
        "peer(bucket(10/1s, burst=5, initial=full), unanswered=1s)",
        "aligned(5/1s, margin=100ms, unanswered=3s)",
        "aligned(30/1m, unanswered=5s)",
        "aligned(3/10s, margin=0s, unanswered=1s) & bucket(5/1s, burst=5)",
        "concurrent(3, unanswered=2s)",
        "10/1s & 20/1m & concurrent(3)",
        "peer(10/1s & 20/1m, unanswered=3s)",
        "peer(10/1s, unanswered=3s) & bucket(5/1s, burst=5) & concurrent(4)",
        "5/1s & 90/1m of tokens & 7/1m of pages"
      })
  void goesOnAsIfNothingHadHappened(String limit) {
    forEach(
        15,
        limit,
        AMPLE,
        (lives, random) -> {
          for (int life = 1 + random.nextInt(4); life > 0; life--) {
            lives.play(random, random.nextInt(20));
            restart(lives, random);
            lives.begin();
            lives.compare(random);
          }
          lives.play(random, random.nextInt(20));
          lives.audit();
        });
  }

  /** The file has room for all that is remembered, in whatever part of it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1s",
        "spacing(100ms)",
        "bucket(10/1s, burst=5)",
        "peer(10/1s & 20/1m, unanswered=3s)",
        "10/1s & concurrent(3, unanswered=2s)"
      })
  void goesOnInALargerFile(String limit) {
    forEach(
        15,
        limit,
        new FileSize(128, 32, 8),
        (lives, random) -> {
          for (int life = 1 + random.nextInt(4); life > 0; life--) {
            lives.play(random, random.nextInt(12));
            restart(lives, random);
            int more = random.nextInt(3);
            FileSize size = lives.size;
            lives.size =
                new FileSize(size.ring() + 64 * more, size.open() + more, 8 + random.nextInt(9));
            lives.begin();
            lives.compare(random);
          }
          lives.play(random, random.nextInt(20));
          lives.audit();
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1s",
        "20/1s of tokens & concurrent(3)",
        "bucket(10/1s, burst=5)",
        "warmup(2/1s, over=3s)"
      })
  void correctionsAndLateSendsAreRemembered(String limit) {
    forEach(
        15,
        limit,
        AMPLE,
        (lives, random) -> {
          for (int life = 1 + random.nextInt(3); life > 0; life--) {
            playWithCorrections(lives, random);
            restart(lives, random);
            lives.begin();
            lives.compare(random);
          }
        });
  }

  private static void playWithCorrections(Lives lives, SplittableRandom random) {
    var shape = new Shape(lives.limit);
    for (int i = 0; i < 10; i++) {
      lives.play(random, 1);
      int all = lives.requests.size();
      if (all > 0 && random.nextBoolean()) {
        lives.settle(lives.requests.get(all - 1 - random.nextInt(all) / 4), shape.fitting(random));
      }
      if (random.nextInt(4) == 0) {
        lives.startLate(shape.fitting(random));
      }
    }
  }

  @Test
  void correctionsOfOpenPermitsKeepThePromise() {
    forEach(
        30,
        "peer(20/1s, unanswered=3s)",
        AMPLE,
        (lives, random) -> {
          for (int life = 1 + random.nextInt(3); life > 0; life--) {
            for (int i = 0; i < 10; i++) {
              lives.play(random, 1);
              if (!lives.open.isEmpty()) {
                Lives.Request request = lives.open.get(random.nextInt(lives.open.size()));
                lives.settle(request, Cost.of(random.nextLong(request.cost.amount() + 1)));
              }
            }
            restart(lives, random);
            lives.begin();
            lives.compare(random);
          }
          lives.play(random, 20);
          lives.audit();
        });
  }

  /** But for warm-ups: of what others let through they only estimate the largest request. */
  private static final String[] KINDS = {
    "10/1s",
    "7/3s",
    "30/1m & concurrent(5, unanswered=1s)",
    "bucket(10/1s, burst=5)",
    "spacing(100ms)",
    "fixed(3/1s)",
    "peer(10/1s, unanswered=2s)",
    "peer(4/1s & 9/5s, unanswered=2s)",
    "peer(bucket(10/1s, burst=5), unanswered=1s)",
    "concurrent(3, unanswered=1s)"
  };

  private static Limit any(SplittableRandom random) {
    return Limits.parse(KINDS[random.nextInt(KINDS.length)]);
  }

  @Test
  void changesOfTheLimitAreRememberedAndTheNextProcessMayHaveAnother() {
    forEach(
        200,
        "10/1s",
        AMPLE,
        (lives, random) -> {
          for (int life = 1 + random.nextInt(4); life > 0; life--) {
            for (int change = random.nextInt(4); change > 0; change--) {
              lives.play(random, random.nextInt(8));
              lives.change(any(random));
            }
            lives.play(random, random.nextInt(8));
            restart(lives, random);
            if (random.nextBoolean()) {
              lives.begin();
            } else {
              lives.beginWith(any(random));
            }
            lives.compare(random);
          }
        });
  }

  /** So many that several share an entry: as of the latest of them, a thirtieth of the memory. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "300/1s",
        "300/1s & 5000/1m",
        "bucket(300/1s, burst=200)",
        "spacing(1ms)",
        "20/10ms & 300/1s",
        "300/1s & concurrent(7)",
      })
  void whereManyShareAnEntryNothingGoesSoonerAndLittleIsLost(String limit) {
    forEach(
        20,
        limit,
        new FileSize(64, 16),
        (lives, random) -> {
          // A bucket that is never full does not forget that it may have been empty long ago.
          long memory = new LimitEpoch(1, 1, 0, false, lives.limit).memory();
          long grain = limit.startsWith("bucket") ? memory : memory / 32 + 1;
          for (int life = 1 + random.nextInt(4); life > 0; life--) {
            lives.play(random, random.nextInt(400));
            restart(lives, random);
            lives.begin();
            long soonest = lives.twin.nanosUntil(lives.now, lives.now, Cost.ONE);
            long wait = lives.ask(lives.now, Cost.ONE);
            assertTrue(wait >= soonest, wait + " instead of " + soonest);
            assertTrue(wait <= soonest + grain, wait + " instead of " + soonest + ", " + grain);
            lives.twin =
                lives.limit.newMeter(
                    lives.now, lives::timeOfDay); // what is lost once is not lost again
            lives.now += 60_000_000_000L;
          }
          lives.play(random, random.nextInt(100));
          lives.audit();
        });
  }

  /** What cannot share fills the ring, or more is open than there is room for: then it is spent. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "300/1s & concurrent(7)",
        "fixed(50/1s)",
        "peer(50/1s, unanswered=1s)",
        "peer(50/1s & 200/5s, unanswered=300ms)",
        "peer(spacing(10ms), unanswered=100ms)",
        "peer(50/1s, unanswered=3s) & bucket(5/1s, burst=5) & concurrent(40)",
        "5/1s & 90/1m of tokens & 7/1m of pages"
      })
  void keepsThePromiseWhateverTheFileHasNoRoomFor(String limit) {
    forEach(
        30,
        limit,
        new FileSize(8 << random(limit), 4),
        (lives, random) -> {
          for (int life = 1 + random.nextInt(5); life > 0; life--) {
            lives.play(random, random.nextInt(60));
            restart(lives, random);
            lives.begin();
          }
          lives.play(random, random.nextInt(60));
          lives.audit();
        });
  }

  private static int random(String text) {
    return Math.floorMod(text.hashCode(), 3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1s",
        "bucket(10/1s, burst=5, pay=later)",
        "fixed(3/1s)",
        "warmup(2/1s, over=3s)",
        "peer(10/1s, unanswered=500ms)",
        "10/1s & 20/1m & concurrent(3)"
      })
  void aLimitIsSpentAfterAPowerFailure(String limit) {
    forEach(
        30,
        limit,
        AMPLE,
        (lives, random) -> {
          for (int life = 1 + random.nextInt(3); life > 0; life--) {
            lives.play(random, random.nextInt(20));
            lives.crash();
            lives.now += random.nextLong(1L << random.nextInt(34));
            lives.reboot(random);
            lives.setWall(random);
            lives.loseOpen();
            lives.begin();
            if (random.nextBoolean()) { // and that is remembered
              lives.crash();
              lives.begin();
            }
          }
          lives.play(random, random.nextInt(20));
          lives.audit();
        });
  }

  @Test
  void aWallClockThatWasSetBackIsNoTimeAtAll() {
    forEach(
        20,
        "10/1s",
        AMPLE,
        (lives, random) -> {
          lives.play(random, 20);
          lives.end();
          lives.now += random.nextLong(1L << 31);
          lives.reboot(random);
          lives.setWallBack(random.nextLong(1L << 33));
          lives.begin();
          lives.play(random, 20);
          lives.audit();
        });
  }

  /** Whatever is done to a file, it is refused, or the promise is kept all the same. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1s",
        "300/1s",
        "spacing(100ms)",
        "bucket(10/1s, burst=5)",
        "peer(10/1s, unanswered=2s)",
        "fixed(3/1s)"
      })
  void keepsThePromiseWhateverHappensToTheFile(String limit) {
    forEach(
        60,
        limit,
        new FileSize(32, 16),
        (lives, random) -> {
          for (int life = 1 + random.nextInt(3); life > 0; life--) {
            lives.play(random, 1 + random.nextInt(60));
            lives.crash();
            damage(lives.path(), random);
            lives.now += random.nextInt(2) * random.nextLong(1L << 28);
            lives.loseOpen();
            try {
              lives.begin();
            } catch (UncheckedIOException refused) {
              assertTrue(String.valueOf(refused.getMessage()).contains(lives.path().toString()));
              return;
            }
          }
          lives.play(random, random.nextInt(40));
          lives.audit();
        });
  }

  private static void damage(Path path, SplittableRandom random) throws IOException {
    byte[] bytes = Files.readAllBytes(path);
    switch (random.nextInt(6)) {
      case 0 -> Files.write(path, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
      case 1 -> Files.write(path, Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(99)));
      default -> {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
          int at = random.nextInt(bytes.length);
          while (bytes[at] == 0 && random.nextInt(1000) > 0) { // most of it is empty
            at = (at + 1) % bytes.length;
          }
          bytes[at] ^= (byte) (1 << random.nextInt(8));
        }
        Files.write(path, bytes);
      }
    }
  }

  /** Every byte that says anything, changed in three ways. */
  @ParameterizedTest
  @ValueSource(strings = {"3/1s", "peer(3/1s, unanswered=1s)"})
  void noChangedByteLetsAnythingGoSooner(String limit) throws IOException {
    try (var lives = new Lives(Limits.parse(limit), folder, new FileSize(8, 4))) {
      for (int i = 0; i < 3; i++) {
        lives.now += 100_000_000;
        lives.release(lives.now, Cost.ONE);
      }
      lives.crash();
      lives.loseOpen();
      long wait = lives.twin.nanosUntil(lives.now, lives.now, Cost.ONE);
      byte[] good = Files.readAllBytes(lives.path());
      assertEquals(wait, lives.waitAfter(good, Cost.ONE));
      for (int i = 0; i < good.length; i++) {
        for (int change : good[i] == 0 ? new int[0] : new int[] {0x01, 0x80, 0xff}) {
          byte[] bad = good.clone();
          bad[i] ^= (byte) change;
          assertNeverSooner(wait, lives, bad, i);
        }
      }
      lives.begin();
    }
  }

  private static void assertNeverSooner(long wait, Lives lives, byte[] bad, int at) {
    try {
      long next = lives.waitAfter(bad, Cost.ONE);
      assertTrue(next >= wait, next + " instead of " + wait + ", byte " + at);
    } catch (IOException refused) {
      assertTrue(String.valueOf(refused.getMessage()).contains("state"));
    }
  }
}
