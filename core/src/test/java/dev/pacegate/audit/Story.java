package dev.pacegate.audit;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;

/** A log told in milliseconds, under a limit. */
final class Story {

  static final long MS = 1_000_000;

  private final Audit audit;

  private Story(Audit audit) {
    this.audit = audit;
  }

  static Story under(String limit) {
    return new Story(Audit.of(Limits.parse(limit)));
  }

  /** Requests of cost 1. */
  Story at(long... millis) {
    for (long at : millis) {
      audit.add(at * MS);
    }
    return this;
  }

  Story costing(long cost, long at) {
    audit.add(at * MS, cost);
    return this;
  }

  Story open(long from, long to) {
    audit.add(from * MS, to * MS, Cost.ONE);
    return this;
  }

  Verdict verdict() {
    return audit.verdict();
  }

  String text() {
    return verdict().text(instant -> instant / MS + " ms");
  }

  Report report() {
    return audit.report();
  }
}
