package dev.pacegate.cli;

import static java.util.Objects.requireNonNull;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;

/** The command {@code pacegate}. Each error is one line, with an exit status of its own. */
@Command(
    name = "pacegate",
    description = "Paces what a program sends, so that the other side's limit is never passed.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    footer = {"", "Try 'pacegate help COMMAND', and 'pacegate limits' for how LIMIT is written."})
public final class Main implements Runnable {

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  private Main() {}

  /** Runs the command and exits with its status. */
  public static void main(String[] arguments) {
    System.exit(run(World.real(), arguments));
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
    String[] arguments = withHelpAsOption(subcommands(world).keySet(), given);
    var text = new StringWriter();
    CommandLine command = command(world, arguments).setOut(new PrintWriter(text));
    int status = command.execute(arguments);
    if (text.getBuffer().length() > 0) {
      new Output(world.out()).write(text.toString());
    }
    return status;
  }

  // `help run` is `run --help`, and `help` alone is that of all.
  private static String[] withHelpAsOption(Set<String> commands, String... given) {
    if (given.length == 0 || !given[0].equals("help")) {
      return given;
    }
    String[] arguments = Arrays.copyOfRange(given, 1, given.length + 1);
    arguments[given.length - 1] = "--help";
    boolean isKnown = given.length == 1 || commands.contains(given[1]);
    return isKnown ? arguments : new String[] {given[1]};
  }

  static CommandLine command(World world, String... arguments) {
    Map<String, Supplier<Object>> all = subcommands(world);
    String first = arguments.length == 0 ? "" : arguments[0];
    // Each command costs time to read its options, so the others are left out.
    var command = new CommandLine(new Main());
    (all.containsKey(first) ? Set.of(first) : all.keySet())
        .forEach(name -> command.addSubcommand(requireNonNull(all.get(name)).get()));
    for (CommandLine sub : command.getSubcommands().values()) {
      sub.getCommandSpec().mixinStandardHelpOptions(true).versionProvider(new Version());
    }
    return command
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false)
        .setParameterExceptionHandler((e, wrong) -> refused(world, e))
        .setExecutionExceptionHandler((e, failing, parsed) -> failed(world, e));
  }

  private static Map<String, Supplier<Object>> subcommands(World world) {
    var all = new LinkedHashMap<String, Supplier<Object>>();
    all.put("pipe", () -> new Pipe(world));
    all.put("run", () -> new Run(world));
    all.put("proxy", () -> new Proxy(world));
    all.put("audit", () -> new AuditLog(world));
    all.put("simulate", Simulate::command);
    all.put("cluster", () -> Cluster.command(world));
    all.put("limits", LimitsCommand::new);
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
