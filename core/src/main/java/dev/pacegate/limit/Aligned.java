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
 * Windows of the calendar, as the peer counts them: {@code aligned(1200/1m)}, {@code
 * aligned(5000/1d, zone=America/New_York, at=09:00)}, {@code aligned(10_000/1mo)}.
 *
 * <p>Where a peer says when its windows begin there is no need to cover every phase of them, as
 * {@link Peer} does: a whole M goes as soon as a window begins. In return this trusts clocks.
 *
 * <p><b>Promise.</b> For each window, the costs of all permits whose [start - e, end + e] touches
 * it sum up to at most M, where e is the margin and all is told by the time of day here. So however
 * far the peer's clock is from ours, up to e, and whatever instant between start and end it counts
 * at, it never counts more than M in a window.
 *
 * <p><b>Formula.</b> A request is charged to each window that [now - e, now + e] touches, and as
 * long as it is open to each that begins, from e before its beginning. It goes when none of the
 * windows that it is charged to at once has more than M with it. <b>Proof.</b> A permit touches a
 * window if its start is at most e behind the end of it and its end at most e before its beginning;
 * then it was charged to it, at its start if the window was near, or else when it drew near, as it
 * was open then. Permits charged as a window draws near were all charged to the one before, which
 * had room for them; so no charge ever exceeds M.
 *
 * <p><b>Clocks.</b> The time of day is read anew at every release. If it steps back behind the
 * window of now nothing goes until that has come again: no window is used twice. If it steps
 * forward windows go by. A jump of either kind ends what was learned of the peer's clock: while
 * answers tell the time by the peer's clock to {@link Meter#dated}, and enough of them agree, e is
 * no longer the margin, but what can be concluded. That presumes that they tell the time by the
 * clock that counts, as it was less than two seconds ago.
 *
 * <p><b>Assumed.</b> As for {@link Peer}, and that the time of day here is at most e from the
 * peer's, whenever it is read, and that the peer's windows begin as stated.
 *
 * <p><b>Price.</b> None but for what crosses a boundary, give or take e: it is charged twice.
 *
 * @param max M, at least 1
 * @param windows the windows
 * @param of what it counts
 * @param marginNanos e, in nanoseconds: at most the length of a window
 * @param unansweredNanos for how long a lost request may yet be counted, from its start
 * @param abandonNanos after how long an open permit counts as lost; {@link Meter#NEVER} if never
 * @param spent whether it begins as if all that the limit gives had just been sent and lost
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

  /** How far the peer's clock may be from ours, unless stated: a second. */
  public static final long MARGIN = 1_000_000_000L;

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
              + Durations.format(marginNanos)
              + "; if the clocks differ by more, peer("
              + max
              + "/"
              + windows.length()
              + ") needs none");
    }
    Spans.checked("unanswered", unansweredNanos);
    if (abandonNanos != Meter.NEVER) {
      Spans.positive("abandon", abandonNanos);
    }
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

  /** Returns this limit for a peer whose clock is at most {@code margin} from ours. */
  public Aligned margin(Duration margin) {
    long nanos = Spans.nanos("margin", margin);
    return new Aligned(max, windows, of, nanos, unansweredNanos, abandonNanos, spent);
  }

  /** Returns this limit with another bound on how long a lost request may yet be counted. */
  @Override
  public Aligned unanswered(Duration bound) {
    long nanos = Spans.nanos("unanswered", bound);
    return new Aligned(max, windows, of, marginNanos, nanos, abandonNanos, spent);
  }

  /** Returns this limit counting a permit as lost that has been open for {@code age}. */
  public Aligned abandon(Duration age) {
    long nanos = Spans.nanos("abandon", age);
    return new Aligned(max, windows, of, marginNanos, unansweredNanos, nanos, spent);
  }

  /** Returns this limit beginning as if all that it gives had just been sent and lost. */
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
  public Limit goingOn() {
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
    var text = new StringBuilder("aligned(").append(max).append('/').append(windows.length());
    if (!windows.zone().equals(ZoneOffset.UTC)) {
      text.append(", zone=").append(windows.zone());
    }
    if (!windows.at().equals(CalendarBeginning.USUAL)) {
      text.append(", at=").append(windows.at().text(windows.length()));
    }
    if (windows.origin() != null) {
      text.append(", origin=").append(windows.origin());
    }
    if (marginNanos != MARGIN) {
      text.append(", margin=").append(Durations.format(marginNanos));
    }
    if (unansweredNanos != Peer.UNANSWERED) {
      text.append(", unanswered=").append(Durations.format(unansweredNanos));
    }
    if (abandonNanos != Meter.NEVER) {
      text.append(", abandon=").append(Durations.format(abandonNanos));
    }
    if (spent) {
      text.append(", initial=spent");
    }
    if (of.name() != null) {
      text.append(", of=").append(of.name());
    }
    return text.append(')').toString();
  }
}
