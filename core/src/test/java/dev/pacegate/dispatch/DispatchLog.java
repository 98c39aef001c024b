package dev.pacegate.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the log says of executors and throttlers, and on which thread. */
final class DispatchLog implements AutoCloseable {

  final List<String> lines = new CopyOnWriteArrayList<>();
  final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final Logger log = Logger.getLogger("dev.pacegate.dispatch"); // loggers are held weakly
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
          threads.add(Thread.currentThread());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  DispatchLog() {
    log.addHandler(handler);
  }

  @Override
  public void close() {
    log.removeHandler(handler);
  }
}
