package dev.pacegate.benchmarks.streams;

import dev.pacegate.Limiter;
import dev.pacegate.benchmarks.PekkoStream;
import dev.pacegate.pekko.Throttle;
import dev.pacegate.reactive.Concurrency;
import dev.pacegate.reactive.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a stage costs that never has to hold anything back, per element, in rounds. */
final class PassThrough {

  /** A stream with or without a stage in it. */
  enum Stream {
    PEKKO_ALONE("Pekko, no stage", null),
    PEKKO("Pekko, its own `throttle`", null),
    STAGE_UNLIMITED("Pekko, Pacegate", "unlimited"),
    STAGE_BUCKET("Pekko, Pacegate", "bucket(1_000_000_000/1s, burst=1_000_000_000)"),
    STAGE_WINDOW("Pekko, Pacegate", "1_000_000_000/1s"),
    PEKKO_CALLS("Pekko, its own `mapAsync(1)`", null),
    STAGE_CALLS_UNLIMITED("Pekko, Pacegate's `mapAsync`", "unlimited"),
    STAGE_CALLS_WINDOW("Pekko, Pacegate's `mapAsync`", "1_000_000_000/1s"),
    REACTOR_ALONE("Reactor, no operator", null),
    OPERATOR_UNLIMITED("Reactor, Pacegate", "unlimited"),
    OPERATOR_BUCKET("Reactor, Pacegate", "bucket(1_000_000_000/1s, burst=1_000_000_000)"),
    OPERATOR_WINDOW("Reactor, Pacegate", "1_000_000_000/1s"),
    REACTOR_VALUES("Reactor, its own `flatMap` to a `Mono.just`, one at a time", null),
    REACTOR_CALLS("Reactor, its own `flatMap` to a `Mono.fromFuture`, one at a time", null),
    OPERATOR_CALLS_UNLIMITED("Reactor, Pacegate's `mapThrottled`", "unlimited"),
    OPERATOR_CALLS_WINDOW("Reactor, Pacegate's `mapThrottled`", "1_000_000_000/1s");

    final String title;
    final @Nullable String limit;

    Stream(String title, @Nullable String limit) {
      this.title = title;
      this.limit = limit;
    }
  }

  private static final int GREAT = 1_000_000_000;

  private final int elements;
  private final Map<Stream, List<Double>> nanos = new EnumMap<>(Stream.class);

  PassThrough(int elements) {
    this.elements = elements;
  }

  /** Returns the nanoseconds per element in the best round. */
  double best(Stream stream) {
    return nanos.get(stream).stream().mapToDouble(each -> each).min().orElseThrow();
  }

  /** Returns the nanoseconds per element in the median round. */
  double median(Stream stream) {
    double[] all = nanos.get(stream).stream().mapToDouble(each -> each).sorted().toArray();
    return all[all.length / 2];
  }

  /** Runs every stream once, all in the same system. */
  void round(PekkoStream pekko) {
    for (Stream stream : Stream.values()) {
      long begin = System.nanoTime();
      run(stream, pekko);
      double each = (double) (System.nanoTime() - begin) / elements;
      nanos.computeIfAbsent(stream, key -> new ArrayList<>()).add(each);
    }
  }

  private void run(Stream stream, PekkoStream pekko) {
    switch (stream) {
      case PEKKO_ALONE -> inPekko(Flow.create(), pekko);
      case PEKKO ->
          inPekko(
              Flow.<Integer>create()
                  .throttle(GREAT, Duration.ofSeconds(1), GREAT, ThrottleMode.shaping()),
              pekko);
      case STAGE_UNLIMITED, STAGE_BUCKET, STAGE_WINDOW ->
          inPekko(Throttle.of(Limiter.of(stream.limit)), pekko);
      case PEKKO_CALLS -> inPekko(Flow.<Integer>create().mapAsync(1, PassThrough::answer), pekko);
      case STAGE_CALLS_UNLIMITED, STAGE_CALLS_WINDOW ->
          inPekko(Throttle.mapAsync(Limiter.of(stream.limit), 1, PassThrough::answer), pekko);
      case REACTOR_ALONE -> inReactor(Flux.range(1, elements));
      case OPERATOR_UNLIMITED, OPERATOR_BUCKET, OPERATOR_WINDOW ->
          inReactor(Flux.range(1, elements).transform(Pace.throttle(Limiter.of(stream.limit))));
      case REACTOR_VALUES -> inReactor(Flux.range(1, elements).flatMap(Mono::just, 1));
      case REACTOR_CALLS ->
          inReactor(Flux.range(1, elements).flatMap(each -> Mono.fromFuture(answer(each)), 1));
      case OPERATOR_CALLS_UNLIMITED, OPERATOR_CALLS_WINDOW ->
          inReactor(
              Flux.range(1, elements)
                  .transform(
                      Pace.mapThrottled(
                          Limiter.of(stream.limit), PassThrough::answer, Concurrency.ordered(1))));
    }
  }

  /** A call that is answered at once. */
  private static CompletableFuture<Integer> answer(Integer element) {
    return CompletableFuture.completedFuture(element);
  }

  private void inPekko(Flow<Integer, Integer, NotUsed> flow, PekkoStream pekko) {
    Source.range(1, elements)
        .via(flow)
        .runWith(Sink.ignore(), pekko.system())
        .toCompletableFuture()
        .join();
  }

  private void inReactor(Flux<Integer> flux) {
    if (flux.last().block() != elements) {
      throw new IllegalStateException("elements lost");
    }
  }
}
