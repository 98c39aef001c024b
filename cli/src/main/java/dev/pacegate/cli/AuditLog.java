package dev.pacegate.cli;

import dev.pacegate.audit.OutOfOrderException;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** {@code pacegate audit}: judges a log. */
final class AuditLog implements Callable<Integer> {

  private static final String[] FOOTER = {
    "",
    "FILE is an access log of nginx, Apache or HAProxy, a syslog, CSV, lines of JSON, or anything"
        + " with an instant in each line. Several are read one after the other, so the oldest"
        + " comes first.",
    "",
    "An instant is a date with a time (2026-01-31T12:00:00.123+01:00, 31/Jan/2026:12:00:00 +0100,"
        + " Sat, 31 Jan 2026 12:00:00 GMT, Jan 31 12:00:00), in UTC if it has no zone, or a"
        + " number since 1970, in seconds unless --unit says otherwise.",
    "",
    "With --time-format, every instant is written so, also that of --end-column. Names of months"
        + " and days are English, years of two digits are 2000 to 2099, and a zone is an offset"
        + " (x, X, Z or O), with its name (VV) or without. Write no blanks in optional parts, and"
        + " no quotes or brackets around the whole.",
    "",
    "COLUMN is a number from 1, or backwards from -1, the last; or a name: of a field of JSON (request.address for one within"
        + " another), or from the header of a table. Columns are separated by any blanks unless"
        + " --separator is given; an instant with blanks is several columns, of which the first"
        + " is the one to name. Quotes and brackets around a column are ignored, and so are empty"
        + " lines.",
    "",
    "A request without an end counts as ended at its start.",
    "",
    "With --by, LIMIT is that of each group by itself, and the ten worst are shown. An address"
        + " such as 10.0.0.7:51234 or [::1]:51234 counts without its port, as each connection has"
        + " another. 2001:db8::1:80 may be an address without a port, so it counts as it is, but"
        + " for a column before a date as HAProxy writes it (31/Jan/2026:12:00:00.123, with no"
        + " zone): there :80 is taken for the port, although a format of your own may leave out"
        + " the port.",
    "",
    "With --suggest, no LIMIT is given. Each limit that is printed was kept by all of the log, or"
        + " by each group, and would have been broken with one permit less. Of buckets, the slowest are"
        + " printed that are full again within a second, 10 seconds, a minute and so on; none with"
        + " --cost-column.",
    "",
    "With --json, the object has limits, kept, files, lines (read) and skipped (empty ones, and"
        + " a header); then requests, cost, ended (whether any end was read: if not, peer(…) is"
        + " judged by starts alone), from, to, gap (the smallest between starts, in nanoseconds)"
        + " and promises; with --by, groups in place of these: an array of objects with group,"
        + " kept and the same. Each of promises has promise, kept, and if anything was counted:"
        + " measured (a number; of gaps, nanoseconds) and found (the same in words), worst (from,"
        + " to, nanos), tightest (the tightest that was kept, in words) and fits (that as LIMIT,"
        + " if it is a rate, a bucket, a spacing or concurrent).",
    "",
    "LIMIT may also be estimated(10/1s): a peer that allows 10 a second and estimates how many"
        + " came, from its present second and the one before. What is told is the highest"
        + " estimate, wherever its seconds begin. A peer that knows the time only in steps can"
        + " read more: estimated(100/10s, clock-grain=1s) for a clock of whole seconds.",
    "",
    "Exit status: 0 if LIMIT was kept, 1 if it was broken, 2 for bad arguments or input."
        + Status.AND_OTHERS,
    "",
    "Example: pacegate audit 100/1m --by 1 access.log.1.gz access.log"
  };

  private static final String TOO_LONG = "more than 292 years after the first";

  private final World world;

  private final LimitArgument limit = new LimitArgument();
  private List<String> files = List.of();
  private Instants.@Nullable Unit unit;
  private @Nullable String timeFormat;
  private @Nullable String column;
  private @Nullable String endColumn;
  private @Nullable String durationColumn;
  private boolean endsLogged;
  private List<String> costColumns = List.of();
  private @Nullable String by;
  private boolean suggests;
  private boolean json;
  private @Nullable String separator;
  private @Nullable Duration reorder;

