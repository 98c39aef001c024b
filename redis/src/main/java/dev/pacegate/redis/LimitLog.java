package dev.pacegate.redis;

import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
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
  private final int tags;
  private final WhenDown whenDown;
  private final Time time;
  private final Set<Object> failing = new HashSet<>(); // keys; guarded by this, as all that follows
  private final Set<String> told = new HashSet<>(); // reasons of this outage
  private volatile boolean isDown; // written under the lock
  private long downSince;
  private long warned;
  private long quietSince;
  private int warnings; // since then
  private final Map<Integer, String> epochs = new HashMap<>(); // by tag, whose fence was told
  private @Nullable Long fencedUntil; // as the log has told
  private String fencedBecause = "";
  private final Map<Integer, ToldPause> pauses = new HashMap<>(); // by tag, those that last
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

  /** Of a limit that has no keys, or whose keys are not spread. */
  LimitLog(String name, WhenDown whenDown, Time time) {
    this(name, 1, whenDown, time);
  }

  /** Of a limit whose keys are spread over so many tags. */
  LimitLog(String name, int tags, WhenDown whenDown, Time time) {
    this.name = name;
    this.tags = tags;
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

  /** A reply of the only tag tells how much is left of the fence of an epoch; 0 if none. */
  void fence(Reply reply) {
    fence(0, reply, time.nanoTime());
  }

  /** A reply of a tag tells how much is left of the fence of its epoch; 0 if none. */
  void fence(int tag, Reply reply, long received) {
    if (reply.closedFor() > 0 && isNewFence(tag, reply, received)) {
      String text = fence(reply.closedFor(), reply.reason());
      warn(
          tags == 1 ? text : text.replaceFirst("are granted", "are granted to a part of the keys"));
    }
  }

  // Tags begin fences one after the other for one reason: the first is told.
  private synchronized boolean isNewFence(int tag, Reply reply, long received) {
    if (reply.epoch().equals(epochs.put(tag, reply.epoch()))) {
      return false;
    }
    Long until = fencedUntil;
    boolean isTold = tags > 1 && until != null && until - received > 0;
    if (isTold && reply.reason().equals(fencedBecause)) {
      return false;
    }
    fencedUntil = received + reply.closedFor() * 1000;
    fencedBecause = reply.reason();
    return true;
  }

  /** Returns a fence in words. */
  static String fence(long micros, String reason) {
    return "no permits are granted for "
        + Durations.brief(micros * 1000)
        + ", because "
        + reason
        + " and earlier requests may still count";
  }

  /** A reply of the only tag tells of a pause, as {@link #pause(int, String, Reply, long)}. */
  void pause(String text, Reply reply, long received) {
    pause(0, text, reply, received);
  }

  /**
   * A reply of a tag tells of a pause.
   *
   * @param text in words; empty if there is none
   * @param received when the reply came, a local instant
   */
  void pause(int tag, String text, Reply reply, long received) {
    String news = newsOfPause(tag, text, reply, received);
    if (!news.isEmpty()) {
      warn(news);
    }
  }

  // A pause is told with the first tag that has it, and its end with the last.
  private synchronized String newsOfPause(int tag, String text, Reply reply, long received) {
    if (text.isEmpty()) {
      ToldPause before = pauses.remove(tag);
      return before == null || !pauses.isEmpty() ? "" : before.end(reply, received);
    }
    boolean isTold = pauses.values().stream().anyMatch(each -> each.text().equals(text));
    pauses.put(tag, new ToldPause(text, reply.epoch(), received + reply.pausedFor() * 1000));
    return isTold ? "" : text;
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
