package dev.pacegate.limit;

import java.util.List;
import java.util.Locale;

/** The options of limits in text, each with its meaning, default and range. */
enum Option {
  /** How much a bucket holds. */
  BURST("how many permits may be used at once", "1", "1 or more"),
  /** Whether costs are paid before or after. */
  PAY(
      "whether a request waits for its own cost (now) or makes the next one wait (later)",
      "now",
      "now, later"),
  /** How much may be paid later. */
  DEBT(
      "with pay=later, by how many permits a request may overdraw the bucket",
      "the burst",
      "1 or more"),
  /** How much lateness is made up for. */
  SLACK("how much of a late start's delay the next start may make up for", "0s", "a duration"),
  /** How full a bucket is at first. */
  INITIAL(
      "how full a bucket is at first; with spent, any limit starts as if just used up",
      "full; empty in peer",
      "full, empty (buckets only), spent"),
  /** How a cost above the burst is treated. */
  OVERSIZE(
      "whether a cost above the burst waits longer (wait) or is rejected (never)",
      "wait",
      "wait, never"),
  /** How long a warm-up takes. */
  OVER("how long the warm-up takes", "none (required)", "a duration"),
  /** How cold a warm-up begins. */
  COLD("how many times as long each permit takes when the limiter is cold", "3", "1 to 1000"),
  /** Which cost is counted. */
  OF("the name of the cost to count", "the plain cost", "a name"),
  /** For how long a lost request may be counted. */
  UNANSWERED(
      "how long after its start the peer may still count a lost request",
      "10s; 0s in concurrent",
      "a duration"),
  /** How long after its start the peer counts a request at the latest. */
  COUNTED(
      "how long after its start the peer may still count any request, or until its headers",
      "until its end",
      "a duration, headers"),
  /** When an open permit counts as lost. */
  ABANDON("the age at which an open permit counts as lost", "never", "a duration"),
  /** The time added to the peer's interval; in aligned, the greatest difference of clocks. */
  MARGIN(
      "time added to the peer's interval; in aligned, how far the peer's clock may be off",
      "0.1%+1ms; 1s in aligned",
      "a share such as 0.1%, a duration or both; in aligned a duration"),
  /** The time zone. */
  ZONE("the time zone of the windows", "UTC", "a zone such as Europe/Berlin or +05:30"),
  /** When windows begin. */
  AT(
      "the time, in that zone, at which windows begin",
      "00:00; weeks mon-00:00; months 1-00:00",
      "a time, with a day for weeks and months"),
  /** When windows begin that do not follow the calendar. */
  ORIGIN(
      "a time at which a window begins, if windows don't follow the calendar",
      "none",
      "an instant such as 2026-01-31T09:00:00Z");

  // Lists: a set of an enum asks it for its constants by reflection, which loads much.
  static final List<Option> IN_BUCKET = List.of(BURST, PAY, DEBT, SLACK, INITIAL, OVERSIZE, OF);
  static final List<Option> IN_WARMUP = List.of(OVER, COLD, SLACK, OF);
  static final List<Option> IN_PEER = List.of(UNANSWERED, COUNTED, ABANDON, MARGIN, INITIAL);
  static final List<Option> IN_CONCURRENT = List.of(UNANSWERED, ABANDON);
  static final List<Option> IN_STARTS = List.of(INITIAL);
  static final List<Option> IN_FIXED = List.of(OF);
  static final List<Option> IN_ALIGNED =
      List.of(ZONE, AT, ORIGIN, MARGIN, UNANSWERED, ABANDON, INITIAL, OF);

  private final String meaning;
  private final String usual;
  private final String range;

  Option(String meaning, String usual, String range) {
    this.meaning = meaning;
    this.usual = usual;
    this.range = range;
  }

  /** Returns the option's name as it is written. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns its meaning. */
  String meaning() {
    return meaning;
  }

  /** Returns which values are allowed. */
  String range() {
    return range;
  }

  /** Returns the option for documentation. */
  LimitForm.Option option() {
    return new LimitForm.Option(text(), meaning, usual, range);
  }
}
