package dev.pacegate.limit.spi;

import dev.pacegate.limit.Cost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A meter that lets through what a {@link MeterSource} gives it. It gets permits by {@linkplain
 * NewsSink#tell news}, and asks for them by {@linkplain #errand errands}.
 *
 * <p>Everything that holds for a {@link Meter} holds for it, and besides:
 *
 * <ul>
 *   <li><b>Waits.</b> Without enough permits {@link #nanosUntil} answers {@link #AT_EVENT}: the
 *       limiter then looks again when it is told news. If the meter wants to be asked for an errand
 *       at a later instant, or its permits end then, it answers the wait until that instant: the
 *       limiter visits it then, if a request still waits. A wait must pass: a meter that always
 *       answers a nanosecond keeps a thread busy.
 *   <li><b>Permits may end.</b> What it lets through may become less as time passes or news come.
 *       Requests that were already called to take a permit then go on waiting.
 *   <li><b>Releases without a permit</b> must be accepted: in dry-run mode nothing is asked, and
 *       costs may be settled higher. They are to be made up for by what the source gives later.
 *   <li><b>Ends.</b> A permit is named by the instant of its release and its cost alone. A meter
 *       that must tell permits of different grants apart does not let two go at one instant: it
 *       answers a nanosecond.
 *   <li><b>Failures.</b> An exception is logged, at most once a minute. A question that fails
 *       counts as {@link #AT_EVENT}, and the release or end goes on to the other meters of the
 *       limit.
 * </ul>
 *
 * <p>All methods are called inside the limiter's gate, by one thread at a time, and none of them
 * may block, call the limiter, or use the sink but for {@link NewsSink#now}.
 */
public interface FedMeter extends Meter {

  /**
   * Returns what is to be done outside the gate, such as asking the source for permits and
   * reporting what was released; null if there is nothing. Asked at the end of each visit to the
   * gate that had to do with this meter: a request came, waits or was refused, a permit ended, news
   * were told, the meter was retired.
   *
   * <p>The errand is run once, soon, outside the gate: mostly by the thread that made the visit,
   * which may be a timer's, so it must not block. Errands may overlap and come in any order unless
   * this method takes care, for instance by returning null while one is under way. An exception is
   * logged, and the errand is not repeated. An errand may tell news itself, though then a further
   * errand waits until it has returned; after several such in a row the next waits for a
   * millisecond.
   *
   * @param wanted the cost of all requests that wait for permits of this meter, together with that
   *     of the request just refused, as it did not want to wait; none while the limiter or key is
   *     paused, in dry-run mode or closed
   */
  @Nullable Runnable errand(long now, Cost wanted);

  /**
   * Returns why the source gives no permits for now, and until when, for snapshots; null if it
   * gives some, or the meter does not know. Requests wait meanwhile. Default: null.
   */
  default @Nullable String unavailable(long now) {
    return null;
  }

  /**
   * Returns whether the source fails, so that an operator should look after it: {@link
   * #unavailable} then says why. False while it grants nothing for a while but is well. Default:
   * false.
   */
  default boolean fails(long now) {
    return false;
  }

  /**
   * Records that this meter is used no more: its limiter was closed, its key dropped, or another
   * meter has replaced it. Or that it never is, as it does not count what its limit promises; this
   * and the question for an errand then come outside the gate if the key or the limiter is new.
   * Called once. {@link #errand} is asked once more after it, and again after news or ends that
   * come later: those of permits that were open when the limiter was closed, as a meter that
   * replaces this one {@linkplain #adopt takes over} the open permits.
   */
  void retire(long now);

  /**
   * Takes over from {@code old}, the meters in force until now, one of which may have been fed by
   * the same source; that one is retired after this call. What was let through must count. Open
   * permits are {@linkplain #adopt adopted} after this call. Default: the source knows the past, so
   * there is nothing to take over.
   *
   * @return true: nothing is ever replayed to a fed meter
   */
  @Override
  default boolean goesOnFrom(long now, List<Meter> old) {
    return true;
  }
}
