package dev.pacegate.benchmarks.streams;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.benchmarks.PekkoStream;
import dev.pacegate.limit.Cost;
import dev.pacegate.pekko.Throttle;
import dev.pacegate.reactive.Pace;
import java.time.Duration;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** An endless supply of elements that a sender passes on for a while. */
final class Supply {

  private static final long SECOND = 1_000_000_000;

  private final Sender sender;
  private final long perSecond;
  private final long nanos;
  private final Instants arrivals;
  private final Instants releases;
  private @Nullable Long first; // when the first element arrived

  /** Of {@code sender} at a rate, for so long. */
  Supply(Sender sender, long perSecond, long nanos) {
    this.sender = sender;
    this.perSecond = perSecond;
    this.nanos = nanos;
    int room = (int) (3 * perSecond * (nanos / SECOND + 2));
    this.arrivals = new Instants(room);
    this.releases = new Instants(room);
  }

  /** Sends, and returns when it is over. */
  void run() {
    switch (sender.kind) {
      case BARE -> bare();
      case STAGE -> inPekko(Throttle.of(limiter()));
      case OPERATOR -> inReactor(endless().transform(Pace.throttle(limiter())));
      case PEKKO ->
          inPekko(
              Flow.<Integer>create()
                  .throttle(
                      (int) perSecond,
                      Duration.ofSeconds(1),
                      sender.burst(perSecond),
                      ThrottleMode.shaping()));
      case REACTOR -> inReactor(endless().delayElements(Duration.ofNanos(SECOND / perSecond)));
    }
  }

  /** Returns when elements arrived, by the clock as it was read then. */
  long[] arrivals() {
    return arrivals.inOrder();
  }

  /** Returns the instants of the permits. */
  long[] releases() {
    return releases.inOrder();
  }

  private Limiter limiter() {
    var listener =
        new LimiterListener() {
          @Override
          public void onRelease(Cost cost, long instant, long waited) {
            releases.note(instant);
          }
        };
    return Limiter.builder(requireNonNull(sender.limit(perSecond)))
        .executor(ForkJoinPool.commonPool())
        .spin(Duration.ofNanos(sender.spinMicros * 1_000L))
        .listener(listener)
        .build();
  }

  /** Counts from the first arrival: a library may take its time to start. */
  private boolean arrives() {
    long now = System.nanoTime();
    first = first == null ? now : first;
    arrivals.note(now);
    return now - first < nanos;
  }

  private void bare() {
    long gap = SECOND / perSecond;
    long due = System.nanoTime();
    do {
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      due = System.nanoTime() + gap;
    } while (arrives());
  }

  private void inPekko(Flow<Integer, Integer, NotUsed> paced) {
    try (var pekko = new PekkoStream()) {
      Source.repeat(0)
          .via(paced)
          .takeWhile(element -> arrives())
          .runWith(Sink.ignore(), pekko.system())
          .toCompletableFuture()
          .join();
    }
  }

  private void inReactor(Flux<Integer> paced) {
    paced.takeWhile(element -> arrives()).blockLast();
  }

  private static Flux<Integer> endless() {
    return Flux.generate(sink -> sink.next(0));
  }
}
