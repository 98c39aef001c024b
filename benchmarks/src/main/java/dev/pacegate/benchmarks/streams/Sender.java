package dev.pacegate.benchmarks.streams;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import org.jspecify.annotations.Nullable;

/** The operators that send the elements of an endless stream at a rate. */
enum Sender {
  BARE("a bare `parkNanos` loop", Kind.BARE, null, 0),
  STAGE_WINDOW("Pacegate in Pekko", Kind.STAGE, "%1$d/1s", 0),
  STAGE_BUCKET("Pacegate in Pekko", Kind.STAGE, "bucket(%1$d/1s, burst=5)", 0),
  STAGE_SPACING("Pacegate in Pekko", Kind.STAGE, "bucket(%1$d/1s, burst=1)", 0),
  STAGE_SPINNING("Pacegate in Pekko, spinning 200 us", Kind.STAGE, "bucket(%1$d/1s, burst=1)", 200),
  OPERATOR_WINDOW("Pacegate in Reactor", Kind.OPERATOR, "%1$d/1s", 0),
  OPERATOR_BUCKET("Pacegate in Reactor", Kind.OPERATOR, "bucket(%1$d/1s, burst=5)", 0),
  OPERATOR_SPACING("Pacegate in Reactor", Kind.OPERATOR, "bucket(%1$d/1s, burst=1)", 0),
  OPERATOR_SPINNING(
      "Pacegate in Reactor, spinning 200 us", Kind.OPERATOR, "bucket(%1$d/1s, burst=1)", 200),
  PEKKO_AUTOMATIC("Pekko `throttle`, automatic burst", Kind.PEKKO, null, 0),
  PEKKO_5("Pekko `throttle`, burst 5", Kind.PEKKO, null, 0),
  PEKKO_1("Pekko `throttle`, burst 1", Kind.PEKKO, null, 0),
  REACTOR("Reactor `delayElements`", Kind.REACTOR, null, 0);

  /** What it is made of. */
  enum Kind {
    BARE,
    STAGE,
    OPERATOR,
    PEKKO,
    REACTOR
  }

  final String title;
  final Kind kind;
  final int spinMicros;
  private final @Nullable String limit; // of the rate

  Sender(String title, Kind kind, @Nullable String limit, int spinMicros) {
    this.title = title;
    this.kind = kind;
    this.limit = limit;
    this.spinMicros = spinMicros;
  }

  boolean isWindow() {
    return this == STAGE_WINDOW || this == OPERATOR_WINDOW;
  }

  /** Returns its limit at a rate; null if it is none of ours. */
  @Nullable Limit limit(long perSecond) {
    return limit == null ? null : Limits.parse(String.format(limit, perSecond));
  }

  /** Returns the burst that Pekko's throttle is given, if this is that. */
  int burst(long perSecond) {
    return switch (this) {
      case PEKKO_5 -> 5;
      case PEKKO_1 -> 1;
      default -> Math.max(1, (int) (perSecond / 10)); // what Pekko makes of none
    };
  }
}
