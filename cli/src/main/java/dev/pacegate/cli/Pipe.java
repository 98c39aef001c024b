package dev.pacegate.cli;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Unlimited;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate pipe}: paces lines or bytes from standard input to standard output. */
final class Pipe implements Callable<Integer> {

  /** The unit that a permit is taken for. */
  enum CostUnit {
    LINES,
    BYTES;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final int LARGEST_CHUNK = 8192;

  private static final String[] FOOTER = {
    "",
    "Bytes are copied unchanged and in order. Lines may be of any length; each is written as soon"
        + " as LIMIT allows. If the reader of the output is gone, pipe ends silently with status"
        + " 141, as other filters do: on Linux 5.12 or newer within a second, elsewhere when it"
        + " writes the next line.",
    "",
    "What is promised ends at the write. The system keeps up to 64 KB of what was written for a"
        + " reader that stalls, so that it may find many lines at once.",
    "",
    "LIMIT is counted as the other side counts: a line stays spent from before it is written until"
        + " an interval after the write has returned. So 10/1m means peer(10/1m), also beside other"
        + " limits. To count lines when they are let through, however long their writing takes,"
        + " write starts(10/1m). A spacing beside a peer(...) counts so without that.",
    "",
    "A pipe of more than two seconds in the foreground shows its progress if standard error is a"
        + " terminal and standard output is not. If it is ended while a write is under way,"
        + " --report tells nothing.",
    "",
    "Exit status: 0 if all was copied; 75 if --no-wait has left lines; 1 if it has not, but LIMIT"
        + " was broken, as --report tells; 2 for bad arguments."
        + Status.AND_OTHERS,
    "",
    "Example: seq 20 | pacegate pipe 5/1s"
  };

  private final World world;

  private final LimitArgument limit = new LimitArgument();
  private final LimiterOptions options = new LimiterOptions();
  private final NoWaitOptions noWait = new NoWaitOptions();
  private final ReportOptions report = new ReportOptions();
  private @Nullable String file;
  private CostUnit cost = CostUnit.LINES;
  private boolean quiet;

  private Pipe(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var pipe = new Pipe(world);
    CommandSpec spec =
        CommandOptions.command(
            pipe, "pipe", "Copies lines to standard output, no faster than LIMIT allows.", FOOTER);
    pipe.addTo(new CommandOptions(spec));
    return spec;
  }

  private void addTo(CommandOptions all) {
    limit.addTo(all);
    all.parameter(1, "FILE", "in place of stdin", text -> file = text)
        .value(
            "--cost",
            "UNIT",
            "what LIMIT counts: ${COMPLETION-CANDIDATES}; lines unless given. A spacing, and"
                + " concurrent, count calls, so bytes need another limit, or one beside them",
            CostUnit.class,
            null,
            unit -> cost = unit);
    options.addTo(all);
    noWait.addTo(all);
    report.addTo(all);
    all.flag("-q, --quiet", "do not print which limit is in force", is -> quiet = is);
  }

  @Override
  public Integer call() throws Failure, InterruptedException {
    Limit limit = LimitArgument.asPeerCounts(this.limit.limitOfPlainCosts());
    checkCost(limit);
    this.limit.warn(world);
    try (var in = Input.open(file, world);
        Rest rest = noWait.open('\n', options.isShared(), options.stateFile())) {
      if (rest != null && cost == CostUnit.BYTES) {
        throw new Failure("--no-wait leaves whole lines, so it needs --cost lines");
      }
      FinalReport target = report.open(world, Input.path(file), noWait.file(), options.stateFile());
      OpenLimiter open =
          options.open(
              Limiter.builder(limit).time(world.time()).stamped(report.isGiven()), world, !quiet);
      if (!quiet) {
        world.say("limit " + limit);
      }
      if (rest == null) {
        open.tellFirstWait(world);
      }
      LimitReport judged = report.isGiven() ? new LimitReport(open.limiter()) : null;
      Turnstile turnstile = turnstile(open.limiter(), judged);
      var pump = new Pump(in, new Output(world.out()), turnstile, rest);
      var progress = new Progress(open.limiter(), new PipeWork(cost, in, pump, turnstile));
      var line = new LiveLine(world, progress).start();
      var told = judged == null ? null : new PipeReport(judged, rest);
      Runnable atLast =
          () -> {
            if (told != null) {
              target.writeAtLast(told::lines, told::json);
            }
          };
      world.atExit().accept(() -> stop(pump, turnstile, line, atLast, open, rest));
      try (line;
          var watch = rest == null ? watch() : null) { // what is left is written without a reader
        pump(pump, limit, rest != null || judged != null);
      }
      int left = NoWaitOptions.finish(rest, world);
      if (told == null) {
        return left;
      }
      target.write(told::lines, told::json);
      return told.judged().status(left);
    }
  }

