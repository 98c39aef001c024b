package dev.pacegate.state;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that die between any two stores, and machines that die with them. */
@Tag("slow")
class DeathTest {

  private static final FileSize SMALL = new FileSize(16, 6);
  private static final int PAGE = 4096;

  @TempDir Path folder;

  /** The process is no more. */
  private static final class Death extends Error {
    private static final long serialVersionUID = 1;
  }

  /** How many stores are left to live, and what is on the disk for certain. */
  private static final class Fate {
    int stores = Integer.MAX_VALUE;
    byte[] forced = new byte[0];

    void store() {
      if (stores-- <= 0) {
        stores = 0;
        throw new Death();
      }
    }
  }

  private static final class Mortal extends MappedMemory {
    private final MappedByteBuffer bytes;
    private final Fate fate;

    Mortal(MappedByteBuffer bytes, Fate fate) {
      super(bytes);
      this.bytes = bytes;
      this.fate = fate;
    }

    @Override
    void set(int at, long number) {
      fate.store();
      super.set(at, number);
    }

    @Override
    void setInTurn(int at, long number) {
      fate.store();
      super.setInTurn(at, number);
    }

    @Override
    void wipe(int begin, int end) {
      super.wipe(begin + (end - begin) / 2, end);
      fate.store();
      super.wipe(begin, end);
    }

    @Override
    void force() {
      fate.store();
      fate.forced = new byte[bytes.capacity()];
      bytes.get(0, fate.forced);
    }
  }

  private interface Step {
    void run(Lives lives, SplittableRandom random);
  }

  /** Dies after every number of stores that the first life has, and twice more at random. */
  private void dies(int seeds, String limit, Step step) {
    Seeds.forEach(
        seeds,
        random -> {
          long seed = random.nextLong();
          for (int stores = 0; dies(limit, stores, new SplittableRandom(seed), step); stores++) {
            random.nextInt();
          }
        });
  }

  private boolean dies(String limit, int stores, SplittableRandom random, Step step) {
    var fate = new Fate();
    try (var lives =
        new Lives(Limits.parse(limit), folder, SMALL, bytes -> new Mortal(bytes, fate))) {
      fate.stores = stores;
      boolean died = dies(lives, random, step);
      var later = new SplittableRandom(stores);
      for (int life = 0; life < 2; life++) {
        fate.stores = later.nextInt(200);
        dies(lives, later, step);
      }
      fate.stores = Integer.MAX_VALUE;
      lives.begin();
      lives.play(later, 15);
      lives.audit();
      return died;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (AssertionError broken) {
      throw new AssertionError("after " + stores + " stores: " + broken.getMessage(), broken);
    }
  }

  /** Returns whether the process died of its fate; otherwise it is killed at the end. */
  private static boolean dies(Lives lives, SplittableRandom random, Step step) {
    boolean died = false;
    Limit limit = lives.limit;
    try {
      if (lives.isOver()) {
        lives.begin();
      }
      step.run(lives, random);
    } catch (Death death) {
      died = true;
    }
    lives.limit = limit;
    lives.crash();
    lives.now += random.nextLong(1L << random.nextInt(1, 31));
    lives.loseOpen();
    return died;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "5/1s",
        "bucket(10/1s, burst=5)",
        "peer(5/1s, unanswered=500ms)",
        "peer(spacing(100ms), unanswered=200ms)",
        "4/1s & concurrent(2, unanswered=500ms)",
        "peer(5/1s, unanswered=500ms) & concurrent(3)"
      })
  void keepsThePromiseAfterAnyStore(String limit) {
    dies(1, limit, (lives, random) -> lives.play(random, 6));
  }

  @ParameterizedTest
  @ValueSource(strings = {"peer(20/1s, unanswered=500ms)", "20/1s & concurrent(3)"})
  void keepsThePromiseInTheCourseOfACorrection(String limit) {
    dies(
        1,
        limit,
        (lives, random) -> {
          for (int i = 0; i < 5; i++) {
            lives.play(random, 1);
            if (!lives.open.isEmpty()) {
              Lives.Request request = lives.open.get(random.nextInt(lives.open.size()));
              lives.settle(request, Cost.of(random.nextLong(request.cost.amount() + 1)));
            }
          }
        });
  }

