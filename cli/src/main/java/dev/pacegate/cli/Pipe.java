package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code pacegate pipe}: paces lines or bytes from standard input to standard output. */
@Command(
    name = "pipe",
    description = "Copies lines to standard output, no faster than LIMIT allows.",
    footer = {
      "",
      "Bytes are copied unchanged and in order. Lines may be of any length; each is written as soon"
          + " as LIMIT allows. If the reader of the output is gone, pipe ends silently with status"
          + " 141, as other filters do.",
      "",
      "LIMIT is counted as the other side counts: a line stays spent from before it is written until"
          + " an interval after the write has returned. So 10/1m means peer(10/1m); write"
          + " starts(10/1m) to count lines when they are let through, however long their writing"
          + " takes.",
      "",
      "Example: seq 20 | pacegate pipe 5/1s"
    })
final class Pipe implements Callable<Integer> {

  /** The unit that a permit is taken for. */
  enum Unit {
    LINES,
    BYTES;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final int LARGEST_CHUNK = 8192;

  private final World world;

  @Mixin private final LimitArgument limit = new LimitArgument();

  @Parameters(index = "1", arity = "0..1", paramLabel = "FILE", description = "in place of stdin")
  private @Nullable String file;

  @Option(
      names = "--cost",
      paramLabel = "UNIT",
      defaultValue = "lines",
      description = "what LIMIT counts: ${COMPLETION-CANDIDATES}; lines unless given")
  private Unit cost = Unit.LINES;

  @Mixin private final StateOption state = new StateOption();

  @Option(
      names = "--report",
      description =
          "report on standard error at the end what went through, each line from when it was let"
              + " through until its write had returned; exit with 1 if that broke LIMIT. A process"
              + " that is ended while a write is under way reports nothing")
  private boolean report;

  @Option(
      names = {"-q", "--quiet"},
      description = "do not print which limit is in force")
  private boolean quiet;

  Pipe(World world) {
    this.world = world;
  }

  @Override
  public Integer call() throws Failure, InterruptedException {
    Limit limit = LimitArgument.asPeerCounts(this.limit.limitOfPlainCosts());
    Judge judge = report ? new Judge(limit) : null;
    try (var in = Input.open(file, world)) {
      Limiter limiter =
          state.build(Limiter.builder(limit).time(world.time()).stamped(judge != null));
      if (!quiet) {
        world.say("limit " + limit);
      }
      Turnstile turnstile = turnstile(limiter, judge);
      var pump = new Pump(in, new Output(world.out()), turnstile);
      var line = new LiveLine(world, pump::count, cost.toString(), limit.toString()).start();
      world.atExit().accept(() -> stop(pump, turnstile, line, judge, limiter));
      try (line) {
        if (cost == Unit.BYTES) {
          pump.chunks(largestChunk(limit));
        } else {
          pump.lines();
        }
      }
    }
    return judge == null || judge.kept() ? Status.OK : Status.BROKEN;
  }

  private Turnstile turnstile(Limiter limiter, @Nullable Judge judge) {
    return judge == null
        ? new Turnstile(limiter, world.time())
        : new Turnstile(limiter, world.time(), judge.followsCalendar(), judge::add);
  }

  /** Ends what runs, and reports. */
  private void stop(
      Pump pump, Turnstile turnstile, LiveLine line, @Nullable Judge judge, Limiter limiter) {
    boolean still = pump.stop();
    line.close();
    if (still) {
      turnstile.leave(0); // a part of a line, or what the reader did not take whole
      limiter.close();
    }
    if (judge != null && still) {
      report(judge, limiter.limit());
    }
  }

  private void report(Judge judge, Limit limit) {
    LongFunction<String> dates = nanos -> Instant.ofEpochSecond(0, nanos).toString();
    judge.lines(judge.followsCalendar() ? dates : Durations::decimal).forEach(world::say);
    if (!limit.promises().stream().allMatch(Promise::countsWhole)) {
      world.say(
          "what counts starts was judged by when lines were let through; each had been written at"
              + " most "
              + Durations.decimal(judge.longest())
              + " later");
    }
  }

  /** Returns the largest cost that is let through at once, or 8 KiB if that is less. */
  static int largestChunk(Limit limit) {
    long largest = LARGEST_CHUNK;
    for (Promise promise : limit.promises()) {
      if (promise.of().equals(Measure.PLAIN)) {
        largest = Math.min(largest, promise.atOnce());
      }
    }
    return (int) largest;
  }
}