  private ReaderWatch watch() {
    return ReaderWatch.watch(world, () -> System.exit(Status.NO_READER));
  }

  /** What is reported of a pipe. */
  private record PipeReport(LimitReport judged, @Nullable Rest rest) {

    List<String> lines() {
      var lines = new ArrayList<>(judged.lines());
      lines.addAll(judged.linesOfStarts());
      return lines;
    }

    JsonLine json() {
      var json = new JsonLine();
      judged.addTo(json);
      return json.add("left", rest == null ? null : rest.count());
    }
  }

  /** How far a pipe is. */
  private record PipeWork(CostUnit cost, Input in, Pump pump, Turnstile turnstile)
      implements Progress.Work {

    @Override
    public String unit() {
      return cost.toString();
    }

    @Override
    public long done() {
      return pump.count();
    }

    @Override
    public long paid() {
      return pump.count();
    }

    @Override
    public boolean isAllPaid() {
      return true;
    }

    @Override
    public long total() {
      return cost == CostUnit.BYTES ? in.size() : in.lines('\n');
    }

    @Override
    public long failed() {
      return 0;
    }

    @Override
    public long due() {
      return turnstile.due();
    }

    @Override
    public boolean isDueOrLater() {
      return false;
    }

    @Override
    public @Nullable String waitsFor() {
      return pump.waitsFor();
    }
  }

  /** Refuses bytes that no limit counts: the limiter would, but only at the first of them. */
  private void checkCost(Limit limit) throws Failure {
    if (cost == CostUnit.BYTES && !takePlainCosts(limit.promises())) {
      throw new Failure(
          "--cost bytes limits nothing because "
              + limit
              + " counts calls: add a limit of bytes, such as -l 100000/1s");
    }
  }

  /** Returns whether one of {@code promises} counts plain costs; unlimited takes them, too. */
  static boolean takePlainCosts(List<Promise> promises) {
    return promises.isEmpty()
        || promises.stream().anyMatch(promise -> promise.of().equals(Measure.PLAIN));
  }

  private void pump(Pump pump, Limit limit, boolean isTold) throws Failure, InterruptedException {
    boolean isShown = world.screen() != World.Screen.NONE;
    boolean isLimited = !(limit instanceof Unlimited) || options.isShared();
    try {
      if (cost == CostUnit.BYTES) {
        pump.chunks(largestChunk(limit));
      } else if (!isLimited && !isTold && !isShown) { // so lines need not be found
        pump.chunks(Integer.MAX_VALUE);
      } else {
        pump.lines();
      }
    } catch (CostTooLargeException e) { // of a limit that other processes have set
      throw new Failure(e.getMessage());
    }
  }

  private Turnstile turnstile(Limiter limiter, @Nullable LimitReport judged) {
    Turnstile turnstile =
        judged == null
            ? new Turnstile(limiter, world.time())
            : new Turnstile(limiter, world.time(), judged);
    return options.isShared() ? turnstile.oneByOne() : turnstile;
  }

  /** Ends what runs, and reports. */
  private void stop(
      Pump pump,
      Turnstile turnstile,
      LiveLine line,
      Runnable told,
      OpenLimiter limiter,
      @Nullable Rest rest) {
    boolean still = pump.stop();
    line.close();
    if (still) {
      turnstile.leave(0); // a part of a line, or what the reader did not take whole
      limiter.close();
    }
    if (rest != null) {
      rest.close();
    }
    if (still) {
      told.run();
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
