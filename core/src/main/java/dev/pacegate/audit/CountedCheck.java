package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/** Checks another promise of requests that are over at a bound after their start, if not before. */
final class CountedCheck implements PromiseCheck {

  private final Promise.Counted promise;
  private final PromiseCheck check;

  CountedCheck(Promise.Counted promise) {
    this.promise = promise;
    this.check = Checks.of(promise.promise());
  }

  @Override
  public void add(long start, long end, long amount) {
    check.add(start, end - start > promise.nanos() ? start + promise.nanos() : end, amount);
  }

  @Override
  public Verdict verdict() {
    Verdict found = check.verdict();
    return new Verdict(
        promise,
        found.kept(),
        found.measured(),
        found.where(),
        found.found(),
        new Promise.Counted(found.tightest(), promise.nanos()));
  }
}
