package dev.pacegate.cli;

import static java.util.Objects.requireNonNull;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code pacegate}. Each error is one line, with an exit status of its own. */
public final class Main implements Runnable {

  private static final String[] NONE = {};

  private static final String[] FOOTER = {
    "",
    "Try 'pacegate help COMMAND', and 'pacegate limits' for how LIMIT is written.",
    "",
    "Exit status: 0 if all went well; 2 for bad arguments or input; 74 if reading or writing"
        + " failed; 141 if the reader of the output is gone; 128+N if signal N ended it, as 130"
        + " after Ctrl-C; see the help of each command for others."
  };

  static {
    // Else picocli looks for classes that are in none of the jars, and the JVM opens them all.
    System.setProperty("picocli.disable.closures", "true");
    System.setProperty("picocli.converters.excludes", "java\\.(sql|time)\\..*");
  }

  private final CommandSpec spec =
      CommandOptions.command(
          this,
          "pacegate",
          "Paces what a program sends, so that the other side's limit is never passed.",
          FOOTER);

  private Main() {}

  /** Runs the command and exits with its status. */
  public static void main(String[] arguments) {
    int status = run(World.real(), arguments);
    // The JVM ends by itself; System.exit asks first for a log, which is looked for in every jar.
    if (status != Status.OK || othersRun()) {
      System.exit(status);
    }
  }

  /** Returns whether a thread would keep the JVM from ending by itself. */
  private static boolean othersRun() {
    var threads = new Thread[Thread.activeCount() + 1];
    int count = Thread.enumerate(threads);
    return count == threads.length
        || Arrays.stream(threads, 0, count)
            .anyMatch(thread -> !thread.isDaemon() && thread != Thread.currentThread());
  }

  /** Runs the command in {@code world} and returns its status, whatever happens. */
  static int run(World world, String... arguments) {
    try {
      return execute(world, arguments);
    } catch (OutOfMemoryError e) {
      world.say("not enough memory: " + e.getMessage() + " (try PACEGATE_JAVA_OPTS=-Xmx4g)");
      return Status.BAD;
    } catch (Throwable e) { // otherwise Java would exit with 1, which means a broken limit
      return failed(world, e);
    }
  }

  private static int execute(World world, String... given) throws Failure {
    // `help run` is `run --help`, and `help` alone is that of all.
    boolean isHelp = given.length > 0 && given[0].equals("help");
    String[] named = isHelp ? namedAfterHelp(given) : NONE;
    String[] arguments = isHelp ? withHelp(named) : given;
    var text = new StringWriter();
    CommandLine command = command(world, arguments).setOut(new PrintWriter(text));
    Optional<ParameterException> wrong = wrongCommand(command, named);
    if (wrong.isPresent()) {
      return refused(world, wrong.get());
    }
    int status = command.execute(arguments);
    if (text.getBuffer().length() > 0) {
      new Output(world.out()).write(text.toString());
    }
    return status;
  }

  private static String[] namedAfterHelp(String... given) {
    return Arrays.stream(given, 1, given.length)
        .filter(word -> !word.equals("--help") && !word.equals("-h"))
        .toArray(String[]::new);
  }

  private static String[] withHelp(String... named) {
    String[] arguments = Arrays.copyOf(named, named.length + 1);
    arguments[named.length] = "--help";
    return arguments;
  }

  /** Beside an option for help picocli accepts anything: behind {@code help}, that is a mistake. */
  private static Optional<ParameterException> wrongCommand(CommandLine command, String... named) {
    CommandLine at = command;
    for (String name : named) {
      CommandLine next = at.getSubcommands().get(name);
      if (next == null) {
        return Optional.of(
            name.startsWith("-")
                ? new ParameterException(at, "help takes no option: " + name)
                : new UnmatchedArgumentException(at, List.of(name)));
      }
      at = next;
    }
    return Optional.empty();
  }

  static CommandLine command(World world, String... arguments) {
    Map<String, Supplier<CommandSpec>> all = subcommands(world);
    String first = arguments.length == 0 ? "" : arguments[0];
    // Each command costs time to read its options, so the others are left out.
    CommandSpec spec = new Main().spec;
    spec.usageMessage().synopsisSubcommandLabel("COMMAND");
    CommandOptions.addHelp(spec);
    for (String name : all.containsKey(first) ? Set.of(first) : all.keySet()) {
      CommandSpec sub = requireNonNull(all.get(name)).get();
      CommandOptions.addHelp(sub);
      spec.addSubcommand(name, sub);
    }
    var command = new CommandLine(spec);
    HelpWidth.set(command, Width.of(world.environment()));
    if (World.Screen.isDumb(world.environment().getOrDefault("TERM", ""))) {
      command.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    }
    return command
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false)
        .setParameterExceptionHandler((e, wrong) -> refused(world, e))
        .setExecutionExceptionHandler((e, failing, parsed) -> failed(world, e));
  }

  private static Map<String, Supplier<CommandSpec>> subcommands(World world) {
    var all = new LinkedHashMap<String, Supplier<CommandSpec>>();
    all.put("pipe", () -> Pipe.command(world));
    all.put("run", () -> Run.command(world));
    all.put("proxy", () -> Proxy.command(world));
    all.put("audit", () -> AuditLog.command(world));
    all.put("simulate", () -> Simulate.command(world));
    all.put("cluster", () -> Cluster.command(world));
    all.put("limits", () -> LimitsCommand.command(world));
    return all;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "No command is given");
  }

  private static int refused(World world, ParameterException e) {
    world.say(
        Complaint.of(e)
            + " (try '"
            + e.getCommandLine().getCommandSpec().qualifiedName()
            + " --help')");
    return Status.BAD;
  }

  private static int failed(World world, Throwable e) {
    if (e instanceof Failure failure) {
      if (failure.getMessage() != null) {
        world.say(failure.getMessage());
      }
      return failure.status();
    }
    if (e instanceof World.EndsAlready) {
      return Status.SIGNALLED;
    }
    if (Boolean.getBoolean("pacegate.trace")) {
      e.printStackTrace(world.err());
    }
    world.say("unexpected: " + e);
    return Status.BAD;
  }

  /** The version that the build wrote into the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"pacegate " + (version == null ? "(not a release)" : version)};
    }
  }
}
