package dev.pacegate.result;

import dev.pacegate.Job;
import dev.pacegate.Permit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The permits of the jobs that one thread runs, each of which ends after its job: so the thread
 * must not wait for that end. Used by that thread alone.
 */
/*
 * A thread keeps the object once it has run a job: to make and remove one for each job took as long as
 * half a permit. The permits do not lead to each other: the field would make each larger, and most are
 * not those of jobs. Permits that need no end are not noted, so a job under such a limit pays nothing.
 */
public final class HeldPermits {

  private static final ThreadLocal<HeldPermits> HERE = new ThreadLocal<>();

  /** A permit that may stay spent until it ends. */
  public interface JobPermit {

    /** Returns whether it does, and has not ended. */
    boolean needsEnd();
  }

  private final List<JobPermit> permits = new ArrayList<>(); // the outermost job's first

  private HeldPermits() {}

  /** Returns the permits of the jobs that this thread runs: a view. Empty in most threads. */
  public static List<JobPermit> here() {
    HeldPermits here = HERE.get();
    return here == null ? List.of() : here.permits;
  }

  /** Returns the permit if it must be noted before its job begins. */
  private static @Nullable JobPermit noted(Permit permit) {
    return permit instanceof JobPermit job && job.needsEnd() ? job : null;
  }

  /** A job with {@code permit} begins in this thread. */
  private static HeldPermits begin(JobPermit permit) {
    HeldPermits here = HERE.get();
    if (here == null) {
      here = new HeldPermits();
      HERE.set(here);
    }
    here.add(permit);
    return here;
  }

  private void add(JobPermit permit) {
    int last = permits.size() - 1;
    while (last >= 0 && !permits.get(last).needsEnd()) {
      permits.remove(last--); // an error kept that job from telling its end
    }
    permits.add(permit);
  }

  /** The job with {@code permit} has ended. */
  private void end(JobPermit permit) {
    int at = permits.lastIndexOf(permit);
    for (int last = permits.size() - 1; at >= 0 && last >= at; last--) {
      permits.remove(last); // with those of jobs within it that could not tell their end
    }
  }

  /** Runs a job with {@code permit}, which ends after it. */
  public static <T extends @Nullable Object, X extends Exception> T call(
      Permit permit, Job<T, X> job) throws X {
    JobPermit noted = noted(permit);
    if (noted == null) {
      return job.call();
    }
    HeldPermits here = begin(noted);
    try {
      return job.call();
    } finally {
      here.end(noted);
    }
  }

  /** As {@link #call}, for a job without a result. */
  public static void run(Permit permit, Runnable job) {
    call(
        permit,
        () -> {
          job.run();
          return permit;
        });
  }
}
