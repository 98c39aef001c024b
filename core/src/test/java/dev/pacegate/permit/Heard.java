package dev.pacegate.permit;

import dev.pacegate.LimiterListener;
import dev.pacegate.limit.Cost;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What a listener hears of permits that stay open or are lost, and what the log says of them. */
public final class Heard implements LimiterListener, AutoCloseable {

  /** What starves a limiter. */
  public record Starvation(long lost, long allowance, Instant until) {}

  public final List<Long> overdue = new ArrayList<>();
  public final List<Long> abandoned = new ArrayList<>();
  public final List<Starvation> starved = new ArrayList<>();
  public final List<String> lines = new ArrayList<>();
  private final Logger log = Logger.getLogger("dev.pacegate"); // kept: loggers are held weakly
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  public Heard() {
    log.addHandler(handler);
  }

  /** Returns the lines that speak of {@code what}. */
  public List<String> lines(String what) {
    return lines.stream().filter(line -> line.contains(what)).toList();
  }

  @Override
  public void onOverdue(Cost cost, long open) {
    overdue.add(open);
  }

  @Override
  public void onAbandon(Cost cost, long open) {
    abandoned.add(open);
  }

  @Override
  public void onStarvation(long lost, long allowance, Instant until) {
    starved.add(new Starvation(lost, allowance, until));
  }

  @Override
  public void close() {
    log.removeHandler(handler);
  }
}
