package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Promise;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate run}: runs a command for each line, paced. */
final class Run implements Callable<Integer> {

  private static final int MOST_SLOTS = 1000;

  private static final String[] FOOTER = {
    "",
    "Every {} in CMD and its arguments becomes the line, {#} its number and with --colsep {2} its"
        + " second column; if there is none, the line becomes the last argument. A backslash makes"
        + " a place plain text: \\{}. An empty line is a line, see -r. Commands read nothing: their"
        + " standard input is /dev/null.",
    "",
    "No shell is involved. For one, pass the line as an argument, never within the script:"
        + " -- sh -c 'grep -c x \"$1\" | mail me' sh {}",
    "",
    "LIMIT is counted as the other side counts: a permit stays spent from before the command"
        + " starts until an interval after it has ended. So 10/1m means peer(10/1m), also beside"
        + " other limits. To count starts, write starts(10/1m). A spacing beside a peer(...) counts"
        + " them without that. If the outcome is unknown (killed by a signal, status 124 as of"
        + " timeout, or see --lost), the permit stays spent longer: see --unanswered.",
    "",
    "Commands that run one after another use the whole limit only if each is quick. -j 4 runs up"
        + " to four at once, -j 0 as many as LIMIT can let through.",
    "",
    "A command that fails is told with its line, and their number at the end. --retries runs it"
        + " again. With --joblog FILE --resume, what is done is not done again, whatever ended the"
        + " run before: only a command whose output had not been printed may be run twice.",
    "",
    "--report judges no run of more than a million commands, and none in which others changed LIMIT:"
        + " then it tells so, and the status does not tell whether LIMIT was kept.",
    "",
    "A run of more than two seconds in the foreground shows its progress if standard error is a"
        + " terminal.",
    "",
    "Exit status: 0 if all commands ended with 0; 123 if some ended otherwise; 125 if some were"
        + " killed; 124 if one ended with 255, which stops all; 126 if CMD cannot be run; 127 if"
        + " there is no CMD; 75 if nothing failed, but --no-wait has left lines; 1 if none of"
        + " these, but LIMIT was broken, as --report tells; 2 for bad arguments or input."
        + Status.AND_OTHERS,
    "",
    "Example: pacegate run 10/1m -j 4 -- curl -fsS https://example.org/items/{} < ids"
  };

  private final World world;
  private final List<String> command = new ArrayList<>();

  private final LimitArgument limit = new LimitArgument();
  private final JobOptions job = new JobOptions();
  private final NoWaitOptions noWait = new NoWaitOptions();
  private final LimiterOptions options = new LimiterOptions();
  private final ReportOptions report = new ReportOptions();
  private List<String> positional = new ArrayList<>();
  private int jobs = 1;
  private @Nullable String file;
  private boolean keepOrder;
  private boolean skipEmpty;
  private boolean nul;
  private @Nullable Duration unanswered;
  private boolean quiet;

  private Run(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var run = new Run(world);
    CommandSpec spec =
        CommandOptions.command(
            run,
            "run",
            "Runs CMD for each line of the input, no faster than LIMIT allows.",
            FOOTER);
    spec.preprocessor(new CommandOut());
    spec.usageMessage()
        .customSynopsis("pacegate run [OPTION]... LIMIT [OPTION]... -- CMD [ARG]...");
    run.addTo(new CommandOptions(spec));
    return spec;
  }

  private void addTo(CommandOptions all) {
    limit.addTo(all);
    addOwn(all);
    job.addTo(all);
    noWait.addTo(all);
    options.addTo(all);
    report.addTo(all);
    all.flag("-q, --quiet", "do not print which limit is in force", is -> quiet = is);
  }

