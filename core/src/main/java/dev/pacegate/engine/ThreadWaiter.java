package dev.pacegate.engine;

import dev.pacegate.limit.Cost;

/** A thread that waits, parked outside the gate. It looks by itself. */
final class ThreadWaiter extends Waiter {

  final Thread thread = Thread.currentThread();

  ThreadWaiter(Lane lane, Cost cost) {
    super(lane, cost);
  }

  @Override
  void rouse(Visit duties) {
    if (duties.awake != this) {
      duties.unpark(thread);
    }
  }

  @Override
  void summon(Visit duties) {
    rouse(duties);
  }
}
