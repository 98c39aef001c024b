package dev.pacegate;

import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/** A future that waits. The limiter's alarm looks for it, and a drainer completes it. */
final class FutureWaiter extends Waiter {

  final PermitFuture future;
  @Nullable Alarm timeout;
  boolean queued; // up for completion

  FutureWaiter(Cost cost, PermitFuture future) {
    super(cost);
    this.future = future;
  }

  @Override
  void rouse(Duties duties) {
    duties.desk.setAlarm(looksAt, duties);
  }

  @Override
  void summon(Duties duties) {
    duties.desk.queue(this);
  }
}
