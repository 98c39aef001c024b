package dev.pacegate.engine.source;

import dev.pacegate.engine.EngineMonitor;
import dev.pacegate.engine.Supply;
import dev.pacegate.engine.report.Reporter;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.spi.FedMeter;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the fed meters of a limiter want to be done outside the gate, and the boundary to their
 * code. Guarded by the gate except where noted.
 */
public final class Errands implements Supply {

  /** A meter that may have an errand. */
  interface HasErrand {

    /** Returns its errand, null if there is none. */
    @Nullable Runnable errand(long now);
  }

  private final ErrandRunner runner;
  private final Reporter reporter;
  private final Set<HasErrand> touched = new LinkedHashSet<>(0); // in this visit
  private @Nullable Throwable failure; // not yet reported
  private @Nullable Thread inside; // the thread that runs code of the source inside the gate

  private Errands(Clock clock, Reporter reporter) {
    this.runner = new ErrandRunner(clock, reporter);
    this.reporter = reporter;
  }

  /** Returns those of an engine, made when needed. Called inside its gate. */
  public static Errands of(EngineMonitor engine) {
    return (Errands) engine.supply(() -> new Errands(engine.clock, engine.reporter));
  }

  /** Notes that a meter has been asked or told something during this visit. */
  void touch(HasErrand meter) {
    touched.add(meter);
  }

  /** Asks all meters of this visit for their errands, to be run after it. */
  @Override
  public void collect(Visit visit) {
    for (HasErrand meter : touched) {
      guard(
          () -> {
            Runnable errand = meter.errand(visit.now);
            if (errand != null) {
              visit.add(() -> runner.run(errand));
            }
          });
    }
    touched.clear();
    Throwable untold = failure;
    if (untold != null) {
      failure = null;
      visit.add(() -> report(untold, visit.now));
    }
  }

  /**
   * Retires a meter that was made outside the gate and never comes into force. Needs no gate: no
   * other thread knows the meter, and nothing of this is changed.
   */
  void dismiss(FedMeter meter, long now) {
    try {
      meter.retire(now);
      Runnable errand = meter.errand(now, Cost.none());
      if (errand != null) {
        runner.run(errand);
      }
    } catch (Throwable failed) {
      report(failed, now);
    }
  }

  private void report(Throwable untold, long now) {
    if (reporter.isDue("source", now)) {
      reporter.failed("its source of permits", untold);
    }
  }

  // ---- code of the source

  /** Runs code of the source inside the gate; its failure is reported later. */
  void guard(Runnable code) {
    guard(
        () -> {
          code.run();
          return true;
        },
        false);
  }

  /** As {@link #guard}; returns {@code otherwise} for a failure. */
  <T> T guard(Supplier<T> question, T otherwise) {
    enter();
    try {
      return question.get();
    } catch (VirtualMachineError e) {
      throw e; // of the caller's stack or memory, not of the source
    } catch (Throwable e) {
      failure = failure == null ? e : failure;
      return otherwise;
    } finally {
      inside = null;
    }
  }

  /** As {@link #guard}; returns {@link FedMeter#AT_EVENT} for a failure. Boxes no number. */
  long guardWait(LongSupplier question) {
    enter();
    try {
      return question.getAsLong();
    } catch (VirtualMachineError e) {
      throw e;
    } catch (Throwable e) {
      failure = failure == null ? e : failure;
      return FedMeter.AT_EVENT;
    } finally {
      inside = null;
    }
  }

  /** As {@link #guard}, for code whose failure is that of its caller. */
  <T> T make(Supplier<T> code) {
    enter();
    try {
      return code.get();
    } finally {
      inside = null;
    }
  }

  private void enter() {
    inside = Thread.currentThread();
  }

  /**
   * Throws if it is called by code of the source inside the gate, which would deadlock. Needs no
   * lock: only this thread can have stored itself.
   *
   * @throws IllegalStateException if so
   */
  void mustBeOutside(String what) {
    if (inside == Thread.currentThread()) {
      throw new IllegalStateException(
          what + " must not be called by a meter, which is inside the gate: do it as an errand");
    }
  }
}
