package dev.pacegate.engine.report;

import java.util.HashSet;
import java.util.Set;

/** Things that are reported once each. Thread-safe. */
public final class Once {

  private static final int MOST = 1000;

  private volatile Set<String> known = Set.of(); // replaced, as it hardly ever grows

  /** Returns whether {@code thing} must be reported now: it is new, and not one of too many. */
  public boolean isFirst(String thing) {
    return known.size() < MOST && know(thing);
  }

  /** Takes {@code thing} for reported; returns whether it was not. */
  public boolean know(String thing) {
    return !known.contains(thing) && add(thing);
  }

  private synchronized boolean add(String thing) {
    var more = new HashSet<>(known);
    boolean added = more.add(thing);
    known = more;
    return added;
  }
}
