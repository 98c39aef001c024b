package dev.pacegate.engine.report;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Time;
import org.jspecify.annotations.Nullable;

/** What keeps a request from going at once. Found inside the gate, put into words outside. */
public interface Obstacle {

  /** Returns the term of the limit that it is; null if it is something else. */
  default @Nullable Limit term() {
    return null;
  }

  /** Returns it in words; {@code time} tells the time of day. */
  String text(Time time);

  /**
   * A pause.
   *
   * @param nanos how long it lasts from now on
   * @param untilResumed whether it lasts until resumed instead
   * @param ofPeer whether a refusal by the peer began it
   */
  record Pause(long nanos, boolean untilResumed, boolean ofPeer) implements Obstacle {
    @Override
    public String text(Time time) {
      if (untilResumed) {
        return "paused until resumed";
      }
      String until = TimeOfDay.text(time.instant().plusNanos(nanos), time);
      return "paused until " + until + (ofPeer ? ", because the peer refused a request" : "");
    }
  }

  /**
   * A term that has not enough left.
   *
   * @param spent how much of it is spent, in units of what it counts
   * @param asked how much the request costs
   * @param open how many requests are open
   */
  record Spent(Limit term, Promise promise, long spent, long asked, int open) implements Obstacle {
    @Override
    public String text(Time time) {
      if (promise instanceof Promise.Gap) {
        return term + ": the gap after the last request is not over";
      }
      String found = term + ": " + spent + " of " + promise.atOnce();
      if (promise instanceof Promise.Open) {
        return found + " open" + cost();
      }
      return found + " spent" + cost() + (promise.countsWhole() ? stillOpen() : "");
    }

    private String stillOpen() {
      return open == 0
          ? ""
          : ", and " + open + (open == 1 ? " request is" : " requests are") + " open";
    }

    private String cost() {
      return asked > 1 ? ", the request costs " + asked : "";
    }
  }

  /** A limit of several promises, or of a user's own kind. */
  record Whole(Limit term) implements Obstacle {
    @Override
    public String text(Time time) {
      return term + ": not enough is left";
    }
  }

  /** A working rate. */
  record Slowdown(double perSecond) implements Obstacle {
    @Override
    public String text(Time time) {
      return "slowed down to " + RateText.of(perSecond) + ", because the peer has refused requests";
    }
  }

  /** What earlier limits let through. */
  record EarlierLimit() implements Obstacle {
    @Override
    public String text(Time time) {
      return "requests allowed under an earlier limit still count";
    }
  }

  /** A source that gives no permits. */
  record Source(String why) implements Obstacle {
    @Override
    public String text(Time time) {
      return why;
    }
  }

  /** Other requests. */
  record Queue(int waiting) implements Obstacle {
    @Override
    public String text(Time time) {
      return waiting == 1 ? "1 request waits" : waiting + " requests wait";
    }
  }
}
