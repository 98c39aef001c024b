package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

/** A library's log shows nothing of requests and answers. */
class LibraryLogTest {

  private static LogRecord logged(Level level) {
    var logged = new LogRecord(level, "invalid version format: SECRET");
    logged.setLoggerName("io.vertx.core.net.impl.ConnectionBase");
    return logged;
  }

  @Test
  void tellsWhereAndWhichFailureInOneLine() {
    var said = new ArrayList<String>();
    var log = new LibraryLog(said::add);
    log.publish(logged(Level.INFO));
    log.publish(logged(Level.SEVERE));
    LogRecord failed = logged(Level.WARNING);
    failed.setThrown(new IllegalStateException("SECRET"));
    log.publish(failed);
    LogRecord ofStore = logged(Level.SEVERE);
    ofStore.setLoggerName("io.lettuce.core.protocol.ConnectionWatchdog");
    log.publish(ofStore);
    assertEquals(
        List.of(
            "ConnectionBase logs an error", "ConnectionBase logs a warning: IllegalStateException"),
        said);
  }
}
