package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pacegate.change.ChangeScript.Await;
import dev.pacegate.change.ChangeScript.End;
import dev.pacegate.change.ChangeScript.Pass;
import dev.pacegate.change.ChangeScript.Put;
import dev.pacegate.change.ChangeScript.Send;
import dev.pacegate.change.ChangeScript.Step;
import dev.pacegate.change.ChangeScript.Take;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A request that is sent after its limit was replaced, and then the limit changes once more. */
class SentAfterChangeTest {

  private static final Step SEND = new Send(0);
  private static final Step LOST = new End(0, Outcome.LOST);

  private static Step pass(long millis) {
    return new Pass(Duration.ofMillis(millis));
  }

  private static Step put(String limit) {
    return new Put(Limits.parse(limit));
  }

  private static void assertKept(String first, Step... steps) {
    var script = new ChangeScript(Limits.parse(first), List.of(steps));
    assertNull(ChangePlay.run(script, new ChangeSubjects.OfMeter(script.first())));
  }

  /** Four of three within 200 ms: the window of the spacing took it for another limit's. */
  @Test
  void theWindowOfItsLimitWaitsForItWhileItIsOpen() {
    assertKept(
        "peer(spacing(200ms), unanswered=0s, margin=0s) & peer(bucket(5/10s), counted=500ms)",
        new Await(Cost.ONE),
        put("peer(bucket(4/8s, burst=3), counted=6s, margin=0s)"),
        pass(1),
        SEND,
        put("peer(3/2s, unanswered=0s, margin=0s)"),
        LOST,
        new Take(Cost.ONE, 12),
        new Await(Cost.ONE));
  }
}