  private void addOwn(CommandOptions all) {
    all.parametersFrom(
            1,
            "CMD",
            "the command and its arguments, after -- if any begins with -",
            texts -> positional = texts)
        .number(
            "-j, --jobs",
            "N",
            "run up to N commands at once; 1 unless given; 0 for as many as LIMIT allows",
            most -> jobs = most)
        .text(
            "-a, --arg-file",
            "FILE",
            "read lines from FILE, not from standard input",
            text -> file = text)
        .flag(
            "-k, --keep-order",
            "print what commands write in the order of their lines",
            is -> keepOrder = is)
        .flag("-r, --no-run-if-empty", "skip empty lines", is -> skipEmpty = is)
        .flag("-0, --null", "lines end with NUL, not with a newline", is -> nul = is)
        .span(
            "--unanswered",
            "DURATION",
            "how long after its start the other side may count a request whose outcome is unknown;"
                + " 10s unless given",
            span -> unanswered = span);
  }

  @Override
  public Integer call() throws Failure, InterruptedException {
    command.addAll(0, positional);
    if (command.isEmpty()) {
      throw new Failure("no CMD is given: pacegate run LIMIT -- CMD (try 'pacegate run --help')");
    }
    Limit effective = effective(limit.limitOfPlainCosts(), unanswered);
    int slots = slots(effective);
    Template template = job.template(command);
    template.check();
    StatusMeanings meanings = job.meanings();
    JobRetries retries = job.retries();
    if (noWait.isGiven() && retries.most() > 0) {
      throw new Failure("--retries wait, which --no-wait does not");
    } else if (noWait.hasFile() && job.resumes()) {
      throw new Failure(
          "--rest and --resume are alternatives: the one keeps what is not done, the other skips"
              + " what is");
    }
    limit.warn(world);
    try (var in = Input.open(file, world);
        Rest rest = noWait.open(terminator(), options.isShared(), job.file(), state(), pause());
        Joblog log = job.joblog(Input.path(file), state(), pause())) {
      KeptPause pause = meanings.pauses().isEmpty() ? null : KeptPause.of(options.stateFile());
      var settings = new Runner.RunSettings(slots, skipEmpty, meanings, retries, log, rest, pause);
      return run(in, effective, template, settings);
    }
  }

  private char terminator() {
    return nul ? '\0' : '\n';
  }

  private int run(Input in, Limit effective, Template template, Runner.RunSettings settings)
      throws Failure, InterruptedException {
    // One command at a time writes to the terminal itself.
    World world = settings.slots() == 1 ? this.world.shared() : this.world;
    FinalReport target =
        report.open(world, Input.path(file), noWait.file(), job.file(), state(), pause());
    Limiter.Builder builder =
        Limiter.builder(effective).time(world.time()).stamped(report.isGiven());
    OpenLimiter limiter = options.open(builder, world, !quiet);
    if (!quiet) {
      world.say("limit " + effective);
    }
    if (settings.pause() != null) {
      settings.pause().goOn(limiter, settings.statuses().pauses().values(), world);
    }
    if (settings.rest() == null) {
      limiter.tellFirstWait(world);
    }
    Results results = settings.slots() == 1 ? Results.direct() : new Groups(world, keepOrder);
    JobRequests requests = report.isGiven() ? new JobRequests(limiter.limiter()) : null;
    var permits = new JobPermits(limiter.limiter(), requests);
    var runner = new Runner(template, permits, results, settings, world::say);
    boolean isAllPaid = !skipEmpty && !job.resumes() && settings.rest() == null;
    var work = new RunWork(runner, permits, in, terminator(), isAllPaid);
    var line = new LiveLine(world, new Progress(limiter.limiter(), work));
    world
        .atExit()
        .accept(
            () -> {
              end(line, runner, results, limiter, settings.rest());
              if (requests != null) {
                var report = new RunReport(runner.tally(), requests.report());
                target.writeAtLast(report::lines, report::json);
              }
            });
    int status;
    try (line) {
      line.start();
      status = runner.run(new Lines(in, terminator()));
    }
    if (runner.wasKilled()) { // what was in the file of the rest stays; the report is for the end
      return status;
    }
    int left = NoWaitOptions.finish(settings.rest(), world);
    status = status == Status.OK ? left : status;
    if (requests == null) {
      return status;
    }
    var report = new RunReport(runner.tally(), requests.report());
    target.write(report::lines, report::json);
    return report.judged().status(status);
  }

  private @Nullable Path state() {
    return options.stateFile();
  }

