package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What holds across any number of changes of the limit, of whatever kinds, judged by an oracle that
 * only counts.
 *
 * <p>Of a request that was let through, the start and the cost count as corrected; one that was not
 * sent does not count. <em>As the peer counts</em> a request counts wherever it was open, or lost
 * and perhaps not yet counted, by the shortest {@code unanswered} of the limits. Limits that were
 * <em>in force in</em> an interval are those from the first to the last that let through anything
 * counted in it. What a limit promises for a length is what a window of that very length promises
 * if it has one, otherwise the least that its terms do.
 *
 * <ol>
 *   <li><b>The larger promise.</b> In every interval of the length of a window (sliding or spacing)
 *       whose limit let through anything counted in it, no more is counted than the largest of what
 *       the limits in force in it promise for that length. A limit that promises nothing of what is
 *       counted (concurrent, unlimited, another cost) promises any number. It counts as the peer
 *       does if the window and all these limits do, otherwise by starts.
 *   <li><b>The present window.</b> A limit with a window lets nothing through that would be more
 *       than its own M in the interval that ends then: what was let through counts, however many
 *       changes of whatever kind came in between, concurrent and unlimited included. What is open
 *       under limits that need no ends counts for as long as if it were lost.
 *   <li><b>Two buckets.</b> While one bucket follows another, an interval of any length holds at
 *       most the larger of what both promise for it.
 *   <li><b>The sum.</b> An interval of any length holds at most the sum of what the different
 *       limits in force in it promise for it; one with several buckets counts each time that it was
 *       in force.
 *   <li><b>Concurrent.</b> It lets nothing through that would be more than N open, of what was let
 *       through by limits that are told of ends.
 * </ol>
 *
 * <p>All of it holds as far back as the past is known. A first change begins a log. It goes on as
 * long as each change comes no later than the longest memory of the limits since; a change after
 * that begins another. Of what was let through before a log began, it knows what the limit in force
 * remembers by then: nothing of what that limit does not count, and no end of a request whose cost
 * it counts by starts alone, even if it counts the calls until they end. A key that was dropped is
 * new.
 */
class ChangesTest {

  private static final int RUNS = 3_000; // of about four changes each
  private static final int RUNS_AT_LENGTH = 230_000; // a million changes

  @TempDir static Path folder;

  /** What a script is played on. */
  private interface Maker extends Function<Limit, ChangePlay.Subject> {}

  private static void judge(SplittableRandom random, Maker maker) {
    judge(ChangeScript.random(random), maker);
  }

  private static void judge(ChangeScript script, Maker maker) {
    if (wrong(script, maker) != null) {
      ChangeScript shortest = script.shortened(shorter -> wrong(shorter, maker) != null);
      assertTrue(false, () -> wrong(shortest, maker) + " by " + shortest);
    }
  }

  private static @Nullable String wrong(ChangeScript script, Maker maker) {
    try (ChangePlay.Subject subject = maker.apply(script.first())) {
      return ChangePlay.run(script, subject);
    }
  }

  @Test
  void keepsItsPromisesHoweverLimitsChange() {
    Seeds.forEach(RUNS, random -> judge(random, ChangeSubjects.OfMeter::new));
  }

  /** A bound ends a request for the peer a margin before it does for the meter. */
  @Test
  void keepsThemIfLimitsChangeAsABoundEnds() {
    Seeds.forEach(
        2 * RUNS, random -> judge(ChangeScripts.atBounds(random), ChangeSubjects.OfMeter::new));
  }

  /** Nothing is held up by the bound of another measure, or for longer than it counts. */
  @Test
  void noRequestWaitsThatEveryLimitAloneWouldLetGo() {
    Seeds.forEach(
        RUNS,
        random -> {
          ChangeScript script = ChangeScripts.ofWindows(random);
          if (heldUp(script) != null) {
            ChangeScript shortest = script.shortened(shorter -> heldUp(shorter) != null);
            assertTrue(false, () -> heldUp(shortest) + " by " + shortest);
          }
        });
  }

  private static @Nullable String heldUp(ChangeScript script) {
    return ChangePlay.heldUp(script, new ChangeSubjects.OfMeter(script.first()));
  }

  @Test
  void soDoesALimiter() {
    Seeds.forEach(RUNS / 4, random -> judge(random, ChangeSubjects.OfLimiter::new));
  }

  @Test
  void soDoesAKey() {
    Seeds.forEach(RUNS / 8, random -> judge(random, ChangeSubjects.OfKey::new));
  }

  @Test
  void soDoLanes() {
    Seeds.forEach(RUNS / 8, random -> judge(random, ChangeSubjects.OfLanes::new));
  }

  @Test
  void soDoesTheLimitOfAllKeys() {
    Seeds.forEach(RUNS / 8, random -> judge(random, ChangeSubjects.OfAllKeys::new));
  }

  @Test
  void soDoesALimiterThatResumesItsFile() {
    Seeds.forEach(
        RUNS / 100,
        random ->
            judge(
                ChangeScript.random(random).resumed(random),
                first -> new ChangeSubjects.OfFile(first, file())));
  }

  private static Path file() {
    try {
      return Files.createTempDirectory(folder, "process").resolve("state");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A million changes: see {@code CONTRIBUTING.md} for how to run what takes minutes. */
  @Test
  @Tag("heavy")
  void allOfThisAtLength() {
    Seeds.forEach(RUNS_AT_LENGTH, random -> judge(random, ChangeSubjects.OfMeter::new));
  }

  @Test
  @Tag("heavy")
  void limitersAndKeysAtLength() {
    Seeds.forEach(
        RUNS_AT_LENGTH / 10,
        random -> {
          judge(random.split(), ChangeSubjects.OfLimiter::new);
          judge(random.split(), ChangeSubjects.OfLanes::new);
          judge(random.split(), ChangeSubjects.OfAllKeys::new);
          judge(random, ChangeSubjects.OfKey::new);
        });
  }
}