  private AuditLog(World world) {
    this.world = world;
  }

  static CommandSpec command(World world) {
    var audit = new AuditLog(world);
    CommandSpec spec =
        CommandOptions.command(
            audit, "audit", "Reads a log of requests and reports whether LIMIT was kept.", FOOTER);
    audit.addTo(new CommandOptions(spec));
    return spec;
  }

  private void addTo(CommandOptions all) {
    all.value(
            "-u, --unit",
            "UNIT",
            "what numbers count: ${COMPLETION-CANDIDATES}; s unless given",
            Instants.Unit.class,
            null,
            one -> unit = one)
        .text(
            "--time-format",
            "PATTERN",
            "how the instant is written, if it is not found by itself: 'dd.MM.uuuu HH:mm:ss', as"
                + " Java's DateTimeFormatter takes it; in UTC without an offset",
            text -> timeFormat = text);
    addColumns(all);
    all.text(
            "--by",
            "COLUMN",
            "judge the requests of each address, key or whatever this is by themselves",
            text -> by = text)
        .flag(
            "--suggest",
            "in place of LIMIT: print the tightest limits that were kept, by each group",
            is -> suggests = is)
        .flag("--json", "print what is found as one object of JSON", is -> json = is)
        .text(
            "-s, --separator",
            "CHAR",
            "what separates columns, such as , or \\t; any blanks unless given",
            text -> separator = text)
        .span(
            "--reorder",
            "DURATION",
            "accept lines that are out of order by at most this",
            span -> reorder = span)
        .group(limit)
        .parametersFrom(
            1, "FILE", "in place of stdin; may be compressed by gzip", texts -> files = texts);
  }

  private void addColumns(CommandOptions all) {
    all.text(
            "-c, --column, --field",
            "COLUMN",
            "where the instant is; it is found unless given",
            text -> column = text)
        .text("--end-column", "COLUMN", "where the end is", text -> endColumn = text)
        .text(
            "--duration-column",
            "COLUMN",
            "how long a request took: seconds, or with a unit such as 35ms",
            text -> durationColumn = text)
        .flag(
            "--ends-logged",
            "the instant is that of the end, as nginx writes it",
            is -> endsLogged = is)
        .texts(
            "--cost-column",
            "[NAME=]COLUMN",
            "where the cost is, or the cost of a NAME; 1 unless given; may be repeated",
            texts -> costColumns = texts);
  }

  @Override
  public Integer call() throws Failure {
    List<Promise> promises = promises();
    LogColumns columns = columns(promises);
    var instants =
        new Instants(
            unit == null ? Instants.Unit.S : unit,
            LocalDate.ofInstant(world.time().instant(), ZoneOffset.UTC),
            timeFormat == null ? null : TimeFormat.of(timeFormat));
    var search =
        new LogLayout.LayoutSearch(
            columns, separator == null ? null : separator(separator), instants, world::say);
    var judges = new GroupJudges(promises, reorder == null ? 0 : reorder.toNanos());
    List<String> logs = logs();
    var read = new LogReader.ReadLines(0, 0);
    for (String file : logs) {
      try (var in = Input.openLog(file, world)) {
        var log = new LogReader(new Lines(in, '\n'), search, endsLogged);
        read(log, promises, instants, judges);
        read = read.plus(log.read());
      }
    }
    flush(judges, promises);
    if (json) {
      writeJson(logs, read, judges, instants);
    } else {
      var lines = new StringBuilder();
      lines(judges, instants).forEach(line -> lines.append(line).append('\n'));
      new Output(world.out()).write(lines.toString());
    }
    return suggests || judges.kept() ? Status.OK : Status.BROKEN;
  }

  private List<Promise> promises() throws Failure {
    if (suggests && json) {
      throw new Failure("--json tells whether LIMIT was kept, so it cannot be used with --suggest");
    } else if (suggests) {
      boolean hasEnds = endColumn != null || durationColumn != null;
      return Suggestion.promises(hasEnds, !costColumns.isEmpty());
    }
    limit.checkIsBefore(files);
    limit.warn(world);
    return limit.promises();
  }

  private List<String> logs() throws Failure {
    var logs = new ArrayList<>(files);
    String first = suggests ? limit.firstWithoutLimit("--suggest") : null;
    if (first != null) {
      logs.add(0, first);
    }
    return logs.isEmpty() ? List.of("-") : logs;
  }

