package dev.pacegate.engine;

import dev.pacegate.architecture.MessageStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Looks at each line that any test makes limiters log: it keeps the {@link MessageStyle}. JUnit
 * finds it by itself, as it does {@link EngineExtension}.
 */
public final class LoggedLines implements AfterEachCallback {

  private static final Logger LOGGER = Logger.getLogger("dev.pacegate"); // held weakly elsewhere
  private static final Faults FAULTS = new Faults();

  static {
    LOGGER.addHandler(FAULTS);
  }

  private static final class Faults extends Handler {

    private final List<String> found = new ArrayList<>();

    @Override
    public synchronized void publish(LogRecord line) {
      found.addAll(MessageStyle.faults(line.getMessage()));
    }

    synchronized List<String> take() {
      List<String> taken = List.copyOf(found);
      found.clear();
      return taken;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Override
  public void afterEach(ExtensionContext context) {
    List<String> faults = FAULTS.take();
    if (!faults.isEmpty()) {
      throw new AssertionError("lines that were logged:\n" + String.join("\n", faults));
    }
  }
}
