package dev.pacegate.state;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Seeds;
import dev.pacegate.limit.Shape;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a meter has let through is remembered by the next process, as if nothing had happened. */
class RestartTest {

  private static final StateFile.Size AMPLE = new StateFile.Size(1024, 256);

  @TempDir Path folder;

  private interface Case {
    void run(Lives lives, SplittableRandom random) throws Exception;
  }

  private void forEach(int cases, String limit, StateFile.Size size, Case body) {
    Seeds.forEach(
        cases,
        random -> {
          try (var lives = new Lives(Limit.parse(limit), folder, size)) {
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
        "10/1s & 20/1m & concurrent(3)",
        "peer(10/1s & 20/1m, unanswered=3s)",
        "peer(10/1s, unanswered=3s) & bucket(5/1s, burst=5) & concurrent(4)",
        "5/1s & 90/1m of tokens & 7/1m of pages"
      })
  void goesOnAsIfNothingHadHappened(String limit) {
    forEach(
        30,
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
}