  private void writeJson(
      List<String> logs, LogReader.ReadLines read, GroupJudges judges, Instants instants)
      throws Failure {
    try {
      AuditJson.write(world.out(), limit.texts(), logs, read, judges, by != null, instants::format);
    } catch (IOException e) {
      throw Output.failure(e);
    }
  }

  private List<String> lines(GroupJudges judges, Instants instants) {
    if (suggests) {
      return Suggestion.lines(judges, by != null, instants::format);
    }
    return by == null
        ? judges.ofAll().lines(instants::format)
        : judges.linesOfGroups(name(by), instants::format);
  }

  private static String name(String column) {
    return column.matches(LogColumns.NUMBER) ? "column " + column : column;
  }

  private void read(LogReader log, List<Promise> promises, Instants instants, GroupJudges judges)
      throws Failure {
    try {
      log.readAll(judges);
    } catch (OutOfOrderException e) {
      throw log.bad(e.instant() < e.earliest() ? tooLate(e, instants) : TOO_LONG);
    } catch (IllegalArgumentException e) {
      throw log.bad(outOfRange(e, promises));
    }
  }

  private static void flush(GroupJudges judges, List<Promise> promises) throws Failure {
    try {
      judges.flush();
    } catch (IllegalArgumentException e) { // lines that were waited for
      throw new Failure("a line is " + outOfRange(e, promises));
    }
  }

  private static String outOfRange(IllegalArgumentException e, List<Promise> promises) {
    boolean isOfCalendar = promises.stream().anyMatch(Promise::followsCalendar);
    return isOfCalendar ? String.valueOf(e.getMessage()) : TOO_LONG;
  }

  private String tooLate(OutOfOrderException e, Instants instants) {
    long span = reorder == null ? 0 : reorder.toNanos();
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

  private LogColumns columns(List<Promise> promises) throws Failure {
    var costs = new TreeMap<String, String>();
    for (String text : costColumns) {
      int equals = text.indexOf('=');
      String name = text.substring(0, Math.max(0, equals));
      String cost = text.substring(equals + 1);
      check("--cost-column", cost);
      if (equals == 0 || costs.put(name, cost) != null) {
        throw new Failure("--cost-column takes a column, or NAME=COLUMN for each name: " + text);
      }
    }
    checkCosts(promises, costs);
    if (endsLogged && durationColumn == null) {
      throw new Failure("--ends-logged changes nothing without --duration-column");
    } else if (endColumn != null && durationColumn != null) {
      throw new Failure("--end-column and --duration-column say the same: give one of them");
    } else if (unit != null && timeFormat != null) {
      throw new Failure("--unit changes nothing with --time-format, by which no number is read");
    }
    check("--column", column);
    check("--end-column", endColumn);
    check("--duration-column", durationColumn);
    check("--by", by);
    return new LogColumns(column, endColumn, durationColumn, costs, by);
  }

  private static void checkCosts(List<Promise> promises, Map<String, String> costs) throws Failure {
    for (Promise promise : promises) {
      String name = promise.of().name();
      if (name != null && !costs.containsKey(name)) {
        throw new Failure(
            "where is the cost of " + name + "? (try --cost-column " + name + "=COLUMN)");
      }
    }
    if (costs.containsKey("") && !Pipe.takePlainCosts(promises)) {
      throw new Failure(
          "--cost-column "
              + costs.get("")
              + " changes nothing: no limit here counts the plain cost");
    }
  }

  // A number from 1, or from -1 backwards, or a name.
  private static void check(String option, @Nullable String column) throws Failure {
    if (column != null
        && (column.isBlank()
            || (column.matches(LogColumns.NUMBER) && !column.matches("-?[1-9][0-9]{0,5}")))) {
      throw new Failure(
          option
              + " takes the number of a column, from 1 or backwards from -1, or its name: "
              + column);
    }
  }

  private static byte separator(String separator) throws Failure {
    String one = separator.equals("\\t") ? "\t" : separator;
    if (one.length() != 1 || one.charAt(0) > 127) {
      throw new Failure("--separator takes one ASCII character: " + separator);
    }
    return (byte) one.charAt(0);
  }
}
