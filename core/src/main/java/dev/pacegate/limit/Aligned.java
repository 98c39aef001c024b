package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/**
 * A limit on the windows of the calendar, as the peer counts them: {@code aligned(1200/1m)}, {@code
 * aligned(5000/1d, zone=America/New_York, at=09:00)}, {@code aligned(10_000/1mo)}.
 *
 * <p>Use it if the peer says when its windows begin. Unlike {@link Peer}, it need not cover every
 * phase of the windows, so all M may go as soon as a window begins. In return it trusts clocks.
 *
 * <p><b>Promise.</b> For each window, the costs of all permits whose [start - e, end + e] overlaps
 * it sum up to at most M. Here e is the margin, and instants are those of the local time of day. So
 * the peer never counts more than M in a window if its clock is at most e from ours, whatever
 * instant between start and end it counts at.
 *
 * <p><b>Formula.</b> A request is charged to each window that [now - e, now + e] overlaps, and
 * while it is open to each further window, from e before that window begins. It goes if none of the
 * windows charged at once then has more than M. <b>Proof.</b> A permit overlaps a window if it
 * starts at most e after the window's end and ends at most e before the window's beginning. Then it
 * was charged to the window: at its start if the window was that near, otherwise when the window
 * drew near, as the permit was open then. Permits charged as a window draws near were all charged
 * to the window before, which had room for them. So no charge ever exceeds M.
 *
 * <p><b>Clocks.</b> The time of day is read anew at every release. If it steps back behind the
 * current window, nothing goes until that window has come again: no window is used twice. If it
 * steps forward, windows pass. Either step discards what was learned of the peer's clock: while
 * answers report the peer's time to {@link Meter#dated} and enough of them agree, e is not the
 * margin but what follows from them. That assumes that answers report the clock that counts, as it
 * was less than two seconds ago.
 *
 * <p><b>Assumed.</b> As for {@link Peer}; that the local time of day is always at most e from the
 * peer's; and that the peer's windows begin as stated.
 *
 * <p><b>Price.</b> None, except that a request that crosses a boundary, give or take e, is charged
 * twice. That is every request if 2e is at least the length of a window: of {@code aligned(10/1s)},
 * with a margin of 1 s, a third can be used. {@link #warnings} says so where 2e is more than a
 * tenth of a window.
 *
 * @param max M, at least 1
 * @param windows the windows
 * @param of what it counts
 * @param marginNanos e, in nanoseconds: at most the length of a window
 * @param unansweredNanos how long after its start a lost request may yet be counted
 * @param abandonNanos the age at which an open permit counts as lost; {@link Meter#NEVER} if never
 * @param spent whether it starts as if all that the limit gives had just been sent and lost
 */
