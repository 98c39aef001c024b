package dev.pacegate.engine;

import dev.pacegate.Permit;
import dev.pacegate.engine.visit.Visit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Futures of one engine that are cancelled together: many leave the queue in a visit. */
final class LeavingTogether {

  /** How many leave in one visit: they keep all other callers waiting. */
  private static final int AT_ONCE = 64;

  private final EngineMonitor engine;
  private final List<PermitFuture> waiting; // in the order of arrival
  private final CancellationException all = new CancellationException("cancelled together");

  /** Cancels futures that are not of {@code engine}. */
  LeavingTogether(EngineMonitor engine, Collection<? extends Future<Permit>> futures) {
    this.engine = engine;
    this.waiting = new ArrayList<>(futures.size());
    for (Future<Permit> future : futures) {
      if (future instanceof PermitFuture own && own.leavesQueueOf(engine)) {
        waiting.add(own);
      } else {
        future.cancel(false);
      }
    }
    waiting.sort(Comparator.comparingLong(future -> future.waiter.order));
  }

  /** Makes all leave, the last that came first. An error concerns the one at which it comes. */
  void leave() {
    Throwable failure = null;
    int before = Integer.MAX_VALUE;
    while (!waiting.isEmpty() && waiting.size() < before) {
      before = waiting.size();
      try {
        leaveInOneVisit();
      } catch (RuntimeException | Error e) {
        failure = e;
      }
    }
    rethrow(failure);
  }

  private static void rethrow(@Nullable Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }

  private void leaveInOneVisit() {
    var left = new ArrayList<PermitFuture>(AT_ONCE);
    try {
      engine.run(visit -> someLeave(left, visit));
    } finally {
      left.forEach(future -> future.cancelled(all));
    }
  }

  private void someLeave(List<PermitFuture> left, Visit visit) {
    for (int i = 0; i < AT_ONCE && !waiting.isEmpty(); i++) {
      PermitFuture last = waiting.remove(waiting.size() - 1);
      if (last.waiter.isUndecided()) {
        left.add(last); // first, as it is in the queue no more if an error comes between
        engine.state.quit(last.waiter, visit);
      }
    }
  }
}
