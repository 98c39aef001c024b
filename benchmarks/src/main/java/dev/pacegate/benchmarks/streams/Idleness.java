package dev.pacegate.benchmarks.streams;

import dev.pacegate.Limiter;
import dev.pacegate.benchmarks.PekkoStream;
import dev.pacegate.benchmarks.Shaping;
import dev.pacegate.pekko.Throttle;
import dev.pacegate.reactive.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.LongAdder;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** What many throttled streams cost while they do nothing, or nearly so. */
final class Idleness {

  /** What all the streams are made of and do. */
  enum Streams {
    NONE("none, Pekko's system alone", false),
    PEKKO_EMPTY("Pekko `throttle`, no element arrives", false),
    STAGE_EMPTY("Pacegate in Pekko, no element arrives", true),
    PEKKO_WAITING("Pekko `throttle`, an element waits for an hour", false),
    STAGE_WAITING("Pacegate in Pekko, an element waits for an hour", true),
    OPERATOR_WAITING("Pacegate in Reactor, an element waits for an hour", true),
    PEKKO_ACTIVE("Pekko `throttle`, one element a second each", false),
    STAGE_ACTIVE("Pacegate in Pekko, one element a second each", false);

    final String title;
    final boolean idle; // and ours

    Streams(String title, boolean idle) {
      this.title = title;
      this.idle = idle;
    }
  }

  /**
   * What the streams took.
   *
   * @param cpu processor seconds per second, of the whole process
   * @param delivered elements per second
   */
  record Row(double cpu, double delivered) {}

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final int many;
  private final Duration span;
  private final Map<Streams, Row> rows = new EnumMap<>(Streams.class);

  Idleness(int many, Duration span) {
    this.many = many;
    this.span = span;
  }

  int many() {
    return many;
  }

  Map<Streams, Row> rows() {
    return rows;
  }

  void measure() throws InterruptedException {
    for (Streams streams : Streams.values()) {
      try (var pekko = new PekkoStream()) {
        rows.put(streams, watch(streams, pekko));
      }
    }
  }

  private Row watch(Streams streams, PekkoStream pekko) throws InterruptedException {
    var passed = new LongAdder();
    List<Disposable> started = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      start(streams, pekko, passed, started);
    }
    Thread.sleep(span.toMillis()); // all have begun, and what was compiled on the way is
    double busy = Shaping.busy();
    long before = passed.sum();
    long begin = System.nanoTime();
    Thread.sleep(span.toMillis());
    double seconds = (System.nanoTime() - begin) / 1e9;
    var row = new Row((Shaping.busy() - busy) / seconds, (passed.sum() - before) / seconds);
    started.forEach(Disposable::dispose);
    return row;
  }

  private void start(
      Streams streams, PekkoStream pekko, LongAdder passed, List<Disposable> started) {
    switch (streams) {
      case NONE -> {}
      case PEKKO_EMPTY -> run(Source.maybe(), theirs(SECOND), pekko, passed);
      case STAGE_EMPTY -> run(Source.maybe(), ours(SECOND), pekko, passed);
      case PEKKO_WAITING -> run(Source.repeat(0), theirs(HOUR), pekko, passed);
      case STAGE_WAITING -> run(Source.repeat(0), ours(HOUR), pekko, passed);
      case OPERATOR_WAITING -> started.add(inReactor(passed));
      case PEKKO_ACTIVE -> run(Source.repeat(0), theirs(SECOND), pekko, passed);
      case STAGE_ACTIVE -> run(Source.repeat(0), ours(SECOND), pekko, passed);
    }
  }

  private static void run(
      Source<Integer, ?> source,
      Flow<Integer, Integer, NotUsed> flow,
      PekkoStream pekko,
      LongAdder passed) {
    source.via(flow).runWith(Sink.foreach(element -> passed.increment()), pekko.system());
  }

  private static Flow<Integer, Integer, NotUsed> theirs(Duration gap) {
    return Flow.<Integer>create().throttle(1, gap, 1, ThrottleMode.shaping());
  }

  private static Flow<Integer, Integer, NotUsed> ours(Duration gap) {
    return Throttle.of("bucket(1/" + gap.toSeconds() + "s)");
  }

  private static Disposable inReactor(LongAdder passed) {
    Limiter limiter = Limiter.builder("bucket(1/1h)").executor(ForkJoinPool.commonPool()).build();
    return Flux.<Integer>generate(sink -> sink.next(0))
        .transform(Pace.throttle(limiter))
        .subscribe(element -> passed.increment());
  }
}
