package dev.pacegate.limit;

import java.util.Locale;

/** The options that limits take in text, each with its meaning, default and range. */
enum Option {
  /** How much a bucket holds. */
  BURST("how many may go at once", "1", "1 or more"),
  /** When a cost is paid. */
  PAY("whether a cost waits until it is paid, or goes and the next one waits", "now", "now, later"),
  /** How much may be paid later. */
  DEBT("how much may be paid later, with pay=later", "the burst", "1 or more"),
  /** How much lateness is made good. */
  SLACK("how much of a late release the next one makes good", "0s", "a duration"),
  /** How full a bucket is at first. */
  INITIAL(
      "how full a bucket is at first; of any limit, whether all may just have been used up",
      "full; empty in peer",
      "full, empty (of a bucket), spent"),
  /** What becomes of a cost above the burst. */
  OVERSIZE("whether a cost above the burst waits longer or is refused", "wait", "wait, never"),
  /** How long a warm-up takes. */
  OVER("how long it takes to warm up", "must be given", "a duration"),
  /** How cold a warm-up begins. */
  COLD("how many times as long a permit takes when cold", "3", "1 to 1000"),
  /** Which cost is counted. */
  OF("the name of the cost that is counted", "the plain cost", "a name"),
  /** For how long a lost request may be counted. */
  UNANSWERED(
      "how long after its start a lost request may yet be counted",
      "10s; 0s in concurrent",
      "a duration"),
  /** When an open permit is given up. */
  ABANDON("how old an open permit must be to count as lost", "never", "a duration"),
  /** How much longer than the peer's interval is waited; how far its clock may be from ours. */
  MARGIN(
      "what is added to the peer's interval for clocks; in aligned, how far the peer's may be off",
      "0.1%+1ms; 1s in aligned",
      "a share, a duration, both; a duration in aligned"),
  /** Whose clocks and calendar count. */
  ZONE("whose time of day and calendar count", "UTC", "a zone such as Europe/Berlin, +05:30"),
  /** When windows begin. */
  AT(
      "when windows begin, by the zone's clocks",
      "00:00, of weeks mon-00:00, of months 1-00:00",
      "a time, with a day for weeks and months"),
  /** When a window begins that is not one of the calendar. */
  ORIGIN(
      "when one of the windows begins, if not by the calendar",
      "none",
      "an instant such as 2026-01-31T09:00:00Z");

  private final String meaning;
  private final String usual;
  private final String range;

  Option(String meaning, String usual, String range) {
    this.meaning = meaning;
    this.usual = usual;
    this.range = range;
  }

  /** Returns the key as it is written. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns what the key means. */
  String meaning() {
    return meaning;
  }

  /** Returns what may be given. */
  String range() {
    return range;
  }

  /** Returns the key as documentation shows it. */
  LimitForm.Option option() {
    return new LimitForm.Option(text(), meaning, usual, range);
  }
}
