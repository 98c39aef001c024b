package dev.pacegate.benchmarks;

import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.Arrays;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/**
 * An endless stream through Pekko's {@code throttle}, with its timer as it comes: ticks of 10 ms.
 */
public final class PekkoStream implements AutoCloseable {

  private final ActorSystem system =
      ActorSystem.create(
          "benchmark",
          ConfigFactory.parseString(
                  "pekko { loglevel = OFF, stdout-loglevel = OFF, daemonic = on,"
                      + " jvm-shutdown-hooks = off }")
              .withFallback(ConfigFactory.load()));

  /** Returns where its streams run. */
  public ActorSystem system() {
    return system;
  }

  /** Returns the instants at which elements arrived within {@code nanos}. */
  long[] send(int elements, Duration per, int burst, long nanos) {
    var arrivals = new Arrivals();
    Source<Integer, NotUsed> endless = Source.repeat(0);
    endless
        .throttle(elements, per, burst, ThrottleMode.shaping())
        .takeWithin(Duration.ofNanos(nanos))
        .runWith(Sink.foreach(element -> arrivals.add(System.nanoTime())), system)
        .toCompletableFuture()
        .join();
    return arrivals.instants();
  }

  /** Ends its threads, and waits until they have. */
  @Override
  public void close() {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
  }

  /** Written by the stream alone; read once it has ended. */
  private static final class Arrivals {

    private long[] instants = new long[1_000];
    private int count;

    void add(long instant) {
      if (count == instants.length) {
        instants = Arrays.copyOf(instants, 2 * count);
      }
      instants[count++] = instant;
    }

    long[] instants() {
      return Arrays.copyOf(instants, count);
    }
  }
}
