package dev.pacegate.benchmarks.classics;

import java.util.ArrayList;
import java.util.List;

/**
 * The actor throttler's states and transitions, on a clock moved by hand. Messages are only
 * counted, as all are the same here.
 */
final class ActorRules {

  /** Which code: they differ in what happens when the actor goes idle. */
  enum Version {

    /**
     * The first one. It goes idle as soon as its target is taken away, and keeps what is left of
     * its allowance while it is idle.
     */
    FIRST,

    /** The one that its library took over: it goes idle at a tick, with a whole allowance. */
    LATER
  }

  private final Version version;
  private long calls;
  private long period;
  private long now;
  private long tick; // the next one, while active
  private boolean active;
  private boolean target;
  private long left;
  private int queued;
  private final List<Long> delivered = new ArrayList<>();

  ActorRules(Version version, long calls, long periodMillis) {
    this.version = version;
    setRate(calls, periodMillis);
  }

  /** Returns the milliseconds at which each was delivered. */
  List<Long> delivered() {
    return delivered;
  }

  /** A new rate brings a whole new allowance, and the timer starts anew. */
  void setRate(long newCalls, long periodMillis) {
    calls = newCalls;
    period = periodMillis;
    left = newCalls;
    tick = now + period;
  }

  void setTarget(boolean set) {
    target = set;
    if (!target && version == Version.FIRST) {
      active = false;
    }
    if (target && !active) {
      deliver();
    }
  }

  void send() {
    queued++;
    if (target) {
      deliver();
    }
  }

  void moveTo(long millis) {
    while (active && tick <= millis) {
      now = tick;
      active = target && queued > 0;
      if (active || version == Version.LATER) {
        left = calls;
      }
      tick += period;
      if (active) {
        deliver();
      }
    }
    now = millis;
  }

  private void deliver() {
    if (!active && queued > 0) {
      active = true;
      tick = now + period;
    }
    for (; queued > 0 && left > 0; queued--) {
      left--;
      delivered.add(now);
    }
  }
}
