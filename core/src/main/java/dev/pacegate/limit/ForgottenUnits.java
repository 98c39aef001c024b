package dev.pacegate.limit;

import dev.pacegate.limit.spi.Past;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * When the units came that a window no longer remembers one by one. A window keeps them only if it
 * was ever charged more than its rate allows, as a request that starts late is: what it has
 * forgotten then follows from its rate no more.
 *
 * <p>Units that came within 1/{@value #PARTS} of the interval or of their age are one run, as of
 * the latest of them. Memory: at most {@value #MOST_RUNS} runs of 16 bytes, few at first.
 */
final class ForgottenUnits {

  static final int MOST_RUNS = 256;

  private static final int PARTS = 64;
  private static final int FEWEST_RUNS = 8;

  private final long grain;
  private long[] stamps = new long[FEWEST_RUNS];
  private long[] amounts = new long[FEWEST_RUNS];
  private int size;
  private long begin; // of the last run

  /**
   * @param interval of the window
   * @param earlier reports the units that have been forgotten, the last of them first
   */
  ForgottenUnits(long interval, Consumer<Past> earlier) {
    this.grain = interval / PARTS + 1;
    var runs = new ArrayDeque<Runnable>();
    earlier.accept(
        new Past() {
          @Override
          public void supposed(long instant, long amount) {
            runs.push(() -> add(instant, amount));
          }
        });
    runs.forEach(Runnable::run);
  }

  /** Adds units; instants that decrease count as of the latest. */
  void add(long stamp, long units) {
    if (units == 0) {
      return;
    }
    int last = size - 1;
    if (last >= 0 && stamp - begin < grain) {
      stamps[last] = Nanos.later(stamps[last], stamp);
      amounts[last] = Nanos.add(amounts[last], units);
      return;
    }
    makeRoom();
    begin = stamp;
    stamps[size] = stamp;
    amounts[size] = units;
    size++;
  }

  private void makeRoom() {
    if (size == MOST_RUNS) {
      for (int parts = PARTS; size > MOST_RUNS / 2; parts /= 2) { // 64 fit at parts of 1
        merge(parts);
      }
    } else if (size == stamps.length) {
      stamps = Arrays.copyOf(stamps, 2 * size);
      amounts = Arrays.copyOf(amounts, 2 * size);
    }
  }

  private void merge(int parts) {
    long now = stamps[size - 1];
    long first = stamps[0];
    int run = 0;
    for (int i = 1; i < size; i++) {
      if (stamps[i] - first < (now - stamps[i]) / parts) {
        amounts[run] = Nanos.add(amounts[run], amounts[i]);
      } else {
        run++;
        amounts[run] = amounts[i];
        first = stamps[i];
      }
      stamps[run] = stamps[i];
    }
    size = run + 1;
  }

  /** Reports all of them, the last first. */
  void tell(TimestampRuns.RunSink sink) {
    for (int i = size - 1; i >= 0; i--) {
      sink.run(stamps[i], amounts[i]);
    }
  }
}
