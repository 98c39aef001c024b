package dev.pacegate.audit;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Checks that no estimate of a peer is above M, and measures the highest, over all instants and all
 * phases of its windows.
 *
 * <p>Let the present window begin at w. At t the peer reads {@code counted in [w, t] + counted in
 * [w - I, w) * (1 - (t - w) / I)}. It reads most if each request that is over counts at its end,
 * and all that are open at t count at t. Between two starts the estimate only falls, so t is a
 * start.
 *
 * <p>If w moves back from t, the estimate falls too, except where a request comes into one of the
 * windows: so w is t itself, the end of a request, or one interval after such an end. These windows
 * are opened in order, at most two for each end. From then on the estimate of each rises by what is
 * counted, the same for all, and falls evenly by its own last window's share. So one that a later
 * one exceeds now and when it runs out is dropped.
 */
final class HighestEstimate implements PromiseCheck {

  /**
   * A window that may be the present one of the peer.
   *
   * @param from its beginning
   * @param before what was counted before it in all
   * @param last what was counted in the window before it
   * @param first the first instant at which any of that was counted, or its beginning
   */
  private record Window(long from, BigInteger before, BigInteger last, long first) {}

  private final Estimated promise;
  private final BigInteger nanos;
  private final PriorityQueue<End> ends = new PriorityQueue<>(); // of what is open
  private final ArrayDeque<End> recent = new ArrayDeque<>(); // ends within one interval
  private final List<Window> windows = new ArrayList<>(); // oldest first
  private BigInteger open = BigInteger.ZERO;
  private BigInteger recently = BigInteger.ZERO; // the sum of recent
  private BigInteger counted = BigInteger.ZERO; // all that has ended
  private @Nullable Window newest;
  private Maximum most = Maximum.NONE; // times nanos

  HighestEstimate(Estimated promise) {
    this.promise = promise;
    this.nanos = BigInteger.valueOf(promise.nanos());
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    while (!ends.isEmpty() && start - ends.element().instant() >= 0) {
      count(ends.remove());
    }
    forget(start);
    ends.add(new End(end, amount));
    open = open.add(BigInteger.valueOf(amount));
    windows.removeIf(window -> start - window.from >= promise.nanos());
    windows.forEach(window -> read(window, start));
    read(window(start), start);
  }

  private void count(End end) {
    forget(end.instant());
    begin(end.instant());
    recent.add(end);
    recently = recently.add(BigInteger.valueOf(end.cost()));
    counted = counted.add(BigInteger.valueOf(end.cost()));
    open = open.subtract(BigInteger.valueOf(end.cost()));
  }

  /** Forgets what ended an interval ago or earlier, and opens the window that begins just then. */
  private void forget(long now) {
    while (!recent.isEmpty() && now - recent.element().instant() >= promise.nanos()) {
      begin(recent.element().instant() + promise.nanos());
      recently = recently.subtract(BigInteger.valueOf(recent.remove().cost()));
    }
  }

  /** Opens a window and drops those that it will always exceed. */
  private void begin(long from) {
    if (newest != null && newest.from == from) {
      return;
    }
    Window window = window(from);
    windows.removeIf(old -> exceeds(window, old));
    windows.add(window);
    newest = window;
  }

  /**
   * Returns whether a window that begins now is never less than {@code old} until that runs out: it
   * is not now and not then, and in between both fall evenly.
   */
  private boolean exceeds(Window now, Window old) {
    long age = now.from - old.from;
    if (age >= promise.nanos()) {
      return true;
    }
    BigInteger present = counted.subtract(old.before).multiply(nanos);
    BigInteger left = old.last.multiply(BigInteger.valueOf(promise.nanos() - age));
    return present.compareTo(now.last.multiply(BigInteger.valueOf(age))) <= 0
        && present.add(left).compareTo(now.last.multiply(nanos)) <= 0;
  }

  private Window window(long from) {
    long first = recent.isEmpty() ? from : recent.element().instant();
    return new Window(from, counted, recently, first);
  }

  private void read(Window window, long now) {
    BigInteger all = counted.subtract(window.before).add(window.last).add(open);
    most = most.or(value(window, now), all, window.first, now);
  }

  /** Returns the estimate times the interval. */
  private BigInteger value(Window window, long now) {
    BigInteger share = BigInteger.valueOf(promise.nanos() - (now - window.from));
    BigInteger present = counted.subtract(window.before).add(open);
    return present.multiply(nanos).add(window.last.multiply(share));
  }

  @Override
  public Verdict verdict() {
    BigInteger value = most.value();
    boolean kept = value.compareTo(BigInteger.valueOf(promise.max()).multiply(nanos)) <= 0;
    BigInteger[] whole = value.divideAndRemainder(nanos);
    long measured = Maximum.saturated(whole[0].add(BigInteger.valueOf(whole[1].signum())));
    Stretch where = most.stretch();
    String found = "highest estimate: " + digits() + ", by " + where.counted() + where.within();
    var tightest = new Estimated(measured, promise.nanos(), promise.of());
    return new Verdict(promise, kept, measured, where, found, tightest);
  }

  /** Returns the highest estimate, rounded up to thousandths. */
  private String digits() {
    BigDecimal highest =
        new BigDecimal(most.value()).divide(new BigDecimal(nanos), 3, RoundingMode.CEILING);
    return highest.signum() == 0 ? "0" : highest.stripTrailingZeros().toPlainString();
  }
}
