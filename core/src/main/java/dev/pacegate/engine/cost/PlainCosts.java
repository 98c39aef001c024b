package dev.pacegate.engine.cost;

import dev.pacegate.engine.report.Once;
import dev.pacegate.engine.report.Reporter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Time;
import java.lang.System.Logger.Level;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a plain cost that none of the request's limits counts, since nothing would restrict it.
 *
 * <p>They are reported instead, once for each reason, and go on, in a dry run, and if a limit that
 * took them has been replaced while the program runs. Thread-safe.
 */
public final class PlainCosts {

  /** How a limit treats plain costs. */
  public enum Treatment {
    /** A term counts them. */
    COUNTED,
    /** Its terms count other things. */
    IGNORED,
    /** It promises nothing, as {@code unlimited}: it takes every cost. */
    UNLIMITED;

    public static Treatment by(Limit limit) {
      Treatment found = UNLIMITED;
      for (Promise promise : limit.promises()) {
        if (promise.of().equals(Measure.PLAIN)) {
          return COUNTED;
        }
        found = IGNORED;
      }
      return found;
    }
  }

  private final String limiter;
  private final Once reasons = new Once(); // for which a cost was reported
  private volatile Treatment byWhole; // written after the limit of all
  private volatile boolean wereTaken; // by a limit whose successor does not count them

  public PlainCosts(Limit whole, String limiter) {
    this.limiter = limiter;
    this.byWhole = Treatment.by(whole);
  }

  /** Returns whether the limit of all counts plain costs: then every request's limits do. */
  public boolean areCounted() {
    return byWhole == Treatment.COUNTED;
  }

  /** The limit of all has become one that treats plain costs so. Called inside the gate. */
  public void changeWhole(Treatment next) {
    change(byWhole, next);
    byWhole = next;
  }

  /** A limit of keys, or of one, becomes one that treats plain costs as {@code next}. */
  public void changeKeys(Treatment before, Treatment next) {
    if (before == Treatment.UNLIMITED && byWhole == Treatment.IGNORED) {
      return; // together they took none
    }
    change(before, next);
  }

  private void change(Treatment before, Treatment next) {
    if (before != next && before != Treatment.IGNORED && next != Treatment.COUNTED) {
      wereTaken = true;
    }
  }

  /**
   * Checks the plain amount of a request.
   *
   * @param own the limit of its key, null if it has none
   * @param whole the limit of all
   * @param isDryRun visits the gate: a change under way is over then
   * @throws IllegalArgumentException if none of them counts it
   */
  public void check(Cost cost, @Nullable Limit own, Limit whole, BooleanSupplier isDryRun) {
    if (areTaken(own, whole)) {
      return;
    }
    boolean dry = !wereTaken && isDryRun.getAsBoolean();
    if (dry) {
      report("an error without the dry run", cost, own, whole);
    } else if (wereTaken) {
      report("no error because its limit was changed", cost, own, whole);
    } else {
      String text = UncountedCost.text(cost, own, whole);
      throw new IllegalArgumentException("limiter " + limiter + ": " + text);
    }
  }

  /** Reports, once, that a settled amount changes nothing. */
  public void checkSettled(Cost cost, @Nullable Limit own, Limit whole) {
    if (!areTaken(own, whole)) {
      report("settled", cost, own, whole);
    }
  }

  private static boolean areTaken(@Nullable Limit own, Limit whole) {
    Treatment byAll = Treatment.by(whole);
    Treatment byOwn = own == null ? Treatment.UNLIMITED : Treatment.by(own);
    return byAll == Treatment.COUNTED
        || byOwn == Treatment.COUNTED
        || (byAll == Treatment.UNLIMITED && byOwn == Treatment.UNLIMITED);
  }

  private void report(String why, Cost cost, @Nullable Limit own, Limit whole) {
    if (reasons.isFirst(why)) {
      String text = UncountedCost.text(cost, own, whole) + " (" + why + "; logged once)";
      new Reporter(limiter, null, Time.system()).log(Level.WARNING, text);
    }
  }
}
