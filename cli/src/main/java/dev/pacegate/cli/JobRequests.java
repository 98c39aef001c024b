package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Time;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * When commands were let through and when they ended. They end in another order than the judge
 * needs, so they are kept until the report: it judges no run with more than a million.
 */
final class JobRequests {

  static final int MOST = 1_000_000;

  private final LimitReport report;
  private final Time time;
  private final long origin;
  private final List<JobRequest> all = new ArrayList<>();
  private boolean isOver;

  JobRequests(Limiter limiter) {
    this.report = new LimitReport(limiter);
    this.time = limiter.time();
    this.origin = time.nanoTime();
  }

  /**
   * Notes a request that has just been let through.
   *
   * @param releasedAt by the clock of the limiter
   */
  synchronized JobRequest begin(long releasedAt) {
    report.notice();
    var request = new JobRequest(now() - (time.nanoTime() - releasedAt));
    if (all.size() < MOST) {
      all.add(request);
    } else {
      report.giveUp("more than " + MOST + " commands were let through");
    }
    return request;
  }

  private long now() {
    return report.followsCalendar()
        ? ChronoUnit.NANOS.between(Instant.EPOCH, time.instant())
        : time.nanoTime() - origin;
  }

  /** Tells the report of all that have ended, in the order in which they were let through. */
  synchronized LimitReport report() {
    if (!isOver) {
      isOver = true;
      all.sort(Comparator.comparingLong((JobRequest request) -> request.start));
      for (JobRequest request : all) {
        if (request.state == RequestState.ENDED) {
          report.add(request.start, Math.max(request.start, request.end), Cost.ONE);
        }
      }
      all.clear();
    }
    return report;
  }

  private enum RequestState {
    OPEN,
    ENDED,
    WITHDRAWN
  }

  /** A request from when it was let through until its end. */
  final class JobRequest {
    private final long start;
    private long end;
    private RequestState state = RequestState.OPEN;

    private JobRequest(long start) {
      this.start = start;
    }

    /** Notes the end; only the first counts. */
    void end() {
      synchronized (JobRequests.this) {
        if (state == RequestState.OPEN) {
          state = RequestState.ENDED;
          end = now();
          report.notice();
        }
      }
    }

    /** Notes that nothing was sent. */
    void withdraw() {
      synchronized (JobRequests.this) {
        if (state == RequestState.OPEN) {
          state = RequestState.WITHDRAWN;
        }
      }
    }
  }
}
