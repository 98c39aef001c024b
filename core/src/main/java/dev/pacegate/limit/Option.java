package dev.pacegate.limit;

import java.util.Locale;

/** The options of limits in text, each with its meaning, default and range. */
enum Option {
  /** How much a bucket holds. */
  BURST("how many may go at once", "1", "1 or more"),
  /** Whether costs are paid before or after. */
  PAY("whether a request waits for its own cost, or the next request does", "now", "now, later"),
  /** How much may be paid later. */
  DEBT("how much may be paid later, with pay=later", "the burst", "1 or more"),
  /** How much lateness is made up for. */
  SLACK("how much lateness of a release the next one makes up for", "0s", "a duration"),
  /** How full a bucket is at first. */
  INITIAL(
      "how full a bucket starts; spent, for any limit: as if all had just been used",
      "full; empty in peer",
      "full, empty (of a bucket), spent"),
  /** How a cost above the burst is treated. */
  OVERSIZE("whether a cost above the burst waits longer or is refused", "wait", "wait, never"),
  /** How long a warm-up takes. */
  OVER("how long it takes to warm up", "none (must be given)", "a duration"),
  /** How cold a warm-up begins. */
  COLD("how many times as long a permit takes when cold", "3", "1 to 1000"),
  /** Which cost is counted. */
  OF("the name of the cost that is counted", "the plain cost", "a name"),
  /** For how long a lost request may be counted. */
  UNANSWERED(
      "how long after its start a lost request may yet be counted",
      "10s; 0s in concurrent",
      "a duration"),
  /** How long after its start the peer counts a request at the latest. */
  COUNTED(
      "how long after its start the peer counts any request at the latest",
      "none (until its end)",
      "a duration"),
  /** When an open permit counts as lost. */
  ABANDON("the age at which an open permit counts as lost", "never", "a duration"),
  /** The time added to the peer's interval; in aligned, the greatest difference of clocks. */
  MARGIN(
      "time added to the peer's interval; in aligned, how far the peer's clock may differ",
      "0.1%+1ms; 1s in aligned",
      "a share, a duration, both; a duration in aligned"),
  /** The time zone. */
  ZONE(
      "the time zone whose clocks and calendar count",
      "UTC",
      "a zone such as Europe/Berlin, +05:30"),
  /** When windows begin. */
  AT(
      "when windows begin, by the zone's clocks",
      "00:00, of weeks mon-00:00, of months 1-00:00",
      "a time, with a day for weeks and months"),
  /** When windows begin that do not follow the calendar. */
  ORIGIN(
      "the beginning of one window, if windows do not follow the calendar",
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
