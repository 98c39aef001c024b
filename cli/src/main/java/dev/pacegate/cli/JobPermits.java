package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Permits of commands, each noted for the report if there is one. */
final class JobPermits {

  private final Limiter limiter;
  private final Time time;
  private final @Nullable JobRequests requests;
  private volatile long due;
  private volatile boolean isDueOrLater;

  /**
   * @param limiter one whose permits know when they were released, if there is a report
   * @param requests gets what the report needs; null if there is none
   */
  JobPermits(Limiter limiter, @Nullable JobRequests requests) {
    this.limiter = limiter;
    this.time = limiter.time();
    this.requests = requests;
  }

  Limiter limiter() {
    return limiter;
  }

  /**
   * Returns when the command that waits may start, if nothing else happens. If none waits, when the
   * one that waited before could; if several do, that of the one which came last.
   */
  long due() {
    return due;
  }

  /** Returns whether others were inside then: their ends may make it later. */
  boolean isDueOrLater() {
    return isDueOrLater;
  }

  /** Waits for a permit. */
  Permit acquire() throws InterruptedException {
    isDueOrLater = limiter.snapshot().open() > 0;
    due = time.nanoTime() + limiter.estimateWait(1).toNanos();
    return noted(limiter.acquire());
  }

  /** Returns a permit if there is one at once. */
  @Nullable Permit poll() {
    Permit permit = limiter.poll(Cost.ONE);
    return permit == null ? null : noted(permit);
  }

  private Permit noted(Permit permit) {
    return requests == null ? permit : new NotedPermit(permit, requests.begin(permit.releasedAt()));
  }

  /** Notes the end before the limiter knows of it, as another may go at once then. */
  private record NotedPermit(Permit permit, JobRequests.JobRequest request) implements Permit {

    @Override
    public void answered() {
      request.end();
      permit.answered();
    }

    @Override
    public void notSent() {
      request.withdraw();
      permit.notSent();
    }

    @Override
    public void lost() {
      request.end();
      permit.lost();
    }

    @Override
    public void failed(Throwable failure) {
      request.end();
      permit.failed(failure);
    }

    @Override
    public void close() {
      request.end();
      permit.close();
    }

    @Override
    public Duration waited() {
      return permit.waited();
    }
  }
}
