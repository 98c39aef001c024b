package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.change.ChangeScript.End;
import dev.pacegate.change.ChangeScript.Pass;
import dev.pacegate.change.ChangeScript.Put;
import dev.pacegate.change.ChangeScript.Step;
import dev.pacegate.change.ChangeScript.Take;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the oracle of {@link ChangesTest} leaves out, and no more: the end of a request before the
 * log began, if the first limit counts the cost by starts alone.
 */
class ChangeExceptionTest {

  private static final Step TAKE = new Take(Cost.ONE, 1);
  private static final Step END = new End(0, Outcome.ANSWERED);
  private static final Step PUT = new Put(Limits.parse("peer(2/5s, margin=0s, unanswered=500ms)"));
  private static final String STARTS = "4/1s & peer(spacing(3s), margin=0s, unanswered=500ms)";

  private static Step seconds(long seconds) {
    return new Pass(Duration.ofSeconds(seconds));
  }

  private static ChangeScript script(String first, Step... steps) {
    return new ChangeScript(Limits.parse(first), List.of(steps));
  }

  /** Plays {@code script} on a meter that limits nothing once the limit has changed. */
  private static void assertFound(ChangeScript script) {
    Limit unlimited = Limits.parse("unlimited");
    var subject =
        new ChangeSubjects.OfMeter(
            script.first(),
            (limit, old, began, next, now, timeOfDay, open) -> unlimited.newMeter(now, timeOfDay));
    String wrong = ChangePlay.run(script, subject);
    assertNotNull(wrong);
    assertTrue(wrong.startsWith("P1"), wrong);
  }

  /** The oracle said three of two: only the spacing knew that the first ended as late as it did. */
  @Test
  void anEndBeforeTheLogIsNotJudgedWhereTheCostWasCountedByStarts() {
    ChangeScript script = script(STARTS, TAKE, seconds(3), END, PUT, TAKE, seconds(3), TAKE);
    assertNull(ChangePlay.run(script, new ChangeSubjects.OfMeter(script.first())));
  }

  @Test
  void theSameStartIsJudged() {
    assertFound(script(STARTS, TAKE, seconds(3), END, PUT, TAKE, seconds(1), TAKE));
  }

  @Test
  void anEndAfterTheLogBeganIsJudged() {
    assertFound(script(STARTS, TAKE, seconds(3), PUT, END, TAKE, seconds(3), TAKE));
  }

  @Test
  void anEndIsJudgedWhereTheCostWasCountedUntilItsEnd() {
    String ends = "4/1s & peer(4/1s, margin=0s) & peer(spacing(3s), margin=0s)";
    assertFound(script(ends, TAKE, seconds(3), END, PUT, TAKE, seconds(3), TAKE));
  }

  @Test
  void anEndIsJudgedWhereOnlyCallsWereCounted() {
    String calls = "peer(spacing(3s), margin=0s)";
    assertFound(script(calls, TAKE, seconds(3), END, PUT, TAKE, seconds(3), TAKE));
  }

  @Test
  void anEndIsJudgedByALimitOfCalls() {
    String longer = "4/1s & peer(spacing(5s), margin=0s)";
    assertFound(script(longer, TAKE, seconds(6), END, PUT, TAKE, TAKE));
  }
}