  private @Nullable Path pause() {
    return KeptPause.path(state());
  }

  /** What is reported of a run. */
  private record RunReport(RunTally tally, LimitReport judged) {

    List<String> lines() {
      var lines = new ArrayList<>(List.of(tally.text()));
      lines.addAll(judged.lines());
      return lines;
    }

    JsonLine json() {
      var json = new JsonLine();
      tally.addTo(json);
      judged.addTo(json);
      return json;
    }
  }

  /** How far a run is. */
  private record RunWork(
      Runner runner, JobPermits permits, Input in, char terminator, boolean isAllPaid)
      implements Progress.Work {

    @Override
    public String unit() {
      return "lines";
    }

    @Override
    public long done() {
      return runner.tally().done();
    }

    @Override
    public long paid() {
      return runner.tally().ended();
    }

    @Override
    public long total() {
      return in.lines(terminator);
    }

    @Override
    public long failed() {
      return runner.tally().failed();
    }

    @Override
    public long due() {
      return permits.due();
    }

    @Override
    public boolean isDueOrLater() {
      return permits.isDueOrLater();
    }

    @Override
    public @Nullable String waitsFor() {
      return runner.hasRoom() ? "input" : runner.isAtWork() ? "commands" : null;
    }
  }

  private static void end(
      LiveLine line, Runner runner, Results results, OpenLimiter limiter, @Nullable Rest rest) {
    runner.kill(); // first, whatever the terminal does
    if (rest != null) {
      rest.close();
    }
    results.close();
    limiter.close();
    line.close();
  }

  private int slots(Limit effective) throws Failure {
    if (jobs < 0) {
      throw new Failure("-j must be 0 or more: " + jobs);
    }
    return jobs > 0 ? jobs : mostAtOnce(effective);
  }

  /** Returns the limit as the peer counts it, unless it says otherwise. */
  static Limit effective(Limit limit, @Nullable Duration unanswered) throws Failure {
    Limit effective = LimitArgument.asPeerCounts(limit);
    if (unanswered != null && effective.terms().stream().allMatch(Run::isCounted)) {
      throw new Failure(
          "--unanswered has no effect on "
              + effective
              + ": counted says until when a lost request may be counted, too");
    } else if (unanswered != null
        && effective.terms().stream().allMatch(term -> term.unansweredNanos() == 0)) {
      throw new Failure(
          "--unanswered has no effect on " + effective + ", which does not count ends");
    }
    try {
      return unanswered == null ? effective : unanswered(effective, unanswered);
    } catch (IllegalArgumentException e) {
      throw new Failure(e.getMessage() + " (or write starts(...))");
    }
  }

  private static Limit unanswered(Limit limit, Duration bound) {
    return limit.terms().stream()
        .map(term -> term.unansweredNanos() > 0 && !isCounted(term) ? term.unanswered(bound) : term)
        .reduce(Limit::and)
        .orElseThrow();
  }

  /** Returns whether {@code term} says itself until when any request is counted. */
  private static boolean isCounted(Limit term) {
    return term instanceof Peer peer && peer.counted();
  }

  /** Returns how many commands may be running at once under {@code limit}, a thousand at most. */
  static int mostAtOnce(Limit limit) {
    long most = MOST_SLOTS;
    for (Promise promise : limit.promises()) {
      boolean counts = promise.countsWhole() && promise.of().name() == null; // a command has none
      most = counts ? Math.min(most, promise.atOnce()) : most;
    }
    return (int) most;
  }

  /** Removes what follows {@code --}: it is the command, whether or not LIMIT came before. */
  static final class CommandOut implements IParameterPreprocessor {
    @Override
    @SuppressWarnings("JdkObsolete") // picocli passes a Stack
    public boolean preprocess(
        Stack<String> left, CommandSpec spec, ArgSpec argument, Map<String, Object> info) {
      var run = (Run) spec.userObject();
      int end = left.lastIndexOf("--"); // the last argument is at the bottom
      for (int i = end - 1; i >= 0; i--) {
        run.command.add(left.get(i));
      }
      left.subList(0, end + 1).clear();
      return false;
    }
  }
}
