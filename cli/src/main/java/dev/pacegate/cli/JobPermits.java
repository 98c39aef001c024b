package dev.pacegate.cli;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Permits of commands. A witness, if there is one, is told of each in the order in which they were
 * let through, though they end in another: one that has ended is kept until all before it have.
 */
final class JobPermits {

  private final Limiter limiter;
  private final Time time;
  private final @Nullable LimitReport witness;
  private final long origin;
  private final PriorityQueue<Stay> stays =
      new PriorityQueue<>(Comparator.comparingLong((Stay stay) -> stay.start));
  private long last; // start that was told
  private volatile long due;
  private volatile boolean isDueOrLater;

  /**
   * @param limiter one whose permits know when they were released, if there is a witness
   */
  JobPermits(Limiter limiter, @Nullable LimitReport witness) {
    this.limiter = limiter;
    this.time = limiter.time();
    this.witness = witness;
    this.origin = time.nanoTime();
  }

  Limiter limiter() {
    return limiter;
  }

  /** Returns when the last that began to wait may go, if nothing else happens. */
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
    if (witness == null) {
      return limiter.acquire();
    }
    Stay stay = expect();
    try {
      stay.begin(limiter.acquire());
      return stay;
    } finally {
      stay.leaveUnless(stay.permit != null);
    }
  }

  /** Returns a permit if there is one at once. */
  @Nullable Permit poll() {
    if (witness == null) {
      return limiter.poll(Cost.ONE);
    }
    Stay stay = expect();
    Permit permit = limiter.poll(Cost.ONE);
    if (permit == null) {
      stay.leaveUnless(false);
      return null;
    }
    stay.begin(permit);
    return stay;
  }

  /** Others that are let through meanwhile are not told before it. */
  private synchronized Stay expect() {
    var stay = new Stay(now());
    stays.add(stay);
    return stay;
  }

  private long now() {
    return witness != null && witness.followsCalendar()
        ? ChronoUnit.NANOS.between(Instant.EPOCH, time.instant())
        : time.nanoTime() - origin;
  }

  /** Tells of all that are followed by none which may have come before. */
  private void tell() {
    for (Stay first = stays.peek(); first != null && first.hasEnded; first = stays.peek()) {
      stays.remove();
      last = Math.max(last, first.start); // clocks may be set
      if (witness != null) {
        witness.add(last, Math.max(last, first.end), Cost.ONE);
      }
    }
  }

  /** A permit that is told of. */
  private final class Stay implements Permit {
    private long start;
    private long end;
    private boolean hasEnded;
    private @Nullable Permit permit;

    Stay(long start) {
      this.start = start;
    }

    void begin(Permit permit) {
      synchronized (JobPermits.this) {
        stays.remove(this);
        this.permit = permit;
        boolean byDay = witness != null && witness.followsCalendar();
        start = byDay ? now() : permit.releasedAt() - origin;
        stays.add(this);
      }
    }

    void leaveUnless(boolean hasBegun) {
      synchronized (JobPermits.this) {
        if (!hasBegun && !hasEnded) {
          hasEnded = true;
          stays.remove(this);
          tell();
        }
      }
    }

    /** Notes the end before the limiter knows of it, as another may go at once then. */
    private Permit ended() {
      synchronized (JobPermits.this) {
        if (!hasEnded) {
          hasEnded = true;
          end = now();
          tell();
        }
        return permit();
      }
    }

    private Permit permit() {
      return requireNonNull(permit);
    }

    @Override
    public void answered() {
      ended().answered();
    }

    @Override
    public void notSent() {
      leaveUnless(false);
      permit().notSent();
    }

    @Override
    public void lost() {
      ended().lost();
    }

    @Override
    public void failed(Throwable failure) {
      ended().failed(failure);
    }

    @Override
    public void close() {
      ended().close();
    }

    @Override
    public Duration waited() {
      return permit().waited();
    }
  }
}