@CheckReturnValue
public record Aligned(
    long max,
    CalendarWindows windows,
    Measure of,
    long marginNanos,
    long unansweredNanos,
    long abandonNanos,
    boolean spent)
    implements Limit {

  /** The default bound on the difference between the peer's clock and ours, in nanoseconds: 1 s. */
  public static final long MARGIN = 1_000_000_000L;

  /** Two margins that are more than a tenth of a window are probably too large. */
  private static final int SMALL_MARGIN = 20;

  /** Checks the ranges. */
  public Aligned {
    requireNonNull(windows);
    of.checkAmount("a window");
    if (max < 1) {
      throw new IllegalArgumentException(
          "a window must allow at least 1: " + max + " (to stop everything, use pause())");
    }
    if (max > windows.length().shortest()) {
      throw new IllegalArgumentException(
          "a window must allow at most one per nanosecond: " + max + "/" + windows.length());
    }
    Spans.checked("margin", marginNanos);
    if (marginNanos > windows.length().usual()) {
      throw new IllegalArgumentException(
          "the margin must be at most a window, "
              + windows.length()
              + ": "
              + Durations.decimal(marginNanos)
              + "; if the clocks differ by more, "
              + withoutMargin(max, windows.length(), of)
              + " needs none");
    }
    Spans.checked("unanswered", unansweredNanos);
    if (abandonNanos != Meter.NEVER) {
      Spans.positive("abandon", abandonNanos);
    }
  }

  @Override
  public List<String> warnings() {
    long length = windows.length().usual();
    long small = length / SMALL_MARGIN;
    return marginNanos <= small
        ? List.of()
        : List.of(
            this
                + (2 * marginNanos < length ? left(length) : used(length))
                + "; if the clocks agree to within "
                + Durations.format(small)
                + ", write "
                + margin(Duration.ofNanos(small))
                + ", otherwise "
                + withoutMargin(max, windows.length(), of));
  }

  private String left(long length) {
    return " leaves "
        + percent(length - 2 * marginNanos, length)
        + " of each window: within its margin of "
        + Durations.format(marginNanos)
        + " around a boundary, a request counts in two windows";
  }

  /** A request counts in at least so many windows wherever it is. */
  private String used(long length) {
    long counted = 2 * marginNanos / length + 1;
    return " uses at most "
        + percent(1, counted)
        + " of what the service allows: with its margin of "
        + Durations.format(marginNanos)
        + ", each request counts in "
        + counted
        + " windows";
  }

  private static String percent(long part, long whole) {
    return (long) (100.0 * part / whole) + " %";
  }

  private static Limit withoutMargin(long max, CalendarLength length, Measure of) {
    long nanos = length.months() > 0 ? length.longest() - CalendarLength.HOUR : length.nanos();
    return Limits.peer(new Window(new Rate(max, Math.min(nanos, Spans.MAX)), of));
  }

  static Aligned of(long max, CalendarWindows windows) {
    return new Aligned(max, windows, Measure.PLAIN, MARGIN, Peer.UNANSWERED, Meter.NEVER, false);
  }

  private Aligned with(long max, CalendarWindows windows) {
    return new Aligned(max, windows, of, marginNanos, unansweredNanos, abandonNanos, spent);
  }

  /** Returns this limit with windows by the clocks and the calendar of {@code zone}. */
  public Aligned zone(ZoneId zone) {
    return with(max, new CalendarWindows(windows.length(), zone, windows.at(), windows.origin()));
  }

  /** Returns this limit with windows that begin at {@code time} of the day. */
  public Aligned at(LocalTime time) {
    return at(windows.at().day(), time);
  }

  /**
   * Returns this limit with windows that begin at {@code time} of a day.
   *
   * @param day the day of the week, 1 for Monday, or of the month, 1 to 28
   */
  public Aligned at(int day, LocalTime time) {
    var beginning = new CalendarBeginning(day, time);
    return with(
        max, new CalendarWindows(windows.length(), windows.zone(), beginning, windows.origin()));
  }

  /** Returns this limit counting the cost named {@code name}. */
  public Aligned of(String name) {
    return new Aligned(
        max, windows, Measure.of(name), marginNanos, unansweredNanos, abandonNanos, spent);
  }

  /** Returns this limit for a peer whose clock differs from ours by at most {@code margin}. */
  public Aligned margin(Duration margin) {
    long nanos = Spans.nanos("margin", margin);
    return new Aligned(max, windows, of, nanos, unansweredNanos, abandonNanos, spent);
  }

  /**
   * Returns this limit with another bound on how long after its start a lost request may be
   * counted.
   */
  @Override
  public Aligned unanswered(Duration bound) {
    long nanos = Spans.nanos("unanswered", bound);
    return new Aligned(max, windows, of, marginNanos, nanos, abandonNanos, spent);
  }

  /** Returns this limit, which counts an open permit as lost at that age. */
  public Aligned abandon(Duration age) {
    long nanos = Spans.nanos("abandon", age);
    return new Aligned(max, windows, of, marginNanos, unansweredNanos, nanos, spent);
  }

  /** Returns this limit, starting as if all that it gives had just been sent and lost. */
  public Aligned initiallySpent() {
    return new Aligned(max, windows, of, marginNanos, unansweredNanos, abandonNanos, true);
  }

  @Override
  public Meter newMeter(long now) {
    return newMeter(now, InstantSource.system());
  }

  @Override
  public Meter newMeter(long now, InstantSource timeOfDay) {
    return spent ? newSpentMeter(now, timeOfDay) : new AlignedMeter(this, timeOfDay);
  }

  @Override
  public Limit withoutInitialState() {
    return new Aligned(max, windows, of, marginNanos, unansweredNanos, abandonNanos, false);
  }

  @Override
  public List<Promise> promises() {
    return List.of(new Promise.PerCalendar(max, windows, marginNanos, of));
  }

  @Override
  public Limit share(Portion portion) {
    return with(portion.of(max, this), windows);
  }

  /** Returns for example {@code aligned(1200/1m, zone=Europe/Berlin)}. */
  @Override
  public String toString() {
    CalendarLength length = windows.length();
    return new LimitText("aligned", max + "/" + length)
        .add(Option.ZONE, windows.zone(), ZoneOffset.UTC)
        .add(Option.AT, windows.at().text(length), CalendarBeginning.USUAL.text(length))
        .add(Option.ORIGIN, windows.origin(), null)
        .span(Option.MARGIN, marginNanos, MARGIN)
        .span(Option.UNANSWERED, unansweredNanos, Peer.UNANSWERED)
        .abandon(abandonNanos)
        .spent(spent)
        .add(Option.OF, of.name(), null)
        .toString();
  }
}
