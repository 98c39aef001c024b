package dev.pacegate.cli;

import dev.pacegate.audit.OutOfOrderException;
import dev.pacegate.audit.Reorder;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pacegate audit}: judges a log. */
@Command(
    name = "audit",
    description = "Reads a log of requests and reports whether LIMIT was kept.",
    footer = {
      "",
      "Instants are dates with a time (2026-01-31T12:00:00.123+01:00; a space for the T; UTC if no"
          + " zone is given) or numbers since 1970, in seconds with decimals unless --unit says"
          + " otherwise. They are exact to the nanosecond. Empty lines are skipped.",
      "",
      "Columns are separated by any blanks unless --separator is given; a date and a time with a"
          + " blank between them are two columns, of which the first is the one to name. Quotes and"
          + " brackets around a column are ignored.",
      "",
      "A request without an end counts as ended at its start.",
      "",
      "LIMIT may also be estimated(10/1s): a peer that allows 10 a second and estimates how many"
          + " came, from its present second and the one before. What is told is the highest estimate,"
          + " wherever its seconds begin. A peer that knows the time only in steps can read more:"
          + " estimated(100/10s, clock-grain=1s) for a clock of whole seconds.",
      "",
      "Exit status: 0 if LIMIT was kept, 1 if it was broken, 2 for bad input.",
      "",
      "Example: pacegate audit 10/1s --column 4 --reorder 5s access.log"
    })
final class AuditLog implements Callable<Integer> {

  private static final String TOO_LONG = "more than 292 years after the first";

  private final World world;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private final LimitArgument limit = new LimitArgument();

  @Parameters(index = "1", arity = "0..1", paramLabel = "FILE", description = "in place of stdin")
  private @Nullable String file;

  @Option(
      names = {"-u", "--unit"},
      paramLabel = "UNIT",
      description = "what numbers count: ${COMPLETION-CANDIDATES}; s unless given")
  private Instants.Unit unit = Instants.Unit.S;

  @Option(
      names = {"-c", "--column"},
      paramLabel = "N",
      description = "where the instant is, from 1; the whole line unless given")
  private int column;

  @Option(names = "--end-column", paramLabel = "N", description = "where the end is")
  private int endColumn;

  @Option(
      names = "--cost-column",
      paramLabel = "[NAME=]N",
      description = "where the cost is, or the cost of a NAME; 1 unless given; may be repeated")
  private List<String> costColumns = List.of();

  @Option(
      names = {"-s", "--separator"},
      paramLabel = "CHAR",
      description = "what separates columns, such as , or \\t; any blanks unless given")
  private @Nullable String separator;

  @Option(
      names = "--reorder",
      paramLabel = "DURATION",
      converter = Run.Span.class,
      description = "accept lines that are out of order by at most this")
  private @Nullable Duration reorder;

  AuditLog(World world) {
    this.world = world;
  }

  @Override
  public Integer call() throws Failure {
    List<Promise> promises = limit.promises();
    limit.warn(world);
    LogReader.Columns columns = columns(promises);
    var instants = new Instants(unit);
    var judge = new Judge(promises);
    try (var in = Input.open(file, world)) {
      read(new LogReader(new Lines(in, '\n'), columns, instants), instants, judge);
    }
    judge.lines(instants::format).forEach(spec.commandLine().getOut()::println);
    return judge.kept() ? Status.OK : Status.BROKEN;
  }

  private void read(LogReader log, Instants instants, Judge judge) throws Failure {
    long span = reorder == null ? 0 : reorder.toNanos();
    var order = new Reorder(span, judge::add);
    try {
      log.readAll(reorder == null ? judge::add : order::add);
      order.flush();
    } catch (OutOfOrderException e) {
      throw log.bad(e.instant() < e.earliest() ? tooLate(e, instants, span) : TOO_LONG);
    } catch (IllegalArgumentException e) {
      throw log.bad(judge.followsCalendar() ? String.valueOf(e.getMessage()) : TOO_LONG);
    }
  }

  private static String tooLate(OutOfOrderException e, Instants instants, long span) {
    long late = e.earliest() - e.instant();
    return instants.format(e.instant())
        + " is "
        + Durations.decimal(late)
        + " earlier than "
        + (span == 0 ? "a line before it" : "--reorder allows")
        + " (try --reorder "
        + Durations.format(span + late)
        + ")";
  }

  private LogReader.Columns columns(List<Promise> promises) throws Failure {
    var costs = new TreeMap<String, Integer>();
    for (String text : costColumns) {
      int equals = text.indexOf('=');
      costs.put(text.substring(0, Math.max(0, equals)), number(text.substring(equals + 1)));
    }
    checkCosts(promises, costs);
    boolean some = column > 0 || endColumn > 0 || !costs.isEmpty() || separator != null;
    byte separator = some ? separator() : (byte) '\n';
    return new LogReader.Columns(
        Math.max(1, atLeast0("--column", column)),
        atLeast0("--end-column", endColumn),
        costs,
        separator);
  }

  private static void checkCosts(List<Promise> promises, Map<String, Integer> costs)
      throws Failure {
    for (Promise promise : promises) {
      String name = promise.of().name();
      if (name != null && !costs.containsKey(name)) {
        throw new Failure("where is the cost of " + name + "? (try --cost-column " + name + "=N)");
      }
    }
    if (costs.containsKey("") && !Pipe.takePlainCosts(promises)) {
      throw new Failure(
          "--cost-column "
              + costs.get("")
              + " changes nothing: no limit here counts the plain cost");
    }
  }

  private static int number(String text) throws Failure {
    if (!text.matches("[1-9][0-9]{0,5}")) {
      throw new Failure("--cost-column takes the number of a column, or NAME=N: " + text);
    }
    return Integer.parseInt(text);
  }

  private static int atLeast0(String option, int column) throws Failure {
    if (column < 0 || column > 999_999) {
      throw new Failure(option + " takes the number of a column, from 1: " + column);
    }
    return column;
  }

  private byte separator() throws Failure {
    if (separator == null) {
      return Fields.BLANKS;
    }
    String one = separator.equals("\\t") ? "\t" : separator;
    if (one.length() != 1 || one.charAt(0) > 127) {
      throw new Failure("--separator takes one ASCII character: " + separator);
    }
    return (byte) one.charAt(0);
  }
}
