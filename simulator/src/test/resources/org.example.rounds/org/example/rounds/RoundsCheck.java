package org.example.rounds;

import dev.pacegate.audit.PromiseCheck;
import dev.pacegate.audit.Stretch;
import dev.pacegate.audit.Verdict;

/** The most that went without a break. */
final class RoundsCheck implements PromiseCheck {

  private final RoundsPromise promise;
  private Stretch round = new Stretch(0, 0, 0);
  private Stretch longest = round;

  RoundsCheck(RoundsPromise promise) {
    this.promise = promise;
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    boolean goesOn = !round.isEmpty() && start - round.to() < promise.rest();
    round =
        goesOn
            ? new Stretch(round.counted() + amount, round.from(), start)
            : new Stretch(amount, start, start);
    longest = round.counted() > longest.counted() ? round : longest;
  }

  @Override
  public Verdict verdict() {
    long most = longest.counted();
    return new Verdict(
        promise,
        most <= promise.max(),
        most,
        longest,
        "most without a break: " + most,
        new RoundsPromise(most, promise.rest()));
  }
}
