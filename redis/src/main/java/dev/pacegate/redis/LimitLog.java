package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the log tells of the limit of a name: once, however many keys it has, as each key meets the
 * same trouble.
 *
 * <p>Thread-safe. Lines are written outside its lock.
 */
final class LimitLog {

  private static final int SLOW = 5; // so many replies in a row are no accident
  private static final long QUIET = Duration.ofMinutes(1).toNanos();

  /** Most warnings of outages in {@link #QUIET}, whatever happens. */
  private static final int MOST_WARNINGS = 3;

  /** An outage is told when it has lasted for so long: most are over, and the cause is known. */
  private static final long BLIP = Duration.ofSeconds(1).toNanos();

  /** The second may be the cause of the first. */
  private static final int REASONS = 2;

  private final String name;
  private final WhenDown whenDown;
  private final Time time;
  private final Set<Object> failing = new HashSet<>(); // keys; guarded by this, as all that follows
  private final Set<String> told = new HashSet<>(); // reasons of this outage
  private volatile boolean isDown; // written under the lock
  private long downSince;
  private long warned;
  private long quietSince;
  private int warnings; // since then
  private String fenced = ""; // the epoch of which the fence was told
  private @Nullable ToldPause pause; // of which the log has told; null if none lasts
  private int slow; // how many replies in a row were of no use
  private boolean saidSlow;
  private long slowWarned;

  /** What was said of a pause, in which epoch, and at which local instant it is over. */
  private record ToldPause(String text, String epoch, long until) {

    // A pause stands in the record: it is lost with it, though no one has ended it.
    String end(Reply reply, long received) {
      boolean lost = reply.hasLost(epoch) && until - received > 0;
      return lost ? "the store has lost the pause before it was over" : "the pause is over";
    }
  }

  LimitLog(String name, WhenDown whenDown, Time time) {
    this.name = name;
    this.whenDown = whenDown;
    this.time = time;
  }

  /**
   * The store is of no use to a key, which calls again until it is.
   *
   * @param why such as "does not answer: …"
   */
  void failed(Object key, String why) {
    if (mayWarn(key, why)) {
      warn("the store " + why + "; requests " + instead());
    }
  }

  private synchronized boolean mayWarn(Object key, String why) {
    long now = time.nanoTime();
    if (failing.isEmpty()) {
      downSince = now;
      told.clear();
    }
    failing.add(key);
    isDown = true;
    boolean isNew = told.size() < REASONS && !told.contains(why);
    boolean isDue = !told.isEmpty() && now - warned >= QUIET;
    if (now - downSince < BLIP || !(isNew || isDue) || !mayWarnAgain(now)) {
      return false;
    }
    told.add(why);
    warned = now;
    return true;
  }

  private boolean mayWarnAgain(long now) {
    if (warnings == 0 || now - quietSince >= QUIET) {
      quietSince = now;
      warnings = 0;
    }
    return warnings++ < MOST_WARNINGS;
  }

  private String instead() {
    return whenDown == WhenDown.WAIT ? "wait" : "are refused";
  }

  /** The store is of use to a key. */
  void answered(Object key) {
    if (isDown && isToldToBeOver(key)) {
      Log.info(name + ": the store answers again");
    }
  }

  private synchronized boolean isToldToBeOver(Object key) {
    failing.remove(key);
    isDown = !failing.isEmpty();
    return !isDown && !told.isEmpty();
  }

  /** A reply tells how much is left of the fence of an epoch; 0 if none. */
  void fence(Reply reply) {
    if (reply.closedFor() > 0 && isNewFence(reply.epoch())) {
      warn(fence(reply.closedFor(), reply.reason()));
    }
  }

  private synchronized boolean isNewFence(String epoch) {
    boolean isNew = !epoch.equals(fenced);
    fenced = epoch;
    return isNew;
  }

  /** Returns a fence in words. */
  static String fence(long micros, String reason) {
    return "no permits are granted for "
        + Durations.brief(micros * 1000)
        + ", because "
        + reason
        + " and earlier requests may still count";
  }

  /**
   * A reply tells of a pause.
   *
   * @param text in words; empty if there is none
   * @param received when the reply came, a local instant
   */
  void pause(String text, Reply reply, long received) {
    String news = newsOfPause(text, reply, received);
    if (!news.isEmpty()) {
      warn(news);
    }
  }

  private synchronized String newsOfPause(String text, Reply reply, long received) {
    ToldPause before = pause;
    if (text.isEmpty()) {
      pause = null;
      return before == null ? "" : before.end(reply, received);
    }
    pause = new ToldPause(text, reply.epoch(), received + reply.pausedFor() * 1000);
    return before != null && text.equals(before.text()) ? "" : text;
  }

  /** A reply took so long, in nanoseconds. What it grants is over if that is more than its use. */
  void took(long nanos, Terms terms) {
    long use = terms.use() * 1000;
    if (isNewlySlow(nanos >= use)) {
      warn(
          "the store takes "
              + Durations.brief(nanos)
              + " to answer, and must take less than "
              + Durations.brief(use)
              + " for "
              + terms.limit()
              + "; requests wait. Use a Redis server that is nearer or less busy"
              + (terms.mayBeLonger() ? ", or a longer interval" : ""));
    }
  }

  private synchronized boolean isNewlySlow(boolean isSlow) {
    long now = time.nanoTime();
    slow = isSlow ? slow + 1 : 0;
    if (slow != SLOW || (saidSlow && now - slowWarned < QUIET)) {
      return false;
    }
    saidSlow = true;
    slowWarned = now;
    return true;
  }

  private void warn(String text) {
    Log.warning(name + ": " + text);
  }
}
