package dev.pacegate.adapter.tck;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.adapter.tck.UrlConnectionClient.Mistake;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each mistake of an adapter is found, and told. */
@Timeout(120)
class MistakesTest {

  /** A mistake that shows only at the right moment may need several runs on a busy machine. */
  private static final int RUNS = 10;

  private static final Duration PATIENCE = Duration.ofMillis(200);

  @ParameterizedTest
  @CsvSource({
    "THE_CLIENT_FOLLOWS_REDIRECTS, REDIRECTS, more requests than permits",
    "THE_CLIENT_AUTHENTICATES, AUTHENTICATION, more requests than permits",
    "THE_END_IS_FORGOTTEN, REFUSALS, a permit is left open",
    "FAILURES_ARE_FORGOTTEN, TIME_OUTS, a permit is left open",
    "FAILURES_ARE_REFUNDED, TIME_OUTS, a request that may have been counted was not lost",
    "FAILURES_ARE_ANSWERED, TIME_OUTS, a request that may have been counted was not lost",
    "NOT_SENT_IS_LOST, NO_CONNECTION, a request that was never sent was charged",
    "THE_PERMIT_ENDS_BEFORE_THE_BODY, SLOW_BODIES, the limit is exceeded",
    "RESPONSES_ARE_NOT_HEARD, REFUSALS, a refusal was not reported to the limiter",
    "CANCELLED_CALLS_STAY_IN_THE_QUEUE, CANCELLED_CALLS, a cancelled call kept waiting for a permit"
  })
  void aMistakeIsFound(Mistake mistake, AdapterCase rule, String fault) throws Exception {
    List<String> faults = List.of();
    for (int i = 0; i < RUNS && !faults.contains(fault); i++) {
      faults = run(mistake, rule).faults();
    }
    assertTrue(faults.contains(fault), faults::toString);
  }

  private static CaseResult run(Mistake mistake, AdapterCase rule) throws Exception {
    return CaseRun.of(
        rule,
        (limiter, version) -> new UrlConnectionClient(limiter, mistake),
        EnumSet.noneOf(ClientFeature.class),
        PATIENCE,
        1);
  }
}
