package dev.pacegate.architecture;

import static java.util.Map.entry;

import dev.pacegate.Backoff;
import dev.pacegate.FailureClassifier;
import dev.pacegate.Job;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Limiters;
import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.ReloadListener;
import dev.pacegate.Share;
import dev.pacegate.Task;
import dev.pacegate.adapter.RequestPacing;
import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Reorder;
import dev.pacegate.audit.Stretch;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.feedback.Answer;
import dev.pacegate.feedback.AnswerReader;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Aligned;
import dev.pacegate.limit.CalendarBeginning;
import dev.pacegate.limit.CalendarLength;
import dev.pacegate.limit.CalendarWindows;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Margin;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Portion;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.source.HandFedSource;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import dev.pacegate.time.WheelTimer;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAmount;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A value of each type that a public method takes, and objects whose methods can be called. */
final class Samples {

  /** Is the text of a limit, and a name of whatever has one. */
  private static final String TEXT = "10/1m";

  private static final Cost COST = Cost.of("tokens", 2);

  private static final Map<Class<?>, Object> PLAIN =
      Map.ofEntries(
          entry(long.class, 1L),
          entry(int.class, 1),
          entry(boolean.class, true),
          entry(double.class, 0.5),
          entry(long[].class, new long[64]),
          entry(Integer[].class, new Integer[] {500}),
          entry(String.class, TEXT),
          entry(Object.class, "key"),
          entry(Class.class, IllegalStateException.class),
          entry(IOException.class, new IOException("no file")),
          entry(Throwable.class, new IllegalStateException("no job")),
          entry(Path.class, Path.of("limits.properties")),
          entry(Duration.class, Duration.ofMinutes(1)),
          entry(Instant.class, Instant.EPOCH),
          entry(InstantSource.class, InstantSource.system()),
          entry(LocalTime.class, LocalTime.NOON),
          entry(ZoneId.class, ZoneOffset.UTC),
          entry(TemporalAmount.class, Duration.ofMinutes(1)),
          entry(TimeUnit.class, TimeUnit.SECONDS),
          entry(Collection.class, List.of()),
          entry(List.class, List.of()),
          entry(Map.class, Map.of()),
          entry(InputStream.class, InputStream.nullInputStream()),
          entry(Optional.class, Optional.empty()),
          entry(OptionalLong.class, OptionalLong.empty()),
          entry(Properties.class, new Properties()));

  private static final Map<Class<?>, Object> CALLED =
      Map.ofEntries(
          entry(Closeable.class, (Closeable) () -> {}),
          entry(Runnable.class, (Runnable) () -> {}),
          entry(Callable.class, (Callable<String>) () -> ""),
          entry(Executor.class, (Executor) Runnable::run),
          entry(BiConsumer.class, (BiConsumer<?, ?>) (a, b) -> {}),
          entry(BiFunction.class, (BiFunction<?, ?, ?>) (a, b) -> a),
          entry(Consumer.class, (Consumer<?>) a -> {}),
          entry(Function.class, (Function<?, ?>) a -> a),
          entry(Predicate.class, (Predicate<?>) a -> true),
          entry(LongFunction.class, (LongFunction<?>) Long::toString),
          entry(Supplier.class, (Supplier<?>) () -> ""),
          entry(Job.class, (Job<String, RuntimeException>) () -> ""),
          entry(Task.class, (Task<RuntimeException>) () -> {}),
          entry(LimiterListener.class, new LimiterListener() {}),
          entry(ReloadListener.class, new ReloadListener() {}),
          entry(MeterSource.class, new HandFedSource()),
          entry(Reorder.Sink.class, (Reorder.Sink) (start, end, cost) -> {}));

