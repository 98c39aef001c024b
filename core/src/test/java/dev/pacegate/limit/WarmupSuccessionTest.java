package dev.pacegate.limit;

import static dev.pacegate.limit.Successions.CASES;
import static dev.pacegate.limit.Successions.KINDS;
import static dev.pacegate.limit.Successions.any;
import static dev.pacegate.limit.Successions.isWithin;
import static dev.pacegate.limit.Successions.playAndChange;
import static dev.pacegate.limit.Successions.tell;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What holds after a change to a warm-up. */
class WarmupSuccessionTest {

  private static final List<String> WARMUPS =
      List.of(
          "warmup(3/1s, over=2s)",
          "warmup(1/2s, over=10s, cold=2)",
          "warmup(10/1s, over=500ms, cold=5)",
          "warmup(1/1m, over=1m)",
          "warmup(2/1s, over=4s, slack=700ms)",
          "warmup(2/1s, over=0s)");

  @Test
  void aWarmupKeepsItsPromiseAfterAnyChange() {
    var before = new ArrayList<>(KINDS);
    before.addAll(WARMUPS);
    before.addAll(List.of("unlimited", "concurrent(3)"));
    Seeds.forEach(
        CASES,
        random -> {
          Limit warmup = any(random, WARMUPS);
          Changing changing =
              playAndChange(
                  random, any(random, before), any(random, before), any(random, before), warmup);
          List<Changing.Request> after =
              changing.requests.stream().filter(r -> r.era == 3).toList();
          judge(changing, after, span -> isWithin(span, warmup));
        });
  }

  @Test
  void noIntervalAcrossAChangeHoldsMoreThanTheLargerOfTwoWarmups() {
    Seeds.forEach(
        CASES,
        random -> {
          Limit old = any(random, WARMUPS);
          Limit fresh = any(random, WARMUPS);
          Changing changing = playAndChange(random, old, fresh);
          judge(changing, changing.requests, span -> isWithin(span, old) || isWithin(span, fresh));
        });
  }

  /** Judges every interval that begins and ends with one of the requests. */
  private static void judge(
      Changing changing,
      List<Changing.Request> requests,
      Predicate<List<Changing.Request>> promise) {
    for (int first = 0; first < requests.size(); first++) {
      for (int last = first; last < requests.size(); last++) {
        List<Changing.Request> span = requests.subList(first, last + 1);
        assertTrue(promise.test(span), () -> span + tell(changing));
      }
    }
  }
}
