package dev.pacegate.engine.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.List;

/**
 * What tells which term of a limit a refusal is about.
 *
 * @param limit the limit
 * @param usedUp the quotas of which the answer says that nothing is left
 * @param asked how long it asks to wait; 0 if it does not say
 * @param startedAt when the request started
 * @param now when the answer came
 */
record RefusalDetails(Limit limit, List<Quota> usedUp, long asked, long startedAt, long now) {

  static RefusalDetails of(Limit limit, PeerAnswer answer, long startedAt, long now) {
    List<Quota> usedUp = answer.quotas().stream().filter(QuotaReconciler::isUsedUp).toList();
    Duration reset =
        usedUp.stream()
            .flatMap(quota -> quota.reset().stream())
            .max(Duration::compareTo)
            .orElse(Duration.ZERO);
    Duration asked = answer.retryAfter().filter(RefusalPause::isLater).orElse(reset);
    return new RefusalDetails(limit, usedUp, RefusalPause.nanos(asked), startedAt, now);
  }

  /** Returns those of the used-up quotas that are about the term of {@code rate}. */
  List<Quota> usedUpOf(WorkingRate rate) {
    return usedUp.stream().filter(quota -> rate.isOf(limit, quota)).toList();
  }
}
