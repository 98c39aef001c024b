package dev.pacegate.engine;

import dev.pacegate.limit.Cost;

/** A thread that waits, parked outside the gate. It looks by itself. */
final class ThreadWaiter extends Waiter {

  final Thread thread = Thread.currentThread();

  ThreadWaiter(Lane lane, Cost cost) {
    super(lane, cost);
  }
}
