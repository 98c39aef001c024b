package dev.pacegate.result;

import org.jspecify.annotations.Nullable;

/**
 * The permits of the jobs that one thread runs, each of which ends after its job: so the thread
 * must not wait for that end. Used by that thread alone.
 */
/*
 * A thread keeps the object once it has run a job: to make and remove one for each job took as long as
 * half a permit. Permits that need no end are not noted, so a job under such a limit pays nothing.
 */
public final class HeldPermits {

  private static final ThreadLocal<HeldPermits> HERE = new ThreadLocal<>();

  /** A permit that may stay spent until it ends. */
  public interface JobPermit {

    /** Returns whether it does, and has not ended. */
    boolean needsEnd();

    /** Keeps the permit of the job around this one's job. */
    void heldWithin(@Nullable JobPermit outer);

    /** Returns what {@link #heldWithin} was told. */
    @Nullable JobPermit outer();
  }

  private @Nullable JobPermit innermost;

  private HeldPermits() {}

  /** Returns the permit of the innermost job that this thread runs; null if it runs none. */
  public static @Nullable JobPermit innermost() {
    HeldPermits here = HERE.get();
    return here == null ? null : here.innermost;
  }

  /** Returns the permit if it must be noted by {@link #begin} before its job begins. */
  public static @Nullable JobPermit noted(Object permit) {
    return permit instanceof JobPermit job && job.needsEnd() ? job : null;
  }

  /** A job with {@code permit} begins in this thread. */
  public static HeldPermits begin(JobPermit permit) {
    HeldPermits here = HERE.get();
    if (here == null) {
      here = new HeldPermits();
      HERE.set(here);
    }
    JobPermit outer = here.innermost;
    while (outer != null && !outer.needsEnd()) {
      outer = outer.outer(); // an error kept that job from telling its end
    }
    permit.heldWithin(outer);
    here.innermost = permit;
    return here;
  }

  /** The job with {@code permit} has ended. */
  public void end(JobPermit permit) {
    JobPermit outer = permit.outer();
    permit.heldWithin(null);
    innermost = outer;
  }

  /** Runs a job with {@code permit}, which ends after it. */
  public static void run(Object permit, Runnable job) {
    JobPermit noted = noted(permit);
    if (noted == null) {
      job.run();
      return;
    }
    HeldPermits here = begin(noted);
    try {
      job.run();
    } finally {
      here.end(noted);
    }
  }
}