  /** What the small file holds is cut at times, as its ring is short. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "5/1s",
        "bucket(10/1s, burst=5)",
        "peer(5/1s, unanswered=500ms)",
        "4/1s & concurrent(2, unanswered=500ms)"
      })
  void keepsThePromiseWhileTheFileGrows(String limit) {
    dies(
        2,
        limit,
        (lives, random) -> {
          lives.play(random, 2 + random.nextInt(12));
          lives.crash();
          lives.now += random.nextLong(1L << random.nextInt(1, 31));
          lives.loseOpen();
          lives.size = new FileSize(lives.size.ring() + 4, lives.size.open() + 2);
          lives.begin();
          lives.play(random, 2);
        });
  }

  private static final String[] KINDS = {
    "peer(4/1s, unanswered=500ms) & concurrent(2)", "4/1s & concurrent(2)", "concurrent(2) & 3/1s"
  };

  /** Whatever limit is in force, none of them lets through more than the first one says. */
  @Test
  void keepsThePromiseInTheCourseOfAChange() {
    dies(
        6,
        "4/1s & concurrent(2)",
        (lives, random) -> {
          try {
            for (int i = 0; i < 3; i++) {
              lives.play(random, 1 + random.nextInt(4));
              lives.change(Limits.parse(KINDS[random.nextInt(KINDS.length)]));
            }
          } finally {
            lives.requests.removeIf(
                request -> !request.counts); // to the peer's limit, unlike others
          }
        });
  }

  /** So long that the ring does not reach back to the change with which it moved along. */
  @Test
  void aPermitThatMovedAlongIsKnownHoweverLongItIsOpen() throws IOException {
    String next = "peer(9/1s, unanswered=500ms) & concurrent(2)";
    try (var lives = new Lives(Limits.parse("9/1s & concurrent(9)"), folder, SMALL)) {
      lives.release(lives.now, Cost.ONE);
      lives.change(Limits.parse(next));
      for (int i = 0; i < 40; i++) {
        lives.now += 2_000_000_000L;
        lives.end(lives.release(lives.now, Cost.ONE), Outcome.ANSWERED);
      }
      lives.crash();
      lives.now += 2_000_000_000L;
      lives.loseOpen(); // and so it is not one that is open any more, and no more than that
      lives.begin();
      lives.release(lives.now, Cost.ONE);
      lives.release(lives.now, Cost.ONE);
      assertTrue(lives.ask(lives.now, Cost.ONE) > 0);
    }
  }

  /** Of each page, the disk has what was forced to it, or what was stored since. */
  @ParameterizedTest
  @ValueSource(strings = {"5/1s", "bucket(10/1s, burst=5)", "peer(5/1s, unanswered=500ms)"})
  void keepsThePromiseWhateverPagesReachedTheDisk(String limit) {
    Seeds.forEach(
        100,
        random -> {
          var fate = new Fate();
          try (var lives =
              new Lives(Limits.parse(limit), folder, SMALL, bytes -> new Mortal(bytes, fate))) {
            for (int life = random.nextInt(1, 5); life > 0; life--) {
              lives.play(random, random.nextInt(10));
              if (random.nextBoolean()) {
                lives.end();
              } else {
                lives.crash();
                if (random.nextBoolean()) {
                  losePages(lives.path(), fate.forced, random);
                  lives.reboot(random);
                }
              }
              lives.now += random.nextLong(1L << random.nextInt(1, 31));
              lives.loseOpen();
              lives.begin();
            }
            lives.play(random, 15);
            lives.audit();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static void losePages(Path path, byte[] forced, SplittableRandom random)
      throws IOException {
    byte[] bytes = Files.readAllBytes(path);
    int mode = random.nextInt(3);
    for (int page = 0; page < bytes.length; page += PAGE) {
      if (mode == 0 || (mode == 1 && random.nextBoolean())) {
        System.arraycopy(forced, page, bytes, page, Math.min(PAGE, bytes.length - page));
      }
    }
    Files.write(path, bytes);
  }
}
