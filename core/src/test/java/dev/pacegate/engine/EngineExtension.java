package dev.pacegate.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Checks the state of every engine after the test that made it, as {@link EngineCheck} says. JUnit
 * finds it by itself: see {@code META-INF/services} and {@code junit-platform.properties}.
 *
 * <p>An engine whose gate a thread holds for good is passed over, and counted in the report.
 */
public final class EngineExtension implements BeforeEachCallback, AfterEachCallback {

  private static final Logger LOGGER = Logger.getLogger("dev.pacegate"); // held weakly elsewhere
  private static final Assertions ASSERTIONS = new Assertions();

  static {
    LOGGER.addHandler(ASSERTIONS);
  }

  /** Keeps the engine's own assertions that failed where nobody but the log is told. */
  private static final class Assertions extends Handler {

    private final List<AssertionError> failed = new ArrayList<>();

    @Override
    public synchronized void publish(LogRecord line) {
      if (line.getThrown() instanceof AssertionError error && isOfEngine(error)) {
        failed.add(error);
      }
    }

    private static boolean isOfEngine(AssertionError error) {
      StackTraceElement[] frames = error.getStackTrace();
      return frames.length > 0 && frames[0].getClassName().startsWith("dev.pacegate.engine.");
    }

    synchronized List<AssertionError> take() {
      List<AssertionError> taken = List.copyOf(failed);
      failed.clear();
      return taken;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (isUnchecked(context)) {
      EngineWatch.off();
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    List<AssertionError> failed = ASSERTIONS.take();
    if (isUnchecked(context)) {
      EngineWatch.on();
      return;
    }
    var broken = new ArrayList<String>();
    failed.forEach(error -> broken.add("an assertion failed: " + error));
    int held = 0;
    EngineWatch.Made made = EngineWatch.take();
    for (EngineMonitor engine : made.engines()) {
      List<String> found = EngineCheck.broken(engine, made.keys());
      if (found == null) {
        held++;
      } else {
        found.forEach(each -> broken.add("limiter " + engine.name + ": " + each));
      }
    }
    if (held > 0) {
      context.publishReportEntry("engines not checked, as their gates were held", "" + held);
    }
    if (!broken.isEmpty()) {
      var error = new AssertionError("the engine's state is broken:\n" + String.join("\n", broken));
      failed.forEach(error::addSuppressed);
      throw error;
    }
  }

  private static boolean isUnchecked(ExtensionContext context) {
    boolean method =
        context.getElement().map(test -> test.isAnnotationPresent(Unchecked.class)).orElse(false);
    return method || context.getRequiredTestClass().isAnnotationPresent(Unchecked.class);
  }
}