  private static final Map<Class<?>, Object> OURS =
      Map.ofEntries(
          entry(Backoff.class, Backoff.standard()),
          entry(ContextPropagator.class, propagator()),
          entry(Limiter.class, Limiter.of(TEXT)),
          entry(KeyedLimiter.class, KeyedLimiter.of(TEXT)),
          entry(Feedback.class, Feedback.standard()),
          entry(Permit.class, Limiter.of(TEXT).tryAcquire().orElseThrow()),
          entry(Quota.class, Quota.remaining(1)),
          entry(Share.class, Share.weight(1)),
          entry(Stretch.class, new Stretch(0, 1, 1)),
          entry(Answer.class, new Answer(429, Map.of(), Instant.EPOCH)),
          entry(PeerAnswer.class, PeerAnswer.NOTHING),
          entry(AnswerReader.class, AnswerReader.standard()),
          entry(CalendarBeginning.class, new CalendarBeginning(1, LocalTime.NOON)),
          entry(CalendarLength.class, new CalendarLength(60_000_000_000L, 0)),
          entry(CalendarWindows.class, calendar().windows()),
          entry(Cost.class, COST),
          entry(Limit.class, Limits.parse(TEXT)),
          entry(Margin.class, Margin.USUAL),
          entry(Measure.class, Measure.PLAIN),
          entry(Portion.class, Portion.of(50)),
          entry(Promise.class, new Promise.Gap(1, true)),
          entry(Rate.class, Rate.of(10, Duration.ofMinutes(1))),
          entry(RequestPacing.class, SampleClient.sample()),
          entry(Time.class, ManualTime.manual()));

  private Samples() {}

  private static ContextPropagator propagator() {
    return ContextPropagator.of(() -> "", value -> {}, () -> {});
  }

  /** Returns a value of {@code type}. */
  static Object value(Class<?> type) {
    for (Map<Class<?>, Object> some : List.of(PLAIN, CALLED, OURS)) {
      Object value = some.get(type);
      if (value != null) {
        return value;
      }
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    throw new IllegalArgumentException("no sample of " + type);
  }

  private static Aligned calendar() {
    return Limits.aligned(10, Duration.ofMinutes(1));
  }

  /** Returns all objects that are of {@code type}. */
  static List<Object> subjects(Class<?> type) {
    return Stream.of(limits(), limiters(), permits(), SampleClient.parts(), others())
        .flatMap(Function.identity())
        .filter(type::isInstance)
        .toList();
  }

  private static Stream<Object> limits() {
    Duration minute = Duration.ofMinutes(1);
    return Stream.of(
        calendar(),
        Limits.parse("10/1m & spacing(1s)"),
        Limits.bucket(10, minute),
        Limits.concurrent(4),
        Limits.fixed(10, minute),
        Limits.parse("peer(10/1m)"),
        Limits.spacing(minute),
        Limits.parse("starts(10/1m)"),
        Limits.unlimited(),
        Limits.warmup(10, minute, minute),
        Limits.atMost(10),
        Limits.atMost(10).inAny(minute),
        new Promise.Counted(new Promise.Gap(1, true), 1),
        calendar().promises().get(0),
        calendar().windows());
  }

  private static Stream<Object> limiters() {
    KeyedLimiter<Object> keyed = KeyedLimiter.of("100/1m");
    return Stream.of(
        Limiter.builder("100/1m").lane(TEXT, Share.weight(1)).build(),
        keyed.limiter("key"),
        keyed,
        Limiter.builder(TEXT),
        KeyedLimiter.builder(TEXT),
        KeyedLimiter.builder(TEXT).within(keyed, (String key) -> key),
        Limiters.builder(),
        Limiters.from(Map.of(TEXT, TEXT)));
  }

  /** One that needs no end, and one that does. */
  private static Stream<Object> permits() {
    return Stream.of(TEXT, "peer(10/1m)").map(text -> Limiter.of(text).tryAcquire().orElseThrow());
  }

  private static Stream<Object> others() {
    var audit = Audit.of(Limits.parse(TEXT)).add(0, COST);
    return Stream.of(
        Backoff.standard(),
        propagator(),
        FailureClassifier.standard(),
        Quota.remaining(1),
        audit,
        audit.report(),
        audit.report().verdicts().get(0),
        new Reorder(1, (start, end, cost) -> {}),
        ThrottledExecutorService.of(Limiter.of(TEXT), Runnable::run),
        Throttler.builder(Limiter.of(TEXT)).build(),
        Throttler.builder(Limiter.of(TEXT)),
        new Answer(429, Map.of(), Instant.EPOCH),
        Feedback.standard(),
        PeerAnswer.NOTHING,
        AnswerReader.standard(),
        COST,
        Measure.PLAIN,
        Portion.of(50),
        ManualTime.manual(),
        Time.system(),
        new WheelTimer("sample"));
  }
}
